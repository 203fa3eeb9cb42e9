//! The trees of one adapter, and their steps.

mod growing;
mod wide;

use super::{
    growth::Growth,
    memory::Part,
    slices::{Lot, Slicer},
};
use crate::{
    device::{
        Device, Extra, Submission,
        loads::{Half, Loads},
        segments::Segments,
    },
    error::Result,
    forest::{shape::Shape, variant::Schedule},
    gpu::{
        forest::Forest,
        program::Program,
        reuse::Reuse,
        schedule::{Launch, Piece},
        timing::StageTimer,
        withdraw::Checkpoint,
    },
    host::{Background, Instant},
    net::HostEvaluation,
    rules::GameShader,
};
use futures_util::future::try_join_all;
use growing::Ahead;
use std::sync::Arc;
use wide::Wide;

/// Dispatches of half a step, at most.
const MOST_STAGES: usize = 8;

/// The trees of one device, in chunks ([`memory`](super::memory)). Its programs outlive the chunks.
#[derive(Debug)]
pub(super) struct Share {
    pub program: Arc<Program>,
    /// The requested device; the program's may be a replacement.
    device: Device,
    /// The game and the requested schedule.
    kernels: (GameShader, Schedule),
    /// The program's kernels have run.
    pub is_warm: bool,
    /// The program for trees that exceed one binding, if they may.
    wide: Option<Wide>,
    /// The driver refused kernels with arrays of bindings.
    has_no_arrays: bool,
    /// The kernels of tree reuse, for nodes in these segments, compiled on first use.
    reuse: Option<(Option<Segments>, Reuse)>,
    pub chunks: Vec<Forest>,
    /// Its trees; `None` before memory is shared out, or if there are fewer trees than devices.
    part: Option<Part>,
    /// The shape of a tree with the greatest capacity.
    shape: Shape,
    growth: Growth,
    pub timer: StageTimer,
    pub slicer: Slicer,
    /// [lot of the slicer]: chunk and kernel.
    pieces: Vec<(usize, &'static str)>,
    /// [chunk]: the state to which a step is undone, allocated when a step is first cut.
    checkpoints: Vec<Checkpoint>,
    /// Memory for more nodes, allocated while the search makes steps.
    ahead: Option<Ahead>,
    /// The end of work on chunks that trees have left, which frees their memory.
    freeing: Option<Background<()>>,
}

impl Share {
    /// Compiles the kernels; there are no trees yet. `busy` has the expected number of trees.
    pub async fn new(
        device: &Device,
        (shader, schedule): (GameShader, Schedule),
        (shape, busy): (&Shape, &Shape),
    ) -> Result<Self> {
        let program = Program::compile_as_taken(device, &shader, busy, schedule).await?;
        let timer = StageTimer::new(program.device()).await?;
        Ok(Self {
            program,
            device: device.clone(),
            kernels: (shader, schedule),
            is_warm: false,
            wide: None,
            has_no_arrays: false,
            reuse: None,
            chunks: Vec::new(),
            part: None,
            shape: shape.clone(),
            growth: Growth::default(),
            timer,
            slicer: Slicer::new(),
            pieces: Vec::new(),
            checkpoints: Vec::new(),
            ahead: None,
            freeing: None,
        })
    }

    fn loads(&self) -> Loads {
        Loads::of(self.program.device().info().kind)
    }

    /// The number of allocated trees.
    pub fn n_trees(&self) -> u32 {
        self.chunks.iter().map(|chunk| chunk.shape.n_trees).sum()
    }

    pub fn has_short_steps(&self) -> bool {
        let n_trees = self.n_trees();
        let all = self.chunks.first().map(|chunk| Shape { n_trees, ..chunk.shape.clone() });
        all.is_none_or(|all| self.loads().is_short(&all))
    }

    pub async fn wait(&self, submission: Option<Submission>) -> Result<()> {
        match submission {
            Some(submission) => self.program.device().wait(submission).await,
            None => Ok(()),
        }
    }

    pub async fn save(&mut self) -> Result<()> {
        for chunk in &self.chunks[self.checkpoints.len()..] {
            self.checkpoints.push(Checkpoint::new(chunk).await?);
        }
        let device = self.program.device();
        let mut encoder = device.encoder();
        self.chunks
            .iter()
            .zip(&self.checkpoints)
            .for_each(|(chunk, checkpoint)| checkpoint.save(chunk, &mut encoder));
        device.submit(encoder);
        device.check()
    }

    pub async fn withdraw(&self) -> Result<()> {
        for (chunk, checkpoint) in self.chunks.iter().zip(&self.checkpoints) {
            checkpoint.withdraw(chunk).await?;
        }
        Ok(())
    }

    /// The greatest number of bindings in the arrays of a kernel.
    pub fn array_bindings(&self) -> u32 {
        if self.has_no_arrays { 0 } else { self.device.array_bindings() }
    }

    /// Extras that were left out, since the driver refused kernels with them.
    pub fn left_out(&self) -> Vec<Extra> {
        let arrays = self.has_no_arrays.then_some(Extra::Arrays);
        arrays.into_iter().chain(self.program.left_out().iter().copied()).collect()
    }

    /// Cuts half a step into lots, one for each dispatch of each chunk, stage by stage.
    pub fn begin_half(&mut self, half: Half) {
        let schedule = self.program.schedule();
        let (loads, games) = (self.loads(), self.program.group_games());
        let (mut lots, mut pieces) = (Vec::new(), Vec::new());
        let of_chunks: Vec<_> = self.chunks.iter().map(|chunk| chunk.pieces(schedule, half)).collect();
        let stages = of_chunks.first().map_or(0, Vec::len);
        for (stage, (chunk, of_chunk)) in
            (0..stages).flat_map(|stage| of_chunks.iter().enumerate().map(move |chunk| (stage, chunk)))
        {
            let Piece { kernel, groups } = of_chunk[stage];
            let kind = stage + if half == Half::Backup { MOST_STAGES } else { 0 };
            let plies = self.chunks[chunk].shape.path_capacity;
            lots.push(match kernel {
                "playout" => Lot::of_games(kind, groups, games, plies, loads),
                _ => Lot::of_trees(kind, groups, loads),
            });
            pieces.push((chunk, kernel));
        }
        self.pieces = pieces;
        self.slicer.begin(lots, Instant::now());
    }

    pub fn submit_slice(&mut self) -> Result<Option<Submission>> {
        let schedule = self.program.schedule();
        let Some((_, slice)) = self.slicer.next() else { return Ok(None) };
        let (chunk, kernel) = self.pieces[slice.lot];
        let submission = self.chunks[chunk].submit_slice(schedule, kernel, slice.first, slice.units);
        self.program.device().check()?;
        Ok(Some(submission))
    }

    /// Frees the memory of the last part, and sets the next one, the first capacity of its trees, and the shape with
    /// the greatest capacity. Compiles the kernels again if the number of trees requires other workgroups, and those
    /// for more than one binding if the trees may exceed one.
    pub async fn set_part(&mut self, shape: &Shape, begin: Option<(Part, u32)>) -> Result<()> {
        self.checkpoints.clear();
        self.ahead = None;
        self.chunks.clear();
        let first = begin.map_or(shape.capacity, |(_, first)| first);
        (self.part, self.shape) = (begin.map(|(part, _)| part), shape.clone());
        self.growth = Growth::new(first, shape, self.cut(shape.capacity).len() == 1);
        let n_trees = self.cut(first).iter().map(|chunk| chunk.n_trees).max().unwrap_or(1);
        let busy = Shape { n_trees, ..shape.clone() };
        let (shader, schedule) = &self.kernels;
        if !self.program.suits(shader, &busy) {
            self.program = Program::compile_as_taken(&self.device, shader, &busy, *schedule).await?;
            // The new program may be on another device.
            (self.is_warm, self.reuse) = (false, None);
            self.timer = StageTimer::new(self.program.device()).await?;
        }
        self.set_wide(&busy).await
    }

    /// Seeds the streams of all trees.
    pub async fn reseed(&mut self, seed: u64) -> Result<()> {
        self.shape.config.seed = seed;
        self.ahead = None;
        for chunk in &mut self.chunks {
            chunk.reseed(seed).await?;
        }
        Ok(())
    }

    pub async fn reuse(
        &mut self,
        shader: &GameShader,
        shape: &Shape,
        record: &[u32],
        moves: &[u32],
    ) -> Result<()> {
        let device = self.chunks.first().map_or(self.program.device(), Forest::device);
        let segments = device.segments();
        let reuse = match self.reuse.take().filter(|(of, _)| *of == segments) {
            Some((_, compiled)) => compiled,
            None => Reuse::compile(device, shader, shape).await?,
        };
        let (_, reuse) = self.reuse.insert((segments, reuse));
        for chunk in &self.chunks {
            reuse.run(chunk, &record.repeat(chunk.shape.n_trees as usize), moves).await?;
        }
        Ok(())
    }

    /// Makes steps whose leaves an evaluator evaluates on the host; each is submitted in two parts.
    pub async fn make_evaluated_steps(&self, steps: u32, evaluation: &HostEvaluation) -> Result<()> {
        let device = self.program.device();
        for _ in 0..steps {
            self.submit_launches(Forest::launches_before_evaluation);
            let planes = self.chunks.iter().map(Forest::leaf_planes);
            let planes = try_join_all(planes).await?;
            let words = |chunk: &Forest| chunk.shape.all_leaves() as usize * chunk.shape.outputs_per_leaf();
            let mut outputs = vec![0; self.chunks.iter().map(words).sum()];
            evaluation.evaluate(&planes.concat(), &mut outputs)?;
            let mut rest = &outputs[..];
            for chunk in &self.chunks {
                let own = rest.split_off(..words(chunk)).unwrap_or_default();
                chunk.write("outputs", own);
            }
            self.submit_launches(Forest::launches_after_evaluation);
            device.check()?;
        }
        Ok(())
    }

    /// Submits dispatches of a step, of all chunks.
    fn submit_launches(&self, launches: fn(&Forest) -> &[Launch]) {
        self.program.device().submit_pass(|pass| {
            self.chunks.iter().for_each(|chunk| chunk.record(pass, launches(chunk)));
        });
    }

    pub fn submit(&mut self, steps: u32) -> Result<Option<Submission>> {
        if self.chunks.is_empty() {
            return Ok(None);
        }
        let schedule = self.program.schedule();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        error::Error,
        forest::variant::Variant,
        games::Connect4,
        host::block_on,
        rules::Game,
        search::{Config, memory::Room, memory::share_out, shape_of},
    };

    const TREES: u32 = 5;

    /// A share of a device that does nothing, refuses arrays of bindings, and is lost with them. Trees begin with
    /// `first` nodes each, which fill a binding.
    fn begun(first: u32) -> Share {
        let device = Device::idle().refusing(&["binding_array"], true);
        let (game, config) =
            (Connect4::default(), Config { trees: TREES, variant: Variant::OCP_PRODIGAL, ..Config::paper() });
        let shape = Shape { n_trees: TREES, trees_per_position: TREES, ..shape_of(&game, &config) };
        let binding = 16 * u64::from(TREES * first);
        let room = Room { memory: 64 << 20, binding, array_bindings: 1000, in_one: false };
        let division = share_out(&shape, 1, 3000, &[room]).expect("there is room");
        let shape = Shape { capacity: division.capacity, ..shape };
        let first = division.parts[0].first_capacity(&shape, division.capacity);
        block_on(async {
            let kernels = (game.shader(), Schedule::Staged);
            let mut share = Share::new(&device, kernels, (&shape, &shape)).await?;
            share.set_part(&shape, Some((division.parts[0], first))).await?;
            share.allocate().await?;
            Ok::<_, Error>(share)
        })
        .expect("they are there")
    }

    /// All trees are allocated, in chunks of single bindings, on the same device.
    fn is_whole_in_chunks(share: &Share, chunks: usize) {
        assert_eq!(share.left_out(), [Extra::Arrays]);
        assert!(share.is_whole() && share.chunks.iter().all(|chunk| chunk.device().segments().is_none()));
        assert_eq!(share.chunks.len(), chunks);
        let device = share.program.device();
        assert_eq!((device.lost_on(), device.check(), share.array_bindings()), (None, Ok(()), 0));
        assert!(device.notices().iter().all(|notice| notice.contains("arrays of bindings")));
    }

    #[test]
    fn trees_do_without_arrays_of_bindings_that_are_refused() {
        // Trees begin in one chunk, and outgrow it.
        let mut share = begun(1000);
        assert_eq!(share.chunks.len(), 1);
        block_on(share.grow(200, None)).expect("there is room");
        is_whole_in_chunks(&share, 3);
        // The nodes of a few steps exceed one binding: trees would begin in segments.
        let share = begun(60);
        is_whole_in_chunks(&share, 5);
    }
}
