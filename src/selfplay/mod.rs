//! Self-play: many games side by side on one engine, and training data for networks from them.
//!
//! A round is one move in each game: one batch of searches, from new trees. The same config, game and network make the
//! same games and data on every engine, whether or not a run was interrupted
//! ([networks](crate::documentation::networks), "Self-play").

mod config;
mod data;
mod folder;
mod numbers;
mod play;
mod report;
mod table;

pub use config::SelfPlayConfig;
pub use report::{Rates, SelfPlayProgress, SelfPlayTally, Summary};

use crate::{
    engine::Engine,
    error::{Error, Result},
    rules::Game,
};
use config::ResolvedConfig;
use folder::Folder;
use play::Run;
use std::{ops::ControlFlow, path::Path};

/// Plays the games of a config, and writes their training data to a folder. A run that `watch` has ended by `Break`, or
/// that was killed, continues when this is called again with the same config and folder.
///
/// ```
/// use mcts_wgpu::{Engine, Network, games::Connect4, net::{Sizes, Trunk}, selfplay::{self, SelfPlayConfig}};
/// use std::{ops::ControlFlow, sync::Arc};
///
/// let game = Connect4::default();
/// let net = Network::random(Sizes::of_game(&game, Trunk::Dense, 0, 16)?, 1)?;
/// let engine = Engine::cpu().with_network(Some(Arc::new(net)));
/// let config = SelfPlayConfig { games: 3, steps: 4, ..SelfPlayConfig::default() };
/// let folder = std::env::temp_dir().join(format!("mcts-wgpu-selfplay-{}", std::process::id()));
/// let summary = selfplay::run(&engine, game, &config, &folder, |_| ControlFlow::Continue(()))?;
/// assert!(summary.finished && summary.tally.games == 3);
/// # std::fs::remove_dir_all(folder).ok();
/// # Ok::<(), mcts_wgpu::Error>(())
/// ```
///
/// # Errors
/// Bad input for a config out of range, a game without planes, and a folder that can't be written or is another run's;
/// as those of [`Search::new`](crate::Search::new) and [`Search::run`](crate::Search::run).
pub fn run<G: Game>(
    engine: &Engine,
    game: G,
    config: &SelfPlayConfig,
    folder: &Path,
    watch: impl FnMut(SelfPlayProgress) -> ControlFlow<()>,
) -> Result<Summary> {
    config.check(&game)?;
    let engine = config.searches().with_net(&game, engine.clone())?;
    if !engine.ranks().is_alone() {
        return Err(Error::invalid("self-play does not run over ranks: start a run of its own on each rank"));
    }
    let game = config.searches().with_policy(game)?;
    let resolved = ResolvedConfig::new(config, &game, &engine);
    let (folder, state, rows) = Folder::open(folder, resolved.task(&game))?;
    let mut run = Run::new(resolved, game, (folder, state, rows))?;
    let was_finished = run.is_finished();
    if !was_finished {
        run.play(&engine, watch)?;
    }
    Ok(run.summary(&engine, was_finished))
}
