//! Trees in device memory: buffers by name, the recording of steps, the reductions.

use crate::{
    device::loads::Half,
    device::{
        Copied, Device, Ticket,
        extras::{Extra, Extras},
        kernels::{Bound, Kernels},
    },
    error::Result,
    exact::rng::{Jumps, Stream},
    forest::Shape,
    forest::{
        layout::{Best, DIGEST_SLICES, Params, RootSum, Tree},
        variant::Schedule,
    },
    gpu::{
        buffers::{Buffers, UNIFORM, sizes},
        fused::{Fit, Fused, Relay},
        network::{DeviceNetwork, EVALUATE, takes_matrices},
        schedule::{Grid, Launch, Piece, Stage, playout_groups, rows, staged_step},
        shaders::{
            CREDIT, FRAME, FUSED_APART, LEAVES, NET, SEED_RUN, STAGED, WITHDRAW, WITHDRAW_LEAVES, Widths,
            group_games, sharing_subgroup, staged_module,
        },
    },
    host::both,
    net::Judge,
    rules::GameShader,
};
use bytemuck::{AnyBitPattern, NoUninit};
use glam::{UVec2, UVec4};
use std::{collections::HashMap, mem::offset_of, sync::Arc};

/// The kernels that a schedule needs besides those of fused steps.
fn names(shape: &Shape, schedule: Schedule) -> Vec<&'static str> {
    let mut names = FRAME.to_vec();
    match schedule {
        Schedule::Fused => {}
        _ if shape.has_leaves() => {
            let left_out = |name: &str| match name {
                "count_jobs" => shape.judge.is_some(),
                "playout" => !shape.has_playouts(),
                _ => false,
            };
            names.extend(LEAVES.iter().filter(|name| !left_out(name)));
            names.extend((shape.config.rave > 0).then_some(CREDIT));
            names.extend(shape.judge.iter().flat_map(|_| NET));
        }
        _ => names.extend(STAGED),
    }
    names.push(withdraw(shape));
    names
}

/// The kernel that takes a step back.
fn withdraw(shape: &Shape) -> &'static str {
    if shape.has_leaves() { WITHDRAW_LEAVES } else { WITHDRAW }
}

/// The extras that the kernels of a schedule use on a device.
fn extras(device: &Device, shape: &Shape, schedule: Schedule) -> Extras {
    Extras {
        matrices: takes_matrices(shape, device.machine()),
        arrays: device.segments().is_some(),
        subgroups: sharing_subgroup(shape, device.machine()) > 0 || takes_matrices(shape, device.machine()),
        fused: schedule != Schedule::Staged && !shape.is_staged(),
    }
}

/// The compiled kernels of a search on one device.
#[derive(Debug)]
pub struct Program {
    device: Device,
    kernels: Kernels,
    names: Vec<&'static str>,
    fused: Option<Fused>,
    /// What its fused kernels were compiled for.
    fit: Fit,
    widths: Widths,
    /// Of the game, if it has any.
    tables: Option<wgpu::Buffer>,
    net: Option<DeviceNetwork>,
    /// What its kernels do without, since the driver refused others.
    left_out: Vec<Extra>,
}

impl Program {
    /// Compiles the kernels that a schedule needs, for a game and a shape (whose capacity does not matter, and whose
    /// number of trees only for speed). `Auto` compiles those of both schedules.
    ///
    /// # Errors
    /// Shader, where one does not compile or does not fit the device.
    pub async fn compile(
        device: &Device,
        game: &GameShader,
        shape: &Shape,
        schedule: Schedule,
    ) -> Result<Arc<Self>> {
        Self::compile_once(device, game, shape, schedule).await.map(Arc::new)
    }

    async fn compile_once(
        device: &Device,
        game: &GameShader,
        shape: &Shape,
        schedule: Schedule,
    ) -> Result<Self> {
        let schedule = if shape.is_staged() { Schedule::Staged } else { schedule };
        let (names, fit) = (names(shape, schedule), Fit::of(device, game, shape));
        let tables = device.tables(&game.tables).await?;
        let (staged, fused) = both(
            async || {
                let (widths, module) = staged_module(game, shape, device.machine())?;
                Ok((widths, Kernels::compile(device, &module, &names).await?))
            },
            async || match schedule {
                Schedule::Staged => Ok(None),
                _ => Fused::compile(device, game, shape, fit).await.map(Some),
            },
        )
        .await;
        let (widths, kernels) = staged.map_err(|error| device.cause_of(error))?;
        let fused = fused.map_err(|error| device.cause_of(error))?;
        let net = match &shape.judge {
            Some(Judge::Network(net, kernel)) => {
                Some(DeviceNetwork::new(device, game, shape, (net, *kernel)).await?)
            }
            _ => None,
        };
        let left_out = Vec::new();
        let boards = net.as_ref().map_or(1, |net| net.boards);
        let widths = Widths { boards, ..widths };
        Ok(Self { device: device.clone(), kernels, names, fused, fit, widths, tables, net, left_out })
    }

    /// [`compile`](Self::compile) with as many extras as the driver takes, on the device that is open then.
    ///
    /// # Errors
    /// As [`compile`](Self::compile); refused, where the driver does not take the plainest kernels.
    pub(crate) async fn compile_as_taken(
        device: &Device,
        game: &GameShader,
        shape: &Shape,
        schedule: Schedule,
    ) -> Result<Arc<Self>> {
        let mut extras = extras(device, shape, schedule);
        let mut left_out = Vec::new();
        loop {
            let device = device.live().await?.with_extras(extras);
            let schedule = if extras.fused { schedule } else { Schedule::Staged };
            match Self::compile_once(&device, game, shape, schedule).await {
                Ok(program) => return Ok(Arc::new(Self { left_out, ..program })),
                Err(error) => {
                    let (extra, plainer) = device.step_down(extras, error)?;
                    left_out.push(extra);
                    extras = plainer;
                }
            }
        }
    }

    /// The extras that its kernels use.
    pub(crate) fn extras(&self, shape: &Shape) -> Extras {
        extras(&self.device, shape, self.schedule())
    }

    /// What its kernels do without, since the driver refused others.
    pub(crate) fn left_out(&self) -> &[Extra] {
        &self.left_out
    }

    /// How it makes steps.
    pub fn schedule(&self) -> Schedule {
        if self.fused.is_some() { Schedule::Fused } else { Schedule::Staged }
    }

    /// Would it be compiled alike for this shape, which differs from its own in the number of trees at most?
    pub fn suits(&self, game: &GameShader, shape: &Shape) -> bool {
        let games = group_games(game, shape, self.widths.playout, self.device.info().is_software());
        games == self.widths.games && (self.fused.is_none() || Fit::of(&self.device, game, shape) == self.fit)
    }

    /// Can steps of this schedule be cut?
    pub fn cuts_steps(&self, schedule: Schedule) -> bool {
        schedule != Schedule::Fused || !matches!(self.fused, Some(Fused::Whole { .. }))
    }

    /// Games of a workgroup of the playouts.
    pub fn group_games(&self) -> u32 {
        self.widths.games
    }

    /// Parts that the schedules tally the playouts of a node in.
    pub fn parts(&self, playouts: u32) -> u32 {
        self.widths.parts(playouts)
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }
}

/// A chunk of trees on a device; the buffers are those of [`reference::Forest`](crate::reference::Forest).
#[derive(Debug)]
pub struct Forest {
    /// Sizes.
    pub shape: Shape,
    program: Arc<Program>,
    buffers: Buffers,
    bound: HashMap<&'static str, Bound>,
    /// The fused kernel making 2^k steps, or the kernels of [`FUSED_APART`].
    fused: Vec<Bound>,
    relay: Option<Relayed>,
    step: Vec<Launch>,
}

/// The kernels that make a step in one dispatch, bound to notes that change places after each one.
#[derive(Debug)]
struct Relayed {
    /// Writes the first notes.
    begin: Bound,
    /// Reads the first notes and writes the second ones, and the other way round.
    steps: [Bound; 2],
    /// Reads the first ones, and the second ones.
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

    /// Looks whether chunks of these shapes can all be had at the same time, without having them: takes their memory,
    /// writes nothing to it, and gives it back.
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
                    // Each power of two of steps has `params` of its own.
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

    /// The device it lives on.
    pub fn device(&self) -> &Device {
        self.program.device()
    }

    /// Its buffers, by name.
    pub(super) fn buffers(&self) -> &Buffers {
        &self.buffers
    }

    /// Dispatches of one staged step.
    pub fn staged_step(&self) -> &[Launch] {
        &self.step
    }

    /// Writes words to the start of a buffer.
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

    /// Runs one kernel by itself.
    ///
    /// # Errors
    /// Device lost.
    pub async fn run(&self, kernel: &str, grid: Grid) -> Result<()> {
        let mut encoder = self.device().encoder();
        self.dispatch(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()), kernel, grid);
        let submission = self.device().submit(encoder);
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

    /// Records some dispatches.
    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>, launches: &[Launch]) {
        launches.iter().for_each(|launch| self.dispatch(pass, launch.kernel, launch.grid));
    }

    /// Dispatches of a step before an evaluator judges its leaves.
    pub fn launches_before_judging(&self) -> &[Launch] {
        &self.step[..self.judged_at()]
    }

    /// Dispatches after that.
    pub fn launches_after_judging(&self) -> &[Launch] {
        &self.step[self.judged_at()..]
    }

    fn judged_at(&self) -> usize {
        let [_, enter] = NET;
        self.step.iter().position(|launch| launch.kernel == enter).unwrap_or(self.step.len())
    }

    /// The planes of the leaves of a step.
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

    /// Dispatches of 1, 2, 4, ... steps that make up the number.
    fn record_whole(&self, pass: &mut wgpu::ComputePass<'_>, steps: u32, groups: u32) {
        let top = self.fused.len() as u32 - 1;
        for _ in 0..steps >> top {
            dispatch(pass, &self.fused[top as usize], groups);
        }
        for level in (0..top).filter(|level| steps >> level & 1 == 1) {
            dispatch(pass, &self.fused[level as usize], groups);
        }
    }

    /// Descend, play out, (advance, play out) ..., back up.
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

    /// The dispatches of a half of a step that is cut, in their order.
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

    /// Hands some workgroups of a piece over, from number `first` on.
    pub fn submit_slice(&self, schedule: Schedule, kernel: &str, first: u32, groups: u32) -> Ticket {
        let fused = FUSED_APART.iter().position(|&name| name == kernel);
        let bound = match fused.and_then(|index| self.fused.get(index)) {
            Some(fused) if schedule == Schedule::Fused => fused,
            _ => &self.bound[kernel],
        };
        self.begin_at(first);
        let mut encoder = self.device().encoder();
        dispatch(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()), bound, groups);
        self.device().submit(encoder)
    }

    /// The dispatches of the next submission begin with this workgroup. All but slices count on 0.
    pub fn begin_at(&self, group: u32) {
        let at = offset_of!(Params, first_group) as u64;
        self.device().queue().write_buffer(&self.buffers["params"], at, bytemuck::bytes_of(&group));
    }

    /// Binds the kernel that takes a step back to the headers as they were before it.
    pub(super) fn bind_withdraw(&self, saved_trees: &wgpu::Buffer) -> Result<Bound> {
        let mut buffers = self.buffers.clone();
        buffers.insert("saved_trees", saved_trees.clone());
        self.program.kernels.bind(self.device(), withdraw(&self.shape), &buffers)
    }

    /// Workgroups of the kernel that takes a step back.
    pub(super) fn withdraw_groups(&self) -> u32 {
        if self.shape.has_leaves() { self.shape.n_trees } else { self.lanes_for_trees() }
    }

    /// Workgroups with a lane for each tree.
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

    /// Seeds all streams by another seed.
    ///
    /// # Errors
    /// Device lost.
    pub async fn reseed(&mut self, seed: u64) -> Result<()> {
        self.shape.config.seed = seed;
        self.write("params", &[params(&self.shape, 1)]);
        self.seed().await
    }

    /// Makes every tree its root alone; `roots` has a record a tree.
    ///
    /// # Errors
    /// Device lost.
    pub async fn reset(&self, roots: &[u32]) -> Result<()> {
        self.write("roots", roots);
        self.run("reset", Grid::Groups(self.lanes_for_trees())).await
    }

    /// Sums over the trees of each position; `ordinals` workgroups a position, and one for its root.
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

    /// Picks the best action of each position from `root_sums`.
    ///
    /// # Errors
    /// Device lost.
    pub async fn reduce_over_actions(&self) -> Result<Vec<Best>> {
        self.run("reduce_over_actions", Grid::Groups(self.positions())).await?;
        self.read("best", self.positions() as usize).await
    }

    /// `[position][B + 1]` sums over trees.
    ///
    /// # Errors
    /// Device lost.
    pub async fn root_sums(&self) -> Result<Vec<RootSum>> {
        self.read("root_sums", self.positions() as usize * (self.shape.max_actions as usize + 1)).await
    }

    /// One digest a tree.
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

    /// Headers of the trees.
    ///
    /// # Errors
    /// Device lost.
    pub async fn trees(&self) -> Result<Vec<Tree>> {
        self.read("trees", self.shape.n_trees as usize).await
    }

    /// Begins to read the headers of the first `count` trees, as they are after all that has been submitted.
    ///
    /// # Errors
    /// Out of memory.
    pub async fn copy_trees(&self, count: u32) -> Result<Copied<Tree>> {
        self.device().copy_out(&self.buffers["trees"], count as usize).await
    }

    /// Headers of the trees, and of a step's leaves, where a tree has several.
    ///
    /// # Errors
    /// Device lost.
    pub async fn headers(&self) -> Result<Vec<Tree>> {
        self.read("trees", self.shape.n_trees as usize * self.shape.headers_per_tree()).await
    }

    /// Where the headers of a step's leaves begin among them.
    pub fn first_leaf_header(&self) -> usize {
        if self.shape.has_leaves() { self.shape.n_trees as usize } else { 0 }
    }

    /// The playout streams of all trees.
    ///
    /// # Errors
    /// Device lost.
    pub async fn streams(&self) -> Result<Vec<UVec4>> {
        self.read("streams", self.shape.n_trees as usize * self.shape.streams_per_tree()).await
    }

    /// Positions in this chunk, whole or in part.
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
