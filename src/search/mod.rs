//! A search: an engine, a game, a config, a budget, a report.

mod budget;
mod config;
mod cpu;
mod drive;
mod engine;
mod gpu;
mod memory;
mod report;
mod slices;
mod variation;

pub use budget::Budget;
pub use config::{Config, MAX_PLAYOUTS, MAX_TREES, Schedule, Variant};
pub use drive::Progress;
pub use engine::Engine;
pub use report::{
    ActionReport, AdapterShare, BudgetReport, EngineInfo, Performance, PositionReport, Report, Times,
    TreesInfo,
};
pub use variation::LINE_TREES;

use crate::{
    error::{Error, Result},
    fault,
    game::{self, Game, Position},
    gpu::schedule::Half,
    reference::{Node, NodeRun, Shape, history_words, root_record},
};
use report::{Kept, Outcomes};
use std::{ops::ControlFlow, time::Instant};

/// Trees, their random streams and the memory they live in. Runs on one object follow one another on streams that
/// go on; a run starts from new trees, unless [`Config::reuse`] says otherwise.
///
/// ```
/// use mcts_wgpu::{Budget, Config, Engine, Position, Search, games::Connect4};
/// let game = Connect4::default();
/// let config = Config { trees: 2, reuse: true, ..Config::default() };
/// let mut search = Search::new(&Engine::cpu(), game.clone(), config)?;
/// let mut position = Position::start(&game);
/// search.run(&position, Budget::steps(50))?;
/// position.play(3)?; // a move,
/// position.play(2)?; // its answer,
/// let report = search.run(&position, Budget::steps(50))?; // and the subtree below them is searched further
/// assert!(report.trees_info.reused_nodes > 0);
/// assert_eq!(report.n_root, report.trees_info.reused_playouts + report.performance.playouts);
/// # Ok::<(), mcts_wgpu::Error>(())
/// ```
#[derive(Debug)]
pub struct Search<G: Game> {
    game: G,
    config: Config,
    trees: Trees<G>,
    /// Positions that the memory is shared out for; 0 where that has failed.
    positions: u32,
    /// Streams of trees that there are not now: earlier, larger batches used them.
    resting: Vec<TreeStreams>,
    /// The position that the trees are of; none where they are of a batch, or of a run that failed.
    searched: Option<Position<G>>,
}

/// The trees on their engine.
#[derive(Debug)]
enum Trees<G: Game> {
    Cpu(cpu::Trees<G>),
    Gpu(gpu::Trees),
}

/// Work that was handed over.
#[derive(Debug)]
enum Ticket {
    Done,
    UnderWay(gpu::Ticket),
}

/// The random streams of one tree: the expansion stream, then its playout streams.
type TreeStreams = Vec<glam::UVec4>;

impl<G: Game> Search<G> {
    /// Compiles the kernels, takes the memory and seeds the streams: no run's time goes by with that.
    ///
    /// # Errors
    /// Bad input for a config or a game out of range, or too little memory; out of memory; shader; device lost.
    pub fn new(engine: &Engine, game: G, config: Config) -> Result<Self> {
        config.validate()?;
        Self::check(&game, &config, 1)?;
        let trees = Trees::new(engine, game.clone(), &config)?;
        let mut search = Self { game, config, trees, positions: 0, resting: Vec::new(), searched: None };
        search.make_room(1)?;
        Ok(search)
    }

    /// Checks that `positions` can be searched side by side, without an engine: the config's fields, and that its
    /// memory holds the trees. [`new`](Self::new) finds the same faults, but only once it has a device.
    ///
    /// # Errors
    /// Bad input for a config or a game out of range, or too little memory.
    pub fn check(game: &G, config: &Config, positions: u32) -> Result<()> {
        config.validate()?;
        game::check(game)?;
        let room = memory::Room { memory: config.memory, binding: u64::MAX };
        memory::share_out(&shape_of(game, config), positions, config.trees, config.node_limit, &[room])?;
        Ok(())
    }

    /// Makes room for so many positions side by side, as the first batch of another size does too: its time does not go by
    /// with it then.
    ///
    /// # Errors
    /// Bad input for too little memory; out of memory; shader; device lost.
    pub fn prepare(&mut self, positions: usize) -> Result<()> {
        if positions != self.positions as usize {
            self.searched = None;
        }
        self.make_room(positions.max(1))
    }

    /// Searches from a position.
    ///
    /// # Errors
    /// Bad input for an empty budget, a position of another game, or a game longer than [`Game::max_plies`]; cut short;
    /// device lost.
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
        progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Vec<Report>> {
        let start = Instant::now();
        budget.validate()?;
        if positions.is_empty() {
            return Err(Error::bad_input("no position to search: give at least one"));
        }
        game::check_positions(&self.game, positions)?;
        let kept = self.plant(positions)?;
        let ordinals = positions.iter().map(|p| p.legal_actions().len()).max().unwrap_or(0) as u32;
        let mut costs = drive::drive(&mut self.trees, budget, start, progress)?;
        let outcomes = self.trees.outcomes(&self.config, ordinals, &mut costs)?;
        let info = self.trees.info();
        let flags = outcomes.iter().flat_map(|found| &found.trees).fold(0, |all, tree| all | tree.flags);
        fault::check(flags, &self.game, &info.adapter)?;
        let mut line = Vec::new();
        if let ([position], [found]) = (positions, &outcomes[..]) {
            line = variation::after_best(&self.config, position, found.best, |runs| self.trees.nodes(runs))?;
            self.searched = Some(position.clone());
        }
        costs.total = start.elapsed();
        let task = (&self.config, budget);
        let reports = positions.iter().zip(&outcomes);
        let mut reports: Vec<_> = reports
            .map(|(position, found)| report::report(&info, task, position, found, kept, &costs))
            .collect();
        reports.iter_mut().take(1).for_each(|report| report.principal_variation.append(&mut line));
        Ok(reports)
    }

    /// New trees from the positions, or what there is already of the only one; says how much that is.
    fn plant(&mut self, positions: &[Position<G>]) -> Result<Kept> {
        let searched = self.searched.take().filter(|_| self.config.reuse);
        self.make_room(positions.len())?;
        let records: Vec<_> = positions.iter().map(root_record).collect();
        if let ([position], Some(searched)) = (positions, searched)
            && let Some(moves) = moves_between(&searched, position)
        {
            return self.trees.reuse(&records[0], &moves, self.config.trees);
        }
        self.trees.reset(&records, self.config.trees)?;
        Ok(Kept::default())
    }

    /// For tests: every step is cut into slices of so many workgroups (nodes to be played out, and trees, on the CPU), and no
    /// clock is looked at for that. Steps that one kernel makes whole can't be cut.
    #[doc(hidden)]
    pub fn cut_steps(&mut self, units: Option<u32>) {
        self.trees.fix_slices(units);
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

    /// Shares the memory out anew where the number of positions changes; every tree keeps its streams. Where the
    /// memory can't be had, the streams rest until the next call.
    fn make_room(&mut self, positions: usize) -> Result<()> {
        let wanted = u32::try_from(positions).map_err(|_| Error::bad_input("more than 2^32 positions"))?;
        if wanted == self.positions {
            return Ok(());
        }
        let plan = self.trees.plan(&self.config, wanted)?;
        if self.positions > 0 {
            let mut streams = self.trees.streams()?;
            streams.append(&mut self.resting);
            (self.positions, self.resting) = (0, streams);
        }
        self.trees.allocate(plan, self.config.trees)?;
        let in_use = (wanted as usize * self.config.trees as usize).min(self.resting.len());
        self.trees.set_streams(&self.resting[..in_use])?;
        self.resting.drain(..in_use);
        self.positions = wanted;
        Ok(())
    }
}

/// The moves from one position to another; none where the other does not come after it.
fn moves_between<G: Game>(before: &Position<G>, after: &Position<G>) -> Option<Vec<u32>> {
    let moves = after.moves().strip_prefix(before.moves())?;
    let mut reached = before.clone();
    moves.iter().try_for_each(|&action| reached.play(action)).ok()?;
    let same = root_record(&reached) == root_record(after);
    same.then(|| moves.to_vec())
}

impl<G: Game> Trees<G> {
    fn new(engine: &Engine, game: G, config: &Config) -> Result<Self> {
        match engine.devices() {
            None => cpu::Trees::new(&game, config).map(Trees::Cpu),
            Some(devices) => gpu::Trees::new(devices, &game, config).map(Trees::Gpu),
        }
    }

    /// How the memory is shared out over so many positions: nodes of a tree, and chunks.
    fn plan(&self, config: &Config, positions: u32) -> Result<(u32, Vec<memory::Chunk>)> {
        match self {
            Trees::Cpu(trees) => trees.plan(config, positions),
            Trees::Gpu(trees) => trees.plan(config, positions),
        }
    }

    /// Takes the memory, once that of the last plan has been given back, and seeds the streams.
    fn allocate(&mut self, plan: (u32, Vec<memory::Chunk>), trees_per_position: u32) -> Result<()> {
        match self {
            Trees::Cpu(trees) => trees.allocate(plan, trees_per_position),
            Trees::Gpu(trees) => trees.allocate(plan),
        }
    }

    /// Every tree becomes its subtree below `moves`, of which `record` is the root; says what was kept of them.
    fn reuse(&mut self, record: &[u32], moves: &[u32], trees: u32) -> Result<Kept> {
        match self {
            Trees::Cpu(cpu) => Ok(cpu.reuse(record, moves)),
            Trees::Gpu(gpu) => gpu.reuse(record, moves, trees),
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
            Trees::Cpu(cpu) => cpu.reset(records),
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
    fn submit(&mut self, steps: u32) -> Result<Ticket> {
        match self {
            Trees::Cpu(trees) => {
                trees.step(steps);
                Ok(Ticket::Done)
            }
            Trees::Gpu(trees) => trees.submit(steps).map(Ticket::UnderWay),
        }
    }

    fn wait(&self, ticket: Ticket) -> Result<()> {
        match (self, ticket) {
            (Trees::Gpu(trees), Ticket::UnderWay(ticket)) => trees.wait(ticket),
            _ => Ok(()),
        }
    }

    /// Is the first step to be cut, before anything is known of its cost?
    fn begins_cut(&self) -> bool {
        self.can_cut() && (self.always_cuts() || !self.has_short_steps())
    }

    fn has_short_steps(&self) -> bool {
        match self {
            Trees::Cpu(trees) => trees.has_short_steps(),
            Trees::Gpu(trees) => trees.has_short_steps(),
        }
    }

    /// Can steps be cut into slices?
    fn can_cut(&self) -> bool {
        match self {
            Trees::Cpu(_) => true,
            Trees::Gpu(trees) => trees.can_cut(),
        }
    }

    /// Slices of so many units, of all steps, whatever they take; or what suits.
    fn fix_slices(&mut self, units: Option<u32>) {
        match self {
            Trees::Cpu(trees) => trees.fix_slices(units),
            Trees::Gpu(trees) => trees.fix_slices(units),
        }
    }

    /// Are steps cut however short they are?
    fn always_cuts(&self) -> bool {
        match self {
            Trees::Cpu(trees) => trees.has_fixed_slices(),
            Trees::Gpu(trees) => trees.can_cut() && trees.has_fixed_slices(),
        }
    }

    /// Keeps what a step is taken back to; false where there is no room for it, and the step can't be.
    fn keep(&mut self) -> Result<bool> {
        match self {
            Trees::Cpu(trees) => Ok(trees.keep()),
            Trees::Gpu(trees) => trees.keep(),
        }
    }

    /// Takes the step back whose first half has been begun since.
    fn withdraw(&mut self) -> Result<()> {
        match self {
            Trees::Cpu(trees) => trees.withdraw(),
            Trees::Gpu(trees) => return trees.withdraw(),
        }
        Ok(())
    }

    /// Begins half a step that is cut.
    fn begin_half(&mut self, half: Half) {
        match self {
            Trees::Cpu(trees) => trees.begin_half(half),
            Trees::Gpu(trees) => trees.begin_half(half),
        }
    }

    /// Hands the next slices over, one a device; none where there are no more.
    fn submit_slice(&mut self) -> Result<Option<Ticket>> {
        match self {
            Trees::Cpu(trees) => Ok(trees.slice().then_some(Ticket::Done)),
            Trees::Gpu(trees) => Ok(trees.submit_slice()?.map(Ticket::UnderWay)),
        }
    }

    /// Waits for slices, and learns from them how large the next ones should be.
    fn end_slice(&mut self, ticket: Ticket) -> Result<()> {
        match (self, ticket) {
            (Trees::Gpu(trees), Ticket::UnderWay(ticket)) => trees.end_slice(ticket),
            _ => Ok(()),
        }
    }

    /// A step that was cut has ended.
    fn end_step(&mut self) {
        if let Trees::Gpu(trees) = self {
            trees.end_step();
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

    /// Nodes of a few trees, run by run, the runs ascending by tree.
    fn nodes(&self, runs: &[NodeRun]) -> Result<Vec<Vec<Node>>> {
        match self {
            Trees::Cpu(trees) => Ok(runs.iter().map(|&run| trees.nodes(run)).collect()),
            Trees::Gpu(trees) => trees.nodes(runs),
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
pub(crate) fn shape_of<G: Game>(game: &G, config: &Config) -> Shape {
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
