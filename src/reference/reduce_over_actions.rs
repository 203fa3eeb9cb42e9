//! Twin of `shaders/search/run/reduce_over_actions.wgsl`: picks the best action of a position.

use crate::{
    forest::{
        Draws, Proof,
        layout::{AT_LEAST_DRAWN, AT_MOST_DRAWN, Best, NO_ACTION, RootSum},
        proof::OPEN_RANK,
        variant::Variant,
    },
    rules::{Outcome, Player},
};

const NONE: Best = Best { ordinal: NO_ACTION, action: NO_ACTION };

/// How actions are compared.
#[derive(Debug, Clone, Copy)]
struct Order {
    variant: Variant,
    turn: Player,
    /// The player to move has a draw for certain.
    is_drawn: bool,
}

/// The best action of the player to move. `row` has the sums of a position's actions, and its root's own last.
///
/// A win that is proven comes first, the shortest one; then what is not proven; then a draw; then a loss, the longest
/// one; last what can only draw, where there is a draw for certain. Among equals the greatest (win flag, n, n_wins) is
/// best; ties go to the smallest bit-reversed index, of the action (prodigal) or of its ordinal (thrifty)
/// (specification, "The result"). But a draw for certain is better than an action whose q is below one half.
pub fn reduce_over_actions(variant: Variant, draws: Draws, turn: Player, row: &[RootSum]) -> Best {
    let Some((root, sums)) = row.split_last() else { return NONE };
    let order = Order { variant, turn, is_drawn: is_drawn_at_least(root) };
    let all = || (0u32..).zip(sums).filter(|(_, sum)| sum.present == 1);
    let best = all().max_by_key(|&(ordinal, sum)| order.key(ordinal, sum));
    let drawn =
        all().filter(|(_, sum)| draws_for_certain(sum)).max_by_key(|&(ordinal, sum)| order.key(ordinal, sum));
    let best = match (best, drawn) {
        (Some((_, sum)), Some(drawn)) if sum.proof == 0 && is_below_half(draws, sum) => Some(drawn),
        _ => best,
    };
    best.map_or(NONE, |(ordinal, sum)| Best { ordinal, action: sum.link().action() })
}

impl Order {
    fn key(self, ordinal: u32, sum: &RootSum) -> (u32, bool, (u64, u64), u32) {
        let link = sum.link();
        let open = if self.is_drawn && sum.half_proofs & AT_LEAST_DRAWN != 0 { 0 } else { OPEN_RANK };
        let rank = Proof::from_word(sum.proof).map_or(open, |proof| proof.rank(self.turn));
        let win = Outcome::from_code(link.outcome()) == Some(self.turn.wins());
        let index = if self.variant.thrifty { ordinal } else { link.action() };
        (rank, win, sum.stats.counts(), !index.reverse_bits())
    }
}

/// Is the player to move at a root with this sum known to have a draw, or more? A tree may have proven the root, though
/// some of its children are proven half only.
fn is_drawn_at_least(root: &RootSum) -> bool {
    root.proof != 0 || root.half_proofs & AT_LEAST_DRAWN != 0
}

/// Does an action draw at the least? A win comes before it anyway.
fn draws_for_certain(sum: &RootSum) -> bool {
    match Proof::from_word(sum.proof) {
        Some(proof) => proof.outcome == Outcome::Draw,
        None => sum.half_proofs & AT_MOST_DRAWN != 0,
    }
}

/// Has an action made less than one half of its points?
fn is_below_half(draws: Draws, sum: &RootSum) -> bool {
    let (n, points) = sum.stats.counts();
    2 * u128::from(points) < u128::from(n) * u128::from(draws.win_points())
}
