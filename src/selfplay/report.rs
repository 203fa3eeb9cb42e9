//! The progress and the summary of a run.

use super::table::{End, Table};
use crate::{engine::EngineInfo, rules::Outcome};
use serde::{Deserialize, Serialize};

/// Counts of the games played.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SelfPlayTally {
    /// Games that have ended.
    pub games: u64,
    /// Their moves, including those of the openings.
    pub moves: u64,
    /// Games that the first player has won.
    pub first_wins: u64,
    /// Games that the second player has won.
    pub second_wins: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games that ended by a resignation.
    pub resigned: u64,
    /// Games played without resignation, in which a player would have resigned.
    pub unresigned: u64,
    /// Games counted in `unresigned` that this player did not lose.
    pub wrong_resignations: u64,
    /// Rows of training data.
    pub rows: u64,
    /// Moves of all rounds.
    pub searches: u64,
    /// Full rounds.
    pub full_rounds: u64,
}

/// The progress of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SelfPlayProgress {
    /// All games, including those before an interruption.
    pub tally: SelfPlayTally,
    /// Games of the run.
    pub of_games: u64,
    /// Rates of this call.
    pub rates: Rates,
}

/// The rates of a call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Rates {
    /// Seconds of the call, without those in which kernels were compiled.
    pub seconds: f64,
    /// Seconds of searches among them.
    pub search_seconds: f64,
    /// Games finished per second.
    pub games_per_second: f64,
    /// Positions searched per second.
    pub positions_per_second: f64,
}

/// The summary of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// The version of this crate.
    pub version: String,
    /// The engine.
    pub engine: EngineInfo,
    /// The game's name.
    pub game: String,
    /// The network's name; `None` for playouts.
    pub net: Option<String>,
    /// A hash of the network, 16 hexadecimal digits.
    pub net_digest: Option<String>,
    /// The seed.
    pub seed: u64,
    /// Steps of a search in a full round.
    pub steps: u64,
    /// Games side by side.
    pub parallel: u32,
    /// All games have ended.
    pub finished: bool,
    /// All games had ended before this call.
    pub was_finished: bool,
    /// Rounds.
    pub rounds: u64,
    /// Files of training data.
    pub files: u32,
    /// All games, including those before an interruption.
    #[serde(flatten)]
    pub tally: SelfPlayTally,
    /// Plies of a game, on average.
    pub mean_length: f64,
    /// Rates of this call.
    #[serde(flatten)]
    pub rates: Rates,
}

impl SelfPlayTally {
    /// Plies of a game, on average.
    pub fn mean_length(&self) -> f64 {
        self.moves as f64 / self.games.max(1) as f64
    }

    pub(super) fn add(&mut self, table: &Table, moves: usize, end: End) {
        self.games += 1;
        self.moves += moves as u64;
        self.rows += table.rows.len() as u64;
        self.resigned += u64::from(end.resigned.is_some());
        match end.result {
            Outcome::FirstWins => self.first_wins += 1,
            Outcome::SecondWins => self.second_wins += 1,
            Outcome::Draw => self.draws += 1,
        }
        if let Some(player) = table.would_resign {
            self.unresigned += 1;
            self.wrong_resignations += u64::from(end.result.points(player) > 0.0);
        }
    }
}
