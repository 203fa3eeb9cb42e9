//! Twin of `shaders/search/run/reduce_over_actions.wgsl`: picks the best action of a position.

use crate::{
    forest::{
        Config, Proof,
        layout::{AT_LEAST_DRAWN, AT_MOST_DRAWN, Best, NO_ACTION, RootSum},
        proof::OPEN_RANK,
    },
    rules::{Outcome, Player},
};

const NONE: Best = Best { ordinal: NO_ACTION, action: NO_ACTION };
/// Units of a q, which is compared in whole numbers.
const Q_PARTS: u32 = 1 << 16;
/// The margin by which the q of a better action exceeds that of the one with the most playouts: 1/32.
const Q_MARGIN: u32 = Q_PARTS / 32;
/// Playouts that the better action needs; the other may have at most `MOST_TIMES` times as many.
const LEAST_PLAYOUTS: u64 = 1 << 20;
const MOST_TIMES: u64 = 16;

/// The order of actions.
#[derive(Debug, Clone, Copy)]
struct Order<'a> {
    config: &'a Config,
    win_points: u32,
    turn: Player,
    /// Whether the player to move has a certain draw.
    is_drawn: bool,
}

/// The best action of the player to move, with `win_points` points for a won playout. `row` has the sums of a
/// position's actions, and the root's own last.
///
/// A proven win comes first, the shortest one; then actions that are not proven; then a draw; then a loss, the longest
/// one; last, if the player has a certain draw, actions that are at most a draw. Among equals the greatest (win flag,
/// n, n_wins) is best; ties go to the smallest bit-reversed index, of the action (prodigal) or of its ordinal (thrifty)
/// (specification, "The result"). But where there are proofs, an action with a much greater q is better than one with
/// more playouts; and a certain draw is better than an action whose q is below one half.
pub fn reduce_over_actions((config, win_points): (&Config, u32), turn: Player, row: &[RootSum]) -> Best {
    let Some((root, sums)) = row.split_last() else { return NONE };
    let order = Order { config, win_points, turn, is_drawn: is_drawn_at_least(root) };
    let all = || (0u32..).zip(sums).filter(|(_, sum)| sum.present != 0);
    let Some(most) = all().max_by_key(|&(ordinal, sum)| order.key(ordinal, sum)) else { return NONE };
    let better = all().filter(|(_, sum)| order.is_much_better(sum, most.1));
    let best = better.max_by_key(|&(ordinal, sum)| (order.q(sum), order.key(ordinal, sum))).unwrap_or(most);
    let drawn = all().filter(|(_, sum)| draws_for_certain(sum));
    let drawn = drawn.max_by_key(|&(ordinal, sum)| order.key(ordinal, sum));
    let is_bad = best.1.proof == 0 && is_below_half(win_points, best.1);
    let (ordinal, sum) = drawn.filter(|_| is_bad).unwrap_or(best);
    Best { ordinal, action: sum.link().action() }
}

impl Order<'_> {
    fn key(self, ordinal: u32, sum: &RootSum) -> (u32, bool, (u64, u64), u32) {
        let link = sum.link();
        let win = Outcome::from_code(link.outcome()) == Some(self.turn.wins());
        let index = if self.config.variant.thrifty { ordinal } else { link.action() };
        (self.rank(sum), win, sum.stats.counts(), !index.reverse_bits())
    }

    fn rank(self, sum: &RootSum) -> u32 {
        let open = if self.is_drawn && sum.half_proofs & AT_LEAST_DRAWN != 0 { 0 } else { OPEN_RANK };
        Proof::from_word(sum.proof).map_or(open, |proof| proof.rank(self.turn))
    }

    /// The q of an action in units of 1 / [`Q_PARTS`], rounded down.
    fn q(self, sum: &RootSum) -> u32 {
        let (n, points) = sum.stats.counts();
        let most = u128::from(n) * u128::from(self.win_points);
        (u128::from(points) * u128::from(Q_PARTS)).checked_div(most).unwrap_or(0) as u32
    }

    /// Whether an action's q exceeds that of the action with the most playouts by enough to be better.
    fn is_much_better(self, sum: &RootSum, most: &RootSum) -> bool {
        let are_open = [sum, most].into_iter().all(|sum| self.rank(sum) == OPEN_RANK);
        let [n, most_n] = [sum, most].map(|sum| sum.stats.counts().0);
        let are_enough = n >= LEAST_PLAYOUTS && n * MOST_TIMES >= most_n;
        self.config.solver && are_open && are_enough && self.q(sum) >= self.q(most) + Q_MARGIN
    }
}

/// Whether the q of an action is below one half.
fn is_below_half(win_points: u32, sum: &RootSum) -> bool {
    let (n, points) = sum.stats.counts();
    2 * u128::from(points) < u128::from(n) * u128::from(win_points)
}

/// Whether the player to move has at least a certain draw at a root with this sum. A tree may have proven the root even
/// if some of its children are only half proven.
fn is_drawn_at_least(root: &RootSum) -> bool {
    root.proof != 0 || root.half_proofs & AT_LEAST_DRAWN != 0
}

/// Whether an action is proven to draw or to win.
fn draws_for_certain(sum: &RootSum) -> bool {
    match Proof::from_word(sum.proof) {
        Some(proof) => proof.outcome == Outcome::Draw,
        None => sum.half_proofs & AT_MOST_DRAWN != 0,
    }
}
