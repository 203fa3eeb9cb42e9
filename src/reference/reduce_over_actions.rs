//! Twin of `shaders/search/run/reduce_over_actions.wgsl`: picks the best action of a position.

use crate::{
    forest::{
        layout::{Best, NO_ACTION, RootSum},
        variant::Variant,
    },
    rules::{Outcome, Player},
};

/// Greatest by (win flag, n, n_wins); ties go to the smallest bit-reversed index, of the action (prodigal) or of its
/// ordinal (thrifty) (specification, "The result"). `sums` is a position's row without the root's own sum.
pub fn reduce_over_actions(variant: Variant, turn: Player, sums: &[RootSum]) -> Best {
    let key = |ordinal: u32, sum: &RootSum| {
        let link = sum.link();
        let win = Outcome::from_code(link.outcome()) == Some(turn.wins());
        let index = if variant.thrifty { ordinal } else { link.action() };
        (win, sum.stats.counts(), !index.reverse_bits())
    };
    (0u32..)
        .zip(sums)
        .filter(|(_, sum)| sum.present == 1)
        .max_by_key(|&(ordinal, sum)| key(ordinal, sum))
        .map_or(Best { ordinal: NO_ACTION, action: NO_ACTION }, |(ordinal, sum)| Best {
            ordinal,
            action: sum.link().action(),
        })
}
