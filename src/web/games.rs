//! The games of the page, by name.

use crate::{
    error::{Error, Result},
    games::{Connect4, Go, Gomoku, Othello},
    rules::Game,
};
use serde::Deserialize;

/// What the second player of Go gets.
const KOMI: f32 = 7.5;

/// A game, and its size where it has several.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct GameChoice {
    /// `connect4`, `gomoku`, `othello` or `go`.
    pub game: String,
    /// Rows of the board of Gomoku (15, if nothing is said) and Go (9).
    #[serde(default)]
    pub size: Option<u32>,
}

/// What is done with a game, whichever it is.
pub trait Job {
    /// What comes of it.
    type Output;

    /// Does it.
    fn run<G: Game>(self, game: G) -> Self::Output;
}

impl GameChoice {
    /// Does a job with the game.
    ///
    /// # Errors
    /// Bad input for a game that there is not, or a size that it does not have.
    pub fn with<J: Job>(&self, job: J) -> Result<J::Output> {
        Ok(match (self.game.as_str(), self.size) {
            ("connect4", None) => job.run(Connect4::default()),
            ("othello", None) => job.run(Othello),
            ("gomoku", size) => job.run(size.map_or(Ok(Gomoku::default()), Gomoku::new)?),
            ("go", size) => job.run(Go::new(size.unwrap_or(9), KOMI)?),
            (name @ ("connect4" | "othello"), Some(_)) => {
                return Err(Error::invalid(format!("{name} has one size: leave it out")));
            }
            (name, _) => {
                return Err(Error::invalid(format!(
                    "no game '{name}': choose connect4, gomoku, othello or go"
                )));
            }
        })
    }
}
