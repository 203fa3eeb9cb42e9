//! Self-play: the same games and training data on every engine, whatever the interruptions, and data that agree with
//! the games.

mod data;
mod engines;
mod interruptions;

use crate::support::prelude::*;
use mcts_wgpu::selfplay::{self, SelfPlayConfig, SelfPlayProgress, Summary};

fn game() -> Connect4 {
    connect4_of(4, 5)
}

fn evaluated(engine: Engine, game: &impl Game, evaluated: bool) -> Engine {
    engine.with_network(evaluated.then(|| network(game, Trunk::Dense, 0, 16)))
}

/// Few games side by side: some places are idle in the end. A file has the rows of some games.
fn config() -> SelfPlayConfig {
    let settings = Settings { seed: Some(7), trees: Some(1), playouts: Some(1), ..Settings::default() };
    let settings = Settings { variant: Some(mcts_wgpu::Variant::OCP_PRODIGAL), ..settings };
    SelfPlayConfig {
        settings,
        games: 14,
        steps: 20,
        parallel: Some(4),
        full_every: 2,
        temperature_plies: Some(6),
        resign: 0.3,
        rows_per_file: 30,
        ..SelfPlayConfig::default()
    }
}

/// Plays until the watch breaks.
fn play_watched(
    engine: &Engine,
    config: &SelfPlayConfig,
    folder: &Path,
    watch: impl FnMut(SelfPlayProgress) -> ControlFlow<()>,
) -> Summary {
    selfplay::run(engine, game(), config, folder, watch).expect("the games are played")
}

fn play(engine: &Engine, config: &SelfPlayConfig, folder: &Path) -> Summary {
    play_watched(engine, config, folder, |_| ControlFlow::Continue(()))
}
