//! Twin of `shaders/search/best_child/prove.wgsl`: proves the nodes of a path from the selected one up.

use super::{TreeView, expand_1::player};
use crate::forest::{
    Proof,
    layout::{BEST_SHIFT, LEFT_OUT, Link, OUTCOME_SHIFT, TREE_ENDED, TREE_PROVEN},
};
use crate::rules::Outcome;

/// Backs up what the new children that end the game prove (specification, "Proofs"): from the selected node up, as far
/// as each node's outcome follows from those of its children.
pub fn prove(view: &mut TreeView<'_>) {
    if view.tree.flags & TREE_ENDED == 0 {
        return;
    }
    let mut depth = view.tree.path_length;
    while depth > 0
        && let Some(found) = value(view, depth - 1)
    {
        depth -= 1;
        enter(view, depth, found);
    }
    if depth == 0 {
        view.tree.flags |= TREE_PROVEN;
    }
}

/// The best of the children of the path's node at a depth, as (rank, last tie-break, ordinal, proof), where these
/// decide its outcome: one of them wins, or all are proven and no legal action was left out.
fn value(view: &TreeView<'_>, depth: u32) -> Option<(u32, u32, u32, Proof)> {
    let mover = player(view.turn_at(depth));
    let node = view.path[depth as usize] as usize;
    // Where a step has several leaves, the path of one may lead through what another one's has proven.
    if view.stats[node].is_proven() {
        return None;
    }
    let link = view.links[node];
    let of_child = |ordinal: u32| {
        let child = (link.first_child + ordinal) as usize;
        let proof = Proof::of(view.links[child], &view.stats[child])?;
        Some((proof.rank(mover), !view.links[child].action().reverse_bits(), ordinal, proof))
    };
    let best = (0..link.count()).filter_map(of_child).max_by_key(|&(rank, tie, ..)| (rank, tie))?;
    let all = link.info & LEFT_OUT == 0 && (0..link.count()).all(|ordinal| of_child(ordinal).is_some());
    (all || best.3.outcome == mover.wins()).then_some(best)
}

/// Marks a node as proven. It chooses the child that its proof rests on.
fn enter(view: &mut TreeView<'_>, depth: u32, (_, _, ordinal, proof): (u32, u32, u32, Proof)) {
    let node = view.path[depth as usize] as usize;
    let Link { first_child, info } = view.links[node];
    let kept = info & (LEFT_OUT | ((1 << OUTCOME_SHIFT) - 1));
    let outcome = Outcome::code(Some(proof.outcome)) << OUTCOME_SHIFT;
    view.links[node] = Link { first_child, info: kept | outcome | ordinal << BEST_SHIFT };
    view.stats[node].prove(proof.after_a_ply().plies);
}
