//! The result at a root for programs that play by it: counts, without the texts of a report.

use super::{
    ProvenValue, improved,
    report::{Outcomes, root_proof},
};
use crate::{
    forest::{
        Proof,
        layout::{NO_ACTION, TREE_FULL},
        shape::Shape,
    },
    rules::Player,
};

/// The result of a search at the root of a position.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct RootCounts {
    /// The actions of the root, ascending, with their visits.
    pub visits: Vec<(u32, u64)>,
    /// The improved policy of the actions, in units of 1/65536, in a search by Gumbel.
    pub policy: Option<Vec<(u32, u64)>>,
    /// The actions that are proven losses of the player to move.
    pub lost: Vec<u32>,
    /// The best action, as in a [`Report`](super::Report); `None` where the game is over.
    pub best: Option<u32>,
    /// The share of its visits that the player to move won; `None` without visits.
    pub value: Option<f64>,
    /// The proven outcome for the player to move, if the root is proven.
    pub proven: Option<ProvenValue>,
    /// A tree had no room for an expansion.
    pub is_full: bool,
}

impl RootCounts {
    /// For a root with these actions, at which `mover` is to move.
    pub fn of(mover: Player, shape: &Shape, (tried, left_out): &(Vec<u32>, bool), found: &Outcomes) -> Self {
        let children = || tried.iter().copied().zip(&found.sums);
        let visits: Vec<_> = children().map(|(action, sum)| (action, sum.stats.counts().0)).collect();
        let is_lost = |proof: Proof| ProvenValue::of(proof.outcome, mover) == ProvenValue::Loss;
        let lost = children().filter(|(_, sum)| Proof::from_word(sum.proof).is_some_and(is_lost));
        let n: u64 = visits.iter().map(|(_, n)| n).sum();
        let points: u64 = children().map(|(_, sum)| sum.stats.counts().1).sum();
        let proof = root_proof(mover, &found.sums, tried.len(), *left_out);
        let improved = improved::policies(shape, found);
        let shares =
            |all: Vec<(u32, u32)>| tried.iter().zip(all).map(|(&a, (_, share))| (a, share.into())).collect();
        Self {
            policy: improved.map(shares),
            lost: lost.map(|(action, _)| action).collect(),
            best: tried.get(found.best as usize).copied().filter(|_| found.best != NO_ACTION),
            value: (n > 0).then(|| points as f64 / (n as f64 * f64::from(shape.win_points()))),
            proven: proof.map(|proof| ProvenValue::of(proof.outcome, mover)),
            is_full: found.trees.iter().any(|tree| tree.flags & TREE_FULL != 0),
            visits,
        }
    }
}
