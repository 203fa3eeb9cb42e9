//! A search: an engine, a game, a config, a budget, a report.

mod budget;
mod config;
mod cpu;
mod engine;
mod gpu;
mod memory;
mod pacer;
mod report;

pub use budget::Budget;
pub use config::{Config, MAX_PLAYOUTS, MAX_TREES, Schedule, Variant};
pub use engine::Engine;
pub use pacer::Progress;
pub use report::{ActionReport, EngineInfo, Performance, Report, Times, TreesInfo};

use crate::{
    error::{Error, Result},
    game::{Game, Position},
    reference::{Shape, history_words, root_record},
};
use report::Outcomes;
use std::{ops::ControlFlow, time::Instant};

/// Trees, their random streams and the memory they live in. Runs on one object follow one another on streams that
/// go on; a run starts from new trees.
#[derive(Debug)]
pub struct Search<G: Game> {
    engine: Engine,
    game: G,
    config: Config,
    trees: Trees<G>,
    /// Positions that the memory is shared out for.
    positions: u32,
    /// Streams of trees that earlier, larger batches used.
    resting: Vec<TreeStreams>,
}

/// The trees on their engine.
#[derive(Debug)]
enum Trees<G: Game> {
    Cpu(cpu::Trees<G>),
    Gpu(gpu::Trees),
}

/// The random streams of one tree: the expansion stream, then its playout streams.
type TreeStreams = Vec<glam::UVec4>;

impl<G: Game> Search<G> {
    /// Takes the memory and seeds the streams.
    ///
    /// # Errors
    /// Bad input for a config out of range or too little memory; out of memory; shader; device lost.
    pub fn new(engine: &Engine, game: G, config: Config) -> Result<Self> {
        config.validate()?;
        let trees = Trees::new(engine, &game, &config, 1)?;
        Ok(Self { engine: engine.clone(), game, config, trees, positions: 1, resting: Vec::new() })
    }

    /// Checks that `positions` can be searched side by side, without an engine: the config's fields, and that its
    /// memory holds the trees. [`new`](Self::new) finds the same faults, but only once it has a device.
    ///
    /// # Errors
    /// Bad input for a config out of range or too little memory.
    pub fn check(game: &G, config: &Config, positions: u32) -> Result<()> {
        config.validate()?;
        let room = memory::Room { memory: config.memory, binding: u64::MAX };
        memory::share_out(&shape_of(game, config), positions, config.trees, config.node_limit, &[room])?;
        Ok(())
    }

    /// Searches from a position.
    ///
    /// # Errors
    /// Bad input for an empty budget; device lost.
    pub fn run(&mut self, position: &Position<G>, budget: Budget) -> Result<Report> {
        self.run_with(position, budget, |_| ControlFlow::Continue(()))
    }

    /// Searches from a position; `progress` is told how far it is every few dozen milliseconds, and ends the search
    /// early by [`ControlFlow::Break`].
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
        reports.pop().ok_or_else(|| Error::bad_input("no position to search"))
    }

    /// Searches from many positions side by side. Position p has trees p T to (p + 1) T - 1 and their streams: its
    /// report equals that of a search alone on those streams.
    ///
    /// # Errors
    /// Bad input for no position, an empty budget, or too little memory; device lost.
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
        progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Vec<Report>> {
        let start = Instant::now();
        budget.validate()?;
        if positions.is_empty() {
            return Err(Error::bad_input("no position to search: give at least one"));
        }
        self.make_room(positions.len())?;
        let records: Vec<_> = positions.iter().map(root_record).collect();
        let ordinals = positions.iter().map(|p| p.legal_actions().len()).max().unwrap_or(0) as u32;
        self.trees.reset(&records, self.config.trees)?;
        let mut costs = pacer::drive(&mut self.trees, budget, start, progress)?;
        let outcomes = self.trees.outcomes(&self.config, ordinals, &mut costs)?;
        costs.total = start.elapsed();
        let info = self.trees.info();
        let reports = positions.iter().zip(&outcomes);
        Ok(reports
            .map(|(position, found)| report::report(&info, &self.config, position, found, &costs))
            .collect())
    }

    /// The config it was made with.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Nodes that each tree can hold.
    pub fn capacity(&self) -> u32 {
        match &self.trees {
            Trees::Cpu(trees) => trees.shape().capacity,
            Trees::Gpu(trees) => trees.shape().capacity,
        }
    }

    /// Bytes of memory that a node takes.
    pub fn node_bytes(&self) -> u64 {
        match &self.trees {
            Trees::Cpu(trees) => trees.shape().node_bytes(),
            Trees::Gpu(trees) => trees.shape().node_bytes(),
        }
    }

    /// Shares the memory out anew where the number of positions changes; every tree keeps its streams.
    fn make_room(&mut self, positions: usize) -> Result<()> {
        let wanted = u32::try_from(positions).map_err(|_| Error::bad_input("more than 2^32 positions"))?;
        if wanted == self.positions {
            return Ok(());
        }
        let mut streams = self.trees.streams()?;
        streams.append(&mut self.resting);
        self.trees = Trees::new(&self.engine, &self.game, &self.config, wanted)?;
        self.positions = wanted;
        let in_use = (wanted as usize * self.config.trees as usize).min(streams.len());
        self.resting = streams.split_off(in_use);
        self.trees.set_streams(&streams)
    }
}

impl<G: Game> Trees<G> {
    fn new(engine: &Engine, game: &G, config: &Config, positions: u32) -> Result<Self> {
        match engine.devices() {
            None => cpu::Trees::new(game, config, positions).map(Trees::Cpu),
            Some(devices) => gpu::Trees::new(devices, game, config, positions).map(Trees::Gpu),
        }
    }

    fn info(&self) -> EngineInfo {
        match self {
            Trees::Cpu(_) => engine::cpu_info(),
            Trees::Gpu(trees) => trees.info(),
        }
    }

    /// New trees from root records, one a position.
    fn reset(&mut self, records: &[Vec<u32>], trees: u32) -> Result<()> {
        match self {
            Trees::Cpu(cpu) => cpu.reset(records, trees),
            Trees::Gpu(gpu) => return gpu.reset(records, trees),
        }
        Ok(())
    }

    /// Submissions under way at a time: a device starts the next one while the host looks at the last.
    fn queue_length(&self) -> usize {
        match self {
            Trees::Cpu(_) => 1,
            Trees::Gpu(_) => 2,
        }
    }

    /// Hands steps over. The CPU makes them at once.
    fn submit(&mut self, steps: u32) -> Result<Option<gpu::Ticket>> {
        match self {
            Trees::Cpu(trees) => {
                trees.step(steps);
                Ok(None)
            }
            Trees::Gpu(trees) => trees.submit(steps).map(Some),
        }
    }

    fn wait(&self, ticket: Option<gpu::Ticket>) -> Result<()> {
        match (self, ticket) {
            (Trees::Gpu(trees), Some(ticket)) => trees.wait(ticket),
            _ => Ok(()),
        }
    }

    fn outcomes(
        &mut self,
        config: &Config,
        ordinals: u32,
        costs: &mut report::Costs,
    ) -> Result<Vec<Outcomes>> {
        match self {
            Trees::Cpu(trees) => Ok(trees.outcomes(config, costs)),
            Trees::Gpu(trees) => trees.outcomes(config, ordinals, costs),
        }
    }

    fn streams(&self) -> Result<Vec<TreeStreams>> {
        match self {
            Trees::Cpu(trees) => Ok(trees.streams()),
            Trees::Gpu(trees) => trees.streams(),
        }
    }

    fn set_streams(&mut self, streams: &[TreeStreams]) -> Result<()> {
        match self {
            Trees::Cpu(trees) => trees.set_streams(streams),
            Trees::Gpu(trees) => return trees.set_streams(streams),
        }
        Ok(())
    }
}

/// The part of a shape that a game and a config decide.
fn shape_of<G: Game>(game: &G, config: &Config) -> Shape {
    Shape {
        n_trees: 1,
        first_tree: 0,
        trees_per_position: 1,
        capacity: 0,
        max_actions: game.max_actions(),
        playouts: config.playouts,
        parts: 1,
        state_words: game.state_words(),
        history_words: history_words(game),
        path_capacity: game.max_plies() + 1,
        expansion_stride: game.expansion_stride(),
        variant: config.variant,
        ucb_c: config.ucb_c,
        seed: config.seed,
    }
}
