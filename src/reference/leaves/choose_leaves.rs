//! Twin of `shaders/search/leaves/choose_leaves.wgsl`: makes the nodes of the leaves' paths choose anew.

use super::super::{TreeView, choose::best_ordinal};
use crate::forest::{Shape, layout::NO_CHOICE};

/// Every node that is on the path of some leaf chooses, once: for the first of these leaves. The choices stand behind
/// the path until [`settle_leaves`](super::settle_leaves) enters them.
pub fn choose_leaves(shape: &Shape, view: &mut TreeView<'_>) {
    for place in 0..view.leaves.len() {
        let start = (0..place).map(|other| shared_nodes(view, other, place)).max().unwrap_or(0);
        let leaf = view.leaf(place);
        for depth in 0..leaf.tree.path_length as usize {
            let node = leaf.path[depth] as usize;
            let chooses = depth >= start && !leaf.stats[node].is_proven();
            let choice = if chooses { best_ordinal(shape, &leaf, node) } else { None };
            leaf.path[shape.path_capacity as usize + depth] = choice.unwrap_or(NO_CHOICE);
        }
    }
}

/// The nodes from the root on that two paths share.
fn shared_nodes(view: &mut TreeView<'_>, one: usize, other: usize) -> usize {
    let length = view.leaves[one].path_length.min(view.leaves[other].path_length) as usize;
    let words = view.path.len() / view.leaves.len();
    let paths = [one, other].map(|place| &view.path[place * words..][..length]);
    paths[0].iter().zip(paths[1]).take_while(|(one, other)| one == other).count()
}
