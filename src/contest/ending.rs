//! How a player begins a game, and ends it before the board is full: by a pass that wins it, or by giving it up. That
//! is a matter of players: searches and their reports know nothing of it.
//!
//! The first move of a game may be [known](Game::opening_action): in Gomoku it is the middle of the board, whatever the
//! seed. Players that keep to the original program's search (`pruning` off) search for it.
//!
//! A pass can win where two passes in a row end a game and the board is scored as it stands
//! ([`Game::ending_pass`], as in Go). A player passes
//! - [at once](winning_pass), without a search, where the game then ends and is won, which is where the opponent has
//!   passed before;
//! - [instead of playing on](settling_pass), where the game would be won if the opponent passed as well, and the search
//!   sees nothing that playing on would gain.
//!
//! A player [gives up](Resignation) where two searches of its own in a row have found nothing to be won.

use crate::{
    rules::{Game, Player, Position},
    search::{ActionReport, ProvenValue, Report},
};

/// A pass loses nothing if its q is at most so much below that of the best action: about the standard error of a q near
/// 0.9 after 1,000 playouts.
const MARGIN: f64 = 0.01;
/// ... and if its q is at least this. In the opening most boards are won for White as they stand, by the komi alone;
/// then no q is far from 1/2.
const SURE: f64 = 0.9;
/// The q of fewer playouts can be anything: no game is ended for it.
const LEAST_PLAYOUTS: u64 = 100;

/// q of the best action below which a player of a game that a [pass](Game::ending_pass) can end gives up, if it is not
/// told otherwise. Random games see chances where good play leaves none: where even they are won once in 33 times, the
/// game is lost.
pub const USUAL_RESIGNATION: f64 = 0.03;
/// Moves of its own in a row that a player has to find hopeless.
const HOPELESS_MOVES: u32 = 2;

/// A move that needs no search: the first one of a game, where it is [known](Game::opening_action) and the player
/// prunes; a [pass that wins](winning_pass); or the [only](only_move) legal one.
pub fn unsearched_move<G: Game>(position: &Position<G>, prunes: bool) -> Option<u32> {
    let is_start = || position.turn() == Player::First && *position.state() == position.game().start();
    let opening = position.game().opening_action().filter(|_| prunes && is_start());
    opening.or_else(|| winning_pass(position)).or_else(|| only_move(position))
}

/// The pass that ends the game now and wins it.
pub fn winning_pass<G: Game>(position: &Position<G>) -> Option<u32> {
    let pass = position.game().ending_pass()?;
    let passed = after_pass(position, pass)?;
    (passed.outcome() == Some(position.turn().wins())).then_some(pass)
}

/// The only legal action, which needs no search.
pub fn only_move<G: Game>(position: &Position<G>) -> Option<u32> {
    match position.legal_actions()[..] {
        [only] => Some(only),
        _ => None,
    }
}

/// The pass, as a report has it, where it would win if the opponent passed as well, and loses nothing if not.
pub fn settling_pass<'a, G: Game>(position: &Position<G>, report: &'a Report) -> Option<&'a ActionReport> {
    let pass = position.game().ending_pass()?;
    let best = report.best.as_ref().filter(|best| !wins_for_certain(best))?;
    let found = report.actions.iter().find(|action| action.index == pass)?;
    let loses_nothing = found.q >= SURE.max(best.q - MARGIN) && found.n >= LEAST_PLAYOUTS;
    let both_passed = || after_pass(&after_pass(position, pass)?, pass);
    let wins = || both_passed().is_some_and(|end| end.outcome() == Some(position.turn().wins()));
    (loses_nothing && wins()).then_some(found)
}

/// Whatever its q says.
fn wins_for_certain(best: &ActionReport) -> bool {
    best.win_flag || best.proven == Some(ProvenValue::Win)
}

/// None where it is not legal, or the game is over.
fn after_pass<G: Game>(position: &Position<G>, pass: u32) -> Option<Position<G>> {
    let mut passed = position.clone();
    passed.play(pass).ok().map(|()| passed)
}

/// When a player gives a game up: where its best action's q was below a threshold in two moves of its own, one after
/// the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Resignation {
    /// 0: never.
    below: f64,
    /// Moves of either side in a row, up to its last one, that were hopeless.
    hopeless: [u32; 2],
}

impl Resignation {
    /// Below this q; never, where it is 0.
    pub fn below(q: f64) -> Self {
        Self { below: q, hopeless: [0; 2] }
    }

    /// What suits a game: [`USUAL_RESIGNATION`] where [a pass](Game::ending_pass) can end it, as such games go on long
    /// after they are decided. In others never: they are soon over, and players do overlook what loses.
    pub fn usual<G: Game>(game: &G) -> Self {
        Self::below(if game.ending_pass().is_some() { USUAL_RESIGNATION } else { 0.0 })
    }

    /// A new game begins.
    pub fn restart(&mut self) {
        self.hopeless = [0; 2];
    }

    /// Does `side` give up, now that a search has found the best action for its next move?
    pub fn gives_up(&mut self, side: Player, best: &ActionReport) -> bool {
        let is_safe = wins_for_certain(best) || best.proven == Some(ProvenValue::Draw);
        let is_hopeless = best.q < self.below && best.n >= LEAST_PLAYOUTS && !is_safe;
        let moves = &mut self.hopeless[side.index()];
        *moves = if is_hopeless { *moves + 1 } else { 0 };
        *moves >= HOPELESS_MOVES
    }
}
