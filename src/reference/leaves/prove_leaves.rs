//! Twin of `shaders/search/leaves/prove_leaves.wgsl`: backs up the proofs of a step's leaves.

use super::super::{TreeView, prove::prove};
use crate::forest::{
    Shape,
    layout::{FAULTS, ROOT, TREE_PROVEN, TREE_UNDER_WAY},
};

/// Backs up proofs along the paths of the leaves, in the order of the selections; collects the faults of all in the
/// tree's header.
pub fn prove_leaves(shape: &Shape, view: &mut TreeView<'_>) {
    for place in 0..view.leaves.len() {
        if shape.config.solver {
            prove(&mut view.leaf(place));
        }
    }
    let faults = view.leaves.iter().fold(0, |all, leaf| all | leaf.flags & FAULTS);
    let root = ROOT as usize;
    if !view.tree.root_is_proven() {
        let proved = shape.config.solver && view.links[root].count() > 0 && view.stats[root].is_proven();
        let proved = if proved { TREE_PROVEN } else { 0 };
        view.tree.flags = view.tree.flags & !TREE_UNDER_WAY | faults | proved;
    }
}
