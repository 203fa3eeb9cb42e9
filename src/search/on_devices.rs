//! The trees of a search on one adapter or several.

use super::{
    Config, Reused, Submitted, TreeStreams, are_decided,
    memory::{self, Division, Part},
    put_streams,
    report::{Costs, Outcomes},
    shape_of,
    share::Share,
    streams_by_tree,
    trees::{HeaderCheck, Trees},
};
use crate::{
    device::loads::Half,
    device::{AdapterKind, Device},
    engine::{self, EngineInfo, StepSchedule},
    error::Result,
    forest::{
        layout::{NO_ACTION, RootSum, Tree},
        nodes::{Node, NodeRun},
        shape::Shape,
        variant::Schedule,
    },
    gpu::forest::Forest,
    host::{Instant, together},
    net::LeafEvaluation,
    reference::{self, renew_noise::renew_noise, restrict::restrict_roots},
    rules::{Game, GameShader},
};
use async_trait::async_trait;
use futures_util::future::try_join_all;
use rayon::prelude::*;
use std::time::Duration;

/// Up to this many trees, all headers are read at any time; of more trees, one at first.
const FEW_HEADERS: u32 = 1024;

/// The trees of a search, spread over devices.
#[derive(Debug)]
pub(super) struct DeviceTrees {
    shares: Vec<Share>,
    /// Sizes of a tree.
    shape: Shape,
    shader: GameShader,
    /// For tests: the first capacity of trees, and the bytes of a binding.
    grow_from: Option<(u32, u64)>,
}

impl DeviceTrees {
    /// Compiles the kernels. There are no trees before [`allocate`](Self::allocate).
    pub async fn new<G: Game>(
        devices: &[Device],
        game: &G,
        config: &Config,
        evaluation: Option<LeafEvaluation>,
    ) -> Result<Self> {
        let (shape, shader) = (Shape { evaluation, ..shape_of(game, config) }, GameShader::of(game));
        let busy = Shape { n_trees: config.trees.div_ceil(devices.len() as u32), ..shape.clone() };
        let schedule = choose(&shape, devices.iter().any(|device| device.info().is_software()));
        let shares = together(devices.iter().collect(), async |device: &Device| {
            Share::new(device, (shader.clone(), schedule), (&shape, &busy)).await
        });
        let mut trees = Self { shares: shares.await?, shape, shader, grow_from: None };
        trees.warm_up().await?;
        Ok(trees)
    }

    /// Notes the greatest capacity that trees can have on every device.
    fn note_most_room(&mut self) {
        let most = self.shares.iter().filter_map(Share::most_room).min();
        self.shape.capacity = most.unwrap_or(self.shape.capacity);
    }

    /// The trees of a device, and the first capacity of each of them.
    fn begins(&self, part: Part) -> (Part, u32) {
        let (shape, most) = (&self.shape, self.shape.capacity);
        match self.grow_from {
            None => (part, part.first_capacity(shape, most)),
            Some((nodes, binding)) => {
                let part = Part { binding: part.binding.min(binding), ..part };
                (part, nodes.clamp(shape.max_actions + 1, most))
            }
        }
    }

    /// Runs new kernels once, one device after another: devices of one GL adapter share a context, and fail where
    /// another compiles in it for a second.
    async fn warm_up(&mut self) -> Result<()> {
        for share in self.shares.iter_mut().filter(|share| !share.is_warm) {
            share.program.warm_up(&self.shape, share.program.schedule()).await?;
            share.is_warm = true;
        }
        Ok(())
    }

    /// Changes the roots and their children on the host. They are the first nodes of every tree.
    async fn change_roots(&self, change: impl Fn(&mut reference::Forest)) -> Result<()> {
        self.each(async |chunk| {
            let most = 1 + chunk.shape.max_actions;
            let mut copy = reference::Forest::new(Shape { capacity: most, ..chunk.shape.clone() })?;
            copy.trees = chunk.headers().await?;
            let places = || (0..).step_by(most as usize);
            let run = |(tree, of): (u32, &Tree)| NodeRun { tree, first: 0, count: of.size.min(most) };
            let runs: Vec<_> = (0..).zip(copy.headers()).map(run).collect();
            for (first, nodes) in places().zip(chunk.whole_nodes(&runs).await?) {
                (first..).zip(nodes).for_each(|(at, node)| (copy.links[at], copy.stats[at]) = node);
            }
            change(&mut copy);
            chunk.write("trees", copy.headers());
            for ((tree, first), of) in (0..).zip(places()).zip(copy.headers()) {
                let nodes = first..first + of.size.min(most) as usize;
                chunk.write_nodes(tree, (&copy.links[nodes.clone()], &copy.stats[nodes]));
            }
            Ok(())
        })
        .await
        .map(drop)
    }

    fn restart_timers(&mut self) {
        self.shares.iter_mut().for_each(|share| share.timer.restart());
    }

    /// One row of sums a position. Where a position's trees are in several chunks, the host adds up the sums and writes
    /// the total back to the chunk with its first tree, for the reduction over actions.
    async fn gather_sums(&self) -> Result<Vec<RootSum>> {
        let trees = self.shape.trees_per_position;
        let row = self.shape.max_actions as usize + 1;
        let mut all: Vec<RootSum> = Vec::new();
        let mut owner = None;
        for (chunk, sums) in self.chunks().zip(self.each(async |chunk| chunk.root_sums().await).await?) {
            let Some(owner) = owner.filter(|_| chunk.shape.first_tree % trees != 0) else {
                owner = Some(chunk);
                all.extend(sums);
                continue;
            };
            let start = all.len() - row;
            all[start..].iter_mut().zip(&sums).for_each(|(total, part)| total.add_trees(part));
            owner.write("root_sums", &all[start..]);
        }
        Ok(all)
    }

    async fn gather_best(&self) -> Result<Vec<u32>> {
        let trees = self.shape.trees_per_position;
        self.gather(async |chunk| {
            if chunk.shape.first_tree % trees != 0 {
                return Ok(Vec::new());
            }
            Ok(chunk.reduce_over_actions().await?.iter().map(|best| best.ordinal).collect())
        })
        .await
    }

    /// All chunks, in the order of their trees.
    fn chunks(&self) -> impl Iterator<Item = &Forest> {
        self.shares.iter().flat_map(|share| &share.chunks)
    }

    /// Runs a task on every chunk, on all devices at the same time.
    async fn each<T>(&self, work: impl AsyncFn(&Forest) -> Result<T>) -> Result<Vec<T>> {
        let work = &work;
        let of_share = async |share: &Share| {
            let mut found = Vec::new();
            for chunk in &share.chunks {
                found.push(work(chunk).await?);
            }
            Ok(found)
        };
        let parts = try_join_all(self.shares.iter().map(of_share)).await?;
        Ok(parts.into_iter().flatten().collect())
    }

    async fn gather<T>(&self, read: impl AsyncFn(&Forest) -> Result<Vec<T>>) -> Result<Vec<T>> {
        Ok(self.each(read).await?.into_iter().flatten().collect())
    }
}

#[async_trait(?Send)]
impl Trees for DeviceTrees {
    fn rooms(&self, config: &Config) -> Vec<memory::Room> {
        self.shares.iter().map(|share| room(share, config)).collect()
    }

    async fn allocate(&mut self, division: Division, per_position: u32) -> Result<()> {
        (self.shape.capacity, self.shape.trees_per_position) = (division.capacity, per_position);
        let shape = &self.shape;
        let of_device = |device| division.parts.iter().find(|part| part.trees.device == device);
        let begins: Vec<_> =
            (0..self.shares.len()).map(|device| of_device(device).map(|&part| self.begins(part))).collect();
        let shares = self.shares.iter_mut().zip(begins).collect();
        together(shares, async |(share, begin): (&mut Share, Option<(Part, u32)>)| {
            share.set_part(shape, begin).await
        })
        .await?;
        self.warm_up().await?;
        all(self.shares.iter_mut().map(Share::allocate)).await?;
        self.note_most_room();
        Ok(())
    }

    fn is_whole(&self) -> bool {
        self.shares.iter().all(Share::is_whole)
    }

    fn room(&self) -> Vec<u32> {
        self.chunks().map(|chunk| chunk.shape.capacity).collect()
    }

    fn grow_from(&mut self, nodes: u32, binding: u64) {
        self.grow_from = Some((nodes, binding));
    }

    fn kind(&self) -> AdapterKind {
        let kinds = self.shares.iter().map(|share| share.program.device().info().kind);
        kinds.max().unwrap_or(AdapterKind::Other)
    }

    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn info(&self) -> EngineInfo {
        let devices = self.shares.iter().map(|share| (share.program.device(), Some(share.n_trees())));
        let is_fused = self.shares.iter().all(|share| share.program.schedule() == Schedule::Fused);
        let schedule = if is_fused { StepSchedule::Fused } else { StepSchedule::Staged };
        let mut info = engine::device_info(devices, schedule);
        info.adapters.iter_mut().zip(&self.shares).for_each(|(info, share)| info.left_out = share.left_out());
        info
    }

    async fn reset(&mut self, records: &[Vec<u32>]) -> Result<()> {
        // A run that failed may have stopped in the middle of a step.
        self.end_step();
        all(self.shares.iter_mut().map(|share| share.shrink(true))).await?;
        let trees = self.shape.trees_per_position;
        self.each(async |chunk| chunk.reset(&roots(chunk, records, trees)).await).await?;
        self.restart_timers();
        Ok(())
    }

    async fn reseed(&mut self, seed: u64) -> Result<()> {
        self.shape.config.seed = seed;
        all(self.shares.iter_mut().map(|share| share.reseed(seed))).await
    }

    async fn reuse(&mut self, record: &[u32], moves: &[u32]) -> Result<Reused> {
        self.restart_timers();
        if !moves.is_empty() {
            let (shader, shape) = (&self.shader, &self.shape);
            all(self.shares.iter_mut().map(|share| share.reuse(shader, shape, record, moves))).await?;
            all(self.shares.iter_mut().map(|share| share.shrink(false))).await?;
            if self.shape.config.root_noise > 0.0 {
                self.change_roots(renew_noise).await?;
            }
        }
        self.each(async |chunk| chunk.reduce_over_trees(0).await).await?;
        let headers: Vec<Tree> = self.gather(async |chunk| chunk.trees().await).await?;
        let root = self.gather_sums().await?.pop().unwrap_or_default();
        Ok(Reused::of(&headers, root))
    }

    async fn restrict(&mut self, only: &[Option<&[u32]>]) -> Result<()> {
        let per_position = self.shape.trees_per_position;
        self.change_roots(|forest| restrict_roots(forest, per_position, only)).await
    }

    async fn grow(&mut self, steps: u32, end: Option<Instant>) -> Result<Duration> {
        let moved = try_join_all(self.shares.iter_mut().map(|share| share.grow(steps, end))).await?;
        self.note_most_room();
        Ok(moved.into_iter().max().unwrap_or_default())
    }

    fn most_nodes(&self) -> u64 {
        self.shares.iter().map(Share::most_nodes).sum()
    }

    async fn submit(&mut self, steps: u32) -> Result<Submitted> {
        if let Some(LeafEvaluation::Evaluator(evaluation)) = &self.shape.evaluation {
            for share in &self.shares {
                share.make_evaluated_steps(steps, evaluation).await?;
            }
            return Ok(Submitted::new());
        }
        self.shares.par_iter_mut().map(|share| share.submit(steps)).collect()
    }

    async fn wait(&self, submitted: Submitted) -> Result<()> {
        all(self.shares.iter().zip(submitted).map(|(share, submission)| share.wait(submission))).await
    }

    fn has_short_steps(&self) -> bool {
        self.shares.iter().all(Share::has_short_steps)
    }

    fn can_cut(&self) -> bool {
        // An evaluator is called with all leaves of a step at once.
        let is_whole = matches!(self.shape.evaluation, Some(LeafEvaluation::Evaluator(_)));
        !is_whole && self.shares.iter().all(|share| share.program.cuts_steps(share.program.schedule()))
    }

    fn fix_slices(&mut self, units: Option<u32>) {
        self.shares.iter_mut().for_each(|share| share.slicer.fix(units));
    }

    fn has_fixed_slices(&self) -> bool {
        self.shares.iter().any(|share| share.slicer.is_fixed())
    }

    async fn save(&mut self) -> Result<bool> {
        match all(self.shares.iter_mut().map(Share::save)).await {
            Err(error) if error.is_out_of_memory() => Ok(false),
            other => other.map(|()| true),
        }
    }

    async fn withdraw(&mut self) -> Result<()> {
        all(self.shares.iter().map(Share::withdraw)).await
    }

    fn begin_half(&mut self, half: Half) {
        self.shares.iter_mut().for_each(|share| share.begin_half(half));
    }

    fn submit_slice(&mut self) -> Result<Option<Submitted>> {
        let slices: Submitted = self.shares.iter_mut().map(Share::submit_slice).collect::<Result<_>>()?;
        Ok(slices.iter().any(Option::is_some).then_some(slices))
    }

    async fn end_slice(&mut self, submitted: Submitted) -> Result<()> {
        all(self.shares.iter_mut().zip(submitted).map(async |(share, submission)| {
            if submission.is_some() {
                share.wait(submission).await?;
                share.slicer.ended(Instant::now());
            }
            Ok(())
        }))
        .await
    }

    fn end_step(&mut self) {
        self.chunks().for_each(|chunk| chunk.begin_at(0));
    }

    async fn is_decided(&self) -> Result<Option<bool>> {
        let trees: u32 = self.chunks().map(|chunk| chunk.shape.n_trees).sum();
        // Of many trees, only the first header is read unless its root is proven.
        if trees > FEW_HEADERS
            && let Some(chunk) = self.chunks().next()
            && !chunk.read::<Tree>("trees", 1).await?[0].root_is_proven()
        {
            return Ok(Some(false));
        }
        let headers: Vec<Tree> = self.gather(async |chunk| chunk.trees().await).await?;
        Ok(are_decided(&headers, self.shape.trees_per_position))
    }

    async fn header_check(&self) -> Result<Option<HeaderCheck>> {
        let trees: u32 = self.chunks().map(|chunk| chunk.shape.n_trees).sum();
        let (chunks, trees, per_position) = match trees > FEW_HEADERS {
            true => (1, 1, 1),
            false => (usize::MAX, FEW_HEADERS, self.shape.trees_per_position),
        };
        let mut headers = Vec::new();
        for chunk in self.chunks().take(chunks) {
            headers.push(chunk.copy_trees(chunk.shape.n_trees.min(trees)).await?);
        }
        Ok(Some(HeaderCheck { headers, per_position }))
    }

    async fn outcomes(&mut self, config: &Config, ordinals: u32, costs: &mut Costs) -> Result<Vec<Outcomes>> {
        let slots = if config.variant.thrifty { ordinals } else { self.shape.max_actions };
        let began = Instant::now();
        self.each(async |chunk| chunk.reduce_over_trees(slots).await).await?;
        costs.reduce_over_trees = began.elapsed();
        let sums = self.gather_sums().await?;
        let began = Instant::now();
        // A chunk whose position begins on another rank has no best action.
        let best = self.gather_best().await?.into_iter().chain(std::iter::repeat(NO_ACTION));
        costs.reduce_over_actions = began.elapsed();
        if let Some(share) = self.shares.first() {
            costs.stages = share.timer.means().await?;
        }
        let digests: Vec<u64> = self.gather(async |chunk| chunk.fingerprint().await).await?;
        // Last, since every kernel may report faults in them.
        let trees: Vec<Tree> = self.gather(async |chunk| chunk.trees().await).await?;
        all(self.shares.iter().map(|share| share.program.device().check_guards())).await?;
        let row = self.shape.max_actions as usize + 1;
        Ok(Outcomes::by_position((&sums, row), best, (&trees, &digests), config.trees))
    }

    async fn nodes(&self, runs: &[NodeRun]) -> Result<Vec<Vec<Node>>> {
        self.gather(async |chunk| {
            let first = chunk.shape.first_tree;
            let mine = runs.iter().filter(|run| (first..first + chunk.shape.n_trees).contains(&run.tree));
            let mine: Vec<_> = mine.map(|&run| NodeRun { tree: run.tree - first, ..run }).collect();
            if mine.is_empty() { Ok(Vec::new()) } else { chunk.nodes(&mine).await }
        })
        .await
    }

    async fn streams(&self) -> Result<Vec<TreeStreams>> {
        self.gather(async |chunk| {
            let (headers, playouts) = (chunk.headers().await?, chunk.streams().await?);
            Ok(streams_by_tree(&chunk.shape, &headers[chunk.first_leaf_header()..], &playouts))
        })
        .await
    }

    async fn set_streams(&mut self, streams: &[TreeStreams]) -> Result<()> {
        for chunk in self.chunks() {
            let (mut headers, mut playouts) = (chunk.headers().await?, chunk.streams().await?);
            let leaves = &mut headers[chunk.first_leaf_header()..];
            put_streams(&chunk.shape, streams, leaves, &mut playouts);
            chunk.write("trees", &headers);
            chunk.write("streams", &playouts);
        }
        Ok(())
    }
}

/// Waits for all of some futures, or for the first one that fails.
async fn all(futures: impl IntoIterator<Item = impl Future<Output = Result<()>>>) -> Result<()> {
    try_join_all(futures).await.map(drop)
}

/// The root record of every tree of a chunk, from one a position.
fn roots(chunk: &Forest, records: &[Vec<u32>], trees: u32) -> Vec<u32> {
    let shape = &chunk.shape;
    let mine = shape.first_tree..shape.first_tree + shape.n_trees;
    mine.flat_map(|tree| records[(tree / trees) as usize].iter().copied()).collect()
}

/// The fused schedule has fewer dispatches, whose latency bounds a step on a GPU; on a software adapter that latency is
/// negligible, and the fused kernels take long to compile.
fn choose(shape: &Shape, on_software: bool) -> Schedule {
    match shape.config.schedule {
        Schedule::Auto if on_software || shape.is_staged() => Schedule::Staged,
        Schedule::Auto => Schedule::Fused,
        fixed => fixed,
    }
}

fn room(share: &Share, config: &Config) -> memory::Room {
    let limits = share.program.device().limits();
    let binding = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
    // Indexes are 32-bit words, and drivers may count bytes in words.
    let binding = binding.min(u32::MAX.into()) / 16 * 16;
    memory::Room::of(config, share.program.device().info().kind, binding, share.array_bindings())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        forest::Settings,
        games::Go,
        net::{NetKernel, Network, Sizes, Trunk},
    };
    use std::sync::Arc;

    /// The first columns of the table of architecture.md, "Schedules".
    #[test]
    fn settings_have_their_schedule() {
        let game = Go::new(9, 7.5).expect("a board");
        let none = Settings::default();
        let one = Settings { leaf_batch: Some(1), ..none.clone() };
        let (trees, schedule) = (Some(4), Some(Schedule::Staged));
        for (settings, on_gpus) in [
            (none.clone(), Schedule::Staged),
            (one.clone(), Schedule::Fused),
            (Settings { trees, ..none.clone() }, Schedule::Fused),
            (Settings { trees, leaf_batch: Some(2), ..none.clone() }, Schedule::Staged),
            (Settings { rave: Some(10), ..one.clone() }, Schedule::Staged),
            (Settings { prior_visits: Some(10), ..one.clone() }, Schedule::Staged),
            (Settings { schedule, ..one.clone() }, Schedule::Staged),
            (Settings { schedule: Some(Schedule::Fused), ..none }, Schedule::Fused),
        ] {
            let shape = shape_of(&game, &settings.resolve_on(AdapterKind::Discrete, &game));
            assert_eq!(choose(&shape, false), on_gpus, "{settings:?}");
            let is_fixed = settings.schedule.is_some();
            let on_software = if is_fixed { on_gpus } else { Schedule::Staged };
            assert_eq!(choose(&shape, true), on_software, "{settings:?}");
        }
        let sizes = Sizes::of_game(&game, Trunk::Conv, 1, 16).expect("Go has planes");
        let net = Network::random(sizes, 1).expect("the sizes are small");
        let evaluation = Some(LeafEvaluation::Network(Arc::new(net), NetKernel::Auto));
        let shape = shape_of(&game, &one.resolve_for(AdapterKind::Discrete, &game, true));
        assert_eq!(choose(&Shape { evaluation, ..shape }, false), Schedule::Staged);
    }
}
