//! Twin of `shaders/search/run/withdraw.wgsl`: undoes a step with one leaf a tree that was abandoned before its backup.

use super::TreeView;
use crate::forest::layout::{Link, Tree};

/// Makes the selected node a leaf again if the step has expanded it, and restores the header from before the step.
pub fn withdraw(view: &mut TreeView<'_>, kept: &Tree) {
    // If the step has not reached the tree, the header's notes are those of the step before; only the size differs.
    if view.tree.size > kept.size {
        let selected = &mut view.links[view.tree.selected as usize];
        *selected = Link::leaf(selected.action(), selected.outcome());
    }
    *view.tree = *kept;
}
