//! Buffers of more than one binding: with arrays of bindings, one dispatch accesses more nodes than one binding holds.
//!
//! The shaders do not depend on it. Their text is changed before it is compiled: each of these buffers becomes an array
//! of segments, and each index into it two, that of the segment and that within it.

/// The buffers that may be cut into segments, with an element per node.
const BUFFERS: [&str; 3] = ["stats", "counters", "links"];

/// The division of nodes into segments, each of which is a binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segments {
    /// Bindings of an array.
    pub count: u32,
    /// A segment has 2^shift nodes.
    pub shift: u32,
}

impl Segments {
    /// The segments of `nodes` nodes, given the nodes that a binding holds.
    pub fn of(nodes: u64, in_binding: u64) -> Self {
        let shift = in_binding.max(1).ilog2();
        Self { count: u32::try_from(nodes.div_ceil(1 << shift)).unwrap_or(u32::MAX), shift }
    }

    /// Nodes of a segment.
    pub fn nodes(self) -> u64 {
        1 << self.shift
    }

    /// The text with these buffers in segments; `None` if it has none of them.
    pub(crate) fn cut(self, text: &str) -> Option<String> {
        let mut cut = text.to_owned();
        for name in BUFFERS {
            if let Some(declared) = self.declare(&cut, name) {
                cut = index_twice(&declared, name, self.shift);
            }
        }
        // Arrays and uniform buffers can't be in one group. Lines keep their numbers.
        let is_cut = cut != text;
        is_cut.then(|| {
            format!("enable wgpu_binding_array; {}", cut.replace("var<uniform>", "var<storage, read>"))
        })
    }

    /// Replaces the declaration of a buffer by that of an array of bindings.
    fn declare(self, text: &str, name: &str) -> Option<String> {
        let before = format!(" {name}: array<");
        let at = text.find(&before)?;
        let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let end = at + text[at..].find(';')?;
        let (head, element) = (&text[line..at], &text[at + before.len()..end - 1]);
        let segment = format!("struct Segment_{name} {{ at: array<{element}> }} ");
        let array = format!("{head} {name}: binding_array<Segment_{name}, {}>", self.count);
        Some([&text[..line], &segment, &array, &text[end..]].concat())
    }
}

/// Replaces `name[index]` by `name[segment].at[index within it]`, also inside other indices.
fn index_twice(text: &str, name: &str, shift: u32) -> String {
    let opening = format!("{name}[");
    let mut rest = text;
    let mut cut = String::with_capacity(text.len() + text.len() / 16);
    while let Some(at) = rest.find(&opening) {
        let is_name = !rest[..at].ends_with(|before: char| before.is_alphanumeric() || "_.".contains(before));
        let (before, after) = rest.split_at(at + opening.len());
        let Some(length) = closing(after).filter(|_| is_name) else {
            cut.push_str(before);
            rest = after;
            continue;
        };
        let index = index_twice(&after[..length], name, shift);
        cut.push_str(before);
        cut.push_str(&format!("({index}) >> {shift}u].at[({index}) & {}u]", (1u64 << shift) - 1));
        rest = &after[length + 1..];
    }
    cut.push_str(rest);
    cut
}

/// The index of the bracket that closes the open one.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1;
    text.find(|letter| {
        open += i32::from(letter == '[') - i32::from(letter == ']');
        open == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_hold_all_nodes_within_bindings() {
        assert_eq!(Segments::of(1 << 20, 1 << 16), Segments { count: 16, shift: 16 });
        assert_eq!(Segments::of((1 << 20) + 1, (1 << 17) - 1), Segments { count: 17, shift: 16 });
        assert_eq!(Segments::of(1, (1 << 27) - 1), Segments { count: 1, shift: 26 });
    }

    #[test]
    fn indexes_are_cut_wherever_they_stand() {
        let cut = |text: &str| index_twice(text, "links", 4);
        assert_eq!(cut("links[a + 1].y = 2;"), "links[(a + 1) >> 4u].at[(a + 1) & 15u].y = 2;");
        assert_eq!(
            cut("f(links[b[i] + links[j].x])"),
            "f(links[(b[i] + links[(j) >> 4u].at[(j) & 15u].x) >> 4u]\
             .at[(b[i] + links[(j) >> 4u].at[(j) & 15u].x) & 15u])"
        );
        for same in ["slab_links[i]", "sums.links[i]", "links", "links[open"] {
            assert_eq!(cut(same), same);
        }
    }

    #[test]
    fn declarations_become_arrays() {
        let text = "// stats\n@group(0) @binding(0) var<uniform> params: u32;\n\
                    @group(0) @binding(4) var<storage, read_write> stats: array<vec4<u32>>;\nfn f(i: u32) -> u32 \
                    { return stats[i].x; }\n";
        let cut = Segments { count: 3, shift: 5 }.cut(text).unwrap();
        assert_eq!(
            cut,
            "enable wgpu_binding_array; // stats\n@group(0) @binding(0) var<storage, read> params: u32;\n\
             struct Segment_stats { at: array<vec4<u32>> } @group(0) @binding(4) \
             var<storage, read_write> stats: binding_array<Segment_stats, 3>;\nfn f(i: u32) -> u32 { return \
             stats[(i) >> 5u].at[(i) & 31u].x; }\n"
        );
        // Four words a node.
        let words = "@group(0) @binding(4) var<storage, read_write> counters: array<array<atomic<u32>, 4>>;\n\
                     fn f(i: u32) { atomicAdd(&counters[i][2], 1u); }\n";
        let cut = Segments { count: 3, shift: 5 }.cut(words).unwrap();
        assert!(cut.contains("{ at: array<array<atomic<u32>, 4>> }"), "{cut}");
        assert!(cut.contains("atomicAdd(&counters[(i) >> 5u].at[(i) & 31u][2], 1u)"), "{cut}");
        assert!(cut.contains("counters: binding_array<Segment_counters, 3>;"), "{cut}");
        assert_eq!(Segments { count: 3, shift: 5 }.cut("fn f() {}"), None);
    }
}
