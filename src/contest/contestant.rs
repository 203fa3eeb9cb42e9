//! Whoever chooses moves in a game.

use super::reports::MoveReport;
use crate::{
    error::Result,
    rules::{Game, Position},
};
use std::time::Duration;

/// A player of games: a search on an engine, a plain one on one core, a program of its own, a person.
pub trait Contestant<G: Game>: Send {
    /// What it is called in messages.
    fn name(&self) -> &str;

    /// Tells the number of the game that begins next, so that a player with random numbers can have others in each.
    fn number(&mut self, _game: u64) {}

    /// Tells how long a move may take at most, where that is limited: whoever takes longer loses the game. A player
    /// that can end its thinking by then does.
    fn limit(&mut self, _move_limit: Option<Duration>) {}

    /// Begins a new game from a position: the start, or the end of an opening.
    ///
    /// # Errors
    /// Where it can't play this game, or does not answer.
    fn begin(&mut self, position: &Position<G>) -> Result<()>;

    /// Chooses an action of an ongoing position, which has all moves since [`begin`](Self::begin), within its own
    /// limits.
    ///
    /// # Errors
    /// Where it does not come to a choice. [Resigned](crate::ErrorKind::Resigned) is no fault: the game is lost, as by
    /// a choice that [resigns](Choice::resigns).
    fn choose(&mut self, position: &Position<G>) -> Result<Choice>;

    /// The game is over: what was needed for it alone can go.
    fn end(&mut self) {}
}

/// An action, and what the player can tell of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The action. Whether it is legal is for the game to say.
    pub action: u32,
    /// The player gives the game up instead of taking the action.
    pub resigns: bool,
    /// What it was chosen by.
    pub report: Option<MoveReport>,
    /// Time it took, as the player has measured it.
    pub seconds: f64,
}

impl Choice {
    /// A choice without a report.
    pub fn new(action: u32, seconds: f64) -> Self {
        Self { action, resigns: false, report: None, seconds }
    }
}
