//! Twin of `shaders/search/leaves/withdraw_leaves.wgsl`: undoes a step that was abandoned before its backup.

use super::super::TreeView;
use crate::forest::{
    Shape,
    layout::{Link, TREE_UNDER_WAY, Tree},
};

/// Subtracts the virtual visits of the selections, and removes the children of the selected nodes; `kept` are the
/// headers of the tree and its leaves before the step.
pub fn withdraw_leaves(shape: &Shape, view: &mut TreeView<'_>, (kept, leaves): (&Tree, &[Tree])) {
    if view.tree.flags & TREE_UNDER_WAY != 0 {
        withdraw_visits(shape, view);
    }
    *view.tree = *kept;
    view.leaves.copy_from_slice(leaves);
}

fn withdraw_visits(shape: &Shape, view: &mut TreeView<'_>) {
    for place in 0..view.leaves.len() {
        let leaf = view.leaf(place);
        for depth in 0..leaf.tree.path_length as usize {
            leaf.stats[leaf.path[depth] as usize].take_back(u64::from(shape.config.playouts));
        }
        let selected = &mut leaf.links[leaf.tree.selected as usize];
        *selected = Link::leaf(selected.action(), selected.outcome());
    }
}
