//! Players of games: the interface that [`play_game`](super::play_game) uses.

use super::reports::MoveReport;
use crate::{
    error::Result,
    rules::{Game, Position},
};
use std::time::Duration;

/// A player of games: a search on an engine, vanilla MCTS on one core, another program, or a person.
pub trait Contestant<G: Game>: Send {
    /// Passes the number of the game that begins next: players with random numbers seed themselves from it.
    fn number(&mut self, _game: u64) {}

    /// Passes the time limit of a move, if there is one: a player that exceeds it loses the game. Players that can
    /// bound their search by it should.
    fn limit(&mut self, _move_limit: Option<Duration>) {}

    /// Sets whether dead stones are taken off the board at the end of a game of Go: a player can then pass only
    /// where it wins without them, too.
    fn leave_out_dead_stones(&mut self, _left_out: bool) {}

    /// Begins a new game from a position: the start, or the end of an opening.
    ///
    /// # Errors
    /// The player can't play this game, or does not answer.
    fn begin(&mut self, position: &Position<G>) -> Result<()>;

    /// Chooses an action in an ongoing position, which contains all moves since [`begin`](Self::begin), within the
    /// player's own limits.
    ///
    /// # Errors
    /// The player fails to choose. [Resigned](crate::ErrorKind::Resigned) is not a fault: it loses the game as a choice
    /// that [resigns](Choice::resigns) does.
    fn choose(&mut self, position: &Position<G>) -> Result<Choice>;

    /// Ends the game: the player can free the resources of this game.
    fn end(&mut self) {}
}

/// An action, and the player's report about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The action; [`play_game`](super::play_game) checks that it is legal.
    pub action: u32,
    /// The player resigns instead of taking the action.
    pub resigns: bool,
    /// The player's report; none if it has none.
    pub report: Option<MoveReport>,
}

impl Choice {
    /// A choice without a report.
    pub fn new(action: u32) -> Self {
        Self { action, resigns: false, report: None }
    }
}
