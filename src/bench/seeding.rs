//! The task of seeding: the random streams of Connect 4 trees without nodes, repeatedly.

use super::{
    Figures, Spread,
    task::{Done, OnProgress, Task, mean_seconds},
};
use crate::{
    engine::Engine,
    error::{Error, Result},
    forest::{shape::Shape, variant::Schedule},
    games::Connect4,
    gpu::{self, program::Program},
    host::Instant,
    reference::{self, fingerprint::combine},
    rules::{Game, GameShader},
    search::{Config, shape_of},
};
use bytemuck::cast_slice;
use std::{ops::ControlFlow, time::Duration};

/// Playouts per node: they determine the number of streams of a tree.
const PLAYOUTS: u32 = 128;
/// One of `TRIAL` streams is seeded to predict the time of all.
const TRIAL: u32 = 50;
/// Chunks of trees, so that each fits the smallest binding, 128 MiB.
const CHUNKS: u32 = 4;

pub(super) struct SeedingTask {
    engine: Engine,
    seeder: Seeder,
}

/// The predicted rate in streams per second, from seeding some of them.
pub(super) async fn trial(engine: &Engine, streams: u32) -> Result<f64> {
    if engine.has_several_devices() {
        return Err(Error::invalid("seeding is measured on one adapter at a time"));
    }
    let mut seeder = Seeder::new(engine, streams / TRIAL).await?;
    seeder.seed().await?;
    let seconds = seeder.seed().await?;
    Ok(f64::from(seeder.streams) / seconds)
}

pub(super) async fn seeding(engine: &Engine, streams: u32) -> Result<Box<dyn Task>> {
    Ok(Box::new(SeedingTask { engine: engine.clone(), seeder: Seeder::new(engine, streams).await? }))
}

impl Task for SeedingTask {
    /// Seeds other streams than those of the runs, and reads them back.
    fn check<'a>(&'a mut self, streams: u64, _on_progress: OnProgress<'a>) -> Done<'a, String> {
        Box::pin(async move {
            let mut seeder = Seeder::new(&self.engine, streams as u32).await?;
            seeder.seed().await?;
            Ok(Some(format!("{:016x}", combine(&seeder.words().await?))))
        })
    }

    /// Seeds repeatedly, since a GPU seeds all streams in a few milliseconds.
    fn run<'a>(&'a mut self, time: Duration, on_progress: OnProgress<'a>) -> Done<'a, Figures> {
        Box::pin(async move {
            let seed = async || match on_progress() {
                ControlFlow::Break(()) => Ok(None),
                ControlFlow::Continue(()) => self.seeder.seed().await.map(Some),
            };
            let Some(seconds) = mean_seconds(time, seed).await? else { return Ok(None) };
            Ok(Some(Figures {
                streams_per_second: Spread::of([f64::from(self.seeder.streams) / seconds]),
                seeding_ms: Spread::of([1e3 * seconds]),
                ..Figures::default()
            }))
        })
    }
}

#[derive(Debug)]
struct Seeder {
    chunks: Chunks,
    streams: u32,
}

#[derive(Debug)]
enum Chunks {
    Cpu(Vec<reference::Forest>),
    Gpu(Vec<gpu::forest::Forest>),
}

impl Seeder {
    async fn new(engine: &Engine, streams: u32) -> Result<Self> {
        let per_tree = shape(0, 1).streams_per_tree() as u32;
        let trees = streams.div_ceil(CHUNKS * per_tree);
        let shapes = (0..CHUNKS).map(|chunk| shape(chunk * trees, trees));
        let chunks = match engine.first_device() {
            None => Chunks::Cpu(shapes.map(reference::Forest::new).collect::<Result<_>>()?),
            Some(device) => {
                let (shader, shape) = (GameShader::of(&Connect4::default()), shape(0, 1));
                let program = Program::compile(device, &shader, &shape, Schedule::Staged).await?;
                let parts = program.parts(PLAYOUTS);
                let mut chunks = Vec::new();
                for shape in shapes {
                    chunks.push(gpu::forest::Forest::new(&program, Shape { parts, ..shape }).await?);
                }
                Chunks::Gpu(chunks)
            }
        };
        Ok(Self { chunks, streams: CHUNKS * trees * per_tree })
    }

    /// Seeds all streams; returns the seconds.
    async fn seed(&mut self) -> Result<f64> {
        let began = Instant::now();
        match &mut self.chunks {
            Chunks::Cpu(chunks) => chunks.iter_mut().for_each(reference::seed::seed),
            Chunks::Gpu(chunks) => {
                for chunk in chunks {
                    chunk.seed().await?;
                }
            }
        }
        Ok(began.elapsed().as_secs_f64().max(1e-9))
    }

    /// All streams, two words each.
    async fn words(&self) -> Result<Vec<u64>> {
        let mut words: Vec<u64> = Vec::new();
        match &self.chunks {
            Chunks::Cpu(chunks) => {
                chunks.iter().for_each(|chunk| words.extend(pairs(cast_slice(&chunk.streams))))
            }
            Chunks::Gpu(chunks) => {
                for chunk in chunks {
                    words.extend(pairs(cast_slice(&chunk.streams().await?)));
                }
            }
        }
        Ok(words)
    }
}

fn pairs(words: &[u32]) -> impl Iterator<Item = u64> {
    words.chunks_exact(2).map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32)
}

fn shape(first_tree: u32, n_trees: u32) -> Shape {
    let game = Connect4::default();
    let config = Config { playouts: PLAYOUTS, ..Config::paper() };
    Shape { n_trees, first_tree, capacity: game.max_actions() + 1, ..shape_of(&game, &config) }
}
