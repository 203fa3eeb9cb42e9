//! The report of rollouts.

use super::{Mapping, Rollouts};
use crate::{
    engine::EngineInfo,
    reference::rollout::Tally,
    rules::{Game, is_scored},
};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The result of a run. Every game counts once: as a win, a draw, or unfinished.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RolloutReport {
    /// The engine of the games.
    pub engine: EngineInfo,
    /// The game's name.
    pub game: String,
    /// The policy's name ([`Game::policy`]).
    pub policy: String,
    /// The mapping of games to a device.
    pub mapping: Mapping,
    /// Games played.
    pub games: u64,
    /// Won by the first player.
    pub first_wins: u64,
    /// Won by the second player.
    pub second_wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Cut off by a limit on moves, the config's or the game's own.
    pub unfinished: u64,
    /// Mean number of moves, including passes, from the position on.
    pub mean_length: f64,
    /// Mean score for the first player, for unfinished games as they stood: difference in discs for Othello, difference
    /// in area less the komi for Go; `None` for games without scores.
    pub mean_score: Option<f64>,
    /// For each point of the board, numbered as actions, the games in which the first player owned it at the end, minus
    /// those in which the second player did; unfinished games as they stood. `None` unless
    /// [requested](super::RolloutConfig::owners).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owners: Option<Vec<i64>>,
    /// Time of the run.
    pub seconds: f64,
    /// Games played per second.
    pub games_per_second: f64,
}

pub(super) fn report<G: Game>(rollouts: &Rollouts<G>, tally: &Tally, elapsed: Duration) -> RolloutReport {
    let games = tally.games();
    let seconds = elapsed.as_secs_f64().max(1e-9);
    let mean = |sum: f64| sum / games.max(1) as f64;
    RolloutReport {
        engine: rollouts.info.clone(),
        game: rollouts.game.name().into(),
        policy: rollouts.game.policy(),
        mapping: rollouts.config.mapping,
        games,
        first_wins: tally.first_wins,
        second_wins: tally.second_wins,
        draws: tally.draws,
        unfinished: tally.unfinished,
        mean_length: mean(tally.plies as f64),
        mean_score: is_scored(&rollouts.game).then(|| 0.5 * mean(tally.half_points as f64)),
        owners: rollouts.config.owners.then(|| tally.owners.clone()),
        seconds,
        games_per_second: games as f64 / seconds,
    }
}
