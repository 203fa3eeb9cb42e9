//! `mcts-wgpu pvsplit`: alpha-beta for Go, on the device or on one core.

use super::{
    failure::{Failure, Result},
    options::{EngineOptions, duration},
    output::{OutFile, notice, print, print_json},
    position::PositionOptions,
    progress::Progress,
    signals,
};
use clap::{Args, ValueEnum};
use mcts_wgpu::{
    Engine, Game, Position,
    games::Go as GoGame,
    gpu::Device,
    pvsplit::{
        Board, Budget, DepthReport, Event, Go, MAX_DEPTH, Report, WorkerReport, cpu,
        figure::{Comparison, svg},
        gpu::Gpu,
        minimax,
    },
    search::EngineInfo,
};
use serde::Serialize;
use std::{fmt::Write, ops::ControlFlow, path::PathBuf, time::Duration};

/// Search a Go position to a fixed depth; leaves are scored by liberties
///
/// The score is the minimax value at that depth, from the side to move, whatever the engine: liberties of the mover's
/// stones minus those of the opponent's, or 1,000 times the area where the game is over. Without a position the search
/// starts from the usual one: Black has played the centre, White is to move.
#[derive(Debug, Args)]
#[command(allow_negative_numbers = true)]
pub struct Arguments {
    /// Rows and columns of the board, 2 to 19
    #[arg(long, value_name = "N", default_value_t = 19)]
    size: u32,
    #[command(flatten)]
    position: PositionOptions,
    /// Plies
    #[arg(long, value_name = "D", required_unless_present = "compare", conflicts_with = "compare")]
    depth: Option<u32>,
    /// gpu (PV-Split), cpu (principal-variation search on one core) or minimax (every node)
    #[arg(long, value_enum, default_value = "gpu")]
    engine: Kind,
    /// End after so many seconds, with the deepest finished depth
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    /// Lanes of the device that search side by side [default: suits the kind of adapter]
    #[arg(long, value_name = "N")]
    workers: Option<u32>,
    /// Measure the cpu and the gpu engine from the usual start: SIZE:DEPTH, many joined by commas, such as 5:10,19:6
    #[arg(long, value_name = "SIZE:DEPTH", value_delimiter = ',', value_parser = parse_measurement)]
    compare: Vec<(u32, u32)>,
    /// With --compare, write times and speed-up per ply as a figure (SVG)
    #[arg(long, value_name = "FILE", requires = "compare")]
    figure: Option<PathBuf>,
    #[command(flatten)]
    adapter: EngineOptions,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    Gpu,
    Cpu,
    Minimax,
}

#[derive(Debug, Serialize)]
struct Answer {
    engine: EngineInfo,
    size: usize,
    depth: u32,
    score: i32,
    best: Option<String>,
    principal_variation: Vec<String>,
    nodes: u64,
    seconds: f64,
    nodes_per_second: f64,
    workers: Option<Workers>,
    per_depth: Vec<Depth>,
}

#[derive(Debug, Serialize)]
struct Depth {
    depth: u32,
    score: i32,
    best: Option<String>,
    nodes: u64,
    seconds: f64,
    nodes_per_second: f64,
}

#[derive(Debug, Serialize)]
struct Workers {
    count: u32,
    bytes: u32,
    busy: f64,
    subtrees: u64,
    submissions: u64,
}

#[derive(Debug, Serialize)]
struct Measured {
    cpu: Answer,
    gpu: Answer,
    speed_up: Vec<f64>,
}

/// Searches, or measures, and prints what was found.
pub fn run(arguments: Arguments) -> Result<()> {
    let time = arguments.time.map(duration).transpose()?;
    if arguments.workers == Some(0) {
        return Err(Failure::message("--workers 0: give at least 1"));
    }
    if !arguments.compare.is_empty() {
        return compare(&arguments, time);
    }
    let board = board(&arguments)?;
    let budget = Budget { depth: check_depth(arguments.depth.unwrap_or_default())?, time };
    let engine = if arguments.engine == Kind::Gpu { arguments.adapter.open_one()? } else { Engine::cpu() };
    let report = search(&arguments, &engine, arguments.engine, &board, budget)?;
    if signals::arrived().is_some() {
        notice("notice: interrupted; this is what was found until then");
    }
    let answer = Answer::new(engine_info(&engine, arguments.engine), &board, &report);
    if arguments.json { print_json(&answer) } else { print(&answer.text()) }
}

/// Both engines, from the usual start of every size.
fn compare(arguments: &Arguments, time: Option<Duration>) -> Result<()> {
    if !arguments.position.is_empty() {
        return Err(Failure::message(
            "--compare starts from the usual position: leave out --moves, --board and --turn",
        ));
    }
    let measurements = arguments.compare.iter();
    let measurements = measurements
        .map(|&(size, depth)| {
            Ok((size, Go::centre(size as usize)?, Budget { depth: check_depth(depth)?, time }))
        })
        .collect::<Result<Vec<_>>>()?;
    let figure = arguments.figure.as_deref().map(|path| OutFile::open("--figure", path)).transpose()?;
    let engine = arguments.adapter.open_one()?;
    if engine.is_cpu() {
        return Err(Failure::message(
            "--compare needs an adapter to compare the CPU with: see `mcts-wgpu adapters`",
        ));
    }
    let (mut measured, mut comparisons, mut text) = (Vec::new(), Vec::new(), String::new());
    for (size, board, budget) in measurements {
        let gpu = search(arguments, &engine, Kind::Gpu, &board, budget)?;
        let cpu = search(arguments, &Engine::cpu(), Kind::Cpu, &board, budget)?;
        let comparison = Comparison { label: format!("{size}x{size}"), cpu, gpu };
        let cpu = Answer::new(engine_info(&Engine::cpu(), Kind::Cpu), &board, &comparison.cpu);
        let gpu = Answer::new(engine_info(&engine, Kind::Gpu), &board, &comparison.gpu);
        text += &table(&comparison, &cpu, &gpu);
        let speed_up = comparison.rows().iter().map(|row| row.speed_up()).collect();
        measured.push(Measured { cpu, gpu, speed_up });
        comparisons.push(comparison);
        if signals::arrived().is_some() {
            notice("notice: interrupted; this is what was measured until then");
            break;
        }
    }
    if let Some(figure) = figure {
        figure.write(&svg(&comparisons))?;
    }
    if arguments.json { print_json(&measured) } else { print(&text) }
}

fn search(arguments: &Arguments, engine: &Engine, kind: Kind, board: &Go, budget: Budget) -> Result<Report> {
    let progress = Progress::begin(engine);
    let mut observer = |event: Event<'_>| match event {
        Event::Tick { depth, nodes } => progress.at(f64::from(depth - 1) / f64::from(budget.depth), || {
            format!(
                "{0}x{0}, {1}: depth {depth} of {2}, {nodes} nodes",
                board.size(),
                kind.name(),
                budget.depth
            )
        }),
        Event::Depth(_) if signals::arrived().is_some() => ControlFlow::Break(()),
        Event::Depth(_) => ControlFlow::Continue(()),
    };
    let device = engine.devices().and_then(|devices| devices.first());
    let report = match (kind, device) {
        (Kind::Minimax, _) => minimax(board, budget, &mut observer),
        (Kind::Gpu, Some(device)) => on_device(device, arguments.workers, board, budget, &mut observer)?,
        _ => cpu::search(board, budget, &mut observer),
    };
    drop(progress);
    let early = report.last().depth < budget.depth && board.finished().is_none();
    if early && signals::arrived().is_none() {
        notice(&format!("notice: ended early, after depth {}", report.last().depth));
    }
    Ok(report)
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Gpu => "gpu",
            Kind::Cpu => "cpu",
            Kind::Minimax => "minimax",
        }
    }
}

fn on_device<'a>(
    device: &Device,
    workers: Option<u32>,
    board: &Go,
    budget: Budget,
    observer: &'a mut mcts_wgpu::pvsplit::Observer<'a>,
) -> Result<Report> {
    let mut gpu = Gpu::new(device, board, budget.depth, workers)?;
    Ok(gpu.search(board, budget, observer)?)
}

fn board(arguments: &Arguments) -> Result<Go> {
    if arguments.position.is_empty() {
        return Ok(Go::centre(arguments.size as usize)?);
    }
    let mut board = Go::new(arguments.size as usize)?;
    let game = GoGame::new(arguments.size, 0.0)?;
    let position: Position<GoGame> = arguments.position.position(&game)?;
    if position.moves().is_empty() {
        let rows = game.board_rows(position.state());
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        return Ok(Go::from_rows(&rows, position.turn())?);
    }
    for &action in position.moves() {
        board.play(action as u16)?;
    }
    Ok(board)
}

/// What has searched; the schedule says how.
fn engine_info(engine: &Engine, kind: Kind) -> EngineInfo {
    let schedule = match kind {
        Kind::Gpu if !engine.is_cpu() => return EngineInfo { schedule: "pv-split".into(), ..engine.info() },
        Kind::Minimax => "minimax",
        _ => "principal variation search",
    };
    EngineInfo { adapter: "one CPU core".into(), schedule: schedule.into(), ..Engine::cpu().info() }
}

fn check_depth(depth: u32) -> Result<u32> {
    if (1..=MAX_DEPTH).contains(&depth) {
        return Ok(depth);
    }
    Err(Failure::message(format!("depth {depth}: give a number of plies from 1 to {MAX_DEPTH}")))
}

fn parse_measurement(text: &str) -> std::result::Result<(u32, u32), String> {
    let parts =
        text.split_once(':').and_then(|(size, depth)| Some((size.parse().ok()?, depth.parse().ok()?)));
    parts.ok_or_else(|| "give a board size and a depth, such as 19:6".into())
}

impl Answer {
    fn new(engine: EngineInfo, board: &Go, report: &Report) -> Self {
        let name = |&mv: &u16| board.move_name(mv);
        let rate = |nodes: u64, seconds: f64| if seconds > 0.0 { nodes as f64 / seconds } else { 0.0 };
        let depth = |d: &DepthReport| Depth {
            depth: d.depth,
            score: d.score,
            best: d.principal_variation.first().map(name),
            nodes: d.nodes,
            seconds: d.seconds,
            nodes_per_second: rate(d.nodes, d.seconds),
        };
        let last = report.last();
        Self {
            engine,
            size: board.size(),
            depth: last.depth,
            score: last.score,
            best: report.best().as_ref().map(name),
            principal_variation: last.principal_variation.iter().map(name).collect(),
            nodes: report.nodes(),
            seconds: report.seconds(),
            nodes_per_second: rate(report.nodes(), report.seconds()),
            workers: report.workers.map(Workers::from),
            per_depth: report.per_depth.iter().map(depth).collect(),
        }
    }

    fn text(&self) -> String {
        let mut text = format!("{0}x{0} on {1}\n", self.size, self.engine.adapter);
        text += "depth   score  best           nodes     seconds     nodes/s\n";
        for d in &self.per_depth {
            let best = d.best.as_deref().unwrap_or("-");
            _ = writeln!(
                text,
                "{:5} {:7}  {best:<5} {:14} {:11.6} {:11.4e}",
                d.depth, d.score, d.nodes, d.seconds, d.nodes_per_second
            );
        }
        _ = writeln!(text, "principal variation: {}", self.principal_variation.join(" "));
        text + &self.workers.as_ref().map_or(String::new(), Workers::text)
    }
}

impl From<WorkerReport> for Workers {
    fn from(report: WorkerReport) -> Self {
        let WorkerReport { count, bytes, busy, subtrees, submissions } = report;
        Self { count, bytes, busy, subtrees, submissions }
    }
}

impl Workers {
    fn text(&self) -> String {
        format!(
            "{} workers of {} bytes, busy {:.1}% of the time; {} subtrees in {} submissions\n",
            self.count,
            self.bytes,
            100.0 * self.busy,
            self.subtrees,
            self.submissions
        )
    }
}

/// Both engines side by side; seconds are counted from the start of the search.
fn table(comparison: &Comparison, cpu: &Answer, gpu: &Answer) -> String {
    let mut text = format!("{}: one core against {}\n", comparison.label, gpu.engine.adapter);
    text += "depth   score      cpu nodes      gpu nodes   cpu seconds   gpu seconds  speed-up\n";
    for ((row, c), g) in comparison.rows().iter().zip(&cpu.per_depth).zip(&gpu.per_depth) {
        _ = writeln!(
            text,
            "{:5} {:7} {:14} {:14} {:13.6} {:13.6} {:9.2}{}",
            row.depth,
            g.score,
            c.nodes,
            g.nodes,
            row.cpu_seconds,
            row.gpu_seconds,
            row.speed_up(),
            if c.score == g.score { "" } else { "  scores differ" }
        );
    }
    text + &gpu.workers.as_ref().map_or(String::new(), Workers::text) + "\n"
}
