//! `mcts-wgpu bench`: how fast machines are, and how they compare.

use super::{
    failure::{Failure, Result},
    options::a_backend,
    output::{OutFile, notice, print, print_json, told_driver},
    progress::Progress as Bar,
    signals,
    wayland::without_complaint,
};
use crate::{
    bench::{
        BenchProgress, BenchReport, BenchSettings, CaseReport, Comparison, Machine, Pair, Row, Spread,
        Target, run as measure,
    },
    engine::{Adapter, Backend, Engine, adapters, find, find_all},
    forest::config::gib,
    game_file::GameFile,
    input::read_text,
};
use clap::{Args, Subcommand};
use std::{
    fmt::Write,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
    time::Duration,
};

/// No result of a benchmark is larger, in bytes.
const MOST_BYTES: u64 = 16 << 20;
/// The longest run, in seconds.
const LONGEST_RUN: f64 = 3600.0;
/// How often a signal is looked for, and how many times after one the benchmark is waited for: a driver that compiles
/// hears of it late.
const LOOK: Duration = Duration::from_millis(100);
const LAST_LOOKS: u32 = 10;

/// Measure steps and playouts per second on every adapter and on the CPU engine
///
/// Rates are medians, with the smallest and the greatest of all runs behind them. Ctrl-C ends the benchmark and prints
/// what was measured until then.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, allow_negative_numbers = true)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Only this machine: auto, cpu, all, a part of an adapter's name, or its index in `mcts-wgpu adapters`
    ///
    /// Several adapters joined by commas, such as 0,1, are measured working together. Without it every adapter is
    /// measured, those reached through gl only where there are no others, and the CPU engine.
    #[arg(long)]
    adapter: Option<String>,
    /// Only adapters reached through vulkan, metal, dx12 or gl
    #[arg(long, value_parser = a_backend)]
    backend: Option<Backend>,
    /// Fewer cases and short runs: ends within a minute on a software adapter
    #[arg(long)]
    quick: bool,
    /// Only cases with this in their name or schedule, such as 'gomoku' or 'fused'
    #[arg(long, value_name = "FILTER", default_value = "", hide_default_value = true)]
    case: String,
    /// Measure a game of your own, and not the built-in ones: a file of rules in WGSL (games/README.md)
    #[arg(long, value_name = "FILE")]
    game_file: Option<PathBuf>,
    /// Seconds of a run [default: 1, or 0.25 with --quick]
    #[arg(long)]
    seconds: Option<f64>,
    /// Runs of a case, after one that is not counted [default: 5, or 3 with --quick]
    #[arg(long, value_name = "N")]
    repeats: Option<u32>,
    /// Memory for the trees in GiB [default: 2, or 0.25 with --quick]
    #[arg(long, value_name = "GIB", value_parser = gib::parse)]
    memory: Option<u64>,
    /// Write the JSON to a file, too
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    Compare(CompareArguments),
}

/// Print the ratios of two results, case by case: the second over the first
#[derive(Debug, Args)]
struct CompareArguments {
    /// JSON that bench has written
    a: PathBuf,
    /// JSON that bench has written, on another machine or with another version
    b: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Measures, or compares.
pub fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.command {
        Some(Command::Compare(arguments)) => compare(arguments),
        None => bench(arguments),
    }
}

fn bench(arguments: &Arguments) -> Result<()> {
    let settings = arguments.settings()?;
    settings.validate()?;
    if let Some(path) = &settings.game_file {
        GameFile::open(path, &without_complaint(Engine::any)?)?;
    }
    let out = arguments.out.as_deref().map(|path| OutFile::open("--out", path)).transpose()?;
    let targets = without_complaint(|| arguments.targets())?;
    let report = measure_until_signal(targets, settings)?;
    if report.interrupted {
        notice("notice: interrupted; this is what was measured until then");
    }
    if let Some(out) = out {
        out.write(&(serde_json::to_string_pretty(&report).map_err(Failure::message)? + "\n"))?;
    }
    if arguments.json { print_json(&report) } else { print(&text(&report)) }
}

/// Measures on a thread of its own. Where that does not hear of a signal, because a driver compiles, what there was
/// when its case began is the result.
fn measure_until_signal(targets: Vec<Target>, settings: BenchSettings) -> Result<BenchReport> {
    signals::hold();
    let so_far = Arc::new(Mutex::new(BenchReport::new(&settings)));
    let (sender, ended) = mpsc::channel();
    let kept = so_far.clone();
    let measuring = thread::Builder::new().spawn(move || {
        let bar = Bar::spinner("looking at the machine");
        let repeats = settings.repeats;
        let measured = measure(&targets, &settings, |progress| {
            if progress.runs.is_none() {
                kept.lock().unwrap_or_else(PoisonError::into_inner).clone_from(progress.report);
            }
            tell(&bar, progress, repeats)
        });
        drop((bar, targets));
        sender.send(measured).ok();
    });
    let measuring = measuring.map_err(Failure::no_threads)?;
    let mut looks = LAST_LOOKS;
    while looks > 0 {
        match ended.recv_timeout(LOOK) {
            Ok(measured) => {
                // Drivers may crash where the program ends while they are still being closed.
                measuring.join().ok();
                return Ok(measured?);
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                return Err(Failure::message("the benchmark ended without a result"));
            }
            Err(mpsc::RecvTimeoutError::Timeout) if signals::arrived().is_some() => looks -= 1,
            Err(mpsc::RecvTimeoutError::Timeout) => {}
        }
    }
    super::progress::clear();
    let report = so_far.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Ok(BenchReport { interrupted: true, ..report })
}

impl Arguments {
    fn settings(&self) -> Result<BenchSettings> {
        let defaults = if self.quick { BenchSettings::quick() } else { BenchSettings::default() };
        Ok(BenchSettings {
            seconds: self.seconds.map_or(Ok(defaults.seconds), run_time)?,
            repeats: self.repeats.unwrap_or(defaults.repeats),
            memory: self.memory.unwrap_or(defaults.memory),
            filter: self.case.clone(),
            game_file: self.game_file.clone(),
            ..defaults
        })
    }

    fn targets(&self) -> Result<Vec<Target>> {
        match (self.adapter.as_deref(), self.backend) {
            (Some("cpu"), Some(_)) => {
                Err(Failure::message("the CPU engine has no backend: leave out --backend"))
            }
            (Some("cpu"), None) => Ok(vec![Target::Cpu]),
            (Some("auto"), None) if !adapters(None).iter().any(Adapter::is_gpu) => {
                notice("notice: no usable GPU adapter found, so the CPU engine is measured");
                Ok(vec![Target::Cpu])
            }
            (Some("all"), None) if adapters(None).is_empty() => {
                notice("notice: no usable GPU adapter found, so the CPU engine is measured");
                Ok(vec![Target::Cpu])
            }
            (Some(wanted), backend) => Ok(vec![Target::Adapters(find_all(wanted, backend)?)]),
            (None, Some(backend)) => {
                // Where there is none, this error says so.
                find("auto", Some(backend))?;
                Ok(adapters(Some(backend)).into_iter().map(alone).collect())
            }
            (None, None) => Ok(every_machine()),
        }
    }
}

fn every_machine() -> Vec<Target> {
    let mut found = adapters(None);
    if found.iter().any(|adapter| adapter.info().backend != Backend::Gl) {
        found.retain(|adapter| adapter.info().backend != Backend::Gl);
    }
    if found.is_empty() {
        notice("notice: no usable GPU adapter found, so only the CPU engine is measured");
    }
    found.into_iter().map(alone).chain([Target::Cpu]).collect()
}

fn alone(adapter: Adapter) -> Target {
    Target::Adapters(vec![adapter])
}

fn run_time(seconds: f64) -> Result<Duration> {
    let time =
        Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero() && seconds <= LONGEST_RUN);
    time.ok_or_else(|| {
        Failure::message(format!(
            "--seconds {seconds:?}: give a positive number of seconds up to {LONGEST_RUN}"
        ))
    })
}

/// Cases and runs; the warm-up is counted with the first run.
fn tell(bar: &Bar, progress: BenchProgress<'_>, repeats: u32) -> ControlFlow<()> {
    let BenchProgress { adapter, case, done, of, runs, .. } = progress;
    let run = f64::from(runs.unwrap_or(0)) / f64::from(repeats);
    bar.at((done as f64 + run) / of.max(1) as f64, || {
        let run = runs.map_or("warm-up".into(), |run| format!("run {}/{repeats}", run + 1));
        format!("{}/{of}, {run}: {}, {adapter}", done + 1, case.label())
    })
}

fn text(report: &BenchReport) -> String {
    let mut text = String::new();
    let BenchReport { program, seconds, repeats, .. } = report;
    writeln!(text, "{program}; medians of {repeats} runs of {seconds} s; +-: half of greatest less smallest")
        .ok();
    for machine in &report.machines {
        text += &machine_text(machine);
    }
    text
}

fn machine_text(machine: &Machine) -> String {
    let Machine { adapter, backend, driver, cases, .. } = machine;
    let driver = told_driver(driver);
    let mut text = format!("\n{adapter} ({backend}, {driver})\n\n");
    writeln!(text, "  {:>83} {:>5}", "us of a step", "host").ok();
    writeln!(
        text,
        "  {:28} {:6} {:>7} {:>10} {:>5}{:>6}{:>6}{:>6}{:>6} {:>5} {:>7}",
        "case", "", "steps/s", "playouts/s", "+-", "sel", "exp", "play", "back", "ms", "nodes"
    )
    .ok();
    cases.iter().for_each(|case| text += &case_line(case));
    if let Some(bytes) = cases.iter().find_map(|case| case.figures.node_bytes) {
        writeln!(text, "\n  a node takes {bytes} bytes").ok();
    }
    if cases.iter().any(|case| case.figures.trees_full == Some(true)) {
        text += "  *: trees were full, so that later steps added no nodes\n";
    }
    text
}

fn case_line(case: &CaseReport) -> String {
    let CaseReport { case: name, schedule, figures, .. } = case;
    let start = format!("  {name:28} {schedule:6}");
    if let Some(reason) = &case.skipped {
        return format!("{start} skipped: {reason}\n");
    }
    if let (Some(rate), Some(time)) = (figures.streams_per_second, figures.seeding_ms) {
        let (rate, off) = (short(rate.median), deviation(rate));
        return format!("{start} {rate} streams/s +- {off}, all in {:.3} ms\n", time.median);
    }
    if let Some(time) = figures.pvsplit_ms {
        return format!("{start} {:.3} ms to the end of the depth +- {}\n", time.median, deviation(time));
    }
    let stages = [figures.select_ms, figures.expand_ms, figures.playout_ms, figures.backup_ms];
    let stages = stages.map(|time| format!("{:>6}", number(time, 1e3))).join("");
    let [steps, playouts, nodes] = [figures.steps_per_second, figures.playouts_per_second, figures.nodes]
        .map(|of| of.map_or("-".into(), |of| short(of.median)));
    let (off, host) =
        (figures.playouts_per_second.map_or("-".into(), deviation), number(figures.host_ms, 1.0));
    let full = if figures.trees_full == Some(true) { "*" } else { "" };
    format!("{start} {steps:>7} {playouts:>10} {off:>5}{stages} {host:>5} {nodes:>7}{full}\n")
}

/// The median, in at most five characters.
fn number(of: Option<Spread>, scale: f64) -> String {
    match of.map(|of| scale * of.median) {
        None => "-".into(),
        Some(value) if value >= 1e5 => format!("{:.0}k", value / 1e3),
        Some(value) if value >= 100.0 => format!("{value:.0}"),
        Some(value) => format!("{value:.1}"),
    }
}

/// Half of what lies between the smallest and the greatest, as a share of the median.
fn deviation(of: Spread) -> String {
    let percent = 50.0 * (of.max - of.min) / of.median.max(f64::MIN_POSITIVE);
    if percent < 9.95 { format!("{percent:.1}%") } else { format!("{percent:.0}%") }
}

/// Four digits and a unit: 1234, 12.34 k, 1.234 M, 4.6 G.
fn short(value: f64) -> String {
    let units = [(1e9, "G"), (1e6, "M"), (1e4, "k")];
    let Some((scale, unit)) = units.into_iter().find(|(scale, _)| value >= *scale) else {
        return digits(value);
    };
    let scale = if unit == "k" { 1e3 } else { scale };
    format!("{} {unit}", digits(value / scale))
}

fn digits(value: f64) -> String {
    match value {
        _ if value >= 1000.0 => format!("{value:.0}"),
        _ if value >= 100.0 => format!("{value:.1}"),
        _ if value >= 10.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

fn compare(arguments: &CompareArguments) -> Result<()> {
    let comparison = Comparison::new(&read(&arguments.a)?, &read(&arguments.b)?);
    if arguments.json { print_json(&comparison) } else { print(&comparison_text(&comparison)) }
}

fn read(path: &Path) -> Result<BenchReport> {
    let name = path.display();
    let text = read_text(path, MOST_BYTES)
        .map_err(|error| Failure::message(format!("{name} can't be read: {error}")))?;
    serde_json::from_str(&text).map_err(|error| {
        Failure::message(format!(
            "{name} is no result of bench ({error}): write one with 'bench --out {name}'"
        ))
    })
}

fn comparison_text(comparison: &Comparison) -> String {
    let mut text = String::new();
    for pair in &comparison.pairs {
        text += &pair_text(pair);
    }
    for (file, names) in [("A", &comparison.only_a), ("B", &comparison.only_b)] {
        for name in names {
            writeln!(text, "machine only in {file}: {name}").ok();
        }
    }
    text
}

fn pair_text(pair: &Pair) -> String {
    let mut text = format!("A: {}\nB: {}\n\n", pair.a, pair.b);
    writeln!(
        text,
        "  {:28} {:10} {:>8} {:>8} {:>6} {:>7}{:>7}{:>7}{:>7}",
        "case", "schedule", "A, per s", "B, per s", "B / A", "sel", "exp", "play", "back"
    )
    .ok();
    for row in &pair.rows {
        text += &row_line(row);
    }
    for (file, cases) in [("A", &pair.only_a), ("B", &pair.only_b)] {
        if !cases.is_empty() {
            writeln!(text, "  only in {file}: {}", cases.join(", ")).ok();
        }
    }
    text + "\n"
}

/// Rates are of playouts, or of streams or PV-Splits where nothing is played; the last columns are ratios of the
/// stages' times.
fn row_line(row: &Row) -> String {
    let (a, b) = (&row.schedule_a, &row.schedule_b);
    let schedule = if a == b { a.clone() } else { format!("{a} / {b}") };
    let rates = row.ratio("playouts_per_second").or_else(|| row.ratio("streams_per_second"));
    let rates = rates.map(|rate| [rate.a, rate.b]);
    let rates = rates.or_else(|| row.ratio("pvsplit_ms").map(|time| [1e3 / time.a, 1e3 / time.b]));
    let of = |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.3}"));
    let stages = ["select_ms", "expand_ms", "playout_ms", "backup_ms"]
        .map(|figure| format!("{:>7}", of(row.ratio(figure).and_then(|ratio| ratio.ratio))))
        .join("");
    let ratio = of(rates.filter(|&[a, _]| a > 0.0).map(|[a, b]| b / a));
    let [a, b] = rates.map_or(["-".into(), "-".into()], |rates| rates.map(short));
    format!("  {:28} {schedule:10} {a:>8} {b:>8} {ratio:>6} {stages}\n", row.case)
}
