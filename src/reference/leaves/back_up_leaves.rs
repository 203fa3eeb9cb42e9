//! Twin of `shaders/search/leaves/back_up_leaves.wgsl`: backs up the tallies of a step's leaves.

use super::super::{TreeView, backup_1::played};
use crate::forest::{
    Shape,
    layout::{TREE_ENDED, TREE_FOLLOWS},
};
use glam::UVec2;

/// Adds playouts and wins to the nodes that were played out and to those of the paths, without the visits that the
/// selections have counted (specification, "Several leaves a step").
pub fn back_up_leaves(shape: &Shape, view: &mut TreeView<'_>) {
    if view.tree.root_is_proven() {
        return;
    }
    for place in 0..view.leaves.len() {
        back_up_leaf(shape, &mut view.leaf(place));
    }
}

fn back_up_leaf(shape: &Shape, leaf: &mut TreeView<'_>) {
    if shape.evaluation.is_some() {
        return back_up_evaluation(shape, leaf);
    }
    let (first, count) = played(shape, leaf.tree);
    let mover = leaf.selected_turn() as usize;
    let n = u64::from(shape.config.playouts);
    let mut sum = UVec2::ZERO;
    for (node, parts) in (first..first + count).zip(leaf.tallies.chunks(shape.parts as usize)) {
        let tally: UVec2 = parts.iter().sum();
        sum += tally;
        if leaf.tree.expanded > 0 {
            leaf.stats[node as usize].add(n, u64::from(tally[mover]));
        }
    }
    for depth in 0..leaf.tree.path_length {
        let mover = 1 - leaf.turn_at(depth) as usize;
        let node = leaf.path[depth as usize] as usize;
        leaf.stats[node].add(n * u64::from(count - 1), u64::from(sum[mover]));
    }
    leaf.tree.tally = sum;
    note_ends(shape, leaf);
}

fn note_ends(shape: &Shape, leaf: &mut TreeView<'_>) {
    let new = &leaf.links[leaf.tree.first_child as usize..][..leaf.tree.expanded as usize];
    let appends = leaf.tree.flags & TREE_FOLLOWS == 0;
    if shape.config.solver && appends && new.iter().any(|child| child.outcome() != 0) {
        leaf.tree.flags |= TREE_ENDED;
    }
}

/// Adds the points of the leaf to the nodes of its path. If an earlier leaf is the same node, subtracts the visits of
/// this one instead.
fn back_up_evaluation(shape: &Shape, leaf: &mut TreeView<'_>) {
    let is_new = leaf.tree.flags & TREE_FOLLOWS == 0;
    let points = leaf.tallies[0];
    for depth in 0..leaf.tree.path_length {
        let mover = 1 - leaf.turn_at(depth) as usize;
        let node = &mut leaf.stats[leaf.path[depth as usize] as usize];
        if is_new { node.add(0, points[mover].into()) } else { node.take_back(1) }
    }
    leaf.tree.tally = if is_new { points } else { UVec2::ZERO };
    note_ends(shape, leaf);
}
