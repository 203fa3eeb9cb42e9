//! A search: an engine, a game, a config, a budget, a report.

#[cfg(not(target_arch = "wasm32"))]
mod blocking;
mod budget;
mod clock;
mod counts;
mod display;
mod growth;
mod improved;
mod memory;
mod on_cpu;
mod on_devices;
mod ranks;
mod report;
mod search_loop;
mod settings;
mod share;
mod slices;
mod trees;
mod variation;

pub use crate::forest::{Config, MAX_PLAYOUTS, MAX_TREES, Settings};
pub use budget::Budget;
pub(crate) use budget::time_of;
pub(crate) use counts::RootCounts;
pub use report::{
    ActionReport, BudgetReport, Performance, PositionReport, ProvenValue, Report, Times, TreesInfo,
};
use search_loop::OnProgress;
pub use search_loop::Progress;
pub use variation::LINE_TREES;

use crate::{
    device::Submission,
    engine::{self, Engine, EngineInfo},
    error::{Error, Result},
    forest::{
        fault,
        layout::Tree,
        nodes::NodeRun,
        root::{history_words, root_record},
        shape::Shape,
    },
    host::{Instant, parallel, start_threads},
    net::LeafEvaluation,
    ranks::Ranks,
    rules::{self, Game, Position},
};
use clock::Finish;
use glam::UVec4;
use on_cpu::CpuTrees;
use on_devices::DeviceTrees;
use report::{Costs, Outcomes, Reused};
use std::ops::ControlFlow;
use trees::Trees;

/// The trees of a search, with their random streams and their memory. Runs of one search follow one another on streams
/// that continue; a run starts from new trees, unless [`Settings::reuse`] is set.
///
/// ```
/// use mcts_wgpu::{Budget, Engine, Position, Search, Settings, games::Connect4};
/// let game = Connect4::default();
/// let settings = Settings { seed: Some(7), reuse: Some(true), ..Settings::default() };
/// let mut search = Search::new(&Engine::cpu(), game.clone(), settings)?;
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
    trees: Box<dyn Trees>,
    /// The ranks that share the trees.
    ranks: Ranks,
    /// The engine on all ranks, once the trees have memory.
    engine: Option<EngineInfo>,
    /// The number of positions that share the memory, and the requested capacity of their trees; no positions after a
    /// failed allocation.
    room: (u32, u32),
    /// Streams that only earlier, larger batches used.
    idle_streams: Vec<TreeStreams>,
    /// The position of the trees; `None` after a batch, or a failed run.
    searched: Option<Position<G>>,
    /// The time that the results of its runs took; `None` before the first one.
    finish: Option<Finish>,
}

/// Makes the trees of an engine, without memory.
async fn trees_on<G: Game>(
    engine: &Engine,
    game: &G,
    config: &Config,
    evaluation: Option<LeafEvaluation>,
) -> Result<Box<dyn Trees>> {
    let Some(devices) = engine.devices() else {
        game.check_runs_in_rust()?;
        return Ok(Box::new(CpuTrees::new(game, config, evaluation).await?));
    };
    Ok(Box::new(DeviceTrees::new(devices, game, config, evaluation).await?))
}

/// The outcomes of a run, and its times.
struct Found {
    /// For each position, the actions of its root, and whether legal ones are left out.
    tried: Vec<(Vec<u32>, bool)>,
    outcomes: Vec<Outcomes>,
    kept: Reused,
    costs: Costs,
    info: EngineInfo,
    /// Nodes of all trees.
    nodes: u64,
    /// The time after the last step.
    finishing: Instant,
}

/// Submitted work: one submission a device; `None` for a device without trees.
type Submitted = Vec<Option<Submission>>;

/// The random streams of one tree: the expansion stream, then its playout streams.
type TreeStreams = Vec<UVec4>;

/// The streams of some trees, from the headers of their leaves and the playout streams.
fn streams_by_tree(shape: &Shape, leaves: &[Tree], playouts: &[UVec4]) -> Vec<TreeStreams> {
    let expansions = leaves.chunks(shape.config.leaf_batch as usize);
    let of_tree = |(leaves, playouts): (&[Tree], &[UVec4])| {
        leaves.iter().map(|leaf| leaf.expansion_stream).chain(playouts.iter().copied()).collect()
    };
    expansions.zip(playouts.chunks(shape.streams_per_tree())).map(of_tree).collect()
}

/// Writes the streams of trees, from the first one of a chunk on, back into the headers and the playout streams.
fn put_streams(shape: &Shape, all: &[TreeStreams], leaves: &mut [Tree], playouts: &mut [UVec4]) {
    let per_tree = leaves
        .chunks_mut(shape.config.leaf_batch as usize)
        .zip(playouts.chunks_mut(shape.streams_per_tree()));
    for ((leaves, playouts), from) in per_tree.zip(all.iter().skip(shape.first_tree as usize)) {
        let (expansions, of_playouts) = from.split_at(leaves.len());
        leaves.iter_mut().zip(expansions).for_each(|(leaf, &stream)| leaf.expansion_stream = stream);
        playouts.copy_from_slice(of_playouts);
    }
}

impl<G: Game> Search<G> {
    /// [`new`](Self::new) for async programs. Compiling blocks the thread.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub async fn new_async(engine: &Engine, game: G, settings: Settings) -> Result<Self> {
        let net = settings.check_ranges().and_then(|()| settings.with_net(&game, engine.clone()));
        let engine = &engine.ranks().settle(net)?;
        let config = settings.resolve(&game, engine);
        let game = engine.ranks().settle(settings.with_policy(game))?;
        Self::with_config_async(engine, game, config).await
    }

    /// [`with_config`](Self::with_config) for async programs. Compiling blocks the thread.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub async fn with_config_async(engine: &Engine, game: G, config: Config) -> Result<Self> {
        let (ranks, config) = (engine.ranks().clone(), settings::suited(config, &game));
        let threads = start_threads().map_err(Error::no_thread);
        let checked = threads.and_then(|()| config.validate()).and_then(|()| rules::check(&game));
        let evaluation = checked.and_then(|()| settings::evaluation_of(&game, &config, engine));
        ranks.same(evaluation.as_ref().map(drop).map_err(Error::clone), || {
            let (version, name) = (env!("CARGO_PKG_VERSION"), game.name());
            let net = engine.network().map(|net| net.digest());
            format!("{version} {name} {:?} {} {config:?} {net:?}", game.rules(), game.policy())
        })?;
        let trees = ranks.settle(trees_on(engine, &game, &config, evaluation?).await)?;
        let (engine, room, idle_streams) = (None, (0, 0), Vec::new());
        Ok(Self { game, config, trees, ranks, engine, room, idle_streams, searched: None, finish: None })
    }

    /// Checks that `positions` can be searched side by side, without an engine: the config's fields, and that its
    /// memory holds the trees.
    fn check(game: &G, config: &Config, positions: u32) -> Result<()> {
        config.validate()?;
        rules::check(game)?;
        let (room, shape) = (memory::Room::unbound(config), shape_of(game, config));
        memory::share_out(&shape, positions, memory::most_nodes(config), &[room])?;
        Ok(())
    }

    /// [`run_batch_with`](Self::run_batch_with) for async programs. The future blocks its thread for a millisecond at a
    /// time while devices work, for some milliseconds while it submits steps or the CPU engine makes them, and for some
    /// dozens where a single step takes as long. If it is dropped before its end, the run has no result, and the search
    /// is as before, except for its random streams.
    ///
    /// # Errors
    /// As [`run_batch`](Self::run_batch).
    pub async fn run_async(
        &mut self,
        positions: &[Position<G>],
        budget: Budget,
        mut progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Vec<Report>> {
        self.reports(positions, budget, &mut progress).await
    }

    /// The search of [`run_async`](Self::run_async), which is compiled once for all callbacks.
    async fn reports(
        &mut self,
        positions: &[Position<G>],
        budget: Budget,
        progress: OnProgress<'_>,
    ) -> Result<Vec<Report>> {
        let start = Instant::now();
        let Found { tried, outcomes, kept, mut costs, info, nodes, finishing } =
            self.find(positions, budget, start, progress).await?;
        let mut line = Vec::new();
        if let ([position], [found]) = (positions, &outcomes[..]) {
            let shape = self.trees.shape();
            let read = async |runs: &[NodeRun]| ranks::rows(&self.ranks, self.trees.nodes(runs).await);
            line = variation::after_best(shape, position, found.best, read).await?;
            self.searched = Some(position.clone());
        }
        costs.total = start.elapsed();
        self.finish.iter_mut().for_each(|finish| finish.took(nodes, finishing.elapsed()));
        let (task, shape) = ((&self.game, budget), self.trees.shape());
        let reports = positions.iter().zip(&tried).zip(&outcomes);
        let mut reports: Vec<_> = reports
            .map(|(position, found)| report::report(&info, shape, task, position, found, kept, &costs))
            .collect();
        reports.iter_mut().take(1).for_each(|report| report.principal_variation.append(&mut line));
        Ok(reports)
    }

    /// Searches positions side by side on the streams of a seed, as a new search does: the result does not depend on
    /// earlier runs.
    pub(crate) async fn counts_async(
        &mut self,
        positions: &[Position<G>],
        (seed, budget): (u64, Budget),
        progress: OnProgress<'_>,
    ) -> Result<Vec<RootCounts>> {
        self.reseed(seed).await?;
        let Found { tried, outcomes, .. } = self.find(positions, budget, Instant::now(), progress).await?;
        let shape = self.trees.shape();
        let counts = |of: usize| RootCounts::of(positions[of].turn(), shape, &tried[of], &outcomes[of]);
        Ok(parallel::map(positions.len(), &counts))
    }

    /// Replaces the streams of all trees by those of another seed.
    async fn reseed(&mut self, seed: u64) -> Result<()> {
        self.config.seed = seed;
        self.idle_streams.clear();
        self.searched = None;
        self.ranks.settle(self.trees.reseed(seed).await)
    }

    /// Makes the steps; returns the outcomes at the roots.
    async fn find(
        &mut self,
        positions: &[Position<G>],
        budget: Budget,
        start: Instant,
        progress: OnProgress<'_>,
    ) -> Result<Found> {
        self.ranks.same(self.check_run(positions, budget), || {
            let records: Vec<_> = positions.iter().map(root_record).collect();
            let only: Vec<_> = positions.iter().map(Position::restriction).collect();
            format!("{budget:?} {records:?} {only:?}")
        })?;
        let kept = self.start_trees(positions, budget).await?;
        let pruning = self.config.pruning;
        let tried = parallel::map(positions.len(), &|of| positions[of].tried_actions(pruning));
        let ordinals = tried.iter().map(|(actions, _)| actions.len()).max().unwrap_or(0) as u32;
        let run = (positions.len(), budget, start);
        let kind = self.trees.kind();
        let finish = *self.finish.get_or_insert(Finish::of(kind));
        if kept.nodes == 0 {
            self.restrict(positions, finish).await?;
        }
        let mut costs =
            search_loop::run_loop(&mut *self.trees, &self.ranks, run, (kept, finish), progress).await?;
        let (finishing, nodes) = (Instant::now(), self.trees.most_nodes());
        let own = self.trees.outcomes(&self.config, ordinals, &mut costs).await;
        let mut outcomes = ranks::outcomes(&self.ranks, self.trees.shape(), positions, own)?;
        outcomes.iter_mut().for_each(|found| found.best = improved::best(self.trees.shape(), found));
        let info = self.trees.info();
        // Refusals of kernels may become known during a run.
        let info = self.engine.clone().filter(|_| !self.ranks.is_alone()).unwrap_or(info);
        let flags = outcomes.iter().flat_map(|found| &found.trees).fold(0, |all, tree| all | tree.flags);
        fault::check(flags, &self.game, &info.adapter)?;
        let are_same = outcomes.iter().zip(&tried).all(|(found, (actions, _))| found.has_actions(actions));
        self.ranks.settle(self.same_each_time(are_same))?;
        Ok(Found { tried, outcomes, kept, costs, info, nodes, finishing })
    }

    /// Makes new trees from the positions, or reuses those of the only one; returns the totals of reused trees.
    async fn start_trees(&mut self, positions: &[Position<G>], budget: Budget) -> Result<Reused> {
        let searched = self.searched.take().filter(|_| self.config.reuse);
        self.allocate(positions.len(), budget).await?;
        let records: Vec<_> = positions.iter().map(root_record).collect();
        let words = self.trees.shape().root_words();
        let are_same = records.iter().all(|record| record.len() == words);
        self.ranks.settle(self.same_each_time(are_same))?;
        if let ([position], Some(searched)) = (positions, searched)
            && let Some(moves) = moves_between(&searched, position)
        {
            let own = self.trees.reuse(&records[0], &moves).await;
            let all = self.ranks.exchange(own.map(|Reused { nodes, playouts }| [nodes, playouts]))?;
            let sum = |of: usize| all.iter().map(|kept| kept[of]).sum();
            return Ok(Reused { nodes: sum(0), playouts: sum(1) });
        }
        self.ranks.settle(self.trees.reset(&records).await)?;
        Ok(Reused::default())
    }

    /// Makes the step that expands the roots, and withdraws the actions that the positions are not restricted to.
    async fn restrict(&mut self, positions: &[Position<G>], finish: Finish) -> Result<()> {
        let only: Vec<_> = positions.iter().map(Position::restriction).collect();
        if only.iter().all(Option::is_none) {
            return Ok(());
        }
        let (run, kept) = ((positions.len(), Budget::steps(1), Instant::now()), (Reused::default(), finish));
        search_loop::run_loop(&mut *self.trees, &self.ranks, run, kept, &mut |_| ControlFlow::Continue(()))
            .await?;
        self.ranks.settle(self.trees.restrict(&only).await)
    }

    /// Returns an error unless the game gave the same results again: its rules may depend on more than their arguments,
    /// or the device that runs them may be lost.
    fn same_each_time(&self, are_same: bool) -> Result<()> {
        let error = || self.game.rules_error().unwrap_or_else(|| fault::inconsistent(&self.game));
        if are_same { Ok(()) } else { Err(error()) }
    }

    /// Checks that these positions can be searched within this budget.
    fn check_run(&self, positions: &[Position<G>], budget: Budget) -> Result<()> {
        budget.validate()?;
        if positions.is_empty() {
            return Err(Error::invalid("no position to search: give at least one"));
        }
        rules::check_positions(&self.game, positions)?;
        for (number, position) in (1..).zip(positions) {
            let goes_on =
                position.check_goes_on().and_then(|()| check_restriction(position, self.config.pruning));
            goes_on.map_err(|error| error.of(rules::named(number, positions.len())))?;
        }
        Ok(())
    }

    /// Removes the evaluations of positions of earlier searches, which make the next one faster.
    pub(crate) fn forget_evaluations(&mut self) {
        self.trees.forget_evaluations();
    }

    /// For tests: cuts every step into slices of this many workgroups (on the CPU: nodes to be played out, and trees),
    /// independent of the clock. Steps that one kernel makes whole can't be cut.
    #[doc(hidden)]
    pub fn cut_steps(&mut self, units: Option<u32>) {
        self.trees.fix_slices(units);
    }

    /// For tests: the first capacity of trees on devices, and the greatest bytes of a binding. Call it before the first
    /// run.
    #[doc(hidden)]
    pub fn grow_from(&mut self, nodes: u32, binding: u64) {
        self.trees.grow_from(nodes, binding);
    }

    /// For tests: the present capacity of each tree of each chunk.
    #[doc(hidden)]
    pub fn room(&self) -> Vec<u32> {
        self.trees.room()
    }

    /// All of its settings.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The greatest number of nodes of each tree; 0 before the first run, or [`prepare`](Self::prepare).
    pub fn capacity(&self) -> u32 {
        self.trees.shape().capacity
    }

    /// Bytes of a node.
    pub fn node_bytes(&self) -> u64 {
        self.trees.shape().node_bytes()
    }

    /// Divides the memory anew where the number of positions changes, or trees may become larger; every tree keeps its
    /// streams. If the allocation fails, the streams are kept for the next call.
    async fn allocate(&mut self, positions: usize, budget: Budget) -> Result<()> {
        let count = u32::try_from(positions).map_err(|_| Error::invalid("more than 2^32 positions"))?;
        let (shape, kind) = (self.trees.shape(), self.trees.kind());
        let nodes = memory::nodes_for(shape, budget, positions, kind);
        let nodes = self.ranks.least(Ok(nodes.into()))? as u32;
        if !self.ranks.all(Ok(self.trees.is_whole()))? {
            self.room = (0, 0);
        }
        if count == self.room.0 && nodes <= self.room.1 {
            return Ok(());
        }
        self.searched = None;
        let own = self.trees.rooms(&self.config);
        let division = ranks::share_out(&self.ranks, shape, count, nodes, &own)?;
        let trees = division.parts.iter().map(|part| part.trees.n_trees).sum();
        if self.room.0 > 0 {
            let own = self.trees.streams().await;
            let mut streams = ranks::streams(&self.ranks, shape, own)?;
            streams.append(&mut self.idle_streams);
            (self.room, self.idle_streams) = ((0, 0), streams);
        }
        let allocated = self.trees.allocate(division, self.config.trees).await;
        self.ranks.settle(allocated)?;
        let in_use = (positions * self.config.trees as usize).min(self.idle_streams.len());
        let set = self.trees.set_streams(&self.idle_streams[..in_use]).await;
        self.ranks.settle(set)?;
        let info = self.trees.info();
        self.engine = Some(engine::info_over(&self.ranks, Ok(info), Some(trees))?);
        self.idle_streams.drain(..in_use);
        self.room = (count, nodes);
        Ok(())
    }
}

/// Whether each position, of `per_position` trees, has a tree whose root is proven; `None` where there are no trees.
fn are_decided(trees: &[Tree], per_position: u32) -> Option<bool> {
    let is_decided = |trees: &[Tree]| trees.iter().any(Tree::root_is_proven);
    (!trees.is_empty()).then(|| trees.chunks(per_position as usize).all(is_decided))
}

/// Checks that pruning leaves an action that the position is restricted to.
fn check_restriction<G: Game>(position: &Position<G>, pruning: bool) -> Result<()> {
    if position.restriction().is_some() && position.tried_actions(pruning).0.is_empty() {
        let why = "pruning leaves out all actions that it is restricted to: search without pruning";
        return Err(Error::invalid(why));
    }
    Ok(())
}

/// The moves from one position to another; `None` where the other does not follow it, or has another restriction than
/// the trees.
fn moves_between<G: Game>(before: &Position<G>, after: &Position<G>) -> Option<Vec<u32>> {
    let moves = after.moves().strip_prefix(before.moves())?;
    let reached = before.after(moves).ok()?;
    let same = root_record(&reached) == root_record(after) && reached.restriction() == after.restriction();
    same.then(|| moves.to_vec())
}

/// The part of a shape that depends on the game and the config alone.
#[doc(hidden)]
pub fn shape_of<G: Game>(game: &G, config: &Config) -> Shape {
    Shape {
        config: settings::suited(*config, game),
        n_trees: 1,
        first_tree: 0,
        trees_per_position: 1,
        capacity: 0,
        max_actions: game.max_actions(),
        parts: 1,
        state_words: game.state_words(),
        history_words: history_words(game),
        path_capacity: game.max_plies() + 1,
        expansion_stride: game.expansion_stride(),
        evaluation: None,
        first_words: game.first_words(),
    }
}
