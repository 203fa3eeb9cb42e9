//! Trees in device memory: buffers by name, dispatches of steps, reductions.

use crate::{
    device::loads::Half,
    device::{Copied, Device, Submission, kernels::Bound},
    error::Result,
    exact::rng::{Jumps, Stream},
    forest::Shape,
    forest::{
        layout::{Best, DIGEST_SLICES, Params, RootSum, Tree},
        variant::Schedule,
    },
    gpu::{
        buffers::{Buffers, UNIFORM, sizes},
        fused::{Fused, Relay},
        network::EVALUATE,
        program::{Program, withdraw},
        schedule::{Grid, Launch, Piece, Stage, playout_groups, rows, staged_step},
        shaders::{FUSED_APART, NET, SEED_RUN},
    },
};
use bytemuck::{AnyBitPattern, NoUninit};
use glam::{UVec2, UVec4};
use std::{collections::HashMap, mem::offset_of, sync::Arc};

/// A chunk of trees on a device; the buffers are those of [`reference::Forest`](crate::reference::Forest).
#[derive(Debug)]
pub struct Forest {
    /// Its sizes.
    pub shape: Shape,
    program: Arc<Program>,
    buffers: Buffers,
    bound: HashMap<&'static str, Bound>,
    /// [k]: the fused kernel of 2^k steps; or the kernels of [`FUSED_APART`].
    fused: Vec<Bound>,
    relay: Option<Relayed>,
    step: Vec<Launch>,
}

/// The kernels of relayed steps, a dispatch each, bound to two buffers of notes that change places after each dispatch.
#[derive(Debug)]
struct Relayed {
    /// Writes the first notes.
    begin: Bound,
    /// [i]: reads notes i, and writes the others.
    steps: [Bound; 2],
    /// [i]: reads notes i.
    ends: [Bound; 2],
    /// Workgroups of a step.
    groups: u32,
}

impl Relayed {
    async fn bind(relay: &Relay, device: &Device, shape: &Shape, buffers: &Buffers) -> Result<Self> {
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
        let bytes = relay.notes_bytes(shape);
        let notes =
            [device.buffer("notes", bytes, usage).await?, device.buffer("notes", bytes, usage).await?];
        let lookahead_paths =
            device.buffer("lookahead_paths", relay.lookahead_path_bytes(shape), usage).await?;
        let bind = |name, from: usize| {
            let mut buffers = buffers.clone();
            buffers.insert("notes", notes[from].clone());
            buffers.insert("next_notes", notes[1 - from].clone());
            buffers.insert("lookahead_paths", lookahead_paths.clone());
            relay.kernels.bind(device, name, &buffers)
        };
        Ok(Self {
            begin: bind("relay_begin", 1)?,
            steps: [bind("relay", 0)?, bind("relay", 1)?],
            ends: [bind("relay_end", 0)?, bind("relay_end", 1)?],
            groups: relay.groups(shape),
        })
    }

    fn record(&self, pass: &mut wgpu::ComputePass<'_>, trees: u32, steps: u32) {
        dispatch(pass, &self.begin, trees);
        for step in 0..steps {
            dispatch(pass, &self.steps[step as usize % 2], self.groups);
        }
        dispatch(pass, &self.ends[steps as usize % 2], trees);
    }
}

impl Forest {
    /// Allocates the buffers; run [`seed`](Self::seed) and [`reset`](Self::reset) next.
    ///
    /// # Errors
    /// Out of memory.
    pub async fn new(program: &Arc<Program>, shape: Shape) -> Result<Self> {
        let device = program.device();
        let mut buffers = Buffers::cleared(device, &shape).await?;
        if let Some(tables) = &program.tables {
            buffers.insert("game_tables", tables.clone());
        }
        device.queue().write_buffer(&buffers["params"], 0, bytemuck::bytes_of(&params(&shape, 1)));
        device.queue().write_buffer(&buffers["jumps"], 0, bytemuck::cast_slice(Jumps::words()));
        let mut bound = HashMap::new();
        for &name in program.names.iter().filter(|&&name| name != withdraw(&shape)) {
            bound.insert(name, program.kernels.bind(device, name, &buffers)?);
        }
        if let Some(net) = &program.net {
            net.buffers.iter().for_each(|(name, buffer)| buffers.insert(name, buffer.clone()));
            bound.insert(EVALUATE, net.kernels.bind(device, EVALUATE, &buffers)?);
        }
        let step = staged_step(&shape, program.widths);
        let mut forest =
            Self { shape, program: program.clone(), buffers, bound, fused: Vec::new(), relay: None, step };
        forest.bind_fused().await?;
        Ok(forest)
    }

    /// Checks that the memory of chunks of these shapes is available at the same time: allocates and frees it.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) async fn try_out(device: &Device, shapes: impl Iterator<Item = Shape>) -> Result<()> {
        let mut buffers = Vec::new();
        for (name, bytes, usage) in shapes.flat_map(|shape| sizes(&shape, device.segments())) {
            buffers.push(device.buffer(name, bytes, usage).await?);
        }
        drop(buffers);
        device.reclaim()
    }

    async fn bind_fused(&mut self) -> Result<()> {
        let device = self.program.device();
        match &self.program.fused {
            None => {}
            Some(Fused::Apart { kernels, relay }) => {
                for name in FUSED_APART {
                    self.fused.push(kernels.bind(device, name, &self.buffers)?);
                }
                if let Some(relay) = relay.as_ref().filter(|relay| relay.suits(&self.shape)) {
                    self.relay = Some(Relayed::bind(relay, device, &self.shape, &self.buffers).await?);
                }
            }
            Some(Fused::Whole { kernels, kernel, levels, .. }) => {
                for level in 0..*levels {
                    // The number of steps is in `params`, so that each kernel has its own.
                    let mut buffers = self.buffers.clone();
                    let uniform = device.buffer("params", size_of::<Params>() as u64, UNIFORM).await?;
                    let params = params(&self.shape, 1 << level);
                    device.queue().write_buffer(&uniform, 0, bytemuck::bytes_of(&params));
                    buffers.insert("params", uniform);
                    self.fused.push(kernels.bind(device, kernel, &buffers)?);
                }
            }
        }
        Ok(())
    }

    /// Its device.
    pub fn device(&self) -> &Device {
        self.program.device()
    }

    /// Its buffers, by name.
    pub(super) fn buffers(&self) -> &Buffers {
        &self.buffers
    }

    /// The dispatches of a staged step.
    pub fn staged_step(&self) -> &[Launch] {
        &self.step
    }

    /// Writes values to the start of a buffer.
    pub fn write<T: NoUninit>(&self, name: &str, values: &[T]) {
        self.device().queue().write_buffer(&self.buffers[name], 0, bytemuck::cast_slice(values));
    }

    /// Reads values from the start of a buffer.
    ///
    /// # Errors
    /// Device lost.
    pub async fn read<T: AnyBitPattern>(&self, name: &str, count: usize) -> Result<Vec<T>> {
        self.device().read(&self.buffers[name], count).await
    }

    /// Runs one kernel in a submission of its own.
    ///
    /// # Errors
    /// Device lost.
    pub async fn run(&self, kernel: &str, grid: Grid) -> Result<()> {
        let submission = self.device().submit_pass(|pass| self.dispatch(pass, kernel, grid));
        self.device().wait(submission).await
    }

    /// Records one dispatch.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, kernel: &str, grid: Grid) {
        let bound = &self.bound[kernel];
        match grid {
            Grid::Groups(groups) => dispatch(pass, bound, groups),
            Grid::Planned(offset) => {
                pass.set_pipeline(&bound.pipeline);
                pass.set_bind_group(0, &bound.group, &[]);
                pass.dispatch_workgroups_indirect(&self.buffers["dispatches"], offset);
            }
        }
    }

    /// Records one stage of a staged step.
    pub fn record_stage(&self, pass: &mut wgpu::ComputePass<'_>, stage: Stage) {
        for launch in self.step.iter().filter(|launch| launch.stage == stage) {
            self.dispatch(pass, launch.kernel, launch.grid);
        }
    }

    /// Records steps of the staged schedule.
    pub fn record_staged(&self, pass: &mut wgpu::ComputePass<'_>, steps: u32) {
        (0..steps).for_each(|_| self.record(pass, &self.step));
    }

    /// Records dispatches.
    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>, launches: &[Launch]) {
        launches.iter().for_each(|launch| self.dispatch(pass, launch.kernel, launch.grid));
    }

    /// The dispatches of a step before an evaluator evaluates its leaves.
    pub fn launches_before_evaluation(&self) -> &[Launch] {
        &self.step[..self.evaluation_at()]
    }

    /// The dispatches after the evaluation.
    pub fn launches_after_evaluation(&self) -> &[Launch] {
        &self.step[self.evaluation_at()..]
    }

    fn evaluation_at(&self) -> usize {
        let [_, enter] = NET;
        self.step.iter().position(|launch| launch.kernel == enter).unwrap_or(self.step.len())
    }

    /// [leaf][word]: planes of the leaves of a step.
    ///
    /// # Errors
    /// Device lost.
    pub async fn leaf_planes(&self) -> Result<Vec<u32>> {
        self.read("leaf_planes", self.shape.all_leaves() as usize * self.shape.planes_per_leaf()).await
    }

    /// Records steps of the fused schedule.
    pub fn record_fused(&self, pass: &mut wgpu::ComputePass<'_>, steps: u32) {
        let trees = self.shape.n_trees;
        match (&self.program.fused, &self.relay) {
            _ if steps == 0 => {}
            (Some(Fused::Whole { trees_a_group, .. }), _) => {
                self.record_whole(pass, steps, trees.div_ceil(*trees_a_group));
            }
            (_, Some(relay)) => relay.record(pass, trees, steps),
            _ => self.record_apart(pass, steps),
        }
    }

    /// Records dispatches of 2^k steps that add up to `steps`.
    fn record_whole(&self, pass: &mut wgpu::ComputePass<'_>, steps: u32, groups: u32) {
        let top = self.fused.len() as u32 - 1;
        for _ in 0..steps >> top {
            dispatch(pass, &self.fused[top as usize], groups);
        }
        for level in (0..top).filter(|level| steps >> level & 1 == 1) {
            dispatch(pass, &self.fused[level as usize], groups);
        }
    }

    /// Records `descend`, `playout`, (`advance`, `playout`) ..., `backup`.
    fn record_apart(&self, pass: &mut wgpu::ComputePass<'_>, steps: u32) {
        let [descend, playout, advance, backup] = &self.fused[..] else { return };
        let trees = self.shape.n_trees;
        let play = playout_groups(&self.shape, self.program.widths);
        dispatch(pass, descend, trees);
        dispatch(pass, playout, play);
        for _ in 1..steps {
            dispatch(pass, advance, trees);
            dispatch(pass, playout, play);
        }
        dispatch(pass, backup, trees);
    }

    /// The dispatches of half of a step that is cut, in order.
    pub fn pieces(&self, schedule: Schedule, half: Half) -> Vec<Piece> {
        if schedule == Schedule::Fused {
            let trees = self.shape.n_trees;
            let play = playout_groups(&self.shape, self.program.widths);
            return match half {
                Half::Play => {
                    vec![
                        Piece { kernel: "descend", groups: trees },
                        Piece { kernel: "playout", groups: play },
                    ]
                }
                Half::Backup => vec![Piece { kernel: "backup", groups: trees }],
            };
        }
        let launches =
            self.step.iter().filter(|launch| (launch.stage == Stage::Backup) == (half == Half::Backup));
        launches.map(|launch| Piece { kernel: launch.kernel, groups: launch.most }).collect()
    }

    /// Submits `groups` workgroups of a dispatch, from number `first`.
    pub fn submit_slice(&self, schedule: Schedule, kernel: &str, first: u32, groups: u32) -> Submission {
        let fused = FUSED_APART.iter().position(|&name| name == kernel);
        let bound = match fused.and_then(|index| self.fused.get(index)) {
            Some(fused) if schedule == Schedule::Fused => fused,
            _ => &self.bound[kernel],
        };
        self.begin_at(first);
        self.device().submit_pass(|pass| dispatch(pass, bound, groups))
    }

    /// Sets the first workgroup of the dispatches of the next submission. Dispatches other than slices need 0.
    pub fn begin_at(&self, group: u32) {
        let at = offset_of!(Params, first_group) as u64;
        self.device().queue().write_buffer(&self.buffers["params"], at, bytemuck::bytes_of(&group));
    }

    /// Binds the kernel that undoes a step to the saved headers.
    pub(super) fn bind_withdraw(&self, saved_trees: &wgpu::Buffer) -> Result<Bound> {
        let mut buffers = self.buffers.clone();
        buffers.insert("saved_trees", saved_trees.clone());
        self.program.kernels.bind(self.device(), withdraw(&self.shape), &buffers)
    }

    /// Workgroups of the kernel that undoes a step.
    pub(super) fn withdraw_groups(&self) -> u32 {
        if self.shape.has_leaves() { self.shape.n_trees } else { self.lanes_for_trees() }
    }

    /// Workgroups of one lane per tree.
    fn lanes_for_trees(&self) -> u32 {
        self.shape.n_trees.div_ceil(self.program.widths.tree)
    }

    /// Seeds all streams.
    ///
    /// # Errors
    /// Device lost.
    pub async fn seed(&self) -> Result<()> {
        let leaves = self.shape.all_leaves();
        let runs = (leaves * self.shape.streams_per_leaf() as u32).div_ceil(SEED_RUN);
        self.run("seed", Grid::Groups((runs + leaves).div_ceil(self.program.widths.tree))).await
    }

    /// Sets the seed, and seeds all streams.
    ///
    /// # Errors
    /// Device lost.
    pub async fn reseed(&mut self, seed: u64) -> Result<()> {
        self.shape.config.seed = seed;
        self.write("params", &[params(&self.shape, 1)]);
        self.seed().await
    }

    /// Resets every tree to its root; `roots` has one record per tree.
    ///
    /// # Errors
    /// Device lost.
    pub async fn reset(&self, roots: &[u32]) -> Result<()> {
        self.write("roots", roots);
        self.run("reset", Grid::Groups(self.lanes_for_trees())).await
    }

    /// Sums over the trees of each position, by `ordinals` workgroups per position and one for its root.
    ///
    /// # Errors
    /// Device lost.
    pub async fn reduce_over_trees(&self, ordinals: u32) -> Result<()> {
        let mut encoder = self.device().encoder();
        self.device().clear(&self.buffers["root_sums"], &mut encoder);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        let (y, z) = rows(self.positions());
        self.bound["reduce_over_trees"].dispatch(&mut pass, [ordinals + 1, y, z]);
        drop(pass);
        let submission = self.device().submit(encoder);
        self.device().wait(submission).await
    }

    /// [position]: the best action, from `root_sums`.
    ///
    /// # Errors
    /// Device lost.
    pub async fn reduce_over_actions(&self) -> Result<Vec<Best>> {
        self.run("reduce_over_actions", Grid::Groups(self.positions())).await?;
        self.read("best", self.positions() as usize).await
    }

    /// [position][B + 1]: sums over trees; the last one is that of the root.
    ///
    /// # Errors
    /// Device lost.
    pub async fn root_sums(&self) -> Result<Vec<RootSum>> {
        self.read("root_sums", self.positions() as usize * (self.shape.max_actions as usize + 1)).await
    }

    /// [tree]: digest.
    ///
    /// # Errors
    /// Device lost.
    pub async fn fingerprint(&self) -> Result<Vec<u64>> {
        self.run("fingerprint", Grid::Groups(self.shape.n_trees * DIGEST_SLICES)).await?;
        let slices: Vec<UVec2> = self.read("digests", (self.shape.n_trees * DIGEST_SLICES) as usize).await?;
        let sum = |slices: &[UVec2]| {
            let sum = slices.iter().fold([0u32; 2], |s, d| [s[0].wrapping_add(d.x), s[1].wrapping_add(d.y)]);
            crate::forest::layout::join(sum.into())
        };
        Ok(slices.chunks(DIGEST_SLICES as usize).map(sum).collect())
    }

    /// [tree]: header.
    ///
    /// # Errors
    /// Device lost.
    pub async fn trees(&self) -> Result<Vec<Tree>> {
        self.read("trees", self.shape.n_trees as usize).await
    }

    /// Begins to read the headers of the first `count` trees, as they are after all submitted work.
    ///
    /// # Errors
    /// Out of memory.
    pub async fn copy_trees(&self, count: u32) -> Result<Copied<Tree>> {
        self.device().copy_out(&self.buffers["trees"], count as usize).await
    }

    /// Headers of the trees, then of a step's leaves if a tree has several.
    ///
    /// # Errors
    /// Device lost.
    pub async fn headers(&self) -> Result<Vec<Tree>> {
        self.read("trees", self.shape.n_trees as usize * self.shape.headers_per_tree()).await
    }

    /// The index of the first leaf's header in [`headers`](Self::headers).
    pub fn first_leaf_header(&self) -> usize {
        if self.shape.has_leaves() { self.shape.n_trees as usize } else { 0 }
    }

    /// [tree][stream]: playout streams.
    ///
    /// # Errors
    /// Device lost.
    pub async fn streams(&self) -> Result<Vec<UVec4>> {
        self.read("streams", self.shape.n_trees as usize * self.shape.streams_per_tree()).await
    }

    /// The number of positions with trees in this chunk.
    pub fn positions(&self) -> u32 {
        self.shape.n_trees / self.shape.trees_per_position
    }
}

pub(super) fn dispatch(pass: &mut wgpu::ComputePass<'_>, bound: &Bound, groups: u32) {
    let (x, y) = rows(groups);
    bound.dispatch(pass, [x, y, 1]);
}

fn params(shape: &Shape, steps: u32) -> Params {
    Params {
        n_trees: shape.n_trees,
        first_tree: shape.first_tree,
        capacity: shape.capacity,
        trees_per_position: shape.trees_per_position,
        stream_zero: crate::forest::layout::split(Stream::seeded(shape.config.seed).s0),
        ucb_c: shape.c_word(),
        steps,
        first_group: 0,
        padding: 0,
    }
}
