//! Rollouts: devices against the CPU twin, random play against exact and measured distributions, limits.

/// A file of `tests/data`, included by the compiler: the statistics can run outside of the source tree.
macro_rules! data {
    ($file:literal) => {
        include_str!(concat!("../../data/", $file))
    };
}

mod agreement;
mod distributions;
mod draws;
mod lanes;
mod limits;
mod positions;

use crate::support::{positions::RandomGames, prelude::*};

/// Greatest distance from a known figure, in standard errors.
const Z_LIMIT: f64 = 4.0;
/// The same for tests of hundreds of figures.
const Z_LIMIT_OF_MANY: f64 = 5.0;

fn rollouts<G: Game>(engine: &Engine, game: &G, config: &RolloutConfig) -> Rollouts<G> {
    Rollouts::new(engine, game.clone(), config.clone()).expect("the rollouts start")
}

fn rolled_out<G: Game>(
    engine: &Engine,
    position: &Position<G>,
    games: u64,
    config: &RolloutConfig,
) -> RolloutReport {
    rollouts(engine, position.game(), config).run(position, games).expect("the games are played")
}

/// All results of games.
pub fn counts(report: &RolloutReport) -> ([u64; 5], f64, Option<f64>) {
    let RolloutReport { games, first_wins, second_wins, draws, unfinished, .. } = *report;
    ([games, first_wins, second_wins, draws, unfinished], report.mean_length, report.mean_score)
}

fn seeded(seed: u64) -> RolloutConfig {
    RolloutConfig { seed, ..RolloutConfig::default() }
}

/// Most games of a comparison on a software adapter.
const MOST_ON_SOFTWARE: u64 = 1_000_000;

/// Games of a comparison on an adapter: `usual`, which takes seconds on any machine, or the number in the environment
/// variable MCTS_WGPU_GAMES, but at most a million on a software adapter.
fn games_on(device: &Device, usual: u64) -> u64 {
    let Ok(wanted) = std::env::var("MCTS_WGPU_GAMES") else { return usual };
    let wanted = wanted.parse().expect("MCTS_WGPU_GAMES is a number of games");
    if device.info().is_software() { MOST_ON_SOFTWARE.min(wanted) } else { wanted }
}
