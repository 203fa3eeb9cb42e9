//! The device's workers: they search the subtrees of a split tree (`shaders/pvsplit/search.wgsl`).

use super::{Board, Budget, MAX_DEPTH, Move, Observer, Report, Watch, WorkerReport, split};
use crate::error::{Error, Result};
use crate::gpu::compose::{Composed, Source, compose};
use crate::gpu::kernels::{Bound, Kernels};
use crate::gpu::{AdapterInfo, Device};
use bytemuck::{Pod, Zeroable};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// The device's name for the pass: one that no board has as a move.
pub const DEVICE_PASS: u32 = 0x3fe;
/// Moves have 10 bits in a subtree, its node the others.
pub(super) const MOVE_BITS: u32 = 10;
/// No split tree is higher than this; odd.
pub(super) const MAX_PATH: u32 = 7;
/// Subtrees of a wave, and nodes of a split tree.
pub(super) const MAX_SUBTREES: usize = 1 << 20;
pub(super) const MAX_NODES: usize = 1 << 20;

/// Workers of a workgroup.
const LANES: u32 = 64;
/// Subtrees one move away, whose results are read back.
const MAX_RESULTS: usize = 512;
/// A submission should take this long: short enough to look at the clock and for a screen to stay alive.
const SUBMISSION: Duration = Duration::from_millis(40);
/// Turns of loops that a worker takes in a submission, at first and at most.
const WORK: (u32, u32) = (1 << 14, 1 << 18);
/// The same of all workers together, so that the counters (32 bits) hold it.
const TOTAL_WORK: u32 = 1 << 31;
/// The same where the adapter is llvmpipe or the like: that one ends all loops of an invocation after
/// [`SOFTWARE_TURNS`](crate::gpu::SOFTWARE_TURNS), which it counts for eight workers or more together, and says nothing.
const SOFTWARE_WORK: (u32, u32) = (1 << 11, 1 << 11);
const SAVED_SCALARS: u32 = 8;

/// The rules of a board in WGSL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardShader {
    /// Where the author finds the source.
    pub file: &'static str,
    /// The `board_*` functions that the search calls.
    pub source: &'static str,
    /// The board's own constants.
    pub constants: Vec<(&'static str, i32)>,
    /// Words of workgroup memory of a worker's board; the first `kept_words` hold the position.
    pub board_words: u32,
    /// Words that a position is packed in.
    pub kept_words: u32,
    /// Words that take a move back.
    pub undo_words: u32,
}

/// A board with a twin in WGSL.
pub trait DeviceBoard: Board {
    /// The twin.
    fn shader(&self) -> BoardShader;
    /// The position as the twin packs it: `kept_words` words.
    fn device_words(&self) -> Vec<u32>;
    /// What the twin carries in a register: ko, passes, heights.
    fn device_aux(&self) -> u32;
    /// The twin's name for a move, below 1,022, or [`DEVICE_PASS`].
    fn device_move(&self, mv: Move) -> u32;
    /// The inverse of [`device_move`](DeviceBoard::device_move).
    fn host_move(&self, device: u32) -> Move;
}

#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
struct Params {
    subtrees: u32,
    work: u32,
    path: u32,
    depth: u32,
    alpha: i32,
    beta: i32,
    side: u32,
    score: i32,
    workers: u32,
    resumed: u32,
    aux: u32,
    spread: u32,
}

/// A node of a split tree, as host and device share it.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub(super) struct Node {
    pub parent: u32,
    pub move_in: u32,
    pub value: i32,
    pub pending: u32,
}

#[repr(C)]
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
struct Counters {
    next: u32,
    done: u32,
    nodes: u32,
    work: u32,
    longest: u32,
    unused: [u32; 3],
}

/// What became of a subtree one move away.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct Outcome {
    pub value: i32,
    pub best: u32,
    pub exact: u32,
}

/// The subtrees of a split tree that are to be searched.
#[derive(Debug)]
pub(super) struct Wave<'a> {
    /// Plies from the split tree's root to the subtrees, and from there to the leaves.
    pub path: u32,
    pub depth: u32,
    pub alpha: i32,
    pub beta: i32,
    pub nodes: &'a mut [Node],
    pub subtrees: &'a [u32],
}

/// Totals of a search.
#[derive(Debug, Default)]
struct Tally {
    work: u64,
    capacity: u64,
    subtrees: u64,
    submissions: u64,
}

/// Principal-variation splitting on a device, for boards of one kind and size.
#[derive(Debug)]
pub struct Gpu<B> {
    device: Device,
    shader: BoardShader,
    max_depth: u32,
    order_length: usize,
    workers: u32,
    /// Turns of loops that a worker may take in a submission, following [`SUBMISSION`], and the most.
    work: u32,
    most_work: u32,
    search: Bound,
    buffers: HashMap<&'static str, wgpu::Buffer>,
    staging: wgpu::Buffer,
    tally: Tally,
    board: std::marker::PhantomData<B>,
}

impl<B: DeviceBoard> Gpu<B> {
    /// Compiles the search for boards like `like`, to at most `max_depth` plies. `workers` is rounded up to whole
    /// workgroups; by default it suits the kind of adapter.
    ///
    /// # Errors
    /// Bad input where the depth or the number of workers is out of range; shader; out of memory.
    pub fn new(device: &Device, like: &B, max_depth: u32, workers: Option<u32>) -> Result<Self> {
        if !(1..=MAX_DEPTH).contains(&max_depth) {
            return Err(Error::bad_input(format!("depth {max_depth}: give a depth from 1 to {MAX_DEPTH}")));
        }
        let shader = like.shader();
        let order_length = order_length(like);
        let workers = workers.unwrap_or_else(|| default_workers(device.info()));
        let workers = check_workers(device, workers, saved_words(&shader, max_depth))?;
        let composed = module(like, max_depth)?;
        let kernels = Kernels::compile(device, &composed, &["pvsplit"], None)?;
        let buffers = buffers(device, &shader, order_length, workers * saved_words(&shader, max_depth))?;
        let search = kernels.bind(device, "pvsplit", &buffers)?;
        let (work, most_work) = if device.info().r#type == "software" { SOFTWARE_WORK } else { WORK };
        let staging_bytes = size_of::<Counters>() + MAX_NODES * size_of::<Node>();
        let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
        let mut gpu = Self {
            device: device.clone(),
            shader,
            max_depth,
            order_length,
            workers,
            work,
            most_work: most_work.min(TOTAL_WORK / workers),
            search,
            buffers,
            staging: device.buffer("pvsplit read-back", staging_bytes as u64, usage)?,
            tally: Tally::default(),
            board: std::marker::PhantomData,
        };
        // Some drivers compile at the first dispatch: here nobody measures it.
        let mut idle = Wave { path: 1, depth: 1, alpha: 0, beta: 1, nodes: &mut [], subtrees: &[] };
        gpu.write("params", &[gpu.params(like, &idle)]);
        gpu.submit(&mut idle, 1)?;
        Ok(gpu)
    }

    /// The adapter that searches.
    pub fn adapter(&self) -> &AdapterInfo {
        self.device.info()
    }

    /// Searches `board` to the budget's depth, depth by depth.
    ///
    /// # Errors
    /// Bad input where the board or the depth is not what the search was compiled for; device lost.
    pub fn search<'a>(
        &mut self,
        board: &B,
        budget: Budget,
        observer: &'a mut Observer<'a>,
    ) -> Result<Report> {
        if board.shader() != self.shader || budget.depth > self.max_depth {
            return Err(Error::bad_input(format!(
                "the search was compiled for another board, or for {} plies only: make a new one",
                self.max_depth
            )));
        }
        if let Some(score) = board.finished() {
            return Ok(Report::of_finished_game(score));
        }
        self.tally = Tally::default();
        let watch = Watch::new(budget.time, observer);
        let mut report = split::search(self, board, budget.depth.max(1), watch)?;
        report.workers = Some(self.worker_report());
        Ok(report)
    }

    fn worker_report(&self) -> WorkerReport {
        WorkerReport {
            count: self.workers,
            bytes: 4 * (self.shader.board_words + stack_words(&self.shader, self.max_depth))
                + 4 * saved_words(&self.shader, self.max_depth),
            busy: self.tally.work as f64 / self.tally.capacity.max(1) as f64,
            subtrees: self.tally.subtrees,
            submissions: self.tally.submissions,
        }
    }

    pub(super) fn workers(&self) -> u32 {
        self.workers
    }

    pub(super) fn order_length(&self) -> usize {
        self.order_length
    }

    /// The order in which workers try moves: the first player's, then the second's.
    pub(super) fn set_order(&self, order: &[u32]) {
        self.write("order", order);
    }

    /// Searches the subtrees of a wave, from the position at the root of its split tree; the nodes come back as they
    /// are at the end. `Break` where the time is up.
    pub(super) fn run(
        &mut self,
        board: &B,
        wave: &mut Wave<'_>,
        nodes: &mut u64,
        watch: &mut Watch<'_>,
    ) -> Result<ControlFlow<()>> {
        let mut params = self.params(board, wave);
        self.write("base", &board.device_words());
        self.write("subtrees", wave.subtrees);
        self.write("nodes", wave.nodes);
        self.write("counters", &[Counters::default()]);
        if wave.path == 1 {
            let none = Outcome { value: -super::INFINITY, best: 0, exact: 0 };
            self.write("results", &vec![none; wave.subtrees.len()]);
        }
        self.tally.subtrees += wave.subtrees.len() as u64;
        loop {
            params.work = self.work;
            self.write("params", &[params]);
            let counters = self.submit(wave, params.spread)?;
            *nodes += u64::from(counters.nodes);
            if counters.done as usize == wave.subtrees.len() {
                return Ok(ControlFlow::Continue(()));
            }
            if watch.tick(*nodes) {
                return Ok(ControlFlow::Break(()));
            }
            params.resumed = 1;
            let rest = Counters { nodes: 0, work: 0, longest: 0, ..counters };
            self.write("counters", &[rest]);
        }
    }

    fn params(&self, board: &B, wave: &Wave<'_>) -> Params {
        let idle = (self.workers / wave.subtrees.len().max(1) as u32).clamp(1, 32);
        Params {
            subtrees: wave.subtrees.len() as u32,
            work: self.work,
            path: wave.path,
            depth: wave.depth,
            alpha: wave.alpha,
            beta: wave.beta,
            side: board.side() as u32,
            score: board.evaluate(),
            workers: self.workers,
            resumed: 0,
            aux: board.device_aux(),
            spread: 1 << idle.ilog2(),
        }
    }

    /// One dispatch; reads the counters and the nodes back.
    fn submit(&mut self, wave: &mut Wave<'_>, spread: u32) -> Result<Counters> {
        let start = Instant::now();
        let node_bytes = size_of_val(wave.nodes) as u64;
        let counter_bytes = size_of::<Counters>() as u64;
        let groups = (wave.subtrees.len() as u32 * spread).clamp(1, self.workers).div_ceil(LANES);
        let mut encoder = self.device.encoder();
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&self.search.pipeline);
            pass.set_bind_group(0, &self.search.group, &[]);
            pass.dispatch_workgroups(groups, 1, 1);
        }
        encoder.copy_buffer_to_buffer(&self.buffers["counters"], 0, &self.staging, 0, counter_bytes);
        encoder.copy_buffer_to_buffer(&self.buffers["nodes"], 0, &self.staging, counter_bytes, node_bytes);
        let submission = self.device.submit(encoder);
        self.staging.map_async(wgpu::MapMode::Read, 0..counter_bytes + node_bytes, |_| {});
        self.device.wait(submission)?;
        let view = self.staging.get_mapped_range(0..counter_bytes + node_bytes);
        let view =
            view.map_err(|error| Error::device_lost(format!("the results cannot be read: {error}")))?;
        let (head, tail) = view.split_at(counter_bytes as usize);
        let counters: Counters = bytemuck::pod_read_unaligned(head);
        bytemuck::cast_slice_mut(wave.nodes).copy_from_slice(tail);
        drop(view);
        self.staging.unmap();
        self.account(&counters, start.elapsed());
        Ok(counters)
    }

    /// Adds a submission to the totals, and makes the next one longer or shorter.
    fn account(&mut self, counters: &Counters, took: Duration) {
        self.tally.work += u64::from(counters.work);
        self.tally.capacity += u64::from(counters.longest) * u64::from(self.workers);
        self.tally.submissions += 1;
        let ratio = SUBMISSION.as_secs_f64() / took.as_secs_f64().max(1e-6);
        if counters.longest >= self.work || ratio < 1.0 {
            let work = f64::from(self.work) * ratio.clamp(0.25, 4.0);
            self.work = (work as u32).clamp(SOFTWARE_WORK.0, self.most_work);
        }
    }

    /// The results of a wave whose subtrees are one move away.
    pub(super) fn outcomes(&self, count: usize) -> Result<Vec<Outcome>> {
        self.device.read(&self.buffers["results"], count)
    }

    fn write<T: Pod>(&self, name: &str, values: &[T]) {
        self.device.queue().write_buffer(&self.buffers[name], 0, bytemuck::cast_slice(values));
    }
}

/// Composes the module of searches to `max_depth` plies on boards like this one.
///
/// # Errors
/// Shader, naming the author's file and line.
pub(crate) fn module<B: DeviceBoard>(like: &B, max_depth: u32) -> Result<Composed> {
    compose(&sources(&like.shader(), max_depth, order_length(like) as u32))
}

/// Moves that workers try one after another: all but the pass.
fn order_length<B: DeviceBoard>(like: &B) -> usize {
    like.move_limit() - usize::from(like.device_move(last_move(like)) == DEVICE_PASS)
}

fn last_move<B: Board>(board: &B) -> Move {
    (board.move_limit() - 1) as Move
}

/// Workers that keep an adapter of this kind busy.
fn default_workers(info: &AdapterInfo) -> u32 {
    match info.r#type {
        "discrete" => 1 << 16,
        "software" => 1 << 9,
        _ => 1 << 13,
    }
}

fn check_workers(device: &Device, workers: u32, words: u32) -> Result<u32> {
    let limits = device.limits();
    let most = limits.max_storage_buffer_binding_size / (4 * u64::from(words));
    let most = most.min(u64::from(limits.max_compute_workgroups_per_dimension) * u64::from(LANES));
    let most = most as u32 / LANES * LANES;
    if workers == 0 || workers > most {
        return Err(Error::bad_input(format!("{workers} workers: give a number from 1 to {most}")));
    }
    Ok(workers.next_multiple_of(LANES))
}

/// Words of a worker's stack in private memory.
fn stack_words(shader: &BoardShader, max_depth: u32) -> u32 {
    max_depth * (5 + shader.undo_words) + MAX_PATH
}

/// Words that carry a worker from one submission to the next.
fn saved_words(shader: &BoardShader, max_depth: u32) -> u32 {
    SAVED_SCALARS + shader.kept_words + max_depth * (4 + shader.undo_words) + MAX_PATH
}

fn sources(shader: &BoardShader, max_depth: u32, order_length: u32) -> [Source; 3] {
    let ours = [
        ("LANES", LANES),
        ("PLIES", max_depth),
        ("MAX_PATH", MAX_PATH),
        ("ORDER_LENGTH", order_length),
        ("BOARD_WORDS", shader.board_words),
        ("KEPT_WORDS", shader.kept_words),
    ];
    let unsigned = ours.iter().map(|(name, value)| format!("const {name}: u32 = {value}u;\n"));
    let signed = shader.constants.iter().map(|(name, value)| format!("const {name} = {value};\n"));
    [
        Source::new("(generated constants)", unsigned.chain(signed).collect::<String>()),
        Source::new("shaders/pvsplit/search.wgsl", include_str!("../../shaders/pvsplit/search.wgsl")),
        Source::new(shader.file, shader.source),
    ]
}

fn buffers(
    device: &Device,
    shader: &BoardShader,
    order_length: usize,
    saved_words: u32,
) -> Result<HashMap<&'static str, wgpu::Buffer>> {
    use wgpu::BufferUsages as Usage;
    let storage = Usage::STORAGE | Usage::COPY_DST | Usage::COPY_SRC;
    let sizes = [
        ("params", size_of::<Params>(), Usage::UNIFORM | Usage::COPY_DST),
        ("base", 4 * shader.kept_words as usize, storage),
        ("order", 8 * order_length, storage),
        ("subtrees", 4 * MAX_SUBTREES, storage),
        ("nodes", MAX_NODES * size_of::<Node>(), storage),
        ("results", MAX_RESULTS * size_of::<Outcome>(), storage),
        ("counters", size_of::<Counters>(), storage),
        ("saved", 4 * saved_words as usize, storage),
    ];
    sizes
        .into_iter()
        .map(|(name, bytes, usage)| Ok((name, device.buffer(name, bytes as u64, usage)?)))
        .collect()
}
