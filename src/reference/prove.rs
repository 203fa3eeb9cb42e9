//! Twin of `shaders/search/best_child/prove.wgsl`: proves the nodes of a path from the selected one up.

use super::{TreeView, expand_1::player};
use crate::forest::{
    Proof,
    layout::{
        AT_LEAST_DRAWN, AT_MOST_DRAWN, BEST_SHIFT, LEFT_OUT, Link, OUTCOME_SHIFT, TREE_ENDED, TREE_PROVEN,
    },
};
use crate::rules::{Outcome, Player};

/// Backs up the proofs from the new children that end the game (specification, "Proofs"): from the selected node up, as
/// long as a node is newly proven or half proven.
pub fn prove(view: &mut TreeView<'_>) {
    if view.tree.flags & TREE_ENDED == 0 {
        return;
    }
    let mut depth = view.tree.path_length;
    while depth > 0 && prove_node(view, depth - 1) {
        depth -= 1;
    }
    if depth == 0 && view.stats[view.path[0] as usize].is_proven() {
        view.tree.flags |= TREE_PROVEN;
    }
}

/// A summary of the children for a proof, from the view of their parent's player to move.
#[derive(Debug, Clone, Copy)]
struct Children {
    /// The best proven one, as (rank, last tie-break, ordinal, proof).
    best: Option<(u32, u32, u32, Proof)>,
    /// All legal actions are children, and all of these are proven.
    all: bool,
    /// A child is at least a draw.
    at_least_drawn: bool,
    /// All legal actions are children, and each of these is proven, or at most a draw. (A proven win decides the node.)
    at_most_drawn: bool,
}

impl Children {
    fn of(view: &TreeView<'_>, node: usize, mover: Player) -> Self {
        let link = view.links[node];
        let complete = link.info & LEFT_OUT == 0;
        let mut found = Self { best: None, all: complete, at_least_drawn: false, at_most_drawn: complete };
        for ordinal in 0..link.count() {
            let child = (link.first_child + ordinal) as usize;
            let half_proofs = view.stats[child].half_proofs();
            let Some(proof) = Proof::of(view.links[child], &view.stats[child]) else {
                found.all = false;
                found.at_least_drawn |= half_proofs & AT_MOST_DRAWN != 0;
                found.at_most_drawn &= half_proofs & AT_LEAST_DRAWN != 0;
                continue;
            };
            let tie = !view.links[child].action().reverse_bits();
            let its = (proof.rank(mover), tie, ordinal, proof);
            found.best = found.best.filter(|best| (best.0, best.1) > (its.0, its.1)).or(Some(its));
            found.at_least_drawn |= proof.outcome == Outcome::Draw;
        }
        found
    }

    /// The child that decides the node's outcome, if one does: one that wins; or else the best one, if all are proven,
    /// or if it is a draw and the others are at most draws.
    fn deciding(&self, mover: Player) -> Option<(u32, Proof)> {
        let (.., ordinal, proof) = self.best?;
        let drawn = self.at_most_drawn && proof.outcome == Outcome::Draw;
        (self.all || drawn || proof.outcome == mover.wins()).then_some((ordinal, proof))
    }

    /// The half proofs of the node by its children.
    fn half_proofs(&self) -> u32 {
        let bit = |holds: bool, bit: u32| if holds { bit } else { 0 };
        bit(self.at_least_drawn, AT_LEAST_DRAWN) | bit(self.at_most_drawn, AT_MOST_DRAWN)
    }
}

/// Proves the path's node at a depth, or half proves it, if its children allow. Returns whether the proof is new.
pub(super) fn prove_node(view: &mut TreeView<'_>, depth: u32) -> bool {
    let mover = player(view.turn_at(depth));
    let node = view.path[depth as usize] as usize;
    // With several leaves a step, a path may lead through a node that another leaf's path has proven.
    if view.stats[node].is_proven() {
        return false;
    }
    let children = Children::of(view, node, mover);
    if let Some((ordinal, proof)) = children.deciding(mover) {
        enter(view, node, ordinal, proof);
        return true;
    }
    let new = children.half_proofs() & !view.stats[node].half_proofs();
    view.stats[node].n.y |= new;
    new != 0
}

/// Marks a node as proven by a child, which becomes its choice.
fn enter(view: &mut TreeView<'_>, node: usize, ordinal: u32, proof: Proof) {
    let Link { first_child, info } = view.links[node];
    let kept = info & (LEFT_OUT | ((1 << OUTCOME_SHIFT) - 1));
    let outcome = Outcome::code(Some(proof.outcome)) << OUTCOME_SHIFT;
    view.links[node] = Link { first_child, info: kept | outcome | ordinal << BEST_SHIFT };
    view.stats[node].prove(proof.after_a_ply().plies);
}
