//! Moves of players that do not follow from a search alone: first moves, winning passes, and resignations. Searches and
//! their reports do not depend on them.
//!
//! The first move of a game may be [fixed](Game::opening_action): in Gomoku it is the centre of the board. Players with
//! `pruning` off, as in the original program, search for it.
//!
//! In some games, such as Go, two passes in a row end the game ([`Game::ending_pass`]). A player passes
//! - [without a search](winning_pass), if this ends the game and wins it: the opponent has just passed;
//! - [after a search](settling_pass), if the player would win after a pass of the opponent, and the pass is not worse
//!   than the best action.
//!
//! A player [resigns](Resignation) after two consecutive searches of its own with a hopeless value.

use crate::{
    rules::{Game, Player, Position},
    search::{ActionReport, ProvenValue, Report},
};

/// The greatest amount by which the q of a pass may be below that of the best action: about the standard error of a q
/// near 0.9 after 1,000 playouts.
const MARGIN: f64 = 0.01;
/// The least q of such a pass. In the opening, White wins most boards by komi alone, but every q is near 1/2.
const SURE: f64 = 0.9;
/// The least number of playouts of a q that ends a game.
const LEAST_PLAYOUTS: u64 = 100;

/// The default threshold of resignation, as q of the best action, in games that [passes](Game::ending_pass) end. Random
/// games overestimate the chances of the losing side: if even they win only 3 % of the time, the game is lost.
pub const USUAL_RESIGNATION: f64 = 0.03;
/// Consecutive hopeless moves after which a player resigns.
const HOPELESS_MOVES: u32 = 2;

/// A move that needs no search: the [fixed](Game::opening_action) first move of a game, if `pruning`; a
/// [winning pass](winning_pass); or the [only](only_move) legal action.
pub fn unsearched_move<G: Game>(position: &Position<G>, pruning: bool) -> Option<u32> {
    let is_start = || position.turn() == Player::First && *position.state() == position.game().start();
    let opening = position.game().opening_action().filter(|_| pruning && is_start());
    opening.or_else(|| winning_pass(position)).or_else(|| only_move(position))
}

/// The pass that ends the game now and wins it.
pub fn winning_pass<G: Game>(position: &Position<G>) -> Option<u32> {
    let pass = position.game().ending_pass()?;
    let passed = position.after(&[pass]).ok()?;
    (passed.outcome() == Some(position.turn().wins())).then_some(pass)
}

/// The legal action, if there is only one.
pub fn only_move<G: Game>(position: &Position<G>) -> Option<u32> {
    match position.legal_actions()[..] {
        [only] => Some(only),
        _ => None,
    }
}

/// The pass among the actions of a report, if the player would win after a pass of the opponent, and if its q is not
/// below that of the best action.
pub fn settling_pass<'a, G: Game>(position: &Position<G>, report: &'a Report) -> Option<&'a ActionReport> {
    let pass = position.game().ending_pass()?;
    let best = report.best.as_ref().filter(|best| !wins_for_certain(best))?;
    let found = report.actions.iter().find(|action| action.index == pass)?;
    let loses_nothing = found.q >= SURE.max(best.q - MARGIN) && found.n >= LEAST_PLAYOUTS;
    let both_passed = || position.after(&[pass, pass]);
    let wins = || both_passed().is_ok_and(|end| end.outcome() == Some(position.turn().wins()));
    (loses_nothing && wins()).then_some(found)
}

/// Whether the action is a proven win.
fn wins_for_certain(best: &ActionReport) -> bool {
    best.win_flag || best.proven == Some(ProvenValue::Win)
}

/// The rule by which a player resigns: the q of its best action was below a threshold in two consecutive moves of its
/// own.
#[derive(Debug, Clone, PartialEq)]
pub struct Resignation {
    /// 0: never.
    below: f64,
    /// For each side, the number of consecutive hopeless moves up to its last one.
    hopeless: [u32; 2],
}

impl Resignation {
    /// Resigns below this q; never if it is 0.
    pub fn below(q: f64) -> Self {
        Self { below: q, hopeless: [0; 2] }
    }

    /// The default of a game: [`USUAL_RESIGNATION`] if [passes](Game::ending_pass) end it, since such games go on long
    /// after they are decided. In other games never: they end soon after, and the opponent may overlook a win.
    pub fn usual<G: Game>(game: &G) -> Self {
        Self::below(if game.ending_pass().is_some() { USUAL_RESIGNATION } else { 0.0 })
    }

    /// Begins a new game: the moves of the last one no longer count.
    pub fn restart(&mut self) {
        self.hopeless = [0; 2];
    }

    /// Whether `side` resigns, given the best action that a search found for its next move.
    pub fn gives_up(&mut self, side: Player, best: &ActionReport) -> bool {
        let is_safe = wins_for_certain(best) || best.proven == Some(ProvenValue::Draw);
        let is_hopeless = best.q < self.below && best.n >= LEAST_PLAYOUTS && !is_safe;
        let moves = &mut self.hopeless[side.index()];
        *moves = if is_hopeless { *moves + 1 } else { 0 };
        *moves >= HOPELESS_MOVES
    }
}
