//! Trees on one adapter or several.

use super::{
    Config, EngineInfo, Kept, Schedule, TreeStreams, engine,
    memory::{self, Chunk},
    report::{Costs, Outcomes},
    shape_of,
};
use crate::{
    error::Result,
    game::{Game, GameShader},
    gpu::{
        Device,
        forest::{Forest, Program},
        reuse::Reuse,
        timing::StageTimer,
    },
    layout::{RootSum, Tree},
    reference::Shape,
};
use rayon::prelude::*;
use std::{sync::Arc, time::Instant};

/// The trees of a search, spread over devices.
#[derive(Debug)]
pub(super) struct Trees {
    shares: Vec<Share>,
    /// Sizes of a tree.
    shape: Shape,
    shader: GameShader,
    schedule: Schedule,
}

/// One device's trees, in chunks that lie within one binding of every buffer. Its programs outlive the chunks.
#[derive(Debug)]
struct Share {
    program: Arc<Program>,
    /// Compiled when it is first wanted.
    reuse: Option<Reuse>,
    chunks: Vec<Forest>,
    timer: StageTimer,
}

/// Work under way: a submission a device, none where it has no trees.
#[derive(Debug)]
pub(super) struct Ticket(Vec<Option<wgpu::SubmissionIndex>>);

impl Trees {
    /// Compiles the kernels; there are no trees yet.
    pub fn new<G: Game>(devices: &[Device], game: &G, config: &Config) -> Result<Self> {
        let (shape, shader) = (shape_of(game, config), game.shader());
        let busy = Shape { n_trees: config.trees.div_ceil(devices.len() as u32), ..shape.clone() };
        let schedule = choose(config.schedule, devices);
        let share = |device| {
            let program = Program::compile(device, &shader, &busy, schedule)?;
            Ok(Share { program, reuse: None, chunks: Vec::new(), timer: StageTimer::new(device)? })
        };
        let shares = devices.par_iter().map(share).collect::<Result<_>>()?;
        Ok(Self { shares, shape, shader, schedule })
    }

    /// How the memory is shared out over so many positions: nodes of a tree, and chunks.
    pub fn plan(&self, config: &Config, positions: u32) -> Result<(u32, Vec<Chunk>)> {
        let rooms: Vec<_> =
            self.shares.iter().map(|share| room(share.program.device(), config.memory)).collect();
        memory::share_out(&self.shape, positions, config.trees, config.node_limit, &rooms)
    }

    /// Takes the memory, once that of the last plan has been given back, and seeds the streams.
    pub fn allocate(&mut self, (capacity, chunks): (u32, Vec<Chunk>)) -> Result<()> {
        self.shape.capacity = capacity;
        let (shape, shader, schedule) = (&self.shape, &self.shader, self.schedule);
        self.shares.par_iter_mut().enumerate().try_for_each(|(device, share)| {
            let mine: Vec<_> = chunks.iter().filter(|chunk| chunk.device == device).collect();
            share.compile_for(shader, shape, schedule, &mine)?;
            share.allocate(shape, &mine)
        })
    }

    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    pub fn info(&self) -> EngineInfo {
        let trees = |share: &Share| share.chunks.iter().map(|chunk| chunk.shape.n_trees).sum();
        let devices = self.shares.iter().map(|share| (share.program.device(), Some(trees(share))));
        engine::device_info(devices, self.schedule.name())
    }

    pub fn reset(&mut self, records: &[Vec<u32>], trees: u32) -> Result<()> {
        self.each(|chunk| chunk.reset(&roots(chunk, records, trees)))?;
        self.restart_timers();
        Ok(())
    }

    /// Every tree becomes its subtree below `moves`; says what was kept of them.
    pub fn reuse(&mut self, record: &[u32], moves: &[u32], trees: u32) -> Result<Kept> {
        self.restart_timers();
        if !moves.is_empty() {
            let (shader, shape) = (&self.shader, &self.shape);
            self.shares.par_iter_mut().try_for_each(|share| share.reuse(shader, shape, record, moves))?;
        }
        self.each(|chunk| chunk.reduce_over_trees(0))?;
        let headers: Vec<Tree> = self.gather(Forest::trees)?;
        let root = self.gather_sums(trees)?.pop().unwrap_or_default();
        Ok(Kept::of(&headers, root))
    }

    fn restart_timers(&mut self) {
        self.shares.iter_mut().for_each(|share| share.timer.restart());
    }

    /// Hands steps over to every device, so that all of them work at the same time.
    pub fn submit(&mut self, steps: u32) -> Result<Ticket> {
        let schedule = self.schedule;
        let tickets = self.shares.par_iter_mut().map(|share| share.submit(schedule, steps));
        Ok(Ticket(tickets.collect::<Result<_>>()?))
    }

    pub fn wait(&self, ticket: Ticket) -> Result<()> {
        self.shares.iter().zip(ticket.0).try_for_each(|(share, submission)| match submission {
            Some(submission) => share.program.device().wait(submission),
            None => Ok(()),
        })
    }

    pub fn outcomes(&mut self, config: &Config, ordinals: u32, costs: &mut Costs) -> Result<Vec<Outcomes>> {
        let slots = if config.variant.thrifty { ordinals } else { self.shape.max_actions };
        let began = Instant::now();
        self.each(|chunk| chunk.reduce_over_trees(slots))?;
        costs.reduce_over_trees = began.elapsed();
        let sums = self.gather_sums(config.trees)?;
        let began = Instant::now();
        let best = self.gather_best(config.trees)?;
        costs.reduce_over_actions = began.elapsed();
        if let Some(share) = self.shares.first() {
            costs.stages = share.timer.means()?;
        }
        let trees: Vec<Tree> = self.gather(Forest::trees)?;
        let digests: Vec<u64> = self.gather(Forest::fingerprint)?;
        let per_position = config.trees as usize;
        let row = self.shape.max_actions as usize + 1;
        let headers = trees.chunks(per_position).zip(digests.chunks(per_position));
        let outcomes = sums.chunks(row).zip(best).zip(headers);
        Ok(outcomes
            .map(|((sums, best), (trees, digests))| Outcomes {
                sums: sums.to_vec(),
                best,
                trees: trees.to_vec(),
                digests: digests.to_vec(),
            })
            .collect())
    }

    /// A row of sums a position. Where a position's trees lie in several chunks, the sums are added up here and the
    /// chunk with its first tree gets the total back for the reduction over actions.
    fn gather_sums(&self, trees: u32) -> Result<Vec<RootSum>> {
        let row = self.shape.max_actions as usize + 1;
        let mut all: Vec<RootSum> = Vec::new();
        let mut owner = None;
        for (chunk, sums) in self.chunks().zip(self.each(Forest::root_sums)?) {
            let Some(owner) = owner.filter(|_| chunk.shape.first_tree % trees != 0) else {
                owner = Some(chunk);
                all.extend(sums);
                continue;
            };
            let start = all.len() - row;
            for (total, part) in all[start..].iter_mut().zip(&sums) {
                let (n, n_wins) = part.stats.counts();
                total.stats.add(n, n_wins);
            }
            owner.write("root_sums", &all[start..]);
        }
        Ok(all)
    }

    fn gather_best(&self, trees: u32) -> Result<Vec<u32>> {
        self.gather(|chunk| {
            if chunk.shape.first_tree % trees != 0 {
                return Ok(Vec::new());
            }
            Ok(chunk.reduce_over_actions()?.iter().map(|best| best.ordinal).collect())
        })
    }

    /// In the order of their trees.
    fn chunks(&self) -> impl Iterator<Item = &Forest> {
        self.shares.iter().flat_map(|share| &share.chunks)
    }

    /// Does something with every chunk, on all devices at the same time.
    fn each<T: Send>(&self, work: impl Fn(&Forest) -> Result<T> + Sync) -> Result<Vec<T>> {
        let of_share = |share: &Share| share.chunks.iter().map(&work).collect::<Result<Vec<_>>>();
        let parts = self.shares.par_iter().map(of_share).collect::<Result<Vec<_>>>()?;
        Ok(parts.into_iter().flatten().collect())
    }

    fn gather<T: Send>(&self, read: impl Fn(&Forest) -> Result<Vec<T>> + Sync) -> Result<Vec<T>> {
        Ok(self.each(read)?.into_iter().flatten().collect())
    }

    pub fn streams(&self) -> Result<Vec<TreeStreams>> {
        self.gather(|chunk| {
            let per_tree = chunk.shape.streams_per_tree();
            let streams: Vec<glam::UVec4> = chunk.read("streams", chunk.shape.n_trees as usize * per_tree)?;
            let trees = chunk.trees()?;
            let pairs = trees.iter().zip(streams.chunks(per_tree));
            Ok(pairs.map(|(tree, streams)| [&[tree.expansion_stream], streams].concat()).collect())
        })
    }

    pub fn set_streams(&mut self, streams: &[TreeStreams]) -> Result<()> {
        for chunk in self.chunks() {
            let first = chunk.shape.first_tree as usize;
            let mine = streams.iter().skip(first).take(chunk.shape.n_trees as usize);
            let (mut trees, mut playouts) = (chunk.trees()?, Vec::new());
            for (tree, from) in trees.iter_mut().zip(mine) {
                tree.expansion_stream = from[0];
                playouts.extend_from_slice(&from[1..]);
            }
            chunk.write("trees", &trees);
            chunk.write("streams", &playouts);
        }
        Ok(())
    }
}

impl Share {
    /// Compiles anew where so many trees are played out best by other workgroups than the last ones.
    fn compile_for(
        &mut self,
        shader: &GameShader,
        shape: &Shape,
        schedule: Schedule,
        chunks: &[&Chunk],
    ) -> Result<()> {
        let n_trees = chunks.iter().map(|chunk| chunk.n_trees).max().unwrap_or(1);
        let busy = Shape { n_trees, ..shape.clone() };
        if !self.program.suits(shader, &busy) {
            self.program = Program::compile(self.program.device(), shader, &busy, schedule)?;
        }
        Ok(())
    }

    fn allocate(&mut self, shape: &Shape, chunks: &[&Chunk]) -> Result<()> {
        self.chunks.clear();
        self.program.device().reclaim()?;
        for chunk in chunks {
            self.chunks.push(forest(&self.program, shape, chunk)?);
        }
        Ok(())
    }

    fn reuse(&mut self, shader: &GameShader, shape: &Shape, record: &[u32], moves: &[u32]) -> Result<()> {
        let reuse = match self.reuse.take() {
            Some(compiled) => compiled,
            None => Reuse::compile(self.program.device(), shader, shape)?,
        };
        let reuse = self.reuse.insert(reuse);
        self.chunks.iter().try_for_each(|chunk| {
            let roots = record.repeat(chunk.shape.n_trees as usize);
            reuse.run(chunk, &roots, moves)
        })
    }

    fn submit(&mut self, schedule: Schedule, steps: u32) -> Result<Option<wgpu::SubmissionIndex>> {
        if self.chunks.is_empty() {
            return Ok(None);
        }
        let device = self.program.device();
        let chunks: Vec<_> = self.chunks.iter().collect();
        let mut encoder = device.encoder();
        let mut rest = steps;
        if schedule == Schedule::Staged && self.timer.record(&mut encoder, &chunks) {
            rest -= 1;
        }
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        match schedule {
            Schedule::Fused => chunks.iter().for_each(|chunk| chunk.record_fused(&mut pass, rest)),
            _ => chunks.iter().for_each(|chunk| chunk.record_staged(&mut pass, rest)),
        }
        drop(pass);
        let submission = device.submit(encoder);
        device.check()?;
        Ok(Some(submission))
    }
}

/// The root record of every tree of a chunk, from one a position.
fn roots(chunk: &Forest, records: &[Vec<u32>], trees: u32) -> Vec<u32> {
    let shape = &chunk.shape;
    let mine = shape.first_tree..shape.first_tree + shape.n_trees;
    mine.flat_map(|tree| records[(tree / trees) as usize].iter().copied()).collect()
}

/// Fused needs fewer dispatches, whose latency bounds a step on a GPU; a software adapter has none to speak of, and takes
/// long to compile the fused kernels.
fn choose(wanted: Schedule, devices: &[Device]) -> Schedule {
    let software = devices.iter().any(|device| device.info().r#type == "software");
    match wanted {
        Schedule::Auto if software => Schedule::Staged,
        Schedule::Auto => Schedule::Fused,
        fixed => fixed,
    }
}

fn room(device: &Device, memory: u64) -> memory::Room {
    let limits = device.limits();
    let binding = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
    memory::Room { memory, binding: binding / 16 * 16 }
}

fn forest(program: &Arc<Program>, shape: &Shape, chunk: &Chunk) -> Result<Forest> {
    let shape = Shape {
        n_trees: chunk.n_trees,
        first_tree: chunk.first_tree,
        trees_per_position: chunk.trees_per_position,
        parts: program.parts(shape.playouts),
        ..shape.clone()
    };
    let forest = Forest::new(program, shape)?;
    forest.seed()?;
    Ok(forest)
}
