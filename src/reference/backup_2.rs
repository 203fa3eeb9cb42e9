//! Twin of `shaders/search/staged/backup_2.wgsl`: adds the sums along the path, backs up proofs, and chooses the best
//! children of the path's nodes.

use super::{TreeView, choose::choose, prove::prove};
use crate::forest::{Shape, layout::TREE_ENDED};

/// Adds the step's playouts, and the wins of the player who moved into it, to every node of the path (specification,
/// "One step", 4), and chooses its best child for later selections.
pub fn backup_2(shape: &Shape, view: &mut TreeView<'_>) {
    if view.tree.root_is_proven() {
        return;
    }
    let nodes_played = if shape.config.variant.all_children { view.tree.expanded.max(1) } else { 1 };
    let n = u64::from(shape.config.playouts) * u64::from(nodes_played);
    for depth in 0..view.tree.path_length {
        let mover = 1 - view.turn_at(depth) as usize;
        let n_wins = u64::from(view.tree.tally[mover]);
        let node = view.path[depth as usize] as usize;
        view.stats[node].add(n, n_wins);
    }
    prove(view);
    choose(shape, view);
    view.tree.flags &= !TREE_ENDED;
}
