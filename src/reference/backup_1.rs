//! Twin of `shaders/search/staged/backup_1.wgsl`: adds the tallies to the nodes that were played out, and sums them.

use super::TreeView;
use crate::forest::{
    Shape,
    layout::{ROOT, TREE_ENDED, Tree},
};
use glam::UVec2;

/// Adds to every child that was played out its own playouts, and writes the sum over children to the tree's header
/// (specification, "One step", 4). A selected node that was itself played out is on the path:
/// [`backup_2`](super::backup_2) serves it.
pub fn backup_1(shape: &Shape, view: &mut TreeView<'_>) {
    if view.tree.root_is_proven() {
        return;
    }
    let mover = view.selected_turn() as usize;
    let (first, places) = played(shape, view.tree);
    let new = &view.links[view.tree.first_child as usize..][..view.tree.expanded as usize];
    if shape.config.solver && new.iter().any(|child| child.outcome() != 0) {
        view.tree.flags |= TREE_ENDED;
    }
    view.tree.tally = UVec2::ZERO;
    for ordinal in 0..places {
        let parts = &view.tallies[(ordinal * shape.parts) as usize..][..shape.parts as usize];
        let tally: UVec2 = parts.iter().sum();
        view.tree.tally += tally;
        if view.tree.expanded > 0 {
            view.stats[(first + ordinal) as usize]
                .add(u64::from(shape.config.playouts), u64::from(tally[mover]));
        }
    }
}

/// The first node that was played out, and the number of such nodes.
pub(super) fn played(shape: &Shape, tree: &Tree) -> (u32, u32) {
    if tree.root_is_proven() {
        (ROOT, 0)
    } else if tree.expanded == 0 {
        (tree.selected, 1)
    } else if shape.config.variant.all_children {
        (tree.first_child, tree.expanded)
    } else {
        (tree.first_child + tree.drawn, 1)
    }
}
