//! Rollouts: many random games from one position, played side by side, and their sums.
//!
//! ```text
//! position, seed --> games 0, 1, 2, ... --> who won, how many plies, what score --> sums
//! ```
//!
//! # Random numbers
//! Every game has a stream of its own (xoroshiro128+, as in a search), whose first state is a bijection of the seed and
//! the game's number: [`stream`](crate::reference::rollout::stream). All sums are integers. So the counts of a run
//! depend on the seed, on the position, and on the numbers of the games alone, and not on the engine, on the number of
//! devices, or on the division of the work.
//!
//! The games of a [`Rollouts`] are numbered from 0 on through all its runs, so that a second run plays new games.
//!
//! # On a device
//! A lane plays game after game, claiming the next one: no lane waits for the longest game of a batch. Lanes that run
//! in lockstep start new games together, every [`round`](RolloutConfig::round) plies. A submission takes about 20 ms;
//! the next one is queued while it runs.

#[cfg(not(target_arch = "wasm32"))]
mod blocking;
mod config;
mod gpu;
mod layout;
mod ranks;
mod report;
mod rollout_loop;
mod shaders;

pub(crate) use shaders::module_of;

pub use config::{MAX_MOVES, Mapping, RolloutConfig};
pub use report::RolloutReport;

use crate::{
    device::Device,
    engine::{self, Engine, EngineInfo},
    error::{Error, Result},
    forest::{fault, layout::FAULT_LOOP_ENDED, root::root_record},
    host::{Instant, start_threads, together},
    ranks::Ranks,
    reference::rollout::{Rules, Tally},
    rules::{self, Game, Position},
};
use rollout_loop::{Limits, Worker};
use std::{ops::ControlFlow, time::Duration};

/// The progress of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RolloutProgress {
    /// Games played.
    pub games: u64,
    /// Games of the run.
    pub of_games: u64,
    /// Time since the start.
    pub elapsed: Duration,
    /// The limit of time.
    pub of_time: Option<Duration>,
}

/// Plays batches of games from positions of one game.
///
/// ```
/// use mcts_wgpu::{Engine, Position, games::Othello, rollout::{RolloutConfig, Rollouts}};
/// let mut rollouts = Rollouts::new(&Engine::cpu(), Othello, RolloutConfig::default())?;
/// let report = rollouts.run(&Position::start(&Othello), 1000)?;
/// assert_eq!(report.first_wins + report.second_wins + report.draws, 1000);
/// # Ok::<(), mcts_wgpu::Error>(())
/// ```
#[derive(Debug)]
pub struct Rollouts<G: Game> {
    ranks: Ranks,
    /// The engine on all ranks.
    info: EngineInfo,
    game: G,
    config: RolloutConfig,
    workers: Vec<Worker<G>>,
    /// The number of the next run's first game.
    next_game: u64,
}

impl<G: Game> Rollouts<G> {
    /// [`new`](Self::new) for async programs. Compiling blocks the thread.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub async fn new_async(engine: &Engine, game: G, config: RolloutConfig) -> Result<Self> {
        let ranks = engine.ranks().clone();
        let started = start_threads().map_err(Error::no_thread);
        let checked = started.and_then(|()| config.validate_for(&game)).and_then(|()| rules::check(&game));
        ranks.same(checked, || {
            let (version, name) = (env!("CARGO_PKG_VERSION"), game.name());
            format!("{version} {name} {:?} {} {config:?}", game.rules(), game.policy())
        })?;
        let workers = ranks.settle(workers(engine, &game, &config).await)?;
        let info = engine::info_over(&ranks, Ok(engine.info()), None)?;
        Ok(Self { ranks, info, game, config, workers, next_game: 0 })
    }

    /// [`run_with`](Self::run_with) for async programs. The future blocks its thread for a millisecond at a time while
    /// devices work, on the CPU engine for the time of some games.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub async fn run_async(
        &mut self,
        position: &Position<G>,
        games: u64,
        time: Option<Duration>,
        mut progress: impl FnMut(RolloutProgress) -> ControlFlow<()>,
    ) -> Result<RolloutReport> {
        self.report(position, (games, time), &mut progress).await
    }

    /// The run of [`run_async`](Self::run_async), which is compiled once for all callbacks.
    async fn report(
        &mut self,
        position: &Position<G>,
        (games, time): (u64, Option<Duration>),
        progress: &mut dyn FnMut(RolloutProgress) -> ControlFlow<()>,
    ) -> Result<RolloutReport> {
        let start = Instant::now();
        self.ranks
            .same(self.check(position, games), || format!("{games} {time:?} {:?}", root_record(position)))?;
        let rules = self.rules(position);
        self.ranks.settle(self.workers.iter_mut().try_for_each(|worker| worker.begin(&rules)))?;
        let limits = Limits { games, deadline: time.and_then(|time| start.checked_add(time)) };
        let mut on_games = |games| {
            progress(RolloutProgress {
                games,
                of_games: limits.games,
                elapsed: start.elapsed(),
                of_time: time,
            })
        };
        let (workers, first) = (&mut self.workers, self.next_game);
        let played = ranks::run_loop_together(&self.ranks, workers, first, limits, &mut on_games).await?;
        let tally = ranks::tally(&self.ranks, self.tally().await)?;
        self.next_game += played;
        let missing = if tally.games() == played { 0 } else { FAULT_LOOP_ENDED };
        fault::check(tally.faults | missing, &self.game, &self.info.adapter)?;
        Ok(report::report(self, &tally, start.elapsed()))
    }

    /// The game, with the policy of its playouts.
    pub(crate) fn game(&self) -> &G {
        &self.game
    }

    /// The next run's games are numbered from 0 on, as those of the first one.
    pub(crate) fn begin_anew(&mut self) {
        self.next_game = 0;
    }

    fn check(&self, position: &Position<G>, games: u64) -> Result<()> {
        if games == 0 {
            return Err(Error::invalid("0 games: give at least 1"));
        }
        if self.next_game.checked_add(games).is_none() {
            return Err(Error::invalid(format!("{games} games: give at most 2^64 in all")));
        }
        if position.outcome().is_some() {
            return Err(Error::invalid(
                "the game is over in this position: give one in which a player is to move",
            ));
        }
        rules::check_positions(&self.game, std::slice::from_ref(position))
    }

    /// The sums of all devices.
    async fn tally(&self) -> Result<Tally> {
        let mut tally = Tally::default();
        for worker in &self.workers {
            tally += worker.tally().await?;
        }
        Ok(tally)
    }

    fn rules(&self, position: &Position<G>) -> Rules<G> {
        Rules {
            game: self.game.clone(),
            state: position.state().clone(),
            turn: position.turn(),
            seed: self.config.seed,
            // One ply more than the game's greatest number, so that a longer game shows.
            max_moves: self.config.max_moves.unwrap_or(u32::MAX).min(self.game.max_plies() + 1),
            owners: self.config.owners,
        }
    }
}

/// One worker a device, or the CPU.
async fn workers<G: Game>(engine: &Engine, game: &G, config: &RolloutConfig) -> Result<Vec<Worker<G>>> {
    match engine.devices() {
        None => {
            game.check_runs_in_rust()?;
            Ok(vec![Worker::cpu()])
        }
        Some(devices) => {
            let worker = async |device: &Device| Worker::gpu(device, game, config).await;
            together(devices.iter().collect(), worker).await
        }
    }
}
