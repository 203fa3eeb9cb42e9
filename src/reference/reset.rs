//! Twin of `shaders/search/run/reset.wgsl`: reduces every tree to its root; the random streams continue.

use super::TreeView;
use crate::forest::layout::{Link, Stats, TREE_SECOND_MOVES, Tree};

/// Resets one tree to its root record.
pub fn reset(view: &mut TreeView<'_>) {
    let (turn, outcome) = (view.root[0], view.root[1]);
    *view.tree = Tree {
        size: 1,
        flags: turn * TREE_SECOND_MOVES,
        expansion_stream: view.tree.expansion_stream,
        ..Tree::default()
    };
    view.stats[0] = Stats::default();
    view.links[0] = Link::leaf(0, outcome);
}
