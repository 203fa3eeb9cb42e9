//! Twin of `shaders/search/leaves/settle_leaves.wgsl`: writes the choices of the leaves' paths to the tree.

use super::super::TreeView;
use crate::forest::layout::{BEST_SHIFT, NO_CHOICE};

/// Ends a step.
pub fn settle_leaves(view: &mut TreeView<'_>) {
    for place in 0..view.leaves.len() {
        let leaf = view.leaf(place);
        let (path, choices) = leaf.path.split_at(leaf.path.len() / 2);
        let nodes = path.iter().zip(choices).take(leaf.tree.path_length as usize);
        for (&node, &choice) in nodes.filter(|&(_, &choice)| choice != NO_CHOICE) {
            let link = &mut leaf.links[node as usize];
            link.info = link.lasting_info() | choice << BEST_SHIFT;
        }
    }
}
