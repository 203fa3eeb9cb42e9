//! The blocking calls: a thin layer over the async ones. A page in a browser can't block, and has none of them.

use super::{Budget, Config, Progress, Report, RootCounts, Search, Settings};
use crate::{
    engine::Engine,
    error::{Error, Result},
    host::block_on,
    rules::{Game, Position},
};
use std::ops::ControlFlow;

impl<G: Game> Search<G> {
    /// Resolves the settings for the game and the engine, and compiles the kernels. The first run allocates the memory
    /// and seeds the streams, unless [`prepare`](Self::prepare) has done so.
    ///
    /// # Errors
    /// Bad input for a setting or a game out of range; out of memory; shader; device lost. Too little memory is bad
    /// input of [`prepare`](Self::prepare) and of runs.
    pub fn new(engine: &Engine, game: G, settings: Settings) -> Result<Self> {
        block_on(Self::new_async(engine, game, settings))
    }

    /// A search by a config, such as that of a report, with the game's own policy.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_config(engine: &Engine, game: G, config: Config) -> Result<Self> {
        block_on(Self::with_config_async(engine, game, config))
    }

    /// Allocates memory for this many positions side by side, with trees as large as the budget can make them.
    /// Otherwise the first run does so; set-up then does not count against its budget.
    ///
    /// # Errors
    /// Bad input for too little memory; out of memory; shader; device lost.
    pub fn prepare(&mut self, positions: usize, budget: Budget) -> Result<()> {
        block_on(self.allocate(positions.max(1), budget))
    }

    /// Searches from a position.
    ///
    /// # Errors
    /// Bad input for an empty budget, a position of another game, or a game longer than [`Game::max_plies`]; cut short;
    /// device lost.
    pub fn run(&mut self, position: &Position<G>, budget: Budget) -> Result<Report> {
        self.run_with(position, budget, |_| ControlFlow::Continue(()))
    }

    /// Searches from a position; calls `progress` every few dozen milliseconds, which ends the search early by
    /// [`ControlFlow::Break`].
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_with(
        &mut self,
        position: &Position<G>,
        budget: Budget,
        progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Report> {
        let mut reports = self.run_batch_with(std::slice::from_ref(position), budget, progress)?;
        reports.pop().ok_or_else(|| Error::invalid("no position to search"))
    }

    /// Searches from many positions side by side. Position p has trees p T to (p + 1) T - 1 and their streams: its
    /// report equals that of a search alone on those streams.
    ///
    /// # Errors
    /// As [`run`](Self::run), and bad input for no position or too little memory.
    pub fn run_batch(&mut self, positions: &[Position<G>], budget: Budget) -> Result<Vec<Report>> {
        self.run_batch_with(positions, budget, |_| ControlFlow::Continue(()))
    }

    /// [`run_batch`](Self::run_batch) with progress and cancellation.
    ///
    /// # Errors
    /// As [`run_batch`](Self::run_batch).
    pub fn run_batch_with(
        &mut self,
        positions: &[Position<G>],
        budget: Budget,
        mut progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Vec<Report>> {
        // One instance for a game, whatever the type of `progress`.
        block_on(self.reports(positions, budget, &mut progress))
    }

    /// The root counts of positions searched side by side on streams of a seed: without reports.
    pub(crate) fn counts(
        &mut self,
        positions: &[Position<G>],
        task: (u64, Budget),
        mut progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Vec<RootCounts>> {
        block_on(self.counts_async(positions, task, &mut progress))
    }
}
