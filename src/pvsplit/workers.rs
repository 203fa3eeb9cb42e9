//! The device's workers, which search the subtrees of a split tree (`shaders/pvsplit/search.wgsl`).

use super::{
    board::{Board, BoardShader, DEVICE_PASS, DeviceBoard, INFINITY, Move},
    deepen::{Found, Watch},
    layout::{
        ENTRY_WORDS, LANES, MAX_PATH, SAVED_SCALARS, SplitCounters, SplitNode, SplitOutcome, SplitParams,
    },
    report::{SplitSizes, WorkerReport},
    tree::{MAX_NODES, MAX_SUBTREES, Wave},
};
use crate::{
    device::{
        AdapterInfo, AdapterKind, Device,
        compose::{Composed, Source, compose, constants, files},
        kernels::{Bound, Kernels},
        pace::Pace,
    },
    error::{Error, Result},
    host::Instant,
};
use bytemuck::Pod;
use std::{collections::HashMap, marker::PhantomData, ops::ControlFlow};

/// Subtrees one move away, whose results are read back.
const MAX_RESULTS: usize = 512;
/// Seconds that a submission should take: short enough for time limits and for a desktop's screen.
const TARGET: f64 = 0.04;
/// Workers that search a subtree together, at most.
const MOST_COPIES: u32 = 16;
/// Loop iterations of a worker in a submission, at first and at most.
const WORK: (u32, u32) = (1 << 14, 1 << 18);
/// The same of all workers together, so that the counters (32 bits) hold it.
const TOTAL_WORK: u32 = 1 << 31;
/// The same on llvmpipe and the like, and the least anywhere: llvmpipe ends all loops of an invocation after
/// [`SOFTWARE_ITERATIONS`](crate::forest::fault::SOFTWARE_ITERATIONS), counted for eight workers or more together,
/// without a report.
const SOFTWARE_WORK: u32 = 1 << 11;

/// Totals of a search.
#[derive(Debug, Default)]
struct Tally {
    work: u64,
    capacity: u64,
    subtrees: u64,
    submissions: u64,
}

/// The workers of a device, for boards of one kind and size.
#[derive(Debug)]
pub(super) struct Workers<B> {
    device: Device,
    shader: BoardShader,
    max_depth: u32,
    order_length: usize,
    count: u32,
    /// The unit is a loop iteration of a worker.
    pace: Pace,
    most_work: u32,
    kernel: Bound,
    buffers: HashMap<&'static str, wgpu::Buffer>,
    staging: wgpu::Buffer,
    /// The read-back buffer is mapped, or is about to be.
    is_reading: bool,
    tally: Tally,
    /// The number of searches so far.
    searches: u32,
    board: PhantomData<B>,
}

impl<B: DeviceBoard> Workers<B> {
    pub async fn new(device: &Device, like: &B, max_depth: u32, sizes: SplitSizes) -> Result<Self> {
        let device = &device.live().await?;
        let shader = like.shader();
        let order_length = order_length(like);
        let count = sizes.workers.unwrap_or_else(|| default_count(device.info()));
        let saved = saved_words(&shader, max_depth);
        let count = check_count(device, count, saved)?;
        let kernels = Kernels::compile(device, &module(like, max_depth)?, &["pvsplit"]).await?;
        let buffers =
            buffers(device, &shader, order_length, count * saved, table_entries(device, sizes.table)).await?;
        let kernel = kernels.bind(device, "pvsplit", &buffers)?;
        let is_software = device.info().is_software();
        let (first, most) = if is_software { (SOFTWARE_WORK, SOFTWARE_WORK) } else { WORK };
        let staging_bytes = size_of::<SplitCounters>() + MAX_NODES * size_of::<SplitNode>();
        let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
        let mut workers = Self {
            device: device.clone(),
            shader,
            max_depth,
            order_length,
            count,
            pace: Pace::new(TARGET, first.into(), Instant::now()),
            most_work: most.min(TOTAL_WORK / count),
            kernel,
            buffers,
            staging: device.buffer("pvsplit read-back", staging_bytes as u64, usage).await?,
            is_reading: false,
            tally: Tally::default(),
            searches: 0,
            board: PhantomData,
        };
        // Some drivers compile at the first dispatch, which is here outside of any time measurement.
        let mut idle = Wave { path: 1, depth: 1, alpha: 0, beta: 1, nodes: &mut [], entries: &[], fan: 1 };
        workers.submit(&workers.params(like, &idle), &mut idle).await?;
        Ok(workers)
    }

    pub fn max_depth(&self) -> u32 {
        self.max_depth
    }

    /// Begins a search of a board; returns false if the workers were made for other boards or lesser depths.
    pub fn take(&mut self, board: &B, depth: u32) -> bool {
        self.tally = Tally::default();
        self.searches = self.searches.wrapping_add(1);
        board.shader() == self.shader && depth <= self.max_depth
    }

    pub fn report(&self) -> WorkerReport {
        let Tally { work, capacity, subtrees, submissions } = self.tally;
        WorkerReport {
            count: self.count,
            bytes: 4 * (self.shader.board_words + stack_words(&self.shader, self.max_depth))
                + 4 * saved_words(&self.shader, self.max_depth),
            busy: work as f64 / capacity.max(1) as f64,
            subtrees,
            submissions,
        }
    }

    pub fn count(&self) -> u32 {
        self.count
    }

    /// Plies above the leaves at which `board_glance` lists the moves.
    pub fn glance_plies(&self) -> u32 {
        self.shader.glance_plies
    }

    pub fn order_length(&self) -> usize {
        self.order_length
    }

    /// The order in which workers try moves: the first player's, then the second's.
    pub fn set_order(&self, order: &[u32]) {
        self.write("order", order);
    }

    /// Searches the subtrees of a wave, from the position at the root of its split tree; updates the nodes. Returns
    /// whether a line was cut off before the end of the game; `Break` if the time is up.
    pub async fn run(
        &mut self,
        board: &B,
        wave: &mut Wave<'_>,
        nodes: &mut u64,
        watch: &mut Watch<'_>,
    ) -> Found<bool> {
        let mut params = self.params(board, wave);
        self.write("base", &board.device_words());
        self.write("subtrees", wave.entries);
        self.write("nodes", wave.nodes);
        self.write("queue", &vec![0u32; queue_words(wave.subtrees())]);
        if wave.path == 1 {
            let none = SplitOutcome { value: -INFINITY, best: 0, exact: 0 };
            self.write("results", &vec![none; wave.entries.len()]);
        }
        self.tally.subtrees += u64::from(wave.subtrees());
        loop {
            let counters = self.submit(&params, wave).await?;
            *nodes += u64::from(counters.nodes);
            if counters.done == wave.subtrees() {
                return Ok(ControlFlow::Continue(counters.open != 0));
            }
            if watch.tick(*nodes) {
                return Ok(ControlFlow::Break(()));
            }
            params = SplitParams { work: self.work(), resumed: 1, ..params };
            let rest = SplitCounters { nodes: 0, work: 0, longest: 0, ..counters };
            self.write("queue", &[rest]);
        }
    }

    fn params(&self, board: &B, wave: &Wave<'_>) -> SplitParams {
        // Of the workers for each subtree, some search it together, and the others leave lanes of their subgroups idle.
        let idle = self.count / wave.subtrees().max(1);
        let copies = (idle / 4).clamp(1, MOST_COPIES);
        let spread = (idle / copies).clamp(1, 32);
        SplitParams {
            subtrees: wave.subtrees(),
            work: self.work(),
            path: wave.path,
            depth: wave.depth,
            alpha: wave.alpha,
            beta: wave.beta,
            side: board.side() as u32,
            score: board.evaluate(),
            workers: self.count,
            resumed: 0,
            aux: board.device_aux(),
            spread: 1 << spread.ilog2(),
            fan: wave.fan,
            copies,
            search: 1 + self.searches % 255,
        }
    }

    /// Loop iterations of a worker in the next submission.
    fn work(&self) -> u32 {
        let wanted = self.pace.next(None, Instant::now()).min(self.most_work.into()) as u32;
        wanted.max(SOFTWARE_WORK.min(self.most_work))
    }

    /// One dispatch; reads the counters and the nodes back.
    async fn submit(&mut self, params: &SplitParams, wave: &mut Wave<'_>) -> Result<SplitCounters> {
        let start = Instant::now();
        if std::mem::replace(&mut self.is_reading, true) {
            // A search was abandoned while it waited.
            self.staging.unmap();
        }
        self.write("params", &[*params]);
        let node_bytes = size_of_val(wave.nodes) as u64;
        let counter_bytes = size_of::<SplitCounters>() as u64;
        let lanes = params.subtrees * params.copies * params.spread;
        let groups = lanes.clamp(1, self.count).div_ceil(LANES);
        let mut encoder = self.device.encoder();
        self.kernel.dispatch(&mut encoder.begin_compute_pass(&Default::default()), [groups, 1, 1]);
        encoder.copy_buffer_to_buffer(&self.buffers["queue"], 0, &self.staging, 0, counter_bytes);
        encoder.copy_buffer_to_buffer(&self.buffers["nodes"], 0, &self.staging, counter_bytes, node_bytes);
        let submission = self.device.submit(encoder);
        let bytes = counter_bytes + node_bytes;
        let take = |bytes: &[u8]| {
            let (head, tail) = bytes.split_at(counter_bytes as usize);
            bytemuck::cast_slice_mut(wave.nodes).copy_from_slice(tail);
            bytemuck::pod_read_unaligned(head)
        };
        let counters = self.device.read_staged(&self.staging, bytes, submission, take).await?;
        self.is_reading = false;
        self.account(params, &counters, start);
        Ok(counters)
    }

    /// Adds a submission to the totals. Its time determines the size of the next one, unless the queue of subtrees ran
    /// dry before its end.
    fn account(&mut self, params: &SplitParams, counters: &SplitCounters, start: Instant) {
        self.tally.work += u64::from(counters.work);
        self.tally.capacity += u64::from(counters.longest) * u64::from(self.count);
        self.tally.submissions += 1;
        let now = Instant::now();
        if counters.longest >= params.work || (now - start).as_secs_f64() > TARGET {
            let iterations = counters.longest.max(1).into();
            self.pace.resumed(start);
            self.pace.submitted(iterations);
            self.pace.ended(iterations, now);
        }
    }

    /// The results of a wave whose subtrees are one move away.
    pub async fn outcomes(&self, count: usize) -> Result<Vec<SplitOutcome>> {
        self.device.read(&self.buffers["results"], count).await
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

/// The number of moves that workers try one after another: all but the pass.
fn order_length<B: DeviceBoard>(like: &B) -> usize {
    like.move_limit() - usize::from(like.device_move(last_move(like)) == DEVICE_PASS)
}

fn last_move<B: Board>(board: &B) -> Move {
    (board.move_limit() - 1) as Move
}

/// Workers that keep an adapter of this kind busy.
fn default_count(info: &AdapterInfo) -> u32 {
    match info.kind {
        AdapterKind::Discrete => 1 << 16,
        AdapterKind::Software => 1 << 9,
        _ => 1 << 13,
    }
}

/// Entries of the table of positions: a power of two, as requested or by the kind of adapter, within one binding.
fn table_entries(device: &Device, wanted: Option<u32>) -> u32 {
    let by_default = match device.info().kind {
        AdapterKind::Discrete => 1 << 23,
        AdapterKind::Software => 1 << 16,
        _ => 1 << 21,
    };
    let most = device.limits().max_storage_buffer_binding_size / (4 * u64::from(ENTRY_WORDS));
    let entries = u64::from(wanted.unwrap_or(by_default)).clamp(2, most);
    1 << entries.ilog2()
}

fn check_count(device: &Device, workers: u32, words: u32) -> Result<u32> {
    let limits = device.limits();
    let most = limits.max_storage_buffer_binding_size / (4 * u64::from(words));
    let most = most.min(u64::from(limits.max_compute_workgroups_per_dimension) * u64::from(LANES));
    let most = most as u32 / LANES * LANES;
    if workers == 0 || workers > most {
        return Err(Error::invalid(format!("{workers} workers: give a number from 1 to {most}")));
    }
    Ok(workers.next_multiple_of(LANES))
}

/// Words of the queue: the counters, and a bit a subtree.
fn queue_words(subtrees: u32) -> usize {
    size_of::<SplitCounters>() / 4 + subtrees.div_ceil(32) as usize
}

/// Words of a worker's stack in private memory.
fn stack_words(shader: &BoardShader, max_depth: u32) -> u32 {
    max_depth * (5 + shader.undo_words) + MAX_PATH
}

/// Words of a saved worker.
fn saved_words(shader: &BoardShader, max_depth: u32) -> u32 {
    SAVED_SCALARS + shader.kept_words + max_depth * (4 + shader.undo_words) + MAX_PATH
}

fn sources(shader: &BoardShader, max_depth: u32, order_length: u32) -> Vec<Source> {
    let ours = [
        ("LANES", LANES),
        ("PLIES", max_depth),
        ("MAX_PATH", MAX_PATH),
        ("ORDER_LENGTH", order_length),
        ("BOARD_WORDS", shader.board_words),
        ("KEPT_WORDS", shader.kept_words),
        ("UNDO_WORDS", shader.undo_words),
        ("GLANCE_PLIES", shader.glance_plies),
    ];
    let signed = shader.constants.iter().map(|(name, value)| format!("const {name} = {value};\n"));
    let generated = Source::new("(generated constants)", constants(ours) + &signed.collect::<String>());
    let files = files!["pvsplit/search.wgsl", "pvsplit/saved.wgsl", "pvsplit/table.wgsl"];
    [vec![generated], files, vec![Source::new(shader.file, shader.source)]].concat()
}

async fn buffers(
    device: &Device,
    shader: &BoardShader,
    order_length: usize,
    saved_words: u32,
    table_entries: u32,
) -> Result<HashMap<&'static str, wgpu::Buffer>> {
    use wgpu::BufferUsages as Usage;
    let storage = Usage::STORAGE | Usage::COPY_DST | Usage::COPY_SRC;
    let sizes = [
        ("params", size_of::<SplitParams>(), Usage::UNIFORM | Usage::COPY_DST),
        ("base", 4 * shader.kept_words as usize, storage),
        ("order", 8 * order_length, storage),
        ("subtrees", 4 * MAX_SUBTREES, storage),
        ("nodes", MAX_NODES * size_of::<SplitNode>(), storage),
        ("results", MAX_RESULTS * size_of::<SplitOutcome>(), storage),
        ("queue", 4 * queue_words(MAX_SUBTREES as u32), storage),
        ("saved", 4 * saved_words as usize, storage),
        ("table", 4 * (ENTRY_WORDS * table_entries) as usize, storage),
    ];
    let mut buffers = HashMap::new();
    for (name, bytes, usage) in sizes {
        buffers.insert(name, device.buffer(name, bytes as u64, usage).await?);
    }
    Ok(buffers)
}
