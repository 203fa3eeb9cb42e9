//! The trees of one adapter.

use super::{
    memory::Chunk,
    slices::{Lot, Slicer},
};
use crate::{
    device::{
        Ticket,
        loads::{Half, Loads},
    },
    error::Result,
    forest::{shape::Shape, variant::Schedule},
    gpu::{
        forest::{Forest, Program},
        reuse::Reuse,
        schedule::Piece,
        timing::StageTimer,
        withdraw,
    },
    host::Instant,
    rules::GameShader,
};
use std::sync::Arc;

/// Dispatches of half a step, at most.
const MOST_STAGES: usize = 8;

/// One device's trees, in chunks that lie within one binding of every buffer. Its programs outlive the chunks.
#[derive(Debug)]
pub(super) struct Share {
    pub program: Arc<Program>,
    /// The program's kernels have been run.
    pub is_warm: bool,
    /// Compiled when it is first wanted.
    reuse: Option<Reuse>,
    pub chunks: Vec<Forest>,
    pub timer: StageTimer,
    pub slicer: Slicer,
    /// The chunks and kernels of the lots that the slicer cuts.
    pieces: Vec<(usize, &'static str)>,
    /// What a step is taken back to, of every chunk: made when a step is first cut.
    kept: Vec<withdraw::Kept>,
}

impl Share {
    pub async fn new(program: Arc<Program>) -> Result<Self> {
        let timer = StageTimer::new(program.device()).await?;
        Ok(Self {
            program,
            is_warm: false,
            reuse: None,
            chunks: Vec::new(),
            timer,
            slicer: Slicer::new(),
            pieces: Vec::new(),
            kept: Vec::new(),
        })
    }

    fn loads(&self) -> Loads {
        Loads::of(self.program.device().info().kind)
    }

    pub fn has_short_steps(&self) -> bool {
        let n_trees = self.chunks.iter().map(|chunk| chunk.shape.n_trees).sum();
        let all = self.chunks.first().map(|chunk| Shape { n_trees, ..chunk.shape.clone() });
        all.is_none_or(|all| self.loads().is_short(&all))
    }

    pub async fn wait(&self, ticket: Option<Ticket>) -> Result<()> {
        match ticket {
            Some(ticket) => self.program.device().wait(ticket).await,
            None => Ok(()),
        }
    }

    pub async fn keep(&mut self) -> Result<()> {
        for chunk in &self.chunks[self.kept.len()..] {
            self.kept.push(withdraw::Kept::new(chunk).await?);
        }
        let device = self.program.device();
        let mut encoder = device.encoder();
        self.chunks.iter().zip(&self.kept).for_each(|(chunk, kept)| kept.keep(chunk, &mut encoder));
        device.submit(encoder);
        device.check()
    }

    pub async fn withdraw(&self) -> Result<()> {
        for (chunk, kept) in self.chunks.iter().zip(&self.kept) {
            kept.withdraw(chunk).await?;
        }
        Ok(())
    }

    /// A lot for every dispatch of every chunk: a stage of all of them before the next stage, in the chunks' order.
    pub fn begin_half(&mut self, schedule: Schedule, half: Half) {
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

    pub fn submit_slice(&mut self, schedule: Schedule) -> Result<Option<Ticket>> {
        let Some((_, slice)) = self.slicer.next() else { return Ok(None) };
        let (chunk, kernel) = self.pieces[slice.lot];
        let submission = self.chunks[chunk].submit_slice(schedule, kernel, slice.first, slice.units);
        self.program.device().check()?;
        Ok(Some(submission))
    }

    /// Compiles anew where so many trees are played out best by other workgroups than the last ones.
    pub async fn compile_for(
        &mut self,
        shader: &GameShader,
        shape: &Shape,
        schedule: Schedule,
        chunks: &[&Chunk],
    ) -> Result<()> {
        let n_trees = chunks.iter().map(|chunk| chunk.n_trees).max().unwrap_or(1);
        let busy = Shape { n_trees, ..shape.clone() };
        if !self.program.suits(shader, &busy) {
            let (device, trust) = (self.program.device(), self.program.trust());
            self.program = Program::compile_with(device, shader, &busy, schedule, trust).await?;
            self.is_warm = false;
        }
        Ok(())
    }

    pub async fn allocate(&mut self, shape: &Shape, chunks: &[&Chunk]) -> Result<()> {
        self.kept.clear();
        self.chunks.clear();
        self.program.device().reclaim()?;
        for chunk in chunks {
            self.chunks.push(forest(&self.program, shape, chunk).await?);
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
        let reuse = match self.reuse.take() {
            Some(compiled) => compiled,
            None => Reuse::compile_with(self.program.device(), shader, shape, self.program.trust()).await?,
        };
        let reuse = self.reuse.insert(reuse);
        for chunk in &self.chunks {
            reuse.run(chunk, &record.repeat(chunk.shape.n_trees as usize), moves).await?;
        }
        Ok(())
    }

    pub fn submit(&mut self, schedule: Schedule, steps: u32) -> Result<Option<Ticket>> {
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
        let ticket = device.submit(encoder);
        device.check()?;
        Ok(Some(ticket))
    }
}

async fn forest(program: &Arc<Program>, shape: &Shape, chunk: &Chunk) -> Result<Forest> {
    let shape = Shape {
        n_trees: chunk.n_trees,
        first_tree: chunk.first_tree,
        trees_per_position: chunk.trees_per_position,
        parts: program.parts(shape.playouts),
        ..shape.clone()
    };
    let forest = Forest::new(program, shape).await?;
    forest.seed().await?;
    Ok(forest)
}
