// The best of few children (NARROW of select.wgsl). One lane = one child, and then every lane looks at all estimates for
// itself, which takes one barrier a level.

// The estimate of a lane without a child: far below every child's, UCB_UNKNOWN included.
const NO_CHILD: f32 = -1e30;

// Two halves in turn, so that a level needs no barrier before it overwrites the last one's values.
var<workgroup> sh_approx: array<f32, 2u * NARROW_LANES>;
var<workgroup> sh_tie: array<u32, 2u * NARROW_LANES>;
var<workgroup> sh_counts: array<vec4<u32>, 2u * NARROW_LANES>;
var<workgroup> sh_link: array<vec4<u32>, 2u * NARROW_LANES>;
// One half will do: between two uses lies the next level's barrier.
var<workgroup> sh_exact: array<u32, NARROW_LANES>;

// A lane's child.
struct Child {
    present: bool,
    counts: vec4<u32>,
    link: vec4<u32>,
}

// The best child of a node.
struct BestChild {
    ordinal: u32,
    link: vec4<u32>,
}

fn load_child(base: u32, parent: vec4<u32>, lane: u32) -> Child {
    var child = Child();
    if NARROW && lane < link_count(parent.y) {
        child.present = true;
        child.counts = stats[base + parent.x + lane];
        child.link = links[base + parent.x + lane];
    }
    return child;
}

// The best child of `parent`; the same on all lanes. `parity` is that of the level.
fn best_of_few(parent: vec4<u32>, child: Child, lane: u32, parity: u32) -> BestChild {
    let half = parity * NARROW_LANES;
    if lane < NARROW_LANES {
        let approx = ucb_approx(ucb_parent(parent.zw), child.counts.xy, child.counts.zw);
        sh_approx[half + lane] = select(NO_CHILD, approx, child.present);
        sh_link[half + lane] = child.link;
        sh_tie[half + lane] = reverseBits(link_action(child.link.y));
        sh_counts[half + lane] = child.counts;
    }
    workgroupBarrier();
    let ordinal = best_ordinal(parent, child, lane, half);
    return BestChild(ordinal, sh_link[half + ordinal]);
}

fn best_ordinal(parent: vec4<u32>, child: Child, lane: u32, half: u32) -> u32 {
    let top = greatest_approx(half);
    let close = close_children(half, ucb_floor(top));
    if (close & (close - 1u)) == 0u {
        return firstTrailingBit(close);
    }
    // Children never visited have equal bounds.
    if top == UCB_UNVISITED || same_counts(half, close) {
        return first_action(half, close);
    }
    if lane < NARROW_LANES && ((close >> lane) & 1u) == 1u {
        sh_exact[lane] = ucb_exact(soft64_from_bits(parent.zw), child.counts.xy, child.counts.zw);
    }
    workgroupBarrier();
    return first_action(half, greatest_exact(close));
}

// Four values at a time, and without a look at their number: the loads of workgroup memory overlap.

fn approx_quad(at: u32) -> vec4<f32> {
    return vec4<f32>(sh_approx[at], sh_approx[at + 1u], sh_approx[at + 2u], sh_approx[at + 3u]);
}

fn tie_quad(at: u32) -> vec4<u32> {
    return vec4<u32>(sh_tie[at], sh_tie[at + 1u], sh_tie[at + 2u], sh_tie[at + 3u]);
}

fn quad_bits(quad: vec4<bool>) -> u32 {
    let bits = select(vec4<u32>(0u), vec4<u32>(1u, 2u, 4u, 8u), quad);
    return (bits.x | bits.y) | (bits.z | bits.w);
}

fn bits_quad(bits: u32) -> vec4<bool> {
    return (vec4<u32>(bits) & vec4<u32>(1u, 2u, 4u, 8u)) != vec4<u32>(0u);
}

fn greatest_approx(half: u32) -> f32 {
    var tops = approx_quad(half);
    for (var at = 4u; at < NARROW_LANES; at += 4u) {
        tops = max(tops, approx_quad(half + at));
    }
    return max(max(tops.x, tops.y), max(tops.z, tops.w));
}

// One bit for each child that may be the best.
fn close_children(half: u32, threshold: f32) -> u32 {
    var close = 0u;
    for (var at = 0u; at < NARROW_LANES; at += 4u) {
        close |= quad_bits(approx_quad(half + at) >= vec4<f32>(threshold)) << at;
    }
    return close;
}

fn same_counts(half: u32, children: u32) -> bool {
    let counts = sh_counts[half + firstTrailingBit(children)];
    var same = true;
    for (var rest = children & (children - 1u); rest != 0u; rest &= rest - 1u) {
        same = same && all(sh_counts[half + firstTrailingBit(rest)] == counts);
    }
    return same;
}

// Of some children, those of the greatest exact bound.
fn greatest_exact(children: u32) -> u32 {
    var top = 0u;
    for (var rest = children; rest != 0u; rest &= rest - 1u) {
        top = max(top, sh_exact[firstTrailingBit(rest)]);
    }
    var best = 0u;
    for (var rest = children; rest != 0u; rest &= rest - 1u) {
        let ordinal = firstTrailingBit(rest);
        best |= u32(sh_exact[ordinal] == top) << ordinal;
    }
    return best;
}

// Of some children, the one with the smallest bit-reversed action.
fn first_action(half: u32, children: u32) -> u32 {
    var least = vec4<u32>(0xffffffffu);
    for (var at = 0u; at < NARROW_LANES; at += 4u) {
        least = min(least, select(vec4<u32>(0xffffffffu), tie_quad(half + at), bits_quad(children >> at)));
    }
    let tie = min(min(least.x, least.y), min(least.z, least.w));
    var best = 0u;
    for (var at = 0u; at < NARROW_LANES; at += 4u) {
        best |= quad_bits(tie_quad(half + at) == vec4<u32>(tie)) << at;
    }
    // Lanes without a child have the tie of action 0, but are none of the children.
    return firstTrailingBit(best & children);
}
