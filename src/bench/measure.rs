//! Measures a case on an engine.

use super::{BenchGame, BenchSettings, Case, Figures, Spread, Work};
use crate::{
    device::Device,
    engine::Engine,
    error::{Error, Result},
    forest::{shape::Shape, variant::Schedule},
    game_file::GameFile,
    games::{BoardOptions, Connect4, GameChoice, GameVisitor},
    gpu::{self, forest::Program},
    host::block_on,
    pvsplit::{GoBoard, PvSplit, SplitLimit, sequential_with},
    reference,
    rollout::{RolloutConfig, Rollouts},
    rules::{Game, GameShader, Position},
    search::{Budget, Config, Report, Search, Settings, shape_of},
};
use rand_pcg::{
    Pcg64,
    rand_core::{Rng, SeedableRng},
};
use std::{
    collections::HashMap,
    ops::ControlFlow,
    path::Path,
    time::{Duration, Instant},
};

/// A case in which a step, which can't be interrupted, takes longer than this many seconds is not begun.
const LONGEST_STEP: f64 = 20.0;
/// Seed of the random positions of a batch.
const POSITIONS_SEED: u64 = 1;
/// Playouts a node in the seeding case, which decide how many streams a tree has.
const SEEDING_PLAYOUTS: u32 = 128;
/// What rates of seeding are kept by, as those of playouts are by the game's name.
const SEEDING: &str = "seeding";
/// The share of the streams that tells how long all of them would take.
const SEEDING_TRIAL: u32 = 50;
/// Chunks of trees in the seeding case, each well within the smallest binding of 128 MiB.
const SEEDING_CHUNKS: u32 = 4;

/// How a case ended.
#[derive(Debug)]
pub(super) enum Ended {
    Measured(Box<Figures>),
    Skipped(String),
    Interrupted,
}

/// Tells that a case goes on, and how many runs that count have ended, once one has begun; breaks where it should not.
pub(super) type Tick<'a> = &'a mut dyn FnMut(Option<u32>) -> ControlFlow<()>;

/// The cases of one engine.
#[derive(Debug)]
pub(super) struct Bench<'a> {
    settings: &'a BenchSettings,
    /// The best rate seen of each game's playouts, and of seeding, by which the time of larger steps is foreseen.
    rates: HashMap<String, f64>,
}

impl<'a> Bench<'a> {
    pub fn new(settings: &'a BenchSettings) -> Self {
        Self { settings, rates: HashMap::new() }
    }

    /// Measures a case. What goes wrong is why it is skipped.
    pub fn case(&mut self, engine: &Engine, case: &Case, tick: Tick<'_>) -> Ended {
        if tick(None).is_break() {
            return Ended::Interrupted;
        }
        let measured = match case.work {
            Work::Search { game, .. } | Work::Default { game } => {
                let file = self.settings.game_file.as_deref();
                on_game(game, file, engine, SearchCase { bench: self, engine, work: case.work, tick })
            }
            Work::Rollout { game, policy } => {
                let file = self.settings.game_file.as_deref();
                on_game(game, file, engine, RolloutCase { bench: self, engine, policy, tick })
            }
            Work::Seeding { streams } => {
                self.try_seeding(engine, streams).and_then(|()| self.seeding(engine, streams, tick))
            }
            Work::PvSplit { size, depth } => self.pvsplit(engine, size, depth, tick),
        };
        match measured {
            Ok(Some(figures)) => Ended::Measured(Box::new(figures)),
            Ok(None) => Ended::Interrupted,
            Err(error) => Ended::Skipped(error.to_string()),
        }
    }

    /// Runs once for half the time without counting it, then as often as the settings say; `sample` gives none where
    /// it was interrupted, and is told how many runs that count have ended. Returns them.
    fn repeat<T>(
        &self,
        mut sample: impl FnMut(Duration, Option<u32>) -> Result<Option<T>>,
    ) -> Result<Vec<T>> {
        let mut samples = Vec::new();
        if sample(self.settings.seconds / 2, None)?.is_none() {
            return Ok(samples);
        }
        for run in 0..self.settings.repeats {
            match sample(self.settings.seconds, Some(run))? {
                Some(taken) => samples.push(taken),
                None => break,
            }
        }
        Ok(samples)
    }

    /// A search is not cut short: each run is one, however long runs are to be.
    fn pvsplit(&self, engine: &Engine, size: u32, depth: u32, tick: Tick<'_>) -> Result<Option<Figures>> {
        let (board, limit) = (GoBoard::centre(size)?, SplitLimit::depth(depth));
        let mut split = match engine.devices() {
            None => None,
            Some([device]) => Some(PvSplit::new(device, &board, depth, None)?),
            Some(_) => return Err(Error::invalid("PV-Split is measured on one adapter at a time")),
        };
        let samples = self.repeat(|_, runs| {
            let mut interrupted = false;
            let mut tell = || {
                let told = tick(runs);
                interrupted |= told.is_break();
                told
            };
            let report = match &mut split {
                None => sequential_with(&board, limit, |_| tell()),
                Some(split) => split.run_with(&board, limit, |_| tell()),
            };
            Ok(Some(1e3 * report?.seconds()).filter(|_| !interrupted))
        })?;
        Ok((!samples.is_empty()).then(|| Figures {
            runs: samples.len() as u32,
            pvsplit_ms: Spread::of(samples.iter().copied()),
            ..Figures::default()
        }))
    }

    /// Seeds a few streams first, to foresee the time of all.
    fn try_seeding(&mut self, engine: &Engine, streams: u32) -> Result<()> {
        if engine.devices().is_some_and(|devices| devices.len() > 1) {
            return Err(Error::invalid("seeding is measured on one adapter at a time"));
        }
        let mut seeder = Seeder::new(engine, streams / SEEDING_TRIAL)?;
        seeder.seed()?;
        let seconds = seeder.seed()?;
        self.saw_rate(SEEDING, f64::from(seeder.streams) / seconds);
        self.check_step(SEEDING, u64::from(streams))
    }

    fn seeding(&self, engine: &Engine, streams: u32, tick: Tick<'_>) -> Result<Option<Figures>> {
        let mut seeder = Seeder::new(engine, streams)?;
        let samples = self.repeat(|_, runs| match tick(runs) {
            ControlFlow::Break(()) => Ok(None),
            ControlFlow::Continue(()) => seeder.seed().map(Some),
        })?;
        let count = f64::from(seeder.streams);
        Ok((!samples.is_empty()).then(|| Figures {
            runs: samples.len() as u32,
            streams_per_second: Spread::of(samples.iter().map(|seconds| count / seconds)),
            seeding_ms: Spread::of(samples.iter().map(|seconds| 1e3 * seconds)),
            ..Figures::default()
        }))
    }

    fn saw_rate(&mut self, of: &str, per_second: f64) {
        let best = self.rates.entry(of.into()).or_default();
        *best = best.max(per_second);
    }

    /// Bad input where a step of so many playouts, or as many streams, would take too long.
    fn check_step(&self, of: &str, count: u64) -> Result<()> {
        let Some(rate) = self.rates.get(of) else { return Ok(()) };
        let seconds = count as f64 / rate;
        if seconds <= LONGEST_STEP {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "too slow here: {count} at once, at {rate:.0} per second, would take about {seconds:.0} s"
        )))
    }
}

fn on_game(
    game: BenchGame,
    file: Option<&Path>,
    engine: &Engine,
    case: impl GameVisitor<Output = Result<Option<Figures>>>,
) -> Result<Option<Figures>> {
    match (game, file) {
        (BenchGame::BuiltIn(name, size), _) => {
            GameChoice { game: name.into(), board: BoardOptions { size, ..BoardOptions::default() } }
                .visit(case)?
        }
        (BenchGame::File, Some(path)) => case.visit(GameFile::open(path, engine)?),
        (BenchGame::File, None) => Err(Error::invalid("no game file to measure: the settings name none")),
    }
}

struct SearchCase<'a, 'b> {
    bench: &'a mut Bench<'b>,
    engine: &'a Engine,
    work: Work,
    tick: Tick<'a>,
}

impl GameVisitor for SearchCase<'_, '_> {
    type Output = Result<Option<Figures>>;

    fn visit<G: Game>(self, game: G) -> Result<Option<Figures>> {
        let (game, config, positions) = self.task(game)?;
        let children = if config.variant.all_children { u64::from(game.max_actions()) } else { 1 };
        let leaves = u64::from(positions) * u64::from(config.trees) * u64::from(config.leaf_batch);
        self.bench.check_step(game.name(), leaves * children * u64::from(config.playouts))?;
        let roots = roots(&game, positions);
        let mut search = Search::with_config(self.engine, game.clone(), config)?;
        let samples =
            self.bench.repeat(|time, runs| sample(&mut search, &roots, time, &mut || (self.tick)(runs)))?;
        // Steps of few playouts say little of those of many.
        let is_wide = !matches!(self.work, Work::Default { .. });
        if let Some(rate) = Spread::of(samples.iter().map(|run| run.playouts_per_second)).filter(|_| is_wide)
        {
            self.bench.saw_rate(game.name(), rate.max);
        }
        Ok(figures_of(&samples, search.node_bytes()))
    }
}

impl SearchCase<'_, '_> {
    /// The game with its policy, the settings, and the number of positions.
    fn task<G: Game>(&self, game: G) -> Result<(G, Config, u32)> {
        let usual = self.bench.settings.memory;
        let Work::Search { variant, trees, playouts, positions, schedule, memory, .. } = self.work else {
            let settings = Settings { memory: Some(usual), ..Settings::default() };
            let config = settings.resolve(&game, self.engine);
            return Ok((settings.with_policy(game)?, config, 1));
        };
        check_memory(self.engine, memory)?;
        let memory = Some(memory.unwrap_or(usual));
        // Whole trees, as those of the original are: what games leave out changes what a step is.
        let config = Config { variant, trees, playouts, schedule, memory, pruning: false, ..Config::paper() };
        Ok((game, config, positions))
    }
}

/// Bad input where a case has memory of its own and the engine's is that of the host, which other programs need, too.
fn check_memory(engine: &Engine, memory: Option<u64>) -> Result<()> {
    let is_gpu =
        engine.devices().is_some_and(|devices| !devices.iter().any(|device| device.info().is_software()));
    if memory.is_none() || is_gpu {
        return Ok(());
    }
    Err(Error::invalid("cases of so much memory are measured on GPUs alone"))
}

/// One run of a search.
#[derive(Debug, Clone)]
struct Run {
    steps_per_second: f64,
    playouts_per_second: f64,
    stages: [Option<f64>; 4],
    host_ms: f64,
    nodes: f64,
    full: bool,
}

fn sample<G: Game>(
    search: &mut Search<G>,
    roots: &[Position<G>],
    time: Duration,
    tick: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Option<Run>> {
    let mut interrupted = false;
    let reports = search.run_batch_with(roots, Budget::time(time), |_| {
        let told = tick();
        interrupted |= told.is_break();
        told
    })?;
    Ok(if interrupted { None } else { Run::of(&reports) })
}

impl Run {
    /// The positions of a batch share the loop: its times are the same in all reports.
    fn of(reports: &[Report]) -> Option<Self> {
        let shared = &reports.first()?.performance;
        let times = &shared.times_ms;
        let playouts: u64 = reports.iter().map(|report| report.performance.playouts).sum();
        let sizes = reports.iter().flat_map(|report| &report.trees_info.sizes);
        Some(Self {
            steps_per_second: shared.steps_per_second,
            playouts_per_second: playouts as f64 / (1e-3 * times.r#loop).max(1e-9),
            stages: [times.mean_select, times.mean_expand, times.mean_playout, times.mean_backup],
            host_ms: times.total - times.r#loop,
            nodes: sizes.map(|&size| f64::from(size)).sum(),
            full: reports.iter().any(|report| report.trees_info.full),
        })
    }
}

fn figures_of(runs: &[Run], node_bytes: u64) -> Option<Figures> {
    let spread = |figure: fn(&Run) -> f64| Spread::of(runs.iter().map(figure));
    let stage = |stage: usize| Spread::of(runs.iter().filter_map(|run| run.stages[stage]));
    (!runs.is_empty()).then(|| Figures {
        runs: runs.len() as u32,
        steps_per_second: spread(|run| run.steps_per_second),
        playouts_per_second: spread(|run| run.playouts_per_second),
        select_ms: stage(0),
        expand_ms: stage(1),
        playout_ms: stage(2),
        backup_ms: stage(3),
        host_ms: spread(|run| run.host_ms),
        nodes: spread(|run| run.nodes),
        node_bytes: Some(node_bytes),
        trees_full: Some(runs.iter().any(|run| run.full)),
        ..Figures::default()
    })
}

/// The start of the game, or as many positions of random games that go on: the same ones everywhere.
fn roots<G: Game>(game: &G, count: u32) -> Vec<Position<G>> {
    if count == 1 {
        return vec![Position::start(game)];
    }
    let mut random = Pcg64::seed_from_u64(POSITIONS_SEED);
    let mut roots = Vec::new();
    while roots.len() < count as usize {
        let mut position = Position::start(game);
        // The next position of a game may be the last one: what is kept is the one before it.
        for _ in 0..random.next_u32() % (game.max_plies() / 2).max(1) {
            let mut next = position.clone();
            let legal = position.legal_actions();
            let action = legal[random.next_u32() as usize % legal.len()];
            if next.play(action).is_err() || next.outcome().is_some() {
                break;
            }
            position = next;
        }
        roots.push(position);
    }
    roots
}

struct RolloutCase<'a, 'b> {
    bench: &'a mut Bench<'b>,
    engine: &'a Engine,
    policy: &'static str,
    tick: Tick<'a>,
}

impl GameVisitor for RolloutCase<'_, '_> {
    type Output = Result<Option<Figures>>;

    fn visit<G: Game>(self, game: G) -> Result<Option<Figures>> {
        let game = game.with_policy(self.policy)?;
        let start = Position::start(&game);
        let mut rollouts = Rollouts::new(self.engine, game, RolloutConfig::default())?;
        let samples = self.bench.repeat(|time, runs| {
            let mut interrupted = false;
            let report = rollouts.run_with(&start, u64::from(u32::MAX), Some(time), |_| {
                let told = (self.tick)(runs);
                interrupted |= told.is_break();
                told
            })?;
            Ok((!interrupted).then_some(report.games_per_second))
        })?;
        Ok((!samples.is_empty()).then(|| Figures {
            runs: samples.len() as u32,
            playouts_per_second: Spread::of(samples.iter().copied()),
            ..Figures::default()
        }))
    }
}

/// The streams of Connect 4 trees without nodes, seeded again and again.
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
    fn new(engine: &Engine, streams: u32) -> Result<Self> {
        let per_tree = seeding_shape(0, 1).streams_per_tree() as u32;
        let trees = streams.div_ceil(SEEDING_CHUNKS * per_tree);
        let shapes = (0..SEEDING_CHUNKS).map(|chunk| seeding_shape(chunk * trees, trees));
        let chunks = match engine.devices().and_then(<[Device]>::first) {
            None => Chunks::Cpu(shapes.map(reference::Forest::new).collect::<Result<_>>()?),
            Some(device) => {
                let shader = GameShader::of(&Connect4::default());
                let shape = seeding_shape(0, 1);
                let program = Program::compile(device, &shader, &shape, Schedule::Staged);
                let program = block_on(program)?;
                let parts = program.parts(SEEDING_PLAYOUTS);
                let forest = |shape| block_on(gpu::forest::Forest::new(&program, Shape { parts, ..shape }));
                Chunks::Gpu(shapes.map(forest).collect::<Result<_>>()?)
            }
        };
        Ok(Self { chunks, streams: SEEDING_CHUNKS * trees * per_tree })
    }

    /// Seconds that it took.
    fn seed(&mut self) -> Result<f64> {
        let began = Instant::now();
        match &mut self.chunks {
            Chunks::Cpu(chunks) => chunks.iter_mut().for_each(reference::seed::seed),
            Chunks::Gpu(chunks) => chunks.iter().try_for_each(|chunk| block_on(chunk.seed()))?,
        }
        Ok(began.elapsed().as_secs_f64().max(1e-9))
    }
}

fn seeding_shape(first_tree: u32, n_trees: u32) -> Shape {
    let game = Connect4::default();
    let config = Config { playouts: SEEDING_PLAYOUTS, ..Config::paper() };
    Shape { n_trees, first_tree, capacity: game.max_actions() + 1, ..shape_of(&game, &config) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_positions_differ_and_go_on() {
        let game = Connect4::default();
        let positions = roots(&game, 1000);
        assert_eq!(positions.len(), 1000);
        assert!(positions.iter().all(|position| position.outcome().is_none()));
        let plies: Vec<_> = positions.iter().map(|position| position.moves().len()).collect();
        assert!(plies.contains(&0) && plies.iter().any(|&plies| plies > 15));
        assert_eq!(positions, roots(&game, 1000));
    }

    #[test]
    fn steps_that_would_take_too_long_are_foreseen() {
        let settings = BenchSettings::quick();
        let mut bench = Bench::new(&settings);
        assert!(bench.check_step("gomoku", u64::MAX).is_ok());
        bench.saw_rate("gomoku", 1e4);
        bench.saw_rate("gomoku", 1e3);
        assert!(bench.check_step("gomoku", 200_000).is_ok());
        assert!(bench.check_step("gomoku", 210_000).unwrap_err().is_bad_input());
        assert!(bench.check_step("connect4", 210_000).is_ok());
    }
}
