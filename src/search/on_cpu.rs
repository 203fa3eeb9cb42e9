//! The trees of a search on the CPU engine.

use super::{
    Config, Reused, Submitted, TreeStreams, are_decided,
    memory::{self, Division},
    put_streams,
    report::{Costs, Outcomes},
    shape_of,
    slices::{Lot, Slicer},
    streams_by_tree,
    trees::Trees,
};
use crate::{
    device::AdapterKind,
    device::loads::{Half, Loads},
    engine::{self, EngineInfo},
    error::Result,
    forest::{
        fault,
        layout::{ROOT, Tree},
        nodes::{Node, NodeRun},
        shape::Shape,
    },
    host::{Instant, give_way},
    net::LeafEvaluation,
    reference::{
        EvaluationCache, Forest,
        count_jobs::count_jobs,
        fingerprint::{digests, sums},
        reduce_over_actions::reduce_over_actions,
        reduce_over_trees::reduce_over_trees,
        renew_noise::renew_noise,
        reset::reset,
        restrict::restrict_roots,
        reuse::reuse,
        seed::seed,
        stages::{ALL_TREES, Playouts, Stage},
        take_back,
    },
    rules::{Game, Player},
};
use async_trait::async_trait;
use glam::{UVec2, UVec4};
use std::ops::Range;

/// The stages of a step that is cut into slices: kinds of lots.
const DESCENT: usize = 0;
const PLAYOUTS: usize = 1;
const BACKUP: usize = 2;

/// Nodes that are hashed before the thread is yielded: a few milliseconds.
const NODES_AT_A_TIME: u32 = 1 << 17;

/// All trees of a search in one forest. They have their full capacity from the start: the host allocates memory when it
/// is written to.
#[derive(Debug)]
pub(super) struct CpuTrees<G: Game> {
    game: G,
    forest: Forest,
    /// Trees of a position, on all ranks.
    per_position: u32,
    slicer: Slicer,
    /// Headers and streams before a step that is cut into slices.
    saved: Option<(Vec<Tree>, Vec<UVec4>)>,
}

impl<G: Game> CpuTrees<G> {
    /// Has no trees before [`allocate`](Self::allocate).
    pub async fn new(game: &G, config: &Config, evaluation: Option<LeafEvaluation>) -> Result<Self> {
        let shape = Shape { n_trees: 0, evaluation, ..shape_of(game, config) };
        let (game, forest, slicer) = (game.clone(), Forest::new(shape)?, Slicer::new());
        Ok(Self { game, forest, per_position: config.trees, slicer, saved: None })
    }

    /// Writes the root records of all trees, from one record a position.
    fn place(&mut self, records: &[Vec<u32>]) {
        let Shape { first_tree, n_trees, .. } = self.forest.shape;
        let roots =
            (first_tree..first_tree + n_trees).map(|tree| &records[(tree / self.per_position) as usize]);
        self.forest.roots = roots.flatten().copied().collect();
    }

    /// Carries out a stage of these trees.
    fn make(&mut self, stage: Stage, trees: Range<usize>) {
        stage.make(&self.game, &mut self.forest, trees);
    }

    /// Counts the nodes to be played out before those of each tree, and in all.
    fn count_jobs(&mut self) {
        if self.forest.shape.config.variant.all_children {
            count_jobs(&mut self.forest);
        } else {
            (0..).zip(&mut self.forest.jobs).for_each(|(leaf, jobs)| *jobs = leaf);
        }
    }

    /// Plays out a range of a step's nodes, counted over all trees; the range may go beyond the last one.
    fn play(&mut self, wanted: Range<u32>) {
        if wanted.start == 0 {
            self.count_jobs();
        }
        if self.forest.shape.evaluation.is_some() {
            let leaves = self.forest.shape.config.leaf_batch;
            let trees = (wanted.start / leaves) as usize..wanted.end.div_ceil(leaves) as usize;
            return self.make(Stage::Evaluation(wanted), trees);
        }
        self.game.reveal(Playouts { forest: &mut self.forest, wanted });
    }

    /// One digest a tree. Yields the thread from time to time.
    async fn fingerprint(&self) -> Vec<u64> {
        let Shape { n_trees, .. } = self.forest.shape;
        let most = self.forest.headers().iter().map(|tree| tree.size).max().unwrap_or(0);
        let nodes = (NODES_AT_A_TIME / n_trees.max(1)).max(1);
        let mut all = vec![UVec2::ZERO; n_trees as usize];
        for first in (0..most).step_by(nodes as usize) {
            let part = sums(&self.forest, first..first.saturating_add(nodes));
            all.iter_mut().zip(part).for_each(|(sum, part)| *sum = sum.wrapping_add(part));
            give_way().await;
        }
        digests(&all)
    }

    /// Whether all expanded trees of a position have the same actions at the root.
    fn trees_agree(&self) -> bool {
        let Shape { capacity, n_trees, trees_per_position, .. } = self.forest.shape;
        let actions = |tree: u32| {
            let links = &self.forest.links[tree as usize * capacity as usize..][..capacity as usize];
            let root = links[ROOT as usize];
            let children = &links[root.first_child as usize..][..root.count() as usize];
            children.iter().map(|child| child.action()).collect::<Vec<_>>()
        };
        (0..n_trees).step_by(trees_per_position as usize).all(|first| {
            let trees = (first..first + trees_per_position).map(actions);
            let mut lists: Vec<_> = trees.filter(|actions| !actions.is_empty()).collect();
            lists.dedup();
            lists.len() <= 1
        })
    }
}

#[async_trait(?Send)]
impl<G: Game> Trees for CpuTrees<G> {
    fn rooms(&self, config: &Config) -> Vec<memory::Room> {
        vec![memory::Room::unbound(config)]
    }

    async fn allocate(&mut self, division: Division, trees_per_position: u32) -> Result<()> {
        let trees = division.parts.first().map(|part| part.trees);
        let shape = Shape {
            capacity: division.capacity,
            n_trees: trees.map_or(0, |trees| trees.n_trees),
            first_tree: trees.map_or(0, |trees| trees.first_tree),
            trees_per_position: trees.map_or(trees_per_position, |trees| trees.trees_per_position),
            ..self.forest.shape.clone()
        };
        self.saved = None;
        let evaluations = self.forest.evaluations.clone();
        self.forest = Forest::new(Shape { n_trees: 0, ..shape.clone() })?;
        self.forest = Forest { evaluations, ..Forest::new(shape)? };
        seed(&mut self.forest);
        Ok(())
    }

    async fn reseed(&mut self, number: u64) -> Result<()> {
        self.forest.shape.config.seed = number;
        seed(&mut self.forest);
        Ok(())
    }

    fn forget_evaluations(&mut self) {
        self.forest.evaluations = EvaluationCache::default();
    }

    fn kind(&self) -> AdapterKind {
        AdapterKind::Cpu
    }

    fn shape(&self) -> &Shape {
        &self.forest.shape
    }

    fn info(&self) -> EngineInfo {
        engine::cpu_info()
    }

    async fn reset(&mut self, records: &[Vec<u32>]) -> Result<()> {
        self.place(records);
        self.forest.for_each_tree(|mut tree| reset(&mut tree));
        Ok(())
    }

    async fn reuse(&mut self, record: &[u32], moves: &[u32]) -> Result<Reused> {
        if !moves.is_empty() {
            self.place(&[record.to_vec()]);
            self.forest.for_each_tree(|mut tree| reuse(&mut tree, moves));
            renew_noise(&mut self.forest);
        }
        let root = reduce_over_trees(&self.forest).pop().unwrap_or_default();
        Ok(Reused::of(self.forest.headers(), root))
    }

    async fn restrict(&mut self, only: &[Option<&[u32]>]) -> Result<()> {
        restrict_roots(&mut self.forest, self.per_position, only);
        Ok(())
    }

    async fn wait(&self, _: Submitted) -> Result<()> {
        give_way().await;
        Ok(())
    }

    async fn submit(&mut self, steps: u32) -> Result<Submitted> {
        if let Some(LeafEvaluation::Evaluator(evaluation)) = self.forest.shape.evaluation.clone() {
            for _ in 0..steps {
                self.make(Stage::Ask, ALL_TREES);
                evaluation.evaluate(&self.forest.leaf_planes, &mut self.forest.outputs)?;
                self.make(Stage::Enter, ALL_TREES);
            }
            return Ok(Submitted::new());
        }
        self.make(Stage::Steps(steps), ALL_TREES);
        Ok(Submitted::new())
    }

    fn most_nodes(&self) -> u64 {
        self.forest.headers().iter().map(|tree| u64::from(tree.size)).sum()
    }

    fn can_cut(&self) -> bool {
        !matches!(self.forest.shape.evaluation, Some(LeafEvaluation::Evaluator(_)))
    }

    fn has_short_steps(&self) -> bool {
        loads().is_short(&self.forest.shape)
    }

    fn room(&self) -> Vec<u32> {
        vec![self.forest.shape.capacity]
    }

    fn fix_slices(&mut self, units: Option<u32>) {
        self.slicer.fix(units);
    }

    fn has_fixed_slices(&self) -> bool {
        self.slicer.is_fixed()
    }

    async fn save(&mut self) -> Result<bool> {
        let (trees, streams) = self.saved.get_or_insert_default();
        Ok(copy(&self.forest.trees, trees) && copy(&self.forest.streams, streams))
    }

    async fn withdraw(&mut self) -> Result<()> {
        if let Some((trees, streams)) = &self.saved {
            let shape = self.forest.shape.clone();
            self.forest.for_each_tree(|mut tree| take_back(&shape, &mut tree, trees));
            self.forest.streams.copy_from_slice(streams);
        }
        Ok(())
    }

    fn begin_half(&mut self, half: Half) {
        let shape = &self.forest.shape;
        let (trees, jobs) = (shape.n_trees, shape.all_leaves() * shape.stream_sets());
        let lots = match half {
            Half::Play => vec![
                Lot::of_trees(DESCENT, trees, loads()),
                Lot::of_games(PLAYOUTS, jobs, shape.config.playouts, shape.path_capacity, loads()),
            ],
            Half::Backup => vec![Lot::of_trees(BACKUP, trees, loads())],
        };
        self.slicer.begin(lots, Instant::now());
    }

    fn submit_slice(&mut self) -> Result<Option<Submitted>> {
        let Some((kind, slice)) = self.slicer.next() else { return Ok(None) };
        let units = slice.first..slice.first + slice.units;
        let trees = units.start as usize..units.end as usize;
        match kind {
            DESCENT => self.make(Stage::Descent, trees),
            PLAYOUTS => self.play(units),
            _ => self.make(Stage::Backup, trees),
        }
        self.slicer.ended(Instant::now());
        Ok(Some(Submitted::new()))
    }

    async fn end_slice(&mut self, _: Submitted) -> Result<()> {
        give_way().await;
        Ok(())
    }

    async fn is_decided(&self) -> Result<Option<bool>> {
        Ok(are_decided(self.forest.headers(), self.forest.shape.trees_per_position))
    }

    async fn outcomes(&mut self, config: &Config, _: u32, costs: &mut Costs) -> Result<Vec<Outcomes>> {
        if !self.trees_agree() {
            return Err(fault::inconsistent(&self.game));
        }
        let began = Instant::now();
        let sums = reduce_over_trees(&self.forest);
        costs.reduce_over_trees = began.elapsed();
        let began = Instant::now();
        let row = self.forest.shape.max_actions as usize + 1;
        let best: Vec<_> = sums
            .chunks(row)
            .zip(self.forest.headers().chunks(config.trees as usize))
            .map(|(sums, trees)| {
                let turn = if trees[0].root_turn() == 0 { Player::First } else { Player::Second };
                reduce_over_actions((config, self.forest.shape.win_points()), turn, sums).ordinal
            })
            .collect();
        costs.reduce_over_actions = began.elapsed();
        let digests = self.fingerprint().await;
        Ok(Outcomes::by_position((&sums, row), best, (self.forest.headers(), &digests), config.trees))
    }

    async fn nodes(&self, runs: &[NodeRun]) -> Result<Vec<Vec<Node>>> {
        let Shape { first_tree, n_trees, .. } = self.forest.shape;
        let own = runs.iter().filter(|run| (first_tree..first_tree + n_trees).contains(&run.tree));
        Ok(own.map(|&run| self.forest.nodes(NodeRun { tree: run.tree - first_tree, ..run })).collect())
    }

    async fn streams(&self) -> Result<Vec<TreeStreams>> {
        Ok(streams_by_tree(&self.forest.shape, self.forest.leaf_headers(), &self.forest.streams))
    }

    async fn set_streams(&mut self, streams: &[TreeStreams]) -> Result<()> {
        let Forest { shape, trees, streams: playouts, .. } = &mut self.forest;
        let of_leaves = trees.len() - shape.all_leaves() as usize;
        put_streams(shape, streams, &mut trees[of_leaves..], playouts);
        Ok(())
    }
}

/// The loads that are safe on a processor of unknown speed.
fn loads() -> Loads {
    Loads::of(AdapterKind::Software)
}

/// Copies values to a list; returns false where there is no memory for them.
fn copy<T: Copy>(values: &[T], to: &mut Vec<T>) -> bool {
    to.clear();
    let fits = to.try_reserve_exact(values.len()).is_ok();
    if fits {
        to.extend_from_slice(values);
    }
    fits
}
