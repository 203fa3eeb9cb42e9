//! Buffers of trees, word by word, with names for people.

use super::checker::Compared;
use crate::{
    forest::{
        layout::{Best, RootSum},
        shape::Shape,
    },
    reference::Forest,
};
use bytemuck::cast_slice;

/// Names of words, separated by `; `.
const STREAM: &str = "s0, low; s0, high; s1, low; s1, high";
const COUNTS: &str = "n, low; n, high; points, low; points, high";
const TREE: &str = "size; flags; selected; path_length; first_child; expanded; drawn; max_depth; \
    depth_sum, low; depth_sum, high; tally, X; tally, O; expansion stream, s0, low; expansion stream, s0, high; \
    expansion stream, s1, low; expansion stream, s1, high";
const SUM: &str = "n, low; n, high; points, low; points, high; info; present; proof; half_proofs";

/// A buffer, as rows (a tree, or a position each) of elements (nodes, ...) of words.
pub(super) struct Buffer<'a> {
    name: &'static str,
    row: &'static str,
    row_elements: usize,
    element: &'static str,
    /// The names of an element's words, separated by `; `.
    fields: &'static str,
    words: &'a [u32],
}

impl<'a> Buffer<'a> {
    fn new(
        name: &'static str,
        row: &'static str,
        row_elements: usize,
        element: &'static str,
        fields: &'static str,
        words: &'a [u32],
    ) -> Self {
        Self { name, row, row_elements: row_elements.max(1), element, fields, words }
    }

    /// `stats of tree 1, node 5, n_wins, low`
    fn place(&self, word: usize) -> String {
        let fields: Vec<_> = self.fields.split("; ").collect();
        let (element, field) = (word / fields.len(), fields[word % fields.len()]);
        let (row, at) = (element / self.row_elements, element % self.row_elements);
        let inner = if self.element.is_empty() { String::new() } else { format!(", {} {at}", self.element) };
        let field = if field.is_empty() { String::new() } else { format!(", {field}") };
        format!("{} of {} {row}{inner}{field}", self.name, self.row)
    }
}

/// The buffers of a chunk that a step writes.
pub(super) fn of_trees(forest: &Forest) -> Vec<Buffer<'_>> {
    let shape = &forest.shape;
    let (header, leaf) = if shape.has_leaves() { ("header", "leaf") } else { ("tree", "tree") };
    let (streams, tallies) = (cast_slice(&forest.streams), cast_slice(&forest.tallies));
    let (links, stats) = (cast_slice(&forest.links), cast_slice(&forest.stats));
    vec![
        Buffer::new("streams", leaf, shape.streams_per_leaf(), "stream", STREAM, streams),
        Buffer::new("trees", header, 1, "", TREE, cast_slice(&forest.trees)),
        Buffer::new("paths", leaf, shape.path_words(), "level", "", &forest.paths),
        Buffer::new("states", leaf, shape.selected_words(), "word", "", &forest.states),
        Buffer::new("links", "tree", shape.capacity as usize, "node", "first_child; info", links),
        Buffer::new("jobs", leaf, 1, "", "", &forest.jobs),
        Buffer::new("tallies", leaf, shape.tallies_per_leaf(), "tally", "X; O", tallies),
        Buffer::new("leaf_planes", leaf, shape.planes_per_leaf(), "cell", "", &forest.leaf_planes),
        Buffer::new("outputs", leaf, shape.outputs_per_leaf(), "output", "", cast_slice(&forest.outputs)),
        Buffer::new("firsts", leaf, shape.records_per_leaf(), "word", "", &forest.firsts),
        Buffer::new("stats", "tree", shape.capacity as usize, "node", COUNTS, stats),
    ]
}

/// Sums over the trees of positions.
pub(super) fn of_sums<'a>(shape: &Shape, sums: &'a [RootSum]) -> Buffer<'a> {
    let row_elements = shape.max_actions as usize + 1;
    Buffer::new("root_sums", "position", row_elements, "ordinal", SUM, cast_slice(sums))
}

/// The best actions of positions.
pub(super) fn of_best(best: &[Best]) -> Buffer<'_> {
    Buffer::new("best", "position", 1, "", "ordinal; action", cast_slice(best))
}

/// Digests of trees.
pub(super) fn of_digests(digests: &[u64]) -> Buffer<'_> {
    Buffer::new("digests", "tree", 1, "", "low; high", cast_slice(digests))
}

/// Compares buffers with the expected ones; `what` has just run.
pub(super) fn compare(
    what: &str,
    expected: &[Buffer<'_>],
    found: &[Buffer<'_>],
    is_left_over: impl Fn(&str, usize) -> bool,
) -> Compared {
    let mut all = Compared::default();
    for (expected, found) in expected.iter().zip(found) {
        let pairs = expected.words.iter().zip(found.words).enumerate();
        let differing = pairs.filter(|(word, (a, b))| a != b && !is_left_over(expected.name, *word));
        all.and(Compared::of(expected.words.len() as u64, differing, |(word, (a, b))| {
            format!("after {what}: {} is {b:#x}, expected {a:#x}", expected.place(word))
        }));
    }
    all
}
