//! `mcts-wgpu verify`: compares this machine with known results.

use super::{
    failure::{Failure, Result},
    options::EngineOptions,
    output::print_result,
    progress::Progress,
    signals,
    wayland::without_wayland_error,
};
use crate::{
    conformance::FileCheck,
    engine::{Backend, Engine, driver_text},
    game_file::GameFile,
    names::counted,
    verify::{Check, CheckResult, TIME_IS_UP, VerifyProgress, VerifyReport, VerifySettings, run as verify},
};
use clap::Args;
use serde::Serialize;
use std::{
    fmt::Write,
    ops::ControlFlow,
    path::PathBuf,
    time::{Duration, Instant},
};

/// The greatest --time, in seconds.
const MOST_TIME: u64 = 86_400;

/// Check the results of an adapter with its driver and compilers
///
/// Random streams, integers, bounds and sums are compared with Rust; each kernel of a search with its Rust function;
/// searches with results of the original CUDA program and with known fingerprints; built-in games with their rules in
/// Rust; random games with the CPU engine and with exact probabilities. The last line of the report is for bug reports.
/// Several adapters are checked in turn. Without a GPU, a software adapter is checked.
/// Exit codes: 0 no difference, 1 a difference, 2 bad input, or no adapter.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Also check a game file, rules in WGSL (games/README.md), like check-game
    #[arg(long, value_name = "FILE")]
    game_file: Option<PathBuf>,
    /// Only checks whose name contains this, such as 'kernels'
    #[arg(long, value_name = "FILTER", default_value = "", hide_default_value = true)]
    check: String,
    /// Seconds for each adapter, divided among the checks: after its share, a check begins no further case, and the
    /// report lists the omitted ones
    #[arg(long, value_name = "SECONDS", default_value_t = 100,
        value_parser = clap::value_parser!(u64).range(1..=MOST_TIME))]
    time: u64,
    #[command(flatten)]
    engine: EngineOptions,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Answer {
    ok: bool,
    adapters: Vec<VerifyReport>,
}

/// Checks the adapters in turn.
pub fn run(arguments: &Arguments) -> Result<()> {
    let mut settings = VerifySettings::default();
    settings.filter.clone_from(&arguments.check);
    settings.time = Some(Duration::from_secs(arguments.time));
    settings.validate()?;
    let engines = arguments.engines()?;
    let game = arguments.game_file.as_ref().map(|path| GameFile::open(path, &engines[0]));
    drop(game.transpose()?);
    let mut reports = Vec::new();
    for (place, engine) in engines.iter().enumerate() {
        let report = arguments.check(engine, &settings, (place, engines.len()))?;
        let interrupted = report.interrupted;
        reports.push(report);
        if interrupted && signals::tell("these are the results so far") {
            break;
        }
    }
    let ok = reports.iter().all(|report| report.ok);
    let answer = Answer { ok, adapters: reports };
    let all = || answer.adapters.iter().map(text).collect::<Vec<_>>().join("\n");
    print_result(arguments.json, &answer, all)?;
    if ok { Ok(()) } else { Err(Failure::Check) }
}

impl Arguments {
    /// One engine for each adapter.
    fn engines(&self) -> Result<Vec<Engine>> {
        let engine = match &*self.engine.adapter() {
            "auto" if !self.engine.has_backend() => {
                let any = without_wayland_error(Engine::any);
                self.engine.checked(any.map_err(|error| {
                    Failure::message(format!("{error} (--adapter cpu checks the CPU engine)"))
                })?)
            }
            _ => self.engine.open()?,
        };
        match engine.is_cpu() {
            false => Ok(engine.one_by_one().collect()),
            true if self.engine.adapter() == "cpu" => Ok(vec![engine]),
            true => Err(Failure::message("no usable adapter: --adapter cpu checks the CPU engine")),
        }
    }

    fn check(
        &self,
        engine: &Engine,
        settings: &VerifySettings,
        (place, of): (usize, usize),
    ) -> Result<VerifyReport> {
        let progress = Progress::begin(engine);
        let mut report = verify(engine, settings, |now| show_progress(&progress, now, (place, of)))?;
        if let Some(path) = self.game_file.as_ref().filter(|_| !report.interrupted) {
            let (game, began) = (GameFile::open(path, engine)?, Instant::now());
            let found = FileCheck::default().run(&game, engine)?;
            report.add(Check::of_file(&found, began.elapsed()));
        }
        Ok(report)
    }
}

fn show_progress(bar: &Progress, now: VerifyProgress<'_>, (place, of): (usize, usize)) -> ControlFlow<()> {
    let here = now.done as f64 / now.of.max(1) as f64;
    bar.at((place as f64 + here) / of as f64, || {
        format!("{}/{}, {}: {}", now.done + 1, now.of, now.check, now.case)
    })
}

fn text(report: &VerifyReport) -> String {
    let VerifyReport { adapter, backend, driver, kind, system, .. } = report;
    let driver = driver_text(driver);
    let through = if *backend == Backend::Cpu { String::new() } else { format!("{kind}, {backend}, ") };
    let mut text = format!("{adapter}\n{through}{driver}, {system}\n\n");
    report.checks.iter().for_each(|check| text += &check_text(check));
    report.left_out().iter().for_each(|(reason, checks)| text += &left_out_text(report, reason, checks));
    text + &format!("\n{}\n", report.verdict)
}

fn check_text(check: &Check) -> String {
    let Check { name, about, result, cases, compared, unit, seconds, .. } = check;
    let amount = match result {
        CheckResult::LeftOut => String::new(),
        _ => format!("{}, {compared} {unit}, {seconds:.1} s", counted((*cases).into(), "case")),
    };
    let mut text = format!("  {name:<13} {result:<9} {amount}\n");
    writeln!(text, "    {about}").ok();
    for difference in &check.differences {
        writeln!(text, "    differs: {difference}").ok();
    }
    text
}

/// A line for each reason for omitted cases, with a hint.
fn left_out_text(report: &VerifyReport, reason: &str, checks: &[(&str, usize)]) -> String {
    let names: Vec<_> = checks.iter().map(|(name, count)| format!("{name} ({count})")).collect();
    let hundreds = report.seconds_for_all().map(|seconds| 100 * (seconds / 100.0).ceil() as u64 + 100);
    let way = hundreds.filter(|_| reason == TIME_IS_UP).map_or(String::new(), |seconds| {
        format!("; --time {seconds} is about enough for all, and --check NAME makes one check only")
    });
    format!("\n  left out, as {reason}: cases of {}{way}\n", names.join(", "))
}
