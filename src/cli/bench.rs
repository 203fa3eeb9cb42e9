//! `mcts-wgpu bench`: measures and compares the speed of machines.

mod text;

use self::text::{comparison_text, report_text};
use super::{
    environment::Choice,
    failure::{Failure, Result},
    figure::{Axis, Dot, Dots, svg},
    help::OUTPUT,
    options::{a_backend, no_backend},
    output::{OutFile, notice, print_result},
    progress::Progress as Bar,
    signals,
    wayland::without_wayland_error,
};
use crate::{
    bench::{BenchProgress, BenchReport, BenchSettings, Comparison, Target, page, run as measure, speeds},
    engine::{Adapter, Backend, Engine, adapters, find, find_all},
    forest::config::gib,
    game_file::GameFile,
    host::locked,
    input::read_text,
    search::time_of,
};
use clap::{Args, Subcommand};
use std::{
    fs,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, mpsc},
    thread,
    time::Duration,
};

/// The greatest size of a file of results in bytes.
const MOST_BYTES: u64 = 16 << 20;
/// The longest run, in seconds.
const LONGEST_RUN: f64 = 3600.0;
/// The interval of checks for a signal. After a signal the benchmark has a few intervals to end, as drivers can't be
/// interrupted while they compile.
const LOOK: Duration = Duration::from_millis(100);
const LAST_LOOKS: u32 = 10;

/// Measure steps and playouts per second on every adapter and on the CPU engine
///
/// Each case first computes a known result. If that is wrong, the case has no figures and the exit code is 1. Rates are
/// medians of runs. Ctrl-C ends the benchmark and prints the results so far.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, allow_negative_numbers = true)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Only this machine: auto, cpu, all, a part of an adapter's name, or its index in `mcts-wgpu adapters`
    ///
    /// Several adapters, such as 0,1, are measured together. By default every adapter and the CPU engine are measured,
    /// but adapters of gl only if there are no others.
    #[arg(long)]
    adapter: Option<String>,
    /// Only adapters of this backend: vulkan, metal, dx12 or gl
    #[arg(long, value_parser = a_backend)]
    backend: Option<Backend>,
    /// Fewer cases and runs: at most two minutes on a software adapter
    #[arg(long)]
    quick: bool,
    /// Only cases with this in their name or schedule, such as 'gomoku' or 'fused'
    #[arg(long, value_name = "FILTER", default_value = "", hide_default_value = true)]
    case: String,
    /// Measure a game file instead of the built-in games: rules in WGSL (games/README.md)
    #[arg(long, value_name = "FILE")]
    game_file: Option<PathBuf>,
    /// Seconds of a run [default: 0.25]
    #[arg(long)]
    seconds: Option<f64>,
    /// Runs of a case, after warm-up [default: 5 to 30, or 3 to 6 with --quick, until the interval is narrow]
    #[arg(long, value_name = "N")]
    repeats: Option<u32>,
    /// Memory for the trees in GiB [default: 2, or 0.25 with --quick]
    #[arg(long, value_name = "GIB", value_parser = gib::parse)]
    memory: Option<u64>,
    /// Write JSON and a Markdown table to files named after the machine, for sharing (benches/README.md)
    #[arg(long)]
    share: bool,
    /// Write the JSON to a file, too
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print JSON
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    Compare(CompareArguments),
    Table(TableArguments),
}

/// Write a page of the results in a folder: README.md and speed.svg
#[derive(Debug, Args)]
struct TableArguments {
    /// Folder of JSON files from bench
    dir: PathBuf,
}

/// Print the ratios of two results, case by case: the second over the first
#[derive(Debug, Args)]
struct CompareArguments {
    /// JSON file from bench
    a: PathBuf,
    /// JSON file from bench, of another machine or version
    b: PathBuf,
    /// Exit with code 1 if the rate of a case in B is below this share of A's, beyond the spread, such as 0.95
    #[arg(long, value_name = "SHARE", value_parser = a_share)]
    fail_under: Option<f64>,
    /// Print JSON
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

/// Measures or compares.
pub fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.command {
        Some(Command::Compare(arguments)) => compare(arguments),
        Some(Command::Table(arguments)) => table(arguments),
        None => bench(arguments),
    }
}

fn bench(arguments: &Arguments) -> Result<()> {
    let settings = arguments.settings()?;
    settings.validate()?;
    if let Some(path) = &settings.game_file {
        GameFile::open(path, &without_wayland_error(Engine::any)?)?;
    }
    let out = arguments.out.as_deref().map(|path| OutFile::open("--out", path)).transpose()?;
    let targets = without_wayland_error(|| arguments.targets())?;
    let report = measure_until_signal(targets, settings)?;
    if report.interrupted {
        notice("notice: interrupted; these are the results so far");
    }
    write_report(arguments, out, &report)
}

/// Writes the report to the outputs of the arguments.
///
/// # Errors
/// A [failed check](Failure::Check) if a case is void.
fn write_report(arguments: &Arguments, out: Option<OutFile>, report: &BenchReport) -> Result<()> {
    let json = serde_json::to_string_pretty(report).map_err(Failure::message)? + "\n";
    if arguments.share {
        share(report, &json)?;
    }
    if let Some(out) = out {
        out.write(&json)?;
    }
    print_result(arguments.json, report, || report_text(report))?;
    if report.has_failed() { Err(Failure::Check) } else { Ok(()) }
}

/// Measures on a separate thread. If the thread does not end after a signal, because a driver compiles, the report has
/// the cases before.
fn measure_until_signal(targets: Vec<Target>, settings: BenchSettings) -> Result<BenchReport> {
    signals::hold();
    let so_far = Arc::new(Mutex::new(BenchReport::new(&settings)));
    let (sender, ended) = mpsc::channel();
    let kept = so_far.clone();
    let measuring = thread::Builder::new().spawn(move || {
        let bar = Bar::spinner("detecting the machine");
        let repeats = settings.repeats;
        let measured = measure(&targets, &settings, |progress| {
            if progress.runs.is_none() {
                locked(&kept).clone_from(progress.report);
            }
            show_progress(&bar, progress, repeats)
        });
        drop((bar, targets));
        sender.send(measured).ok();
    });
    let measuring = measuring.map_err(Failure::no_threads)?;
    let mut looks = LAST_LOOKS;
    while looks > 0 {
        match ended.recv_timeout(LOOK) {
            Ok(measured) => {
                // Drivers may crash if the program ends while they close.
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
    super::shown::clear();
    let report = locked(&so_far).clone();
    Ok(BenchReport { interrupted: true, ..report })
}

impl Arguments {
    fn settings(&self) -> Result<BenchSettings> {
        let defaults = if self.quick { BenchSettings::quick() } else { BenchSettings::default() };
        Ok(BenchSettings {
            seconds: self.seconds.map_or(Ok(defaults.seconds), run_time)?,
            repeats: self.repeats.unwrap_or(defaults.repeats),
            more_repeats: if self.repeats.is_some() { 0 } else { defaults.more_repeats },
            memory: self.memory.unwrap_or(defaults.memory),
            filter: self.case.clone(),
            game_file: self.game_file.clone(),
            ..defaults
        })
    }

    fn targets(&self) -> Result<Vec<Target>> {
        let Choice { adapter, backend } = Choice::of(self.adapter.as_deref(), self.backend);
        match (adapter.as_deref(), backend) {
            (Some("cpu"), Some(_)) => Err(no_backend()),
            (Some("cpu"), None) => Ok(vec![Target::Cpu]),
            (Some(wanted @ ("auto" | "all")), None)
                if !adapters(None).iter().any(|adapter| wanted == "all" || adapter.is_gpu()) =>
            {
                notice("notice: no usable GPU adapter found, so the CPU engine is measured");
                Ok(vec![Target::Cpu])
            }
            (Some(wanted), backend) => Ok(vec![Target::Adapters(find_all(wanted, backend)?)]),
            (None, Some(backend)) => {
                // Without an adapter of this backend, this returns the error.
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

fn a_share(text: &str) -> std::result::Result<f64, String> {
    let share = text.parse().ok().filter(|&share: &f64| share > 0.0 && share.is_finite());
    share.ok_or_else(|| "give a positive number, such as 0.95".into())
}

fn run_time(seconds: f64) -> Result<Duration> {
    time_of(seconds).filter(|_| seconds <= LONGEST_RUN).ok_or_else(|| {
        Failure::message(format!(
            "--seconds {seconds:?}: give a positive number of seconds up to {LONGEST_RUN}"
        ))
    })
}

/// Shows the case and its run; warm-up counts as the first run.
fn show_progress(bar: &Bar, progress: BenchProgress<'_>, repeats: u32) -> ControlFlow<()> {
    let BenchProgress { adapter, case, done, of, runs, .. } = progress;
    let run = f64::from(runs.unwrap_or(0).min(repeats)) / f64::from(repeats);
    bar.at((done as f64 + run) / of.max(1) as f64, || {
        let run = runs.map_or("warm-up".into(), |run| format!("run {}/{repeats}", run + 1));
        format!("{}/{of}, {run}: {}, {adapter}", done + 1, case.label())
    })
}

fn share(report: &BenchReport, json: &str) -> Result<()> {
    let name = report.file_name();
    for (path, text) in [(format!("{name}.json"), json), (format!("{name}.md"), &report.markdown())] {
        OutFile::open("--share", Path::new(&path))?.write(text)?;
        notice(&format!("notice: {path} is written"));
    }
    Ok(())
}

fn compare(arguments: &CompareArguments) -> Result<()> {
    let comparison = Comparison::new(&read(&arguments.a)?, &read(&arguments.b)?);
    print_result(arguments.json, &comparison, || comparison_text(&comparison))?;
    let slower = arguments.fail_under.map_or(Vec::new(), |share| comparison.slower_than(share));
    if slower.is_empty() {
        return Ok(());
    }
    notice(&format!("too slow, or void: {}", slower.join(", ")));
    Err(Failure::Check)
}

fn table(arguments: &TableArguments) -> Result<()> {
    let dir = &arguments.dir;
    let unreadable = |error| Failure::unreadable(dir, &error);
    let mut paths = Vec::new();
    for entry in fs::read_dir(dir).map_err(unreadable)? {
        paths.push(entry.map_err(unreadable)?.path());
    }
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    let reports = paths.iter().map(|path| read(path)).collect::<Result<Vec<_>>>()?;
    if reports.is_empty() {
        return Err(Failure::message(format!(
            "{} has no results: put JSON files from bench there",
            dir.display()
        )));
    }
    let values = speeds(&reports);
    let figure = Dots {
        title: "Leaves per second of default searches by playouts".into(),
        note:
            "Geometric mean of Connect 4, Gomoku, Othello and Go 9x9, by the sizes that suit GPUs, or cores."
                .into(),
        axis: Axis::of_values("leaves per second", values.iter().map(|(_, value)| *value)),
        values: values.into_iter().map(|(name, value)| Dot::count(name, value)).collect(),
    };
    for (name, text) in [("README.md", page(&reports)), ("speed.svg", svg(&figure)?)] {
        OutFile::open("table", &dir.join(name))?.write(&text)?;
    }
    Ok(())
}

fn read(path: &Path) -> Result<BenchReport> {
    let name = path.display();
    let text = read_text(path, MOST_BYTES).map_err(|error| Failure::unreadable(path, &error))?;
    serde_json::from_str(&text).map_err(|error| {
        Failure::message(format!(
            "{name} is not a result of bench ({error}): write one with 'bench --out {name}'"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::CaseCheck;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Whole {
        #[command(flatten)]
        bench: Arguments,
    }

    #[test]
    fn a_void_case_is_a_failed_check() {
        let line = ["bench", "--quick", "--case", "connect4 rollout", "--seconds", "0.01", "--repeats", "1"];
        let arguments = Whole::try_parse_from(line).expect("arguments").bench;
        let settings = arguments.settings().expect("settings");
        let report = measure(&[Target::Cpu], &settings, |_| ControlFlow::Continue(()));
        let mut report = report.expect("a report");
        assert!(write_report(&arguments, None, &report).is_ok());
        report.machines[0].cases[0].check = Some(CaseCheck::Fail);
        assert!(matches!(write_report(&arguments, None, &report), Err(Failure::Check)));
    }
}
