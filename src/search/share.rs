//! The trees of one adapter.

use super::{
    growth::Growth,
    memory::{Chunk, Part},
    slices::{Lot, Slicer},
};
use crate::{
    device::{
        Device, Extra, Ticket,
        extras::Extras,
        loads::{Half, Loads},
        segments::Segments,
    },
    error::{Error, Result},
    forest::{shape::Shape, variant::Schedule},
    gpu::{
        forest::{Forest, Program},
        reuse::Reuse,
        schedule::{Launch, Piece},
        timing::StageTimer,
        withdraw::Checkpoint,
    },
    host::{Beside, Instant},
    net::HostJudge,
    rules::GameShader,
};
use futures_util::future::try_join_all;
use std::{sync::Arc, time::Duration};

/// Dispatches of half a step, at most.
const MOST_STAGES: usize = 8;

/// One device's trees, in chunks as [`memory`](super::memory) cuts them. Its programs outlive the chunks.
#[derive(Debug)]
pub(super) struct Share {
    pub program: Arc<Program>,
    /// What programs are compiled from, and for: the device that was given, and the steps that are wanted.
    device: Device,
    kernels: (GameShader, Schedule),
    /// The program's kernels have been run.
    pub is_warm: bool,
    /// For trees that one binding does not hold: compiled when they might come to that.
    wide: Option<Wide>,
    /// Its driver refused kernels with arrays of bindings.
    has_no_arrays: bool,
    /// Compiled when it is first wanted, for nodes in such segments.
    reuse: Option<(Option<Segments>, Reuse)>,
    pub chunks: Vec<Forest>,
    /// Its trees; none before memory is shared out, and where there are fewer trees than devices.
    part: Option<Part>,
    /// Sizes of a tree that has all its room.
    shape: Shape,
    growth: Growth,
    pub timer: StageTimer,
    pub slicer: Slicer,
    /// The chunks and kernels of the lots that the slicer cuts.
    pieces: Vec<(usize, &'static str)>,
    /// What a step is taken back to, of every chunk: made when a step is first cut.
    checkpoints: Vec<Checkpoint>,
}

/// A program for nodes in segments.
#[derive(Debug)]
struct Wide {
    /// The program whose kernels it has.
    of: Arc<Program>,
    segments: Segments,
    /// The trees that it is compiled for.
    busy: Shape,
    compiled: Compiling,
}

#[derive(Debug)]
enum Compiling {
    Planned,
    UnderWay(Beside<Result<Arc<Program>>>),
    Ended(Arc<Program>),
}

impl Wide {
    /// Does it do for so many segments?
    fn suits(&self, program: &Arc<Program>, segments: Segments) -> bool {
        let Segments { count, shift } = self.segments;
        Arc::ptr_eq(&self.of, program) && shift == segments.shift && count >= segments.count
    }
}

impl Share {
    /// Compiles the kernels; there are no trees yet. `busy` has as many of them as are expected.
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
        })
    }

    fn loads(&self) -> Loads {
        Loads::of(self.program.device().info().kind)
    }

    /// Trees that are there.
    pub fn n_trees(&self) -> u32 {
        self.chunks.iter().map(|chunk| chunk.shape.n_trees).sum()
    }

    pub fn has_short_steps(&self) -> bool {
        let n_trees = self.n_trees();
        let all = self.chunks.first().map(|chunk| Shape { n_trees, ..chunk.shape.clone() });
        all.is_none_or(|all| self.loads().is_short(&all))
    }

    pub async fn wait(&self, ticket: Option<Ticket>) -> Result<()> {
        match ticket {
            Some(ticket) => self.program.device().wait(ticket).await,
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

    /// Bindings that arrays of them may have in a kernel.
    pub fn array_bindings(&self) -> u32 {
        if self.has_no_arrays { 0 } else { self.device.array_bindings() }
    }

    /// What its kernels do without, since the driver refused others.
    pub fn left_out(&self) -> Vec<Extra> {
        let arrays = self.has_no_arrays.then_some(Extra::Arrays);
        arrays.into_iter().chain(self.program.left_out().iter().copied()).collect()
    }

    /// A lot for every dispatch of every chunk: a stage of all of them before the next stage, in the chunks' order.
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

    pub fn submit_slice(&mut self) -> Result<Option<Ticket>> {
        let schedule = self.program.schedule();
        let Some((_, slice)) = self.slicer.next() else { return Ok(None) };
        let (chunk, kernel) = self.pieces[slice.lot];
        let submission = self.chunks[chunk].submit_slice(schedule, kernel, slice.first, slice.units);
        self.program.device().check()?;
        Ok(Some(submission))
    }

    /// Gives the memory of the last plan back. Notes the trees that memory is to be taken for, with the nodes that each
    /// of them begins with, and the shape of one with all its room. Compiles anew where so many trees are played out
    /// best by other workgroups than the last ones.
    pub async fn set_part(&mut self, shape: &Shape, begin: Option<(Part, u32)>) -> Result<()> {
        self.checkpoints.clear();
        self.chunks.clear();
        let first = begin.map_or(shape.capacity, |(_, first)| first);
        (self.part, self.shape) = (begin.map(|(part, _)| part), shape.clone());
        self.growth = Growth::new(first, shape, self.cut(shape.capacity).len() == 1);
        let n_trees = self.cut(first).iter().map(|chunk| chunk.n_trees).max().unwrap_or(1);
        let busy = Shape { n_trees, ..shape.clone() };
        let (shader, schedule) = &self.kernels;
        if !self.program.suits(shader, &busy) {
            self.program = Program::compile_as_taken(&self.device, shader, &busy, *schedule).await?;
            // It may be on another device than the last one.
            (self.is_warm, self.reuse) = (false, None);
            self.timer = StageTimer::new(self.program.device()).await?;
        }
        self.set_wide(busy);
        Ok(())
    }

    /// Notes which program trees need that one binding does not hold, if they may come to that. One that has been
    /// compiled before is kept where it still suits.
    fn set_wide(&mut self, busy: Shape) {
        let segments = self.part.and_then(|part| part.segments(&self.shape, self.shape.capacity));
        let of = &self.program;
        let kept = self.wide.take().filter(|wide| segments.is_some_and(|needed| wide.suits(of, needed)));
        let new = || Some(Wide { of: of.clone(), segments: segments?, busy, compiled: Compiling::Planned });
        self.wide = kept.or_else(new);
    }

    /// Begins to compile the program for trees that one binding does not hold, beside the steps of a search whose trees
    /// may soon be so large. Those must not be lost with the device if the driver refuses a kernel.
    async fn begin_wide(&mut self) -> Result<()> {
        let Some(wide) = self.wide.as_mut().filter(|wide| matches!(wide.compiled, Compiling::Planned)) else {
            return Ok(());
        };
        let device = wide.of.device().with_segments(wide.segments);
        let (shader, schedule, busy) = (self.kernels.0.clone(), wide.of.schedule(), wide.busy.clone());
        let compiled = Beside::begin(async move || {
            let compile = async |device: &Device| {
                let program = Program::compile(device, &shader, &busy, schedule).await?;
                program.warm_up(&busy, schedule).await?;
                Ok(program)
            };
            if let Ok(Some(trial)) = device.for_trials().await {
                compile(&trial).await?;
            }
            compile(&device).await
        });
        wide.compiled = Compiling::UnderWay(compiled.await.map_err(Error::no_thread)?);
        Ok(())
    }

    /// Is the program for trees that have so many nodes compiled?
    fn has_program_for(&self, capacity: u32) -> bool {
        let is_wide = self.part.and_then(|part| part.segments(&self.shape, capacity)).is_some();
        let compiled = self.wide.as_ref().map(|wide| &wide.compiled);
        !is_wide
            || match compiled {
                Some(Compiling::UnderWay(beside)) => beside.has_ended(),
                Some(Compiling::Ended(_)) => true,
                Some(Compiling::Planned) | None => false,
            }
    }

    /// The program for trees that have so many nodes.
    async fn program_for(&mut self, capacity: u32) -> Result<Arc<Program>> {
        if self.part.and_then(|part| part.segments(&self.shape, capacity)).is_none() {
            return Ok(self.program.clone());
        }
        self.begin_wide().await?;
        let none = || Error::shader("there are no kernels for so much memory: give the search less of it");
        let wide = self.wide.as_mut().ok_or_else(none)?;
        let program = match std::mem::replace(&mut wide.compiled, Compiling::Planned) {
            Compiling::Planned => return Err(none()),
            Compiling::UnderWay(beside) => beside.ended().await.ok_or_else(none)??,
            Compiling::Ended(program) => program,
        };
        wide.compiled = Compiling::Ended(program.clone());
        Ok(program)
    }

    /// The driver refused kernels with arrays of bindings. Trees are to do without, in chunks that take turns if there
    /// is memory for these beside the trees, else in the one chunk that they are in.
    async fn leave_out_arrays(&mut self, refusal: Error) -> Result<()> {
        let extras = Extras { arrays: true, ..self.program.extras(&self.shape) };
        self.program.device().step_down(extras, refusal)?;
        (self.has_no_arrays, self.wide) = (true, None);
        let Some(with_arrays) = self.part else { return Ok(()) };
        let mut in_one = false;
        loop {
            let (part, most) = with_arrays.without_arrays(&self.shape, self.shape.capacity, in_one);
            self.part = Some(part);
            let chunks = self.cut(most);
            let shapes: Vec<_> = chunks.iter().map(|chunk| self.shape_of(chunk, most)).collect();
            let tried = match chunks.len() {
                1 => Ok(()),
                _ => Forest::try_out(self.program.device(), shapes.into_iter()).await,
            };
            match tried {
                Err(error) if error.is_out_of_memory() && !in_one => in_one = true,
                tried => {
                    self.shape.capacity = most;
                    self.growth.bounded(most, chunks.len() == 1);
                    return tried;
                }
            }
        }
    }

    /// The chunks of trees that have so many nodes each.
    fn cut(&self, capacity: u32) -> Vec<Chunk> {
        self.part.map_or(Vec::new(), |part| part.chunks(&self.shape, capacity))
    }

    /// Takes the memory that the trees begin with, and seeds the streams. Trees of several chunks can't stay as they
    /// are in the middle of a move: with those it fails at once where there would be no room later on.
    pub async fn allocate(&mut self) -> Result<()> {
        self.program.device().reclaim()?;
        let most = self.shape.capacity;
        let all = self.cut(most);
        if self.growth.has_begun_small() && all.len() > 1 {
            let shapes = all.iter().map(|chunk| self.shape_of(chunk, most));
            let device = self.program.device();
            let segments = self.part.and_then(|part| part.segments(&self.shape, most));
            let wide = segments.map(|segments| device.with_segments(segments));
            Forest::try_out(wide.as_ref().unwrap_or(device), shapes).await?;
        }
        let program = match self.program_for(self.growth.capacity()).await {
            Err(error) if error.is_refused() => {
                self.leave_out_arrays(error).await?;
                let most = self.shape.capacity;
                let first = self.part.map_or(most, |part| part.first_capacity(&self.shape, most));
                self.growth = Growth::new(first, &self.shape, self.cut(most).len() == 1);
                self.program.clone()
            }
            program => program?,
        };
        let first = self.growth.capacity();
        let began = Instant::now();
        for chunk in self.cut(first) {
            let forest = Forest::new(&program, self.shape_of(&chunk, first)).await?;
            forest.seed().await?;
            self.chunks.push(forest);
        }
        self.growth.moved(first, began.elapsed());
        Ok(())
    }

    /// Gives the trees the streams of another seed.
    pub async fn reseed(&mut self, seed: u64) -> Result<()> {
        self.shape.config.seed = seed;
        for chunk in &mut self.chunks {
            chunk.reseed(seed).await?;
        }
        Ok(())
    }

    /// Nodes of all its trees, at the most.
    pub fn most_nodes(&self) -> u64 {
        u64::from(self.n_trees()) * self.growth.nodes()
    }

    fn shape_of(&self, chunk: &Chunk, capacity: u32) -> Shape {
        let &Chunk { first_tree, n_trees, trees_per_position, .. } = chunk;
        let parts = self.program.parts(self.shape.config.playouts);
        Shape { n_trees, first_tree, trees_per_position, capacity, parts, ..self.shape.clone() }
    }

    /// Has it all its trees? It has not where they could not be moved to larger memory.
    pub fn is_whole(&self) -> bool {
        self.part.map_or(0, |part| part.trees.n_trees) == self.n_trees()
    }

    /// Nodes that each of its trees may have, as far as is known; none where it has no trees.
    pub fn most_room(&self) -> Option<u32> {
        self.part.map(|_| self.growth.most())
    }

    /// Makes sure that every tree has room for so many more steps, as far as it may, and as far as there is time for
    /// that before `end`. Returns the time that it took to move them.
    pub async fn grow(&mut self, steps: u32, end: Option<Instant>) -> Result<Duration> {
        if self.growth.is_half_full(steps) {
            self.begin_wide().await?;
        }
        let mut moving = Duration::ZERO;
        if !self.growth.admits(steps) {
            let largest = self.largest_tree().await?;
            self.growth.counted(largest);
            let began = Instant::now();
            if self.move_to_larger(steps, largest, end).await? {
                moving = began.elapsed();
            }
        }
        self.growth.made(steps);
        Ok(moving)
    }

    /// Moves the trees to as much memory as they want and can get. Did they want any, and was there time for it?
    async fn move_to_larger(&mut self, steps: u32, largest: u32, end: Option<Instant>) -> Result<bool> {
        let mut has_tried = false;
        while let Some(capacity) = self.growth.wanted(steps) {
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            if !self.growth.pays_off(capacity, left) || left.is_some() && !self.has_program_for(capacity) {
                break;
            }
            has_tried = true;
            match self.move_trees(capacity, largest).await {
                Err(error) if self.is_whole() && error.is_refused() => self.leave_out_arrays(error).await?,
                // No memory, or no kernels, for so much: they are where they were.
                Err(error) if self.is_whole() && (error.is_out_of_memory() || error.is_shader()) => {
                    self.growth.refused(capacity);
                }
                moved => {
                    moved?;
                    break;
                }
            }
        }
        Ok(has_tried)
    }

    /// The trees are to begin anew, or have lost nodes: moves them to where trees begin, if they fit there.
    pub async fn shrink(&mut self, are_new: bool) -> Result<()> {
        let largest = if are_new || !self.growth.has_begun_small() { 1 } else { self.largest_tree().await? };
        self.growth.counted(largest);
        match self.growth.too_large() {
            Some(capacity) => self.move_trees(capacity, largest).await,
            None => Ok(()),
        }
    }

    async fn largest_tree(&self) -> Result<u32> {
        let mut largest = 1;
        for chunk in &self.chunks {
            largest = chunk.trees().await?.iter().map(|tree| tree.size).fold(largest, u32::max);
        }
        Ok(largest)
    }

    /// Moves all trees to chunks where each has room for `capacity` nodes, of which at most `nodes` are there yet. Old
    /// memory is given back as soon as its trees have been moved, so that there need not be room for all trees twice.
    /// Where there is no memory for the first of the new chunks, nothing has changed.
    async fn move_trees(&mut self, capacity: u32, nodes: u32) -> Result<()> {
        self.checkpoints.clear();
        self.pieces.clear();
        let program = self.program_for(capacity).await?;
        let began = Instant::now();
        let mut old = std::mem::take(&mut self.chunks);
        for chunk in self.cut(capacity) {
            let new = match Forest::new(&program, self.shape_of(&chunk, capacity)).await {
                Err(error) if self.chunks.is_empty() => {
                    self.chunks = old;
                    self.program.device().reclaim()?;
                    return Err(error);
                }
                new => new?,
            };
            let device = self.program.device();
            let mut encoder = device.encoder();
            old.iter().for_each(|old| new.take_over(old, nodes, &mut encoder));
            let copied = device.submit(encoder);
            let end = new.end_tree();
            self.chunks.push(new);
            device.wait(copied).await?;
            old.retain(|old| old.end_tree() > end);
            device.reclaim()?;
        }
        self.growth.moved(capacity, began.elapsed());
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

    /// Makes steps whose leaves an evaluator judges on the host: each is submitted in two parts.
    pub async fn make_judged_steps(&self, steps: u32, judge: &HostJudge) -> Result<()> {
        let device = self.program.device();
        for _ in 0..steps {
            self.submit_launches(Forest::launches_before_judging);
            let planes = self.chunks.iter().map(Forest::leaf_planes);
            let planes = try_join_all(planes).await?;
            let words = |chunk: &Forest| chunk.shape.all_leaves() as usize * chunk.shape.outputs_per_leaf();
            let mut outputs = vec![0; self.chunks.iter().map(words).sum()];
            judge.evaluate(&planes.concat(), &mut outputs)?;
            let mut rest = &outputs[..];
            for chunk in &self.chunks {
                let own = rest.split_off(..words(chunk)).unwrap_or_default();
                chunk.write("outputs", own);
            }
            self.submit_launches(Forest::launches_after_judging);
            device.check()?;
        }
        Ok(())
    }

    /// Hands over some dispatches of a step, of all chunks.
    fn submit_launches(&self, launches: fn(&Forest) -> &[Launch]) {
        let mut encoder = self.program.device().encoder();
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        self.chunks.iter().for_each(|chunk| chunk.record(&mut pass, launches(chunk)));
        drop(pass);
        self.program.device().submit(encoder);
    }

    pub fn submit(&mut self, steps: u32) -> Result<Option<Ticket>> {
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
        let ticket = device.submit(encoder);
        device.check()?;
        Ok(Some(ticket))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        forest::variant::Variant,
        games::Connect4,
        host::block_on,
        rules::Game,
        search::{Config, memory::Room, memory::share_out, shape_of},
    };

    const TREES: u32 = 5;

    /// A device that does nothing, which refuses arrays of bindings and is lost with them; a share of it, whose trees
    /// begin with so many nodes, each binding of which holds those and no more.
    fn begun(first: u32) -> Share {
        let device = Device::idle().refusing(&["binding_array"], true);
        let (game, config) =
            (Connect4::default(), Config { trees: TREES, variant: Variant::OCP_PRODIGAL, ..Config::paper() });
        let shape = Shape { n_trees: TREES, trees_per_position: TREES, ..shape_of(&game, &config) };
        let binding = 16 * u64::from(TREES * first);
        let room = Room { memory: 64 << 20, binding, array_bindings: 1000, in_one: false };
        let plan = share_out(&shape, 1, 3000, &[room]).expect("there is room");
        let shape = Shape { capacity: plan.capacity, ..shape };
        let first = plan.parts[0].first_capacity(&shape, plan.capacity);
        block_on(async {
            let kernels = (game.shader(), Schedule::Staged);
            let mut share = Share::new(&device, kernels, (&shape, &shape)).await?;
            share.set_part(&shape, Some((plan.parts[0], first))).await?;
            share.allocate().await?;
            Ok::<_, Error>(share)
        })
        .expect("they are there")
    }

    /// The trees are there, in chunks that single bindings hold, on the device that they were on.
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
        // They begin in one chunk, and outgrow it.
        let mut share = begun(1000);
        assert_eq!((share.chunks.len(), share.left_out()), (1, vec![]));
        block_on(share.grow(200, None)).expect("there is room");
        is_whole_in_chunks(&share, 3);
        // So many nodes as a few steps make never fit one binding: they would begin in segments.
        let share = begun(60);
        is_whole_in_chunks(&share, 5);
    }
}
