//! Twin of `shaders/reset.wgsl`: every tree becomes its root alone; the random streams go on.

use super::{Shape, TreeView};
use crate::layout::{Link, NO_CHILDREN, OUTCOME_SHIFT, ROOT_HEADER, Stats, TREE_SECOND_MOVES, Tree};

/// Resets one tree to its root record.
pub fn reset(shape: &Shape, view: &mut TreeView<'_>) {
    let (turn, outcome) = (view.root[0], view.root[1]);
    *view.tree = Tree {
        size: 1,
        flags: turn * TREE_SECOND_MOVES,
        expansion_stream: view.tree.expansion_stream,
        ..Tree::default()
    };
    view.stats[0] = Stats::default();
    view.links[0] = Link { first_child: NO_CHILDREN, info: outcome << OUTCOME_SHIFT };
    view.states[..shape.state_words as usize].copy_from_slice(&view.root[ROOT_HEADER as usize..]);
}
