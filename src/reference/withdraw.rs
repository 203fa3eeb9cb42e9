//! Twin of `shaders/search/run/withdraw.wgsl`: takes back a step with one leaf a tree that was abandoned before its
//! backup.

use super::TreeView;
use crate::forest::layout::{Link, Tree};

/// Makes the selected node a leaf again where the step has expanded it; the header becomes what it was before the step.
pub fn withdraw(view: &mut TreeView<'_>, kept: &Tree) {
    // A tree that the step had not reached still has the notes of the step before: only its size can tell.
    if view.tree.size > kept.size {
        let selected = &mut view.links[view.tree.selected as usize];
        *selected = Link::leaf(selected.action(), selected.outcome());
    }
    *view.tree = *kept;
}
