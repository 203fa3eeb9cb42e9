//! Twin of `shaders/search/run/reduce_over_actions.wgsl`: picks the best action of a position.

use crate::{
    forest::{
        Draws, Proof,
        layout::{Best, NO_ACTION, RootSum},
        proof::OPEN_RANK,
        variant::Variant,
    },
    rules::{Outcome, Player},
};

/// How actions are compared.
#[derive(Debug, Clone, Copy)]
struct Order {
    variant: Variant,
    turn: Player,
}

/// The best action of the player to move. `sums` is a position's row without the root's own sum.
///
/// A win that is proven comes first, the shortest one; then what is not proven; then a draw; then a loss, the longest
/// one. Among equals the greatest (win flag, n, n_wins) is best; ties go to the smallest bit-reversed index, of the
/// action (prodigal) or of its ordinal (thrifty) (specification, "The result"). But a draw is better than an action
/// whose q is below one half.
pub fn reduce_over_actions(variant: Variant, draws: Draws, turn: Player, sums: &[RootSum]) -> Best {
    let order = Order { variant, turn };
    let all = || (0u32..).zip(sums).filter(|(_, sum)| sum.present == 1);
    let best = all().max_by_key(|&(ordinal, sum)| order.key(ordinal, sum));
    let drawn = all().filter(|(_, sum)| is_drawn(sum)).max_by_key(|&(ordinal, sum)| order.key(ordinal, sum));
    let best = match (best, drawn) {
        (Some((_, sum)), Some(drawn)) if sum.proof == 0 && is_below_half(draws, sum) => Some(drawn),
        _ => best,
    };
    best.map_or(Best { ordinal: NO_ACTION, action: NO_ACTION }, |(ordinal, sum)| Best {
        ordinal,
        action: sum.link().action(),
    })
}

impl Order {
    fn key(self, ordinal: u32, sum: &RootSum) -> (u32, bool, (u64, u64), u32) {
        let link = sum.link();
        let rank = Proof::from_word(sum.proof).map_or(OPEN_RANK, |proof| proof.rank(self.turn));
        let win = Outcome::from_code(link.outcome()) == Some(self.turn.wins());
        let index = if self.variant.thrifty { ordinal } else { link.action() };
        (rank, win, sum.stats.counts(), !index.reverse_bits())
    }
}

fn is_drawn(sum: &RootSum) -> bool {
    Proof::from_word(sum.proof).is_some_and(|proof| proof.outcome == Outcome::Draw)
}

/// Has an action made less than one half of its points?
fn is_below_half(draws: Draws, sum: &RootSum) -> bool {
    let (n, points) = sum.stats.counts();
    2 * u128::from(points) < u128::from(n) * u128::from(draws.win_points())
}
