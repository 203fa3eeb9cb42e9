//! Playouts of one game for many games side by side, in the lanes of SIMD registers.

use super::{Outcome, Player};

/// All bits set if a condition holds: a mask for selections, as lanes have no branches.
#[inline(always)]
pub(crate) fn mask(condition: bool) -> u64 {
    if condition { u64::MAX } else { 0 }
}

/// The result of one ply in a lane.
#[derive(Debug, Clone, Copy)]
pub struct Played<const W: usize> {
    /// The game after it.
    pub words: [u64; W],
    /// Whether it used its draw, as a mask: some plies only prepare the next one.
    pub took: u64,
    /// Whether the game is over, as a mask.
    pub over: u64,
}

/// The plies of a game whose playout is `W` words of 64 bits, without branches.
///
/// The driver ([`lanes`](crate::reference::lanes)) makes a ply of every lane in one loop, which the compiler turns into
/// SIMD instructions. So everything here is inlined, with operations that exist for lanes of 64 bits alone: no
/// division, no lookups. Lanes whose games are over go on with any words, so that no function may panic.
///
/// A game of lanes ends with the outcome, the plies, and the draws of the same game played by
/// [`take_action_playout`](super::Game::take_action_playout).
pub trait Plies<S, const W: usize>: Sync {
    /// Results of [`list_actions`](Self::list_actions) for the ply.
    type Listed: Copy;

    /// The words of a playout from an ongoing position.
    fn begin(&self, state: &S, turn: Player) -> [u64; W];
    /// The length of the list of actions, 1 to 64.
    fn list_actions(&self, words: &[u64; W]) -> (u64, Self::Listed);
    /// Takes the action at a place of the list.
    fn ply(&self, words: [u64; W], listed: Self::Listed, ordinal: u64) -> Played<W>;
    /// Outcome and score of a finished game, at which `turn` would be to move.
    fn end(&self, words: &[u64; W], turn: Player) -> (Outcome, Option<i32>);
}

/// A visitor that plays playouts one by one or side by side, as the game allows.
pub trait SideBySide<S> {
    /// The visitor's result.
    type Output;

    /// Called if games can only be played one by one.
    fn one_by_one(self) -> Self::Output;
    /// Called if games can be played side by side.
    fn side_by_side<const W: usize>(self, plies: &impl Plies<S, W>) -> Self::Output;
}
