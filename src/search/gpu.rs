//! Trees on one adapter or several.

use super::{
    Config, EngineInfo, Schedule, TreeStreams, engine, memory,
    report::{Costs, Outcomes},
    shape_of,
};
use crate::{
    error::Result,
    game::Game,
    gpu::{
        Device,
        forest::{Forest, Program},
        timing::StageTimer,
    },
    layout::{RootSum, Tree},
    reference::Shape,
};
use std::{sync::Arc, time::Instant};

/// The trees of a search in chunks, each on one device and within one binding of every buffer.
#[derive(Debug)]
pub(super) struct Trees {
    devices: Vec<Device>,
    chunks: Vec<Forest>,
    schedule: Schedule,
    timers: Vec<StageTimer>,
}

/// Work under way: a submission a device.
#[derive(Debug)]
pub(super) struct Ticket(Vec<(usize, wgpu::SubmissionIndex)>);

impl Trees {
    pub fn new<G: Game>(devices: &[Device], game: &G, config: &Config, positions: u32) -> Result<Self> {
        let shape = shape_of(game, config);
        let schedule = choose(config.schedule, devices);
        let shader = game.shader();
        let n_trees = config.trees.saturating_mul(positions).div_ceil(devices.len() as u32);
        let busy = Shape { n_trees, ..shape.clone() };
        let programs = devices
            .iter()
            .map(|device| Program::compile(device, &shader, &busy, schedule))
            .collect::<Result<Vec<_>>>()?;
        let rooms: Vec<_> = devices.iter().map(|device| room(device, config.memory)).collect();
        let (capacity, plan) = memory::share_out(&shape, positions, config.trees, config.node_limit, &rooms)?;
        let chunks = plan
            .iter()
            .map(|chunk| forest(&programs[chunk.device], &shape, capacity, chunk))
            .collect::<Result<Vec<_>>>()?;
        let timers = devices.iter().map(StageTimer::new).collect::<Result<Vec<_>>>()?;
        Ok(Self { devices: devices.to_vec(), chunks, schedule, timers })
    }

    pub fn shape(&self) -> &Shape {
        &self.chunks[0].shape
    }

    pub fn info(&self) -> EngineInfo {
        engine::device_info(&self.devices, self.schedule.name())
    }

    pub fn reset(&mut self, records: &[Vec<u32>], trees: u32) -> Result<()> {
        for chunk in &self.chunks {
            let shape = &chunk.shape;
            let mine = shape.first_tree..shape.first_tree + shape.n_trees;
            let roots: Vec<u32> =
                mine.flat_map(|tree| records[(tree / trees) as usize].iter().copied()).collect();
            chunk.reset(&roots)?;
        }
        self.timers.iter_mut().for_each(StageTimer::restart);
        Ok(())
    }

    /// Hands steps over to every device.
    pub fn submit(&mut self, steps: u32) -> Result<Ticket> {
        let mut ticket = Vec::new();
        for (index, device) in self.devices.iter().enumerate() {
            let chunks: Vec<_> = self.chunks.iter().filter(|c| same_device(c.device(), device)).collect();
            let mut encoder = device.encoder();
            let mut rest = steps;
            if self.schedule == Schedule::Staged && self.timers[index].record(&mut encoder, &chunks) {
                rest -= 1;
            }
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            match self.schedule {
                Schedule::Fused => chunks.iter().for_each(|chunk| chunk.record_fused(&mut pass, rest)),
                _ => chunks.iter().for_each(|chunk| chunk.record_staged(&mut pass, rest)),
            }
            drop(pass);
            ticket.push((index, device.submit(encoder)));
            device.check()?;
        }
        Ok(Ticket(ticket))
    }

    pub fn wait(&self, ticket: Ticket) -> Result<()> {
        ticket.0.into_iter().try_for_each(|(device, submission)| self.devices[device].wait(submission))
    }

    pub fn outcomes(&mut self, config: &Config, ordinals: u32, costs: &mut Costs) -> Result<Vec<Outcomes>> {
        let slots = if config.variant.thrifty { ordinals } else { self.shape().max_actions };
        let began = Instant::now();
        self.chunks.iter().try_for_each(|chunk| chunk.reduce_over_trees(slots))?;
        costs.reduce_over_trees = began.elapsed();
        let sums = self.gather_sums(config.trees)?;
        let began = Instant::now();
        let best = self.gather_best(config.trees)?;
        costs.reduce_over_actions = began.elapsed();
        if let Some(timer) = self.timers.first() {
            costs.stages = timer.means()?;
        }
        let trees: Vec<Tree> = self.gather(Forest::trees)?;
        let digests: Vec<u64> = self.gather(Forest::fingerprint)?;
        let per_position = config.trees as usize;
        let row = self.shape().max_actions as usize + 1;
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
        let row = self.shape().max_actions as usize + 1;
        let mut all: Vec<RootSum> = Vec::new();
        let mut owner = &self.chunks[0];
        for chunk in &self.chunks {
            let sums = chunk.root_sums()?;
            if chunk.shape.first_tree % trees == 0 {
                owner = chunk;
                all.extend(sums);
                continue;
            }
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
        let mut all = Vec::new();
        for chunk in self.chunks.iter().filter(|chunk| chunk.shape.first_tree % trees == 0) {
            all.extend(chunk.reduce_over_actions()?.iter().map(|best| best.ordinal));
        }
        Ok(all)
    }

    fn gather<T>(&self, read: impl Fn(&Forest) -> Result<Vec<T>>) -> Result<Vec<T>> {
        let mut all = Vec::new();
        for chunk in &self.chunks {
            all.extend(read(chunk)?);
        }
        Ok(all)
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
        for chunk in &self.chunks {
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

fn forest(program: &Arc<Program>, shape: &Shape, capacity: u32, chunk: &memory::Chunk) -> Result<Forest> {
    let shape = Shape {
        n_trees: chunk.n_trees,
        first_tree: chunk.first_tree,
        trees_per_position: chunk.trees_per_position,
        capacity,
        parts: program.parts(shape.playouts),
        ..shape.clone()
    };
    let forest = Forest::new(program, shape)?;
    forest.seed()?;
    Ok(forest)
}

fn same_device(a: &Device, b: &Device) -> bool {
    a.wgpu() == b.wgpu()
}
