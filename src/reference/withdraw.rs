//! Twin of `shaders/withdraw.wgsl`: takes back a step that was left before its backup.

use super::TreeView;
use crate::layout::{Link, Tree};

/// Makes the selected node a leaf again where the step has expanded it; the header becomes what it was before the step.
pub fn withdraw(view: &mut TreeView<'_>, kept: &Tree) {
    // A tree that the step has not come to yet still has the notes of the step before: only the size tells.
    if view.tree.size > kept.size {
        let selected = &mut view.links[view.tree.selected as usize];
        *selected = Link::leaf(selected.action(), selected.outcome());
    }
    *view.tree = *kept;
}
