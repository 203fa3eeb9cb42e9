//! Twin of `shaders/search/leaves/choose_leaves.wgsl`: chooses the best children of the nodes of the leaves' paths.

use super::super::{
    LeafView, TreeView,
    choose::best_ordinal,
    spread::{self, A_BOUND},
};
use crate::forest::{Shape, layout::NO_CHOICE};

/// Makes the choice of every node on the paths of the leaves, once: with the first of these leaves. The choices are
/// noted after the path until [`settle_leaves`](super::settle_leaves) writes them to the tree.
pub fn choose_leaves(shape: &Shape, view: &mut TreeView<'_>) {
    let starts: Vec<_> = (0..view.leaves.len()).map(|place| start(view, place)).collect();
    let cost = A_BOUND * shape.max_actions;
    spread::for_each(shape, cost, view.leaf_views().zip(starts), |(leaf, start)| choose(shape, leaf, start));
}

fn choose(shape: &Shape, leaf: LeafView<'_>, start: usize) {
    let (path, choices) = leaf.path.split_at_mut(shape.path_capacity as usize);
    let length = leaf.tree.path_length as usize;
    for (depth, (&node, choice)) in path.iter().zip(choices).take(length).enumerate() {
        let node = node as usize;
        let chooses = depth >= start && !leaf.stats[node].is_proven();
        let ordinal = if chooses { best_ordinal(shape, (leaf.stats, leaf.links), node) } else { None };
        *choice = ordinal.unwrap_or(NO_CHOICE);
    }
}

/// The depth at which a leaf's path departs from those of all earlier leaves.
fn start(view: &TreeView<'_>, place: usize) -> usize {
    (0..place).fold(0, |most, other| shared_nodes(view, (other, place), most))
}

/// The number of nodes, from the root on, that two paths share, or `most` if they share fewer: two paths that have the
/// same node share all nodes before it.
fn shared_nodes(view: &TreeView<'_>, (one, other): (usize, usize), most: usize) -> usize {
    let length = view.leaves[one].path_length.min(view.leaves[other].path_length) as usize;
    let words = view.path.len() / view.leaves.len();
    let paths = [one, other].map(|place| &view.path[place * words..][most.min(length)..length]);
    let further = paths[0].iter().zip(paths[1]).take_while(|(one, other)| one == other).count();
    most + further
}
