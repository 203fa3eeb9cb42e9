//! `mcts-wgpu pvsplit`: alpha-beta, on the device or on one core.

use super::{
    failure::{Failure, Result},
    figure::{EngineComparison, comparison, svg},
    help::{OUTPUT, name_of},
    options::{EngineOptions, duration},
    output::{OutFile, notice, print_result},
    position::PositionOptions,
    progress::Progress,
    signals,
};
use crate::{
    engine::{Engine, EngineInfo, StepSchedule},
    games::{Connect4, Go, Othello},
    pvsplit::{
        Connect4Board, DepthReport, DeviceBoard, GoBoard, MAX_DEPTH, OthelloBoard, PvSplit, SplitLimit,
        SplitProgress, SplitReport, WorkerReport, minimax_with, sequential_with,
    },
    rules::{Game, RuleValue},
};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::{fmt::Write, path::PathBuf};

/// Default size of Go's board.
const SIZE: u32 = 19;

/// Search a position of go, othello or connect4 to a fixed depth, or to the end of the game
///
/// The score is the minimax value at that depth for the player to move; all engines have the same. If every line ends
/// before the depth, the position is solved: the search ends, and the score is exact. Without --depth, the search
/// deepens until --time, or until the end of the game.
///
/// go: the sum of the liberties of the mover's stones, minus that of the opponent's; at the end of the game 1,000 times
/// the difference in area (without komi). A player passes only if there is no other move. The default position has a
/// black stone at the centre, and White to move.
///
/// othello: the mover's discs minus the opponent's. At the end of the game, empty squares count for the winner, as in
/// tournaments; `discs` is the difference in discs at the end of the principal variation.
///
/// connect4 (6 rows, 7 columns): 22 minus the number of discs of the winner, negative if the mover loses, so that early
/// wins score higher. Draws and leaves before the end are 0.
#[derive(Debug, Args)]
#[command(allow_negative_numbers = true)]
pub struct Arguments {
    /// Game; case is ignored
    #[arg(value_enum, ignore_case = true, default_value = "go")]
    game: Kind,
    /// Rows and columns of go's board, 2 to 19 [default: 19]
    #[arg(long, value_name = "N")]
    size: Option<u32>,
    /// Rows of connect4's board: 6
    #[arg(long, value_name = "R")]
    rows: Option<u32>,
    /// Columns of connect4's board: 7
    #[arg(long, value_name = "C")]
    columns: Option<u32>,
    #[command(flatten)]
    position: PositionOptions,
    /// Plies, 1 to 64 [default: to the end of the game; go needs --depth or --time]
    #[arg(long, value_name = "D", conflicts_with = "compare")]
    depth: Option<u32>,
    /// gpu (PV-Split), cpu (principal-variation search on one core) or minimax (every node)
    #[arg(long, value_enum, default_value = "gpu")]
    engine: Method,
    /// End after SECONDS, with the greatest completed depth
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    /// Lanes of the device that search side by side [default: by the kind of adapter]
    #[arg(long, value_name = "N")]
    workers: Option<u32>,
    /// Measure the cpu and the gpu engine from go's default position: SIZE:DEPTH,..., such as 5:10,19:6
    #[arg(long, value_name = "SIZE:DEPTH", value_delimiter = ',', value_parser = parse_measurement)]
    compare: Vec<(u32, u32)>,
    /// With --compare, write a figure (SVG) of times and speed-up by ply
    #[arg(long, value_name = "FILE", requires = "compare")]
    figure: Option<PathBuf>,
    #[command(flatten)]
    adapter: EngineOptions,
    /// Print JSON
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    Go,
    Othello,
    Connect4,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Method {
    Gpu,
    Cpu,
    Minimax,
}

#[derive(Debug, Serialize)]
struct Answer {
    engine: EngineInfo,
    game: String,
    /// Of Go.
    size: Option<u32>,
    depth: u32,
    score: i32,
    /// Greater depths do not change the score.
    exact: bool,
    /// Of Othello: the mover's discs minus the opponent's at the end of the principal variation.
    discs: Option<i32>,
    best: Option<String>,
    principal_variation: Vec<String>,
    nodes: u64,
    seconds: f64,
    nodes_per_second: f64,
    workers: Option<WorkerReport>,
    per_depth: Vec<Depth>,
}

#[derive(Debug, Serialize)]
struct Depth {
    depth: u32,
    score: i32,
    exact: bool,
    best: Option<String>,
    nodes: u64,
    seconds: f64,
    nodes_per_second: f64,
}

#[derive(Debug, Serialize)]
struct Measured {
    cpu: Answer,
    gpu: Answer,
    speed_up: Vec<f64>,
}

/// Searches or measures, and prints the results.
pub fn run(arguments: Arguments) -> Result<()> {
    arguments.check_options()?;
    if !arguments.compare.is_empty() {
        return compare(&arguments);
    }
    match arguments.game {
        Kind::Go => {
            let game = Go::new(arguments.size.unwrap_or(SIZE), 0.0)?;
            if arguments.position.is_empty() {
                return answer(&arguments, &game, &GoBoard::centre(game.rows())?);
            }
            from_position::<GoBoard>(&arguments, &game)
        }
        Kind::Othello => from_position::<OthelloBoard>(&arguments, &Othello),
        Kind::Connect4 => {
            let game = Connect4::new(arguments.rows.unwrap_or(6), arguments.columns.unwrap_or(7))?;
            from_position::<Connect4Board>(&arguments, &game)
        }
    }
}

fn from_position<B: DeviceBoard>(arguments: &Arguments, game: &B::Game) -> Result<()> {
    let board = B::from_position(&arguments.position.position(game)?)?;
    answer(arguments, game, &board)
}

/// Searches a position, and prints the result.
fn answer<B: DeviceBoard>(arguments: &Arguments, game: &B::Game, board: &B) -> Result<()> {
    if arguments.game == Kind::Go && arguments.depth.is_none() && arguments.time.is_none() {
        return Err(Failure::message("go has too many moves to search to its end: give --depth or --time"));
    }
    let limit = arguments.limit(arguments.depth.unwrap_or(MAX_DEPTH))?;
    let method = arguments.engine;
    let engine = if method == Method::Gpu { arguments.adapter.open_one()? } else { Engine::cpu() };
    let report = search(arguments, &engine, method, (game, board), limit)?;
    signals::tell("this is the result so far");
    let mut answer = Answer::new(engine_info(&engine, method), game, &report);
    answer.discs = (arguments.game == Kind::Othello).then(|| last_count(board, &report));
    print_result(arguments.json, &answer, || answer.text())
}

impl Arguments {
    /// Rejects options without effect.
    fn check_options(&self) -> Result<()> {
        let ignored = [
            ("size", self.size.is_some(), Kind::Go),
            ("rows", self.rows.is_some(), Kind::Connect4),
            ("columns", self.columns.is_some(), Kind::Connect4),
            ("compare", !self.compare.is_empty(), Kind::Go),
        ];
        if let Some((option, _, game)) = ignored.iter().find(|(_, given, game)| *given && *game != self.game)
        {
            return Err(Failure::message(format!(
                "--{option} is an option of {}, not of {}: leave it out",
                name_of(game),
                name_of(&self.game)
            )));
        }
        Failure::refuse_0("--workers", self.workers.unwrap_or(1))
    }

    fn limit(&self, depth: u32) -> Result<SplitLimit> {
        let limit = SplitLimit::depth(depth);
        let time = self.time.map(|time| duration("--time", time)).transpose()?;
        let limit = time.map_or(limit, |time| limit.within(time));
        limit.validate()?;
        Ok(limit)
    }
}

/// Measures both engines from the default position of each size.
fn compare(arguments: &Arguments) -> Result<()> {
    if !arguments.position.is_empty() {
        return Err(Failure::message(
            "--compare uses the default position: leave out --moves, --board and --turn",
        ));
    }
    let measurement =
        |&(size, depth): &_| Ok((Go::new(size, 0.0)?, GoBoard::centre(size)?, arguments.limit(depth)?));
    let measurements = arguments.compare.iter().map(measurement).collect::<Result<Vec<_>>>()?;
    let figure = arguments.figure.as_deref().map(|path| OutFile::open("--figure", path)).transpose()?;
    let engine = arguments.adapter.open_one()?;
    if engine.is_cpu() {
        return Err(Failure::message(
            "--compare needs an adapter to compare the CPU with: see `mcts-wgpu adapters`",
        ));
    }
    let (mut measured, mut comparisons, mut text) = (Vec::new(), Vec::new(), String::new());
    for (game, board, limit) in measurements {
        let gpu = search(arguments, &engine, Method::Gpu, (&game, &board), limit)?;
        let cpu = search(arguments, &Engine::cpu(), Method::Cpu, (&game, &board), limit)?;
        let [of_cpu, of_gpu] =
            [&cpu, &gpu].map(|report| report.per_depth.iter().map(|depth| (depth.depth, depth.seconds)));
        let comparison = EngineComparison::new(label(&game), of_cpu, of_gpu);
        let cpu = Answer::new(engine_info(&Engine::cpu(), Method::Cpu), &game, &cpu);
        let gpu = Answer::new(engine_info(&engine, Method::Gpu), &game, &gpu);
        text += &table(&comparison, &cpu, &gpu);
        let speed_up = comparison.rows.iter().map(|row| row.speed_up()).collect();
        measured.push(Measured { cpu, gpu, speed_up });
        comparisons.push(comparison);
        if signals::tell("these are the results so far") {
            break;
        }
    }
    if let Some(figure) = figure {
        figure.write(&svg(&comparison(&comparisons, &engine.info().adapter))?)?;
    }
    print_result(arguments.json, &measured, || text)
}

fn search<B: DeviceBoard>(
    arguments: &Arguments,
    engine: &Engine,
    method: Method,
    (game, board): (&B::Game, &B),
    limit: SplitLimit,
) -> Result<SplitReport> {
    let progress = Progress::begin(engine);
    let of = arguments.depth.map_or(String::new(), |depth| format!(" of {depth}"));
    let observe = |now: SplitProgress<'_>| {
        progress.at(f64::from(now.depth - 1) / f64::from(limit.depth), || {
            format!("{}, {}: depth {}{of}, {} nodes", label(game), name_of(&method), now.depth, now.nodes)
        })
    };
    let report = match (method, engine.first_device()) {
        (Method::Minimax, _) => minimax_with(board, limit, observe)?,
        (Method::Gpu, Some(device)) => {
            PvSplit::new(device, board, limit.depth, arguments.workers)?.run_with(board, limit, observe)?
        }
        _ => sequential_with(board, limit, observe)?,
    };
    drop(progress);
    let early = report.last().depth < limit.depth && !report.is_exact() && arguments.depth.is_some();
    if early && signals::arrived().is_none() {
        notice(&format!("notice: ended early, after depth {}", report.last().depth));
    }
    Ok(report)
}

/// The evaluation at the end of the principal variation, without a rule for ended games, for the player to move now.
fn last_count<B: DeviceBoard>(board: &B, report: &SplitReport) -> i32 {
    let mut board = board.clone();
    let line = &report.last().principal_variation;
    line.iter().for_each(|&mv| _ = board.make(mv));
    if line.len().is_multiple_of(2) { board.evaluate() } else { -board.evaluate() }
}

/// The engine of a search; its schedule is the method.
fn engine_info(engine: &Engine, method: Method) -> EngineInfo {
    let mut info = if method == Method::Gpu { engine.info() } else { Engine::cpu().info() };
    info.schedule = match method {
        Method::Gpu if !engine.is_cpu() => StepSchedule::PvSplit,
        Method::Minimax => StepSchedule::Minimax,
        _ => StepSchedule::PrincipalVariation,
    };
    if info.schedule != StepSchedule::PvSplit {
        info.adapter = "one CPU core".into();
    }
    info
}

/// The size of a square board, if the game has that option.
fn size_of<G: Game>(game: &G) -> Option<u32> {
    game.rules().into_iter().find_map(|(name, value)| match value {
        RuleValue::Count(size) if name == "size" => Some(size),
        _ => None,
    })
}

/// The size, such as `9x9`, or the name of a game without sizes.
fn label<G: Game>(game: &G) -> String {
    size_of(game).map_or(game.name().into(), |size| format!("{size}x{size}"))
}

fn parse_measurement(text: &str) -> std::result::Result<(u32, u32), String> {
    let parts =
        text.split_once(':').and_then(|(size, depth)| Some((size.parse().ok()?, depth.parse().ok()?)));
    parts.ok_or_else(|| "give a board size and a depth, such as 19:6".into())
}

impl Answer {
    fn new<G: Game>(engine: EngineInfo, game: &G, report: &SplitReport) -> Self {
        let name = |&mv: &u16| game.action_name(mv.into());
        let rate = |nodes: u64, seconds: f64| if seconds > 0.0 { nodes as f64 / seconds } else { 0.0 };
        let depth = |d: &DepthReport| Depth {
            depth: d.depth,
            score: d.score,
            exact: d.exact,
            best: d.principal_variation.first().map(name),
            nodes: d.nodes,
            seconds: d.seconds,
            nodes_per_second: rate(d.nodes, d.seconds),
        };
        let last = report.last();
        Self {
            engine,
            game: game.name().into(),
            size: size_of(game),
            depth: last.depth,
            score: last.score,
            exact: last.exact,
            discs: None,
            best: report.best().as_ref().map(name),
            principal_variation: last.principal_variation.iter().map(name).collect(),
            nodes: report.nodes(),
            seconds: report.seconds(),
            nodes_per_second: rate(report.nodes(), report.seconds()),
            workers: report.workers,
            per_depth: report.per_depth.iter().map(depth).collect(),
        }
    }

    fn text(&self) -> String {
        let what = self.size.map_or(self.game.clone(), |size| format!("{size}x{size}"));
        let mut text = format!("{what} on {}\n", self.engine.adapter);
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
        let discs = self.discs.filter(|&discs| discs != self.score);
        let discs = discs.map_or(String::new(), |discs| format!(" (discs: {discs})"));
        if self.exact {
            _ = writeln!(text, "solved: all lines end, and the score {}{discs} is exact", self.score);
        }
        text + &self.workers.as_ref().map_or(String::new(), workers_lines)
    }
}

fn workers_lines(workers: &WorkerReport) -> String {
    let WorkerReport { count, bytes, busy, subtrees, submissions, .. } = workers;
    format!(
        "{count} workers of {bytes} bytes, busy {:.1}% of the time\n{subtrees} subtrees in {submissions} submissions\n",
        100.0 * busy
    )
}

/// Both engines side by side; seconds are from the start of the search.
fn table(comparison: &EngineComparison, cpu: &Answer, gpu: &Answer) -> String {
    let mut text = format!("{}: one core against {}\n", comparison.label, gpu.engine.adapter);
    text += "depth   score      cpu nodes      gpu nodes   cpu seconds   gpu seconds  speed-up\n";
    for ((row, c), g) in comparison.rows.iter().zip(&cpu.per_depth).zip(&gpu.per_depth) {
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
    text + &gpu.workers.as_ref().map_or(String::new(), workers_lines) + "\n"
}
