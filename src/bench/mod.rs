//! Benchmarks that compare machines: the same cases on every adapter and on the CPU engine.
//!
//! ```text
//! targets x cases --> check, warm-up, repeats --> figures: medians, intervals --> BenchReport --> Comparison, page
//! ```
//!
//! A case first does fixed work, whose result is known (`fingerprints.json`): if the result differs, the case is void.
//! Then come warm-up runs, which are not counted, until the rates settle, and the counted runs, with further ones while
//! the rates differ. Each run begins with new trees. A case that a machine can't run is skipped, with the reason.
//!
//! ```
//! use mcts_wgpu::bench::{BenchSettings, Target, CaseCheck, run};
//! use std::{ops::ControlFlow, time::Duration};
//!
//! let (seconds, filter) = (Duration::from_millis(10), "ocp 8x128".into());
//! let settings = BenchSettings { seconds, filter, ..BenchSettings::quick() };
//! let report = run(&[Target::Cpu], &settings, |_| ControlFlow::Continue(()))?;
//! let case = &report.machines[0].cases[0];
//! assert!(case.case == "connect4 ocp 8x128" && case.check == Some(CaseCheck::Pass));
//! # Ok::<(), mcts_wgpu::Error>(())
//! ```

mod cases;
mod compare;
mod known;
mod measure;
mod page;
mod plays;
mod provenance;
mod report;
pub(crate) mod roofline;
mod searches;
mod seeding;
mod task;

pub use cases::{BenchGame, CASE_SET, Case, Roof, Work};
pub use compare::{Comparison, Pair, Ratio, Row};
pub use known::{CaseCheck, Evidence};
pub use page::{Headline, page, percent, short, speeds};
pub use provenance::System;
pub use report::{BenchReport, CaseReport, Figures, Machine, Spread};

use crate::{
    device::{Device, adapters::Adapter},
    engine::Engine,
    error::{Error, Result},
};
use futures_util::future::try_join_all;
use measure::Bench;
use report::Ended;
use std::{ops::ControlFlow, path::PathBuf, time::Duration};

/// Greatest number of runs of a case.
pub const MAX_REPEATS: u32 = 1000;

/// The settings of a benchmark.
#[derive(Debug, Clone, PartialEq)]
pub struct BenchSettings {
    /// Only the cases that are short on a software adapter.
    pub quick: bool,
    /// Time of a run, above 0; a run has at least one step.
    pub seconds: Duration,
    /// Runs of a case besides the warm-up: 1 to [`MAX_REPEATS`].
    pub repeats: u32,
    /// Greatest number of further runs while the rates differ: 0 to [`MAX_REPEATS`].
    pub more_repeats: u32,
    /// Only cases with this text in their name or schedule; case is ignored.
    pub filter: String,
    /// Greatest number of bytes of the trees of a case; above 0.
    pub memory: u64,
    /// The [game file](crate::GameFile) to measure instead of the built-in games.
    pub game_file: Option<PathBuf>,
}

impl Default for BenchSettings {
    fn default() -> Self {
        Self {
            quick: false,
            seconds: Duration::from_millis(250),
            repeats: 5,
            more_repeats: 25,
            filter: String::new(),
            memory: 2 << 30,
            game_file: None,
        }
    }
}

impl BenchSettings {
    /// The quick cases, with fewer runs and less memory: at most two minutes on a software adapter.
    pub fn quick() -> Self {
        Self { quick: true, repeats: 3, more_repeats: 3, memory: 256 << 20, ..Self::default() }
    }

    /// Checks every field.
    ///
    /// # Errors
    /// Bad input, naming the field and its range.
    pub fn validate(&self) -> Result<()> {
        if self.seconds.is_zero() {
            return Err(Error::invalid("runs of 0 seconds: give a positive time"));
        }
        if !(1..=MAX_REPEATS).contains(&self.repeats) {
            let repeats = self.repeats;
            return Err(Error::invalid(format!("{repeats} repeats: give a number from 1 to {MAX_REPEATS}")));
        }
        if self.more_repeats > MAX_REPEATS {
            let more = self.more_repeats;
            return Err(Error::invalid(format!("{more} more repeats: give a number up to {MAX_REPEATS}")));
        }
        if self.memory == 0 {
            return Err(Error::invalid("no memory: give the trees some, such as 2 GiB"));
        }
        if self.cases().is_empty() {
            let mut names: Vec<_> = self.all_cases().into_iter().map(|case| case.name).collect();
            names.dedup();
            return Err(Error::invalid(format!(
                "no case has '{}' in its name or schedule: choose a part of {}",
                self.filter,
                names.join(", ")
            )));
        }
        Ok(())
    }

    fn all_cases(&self) -> Vec<Case> {
        if self.game_file.is_some() { cases::of_file() } else { cases::all(self.quick) }
    }

    /// The cases for an adapter. The CPU engine runs each of them once, as it has no schedules, and no roofline.
    pub fn cases(&self) -> Vec<Case> {
        let mut cases = self.all_cases();
        cases.retain(|case| case.label().to_lowercase().contains(&self.filter.to_lowercase()));
        cases
    }
}

/// A machine to measure.
#[derive(Debug, Clone)]
pub enum Target {
    /// The CPU engine.
    Cpu,
    /// An adapter, or several as one machine.
    Adapters(Vec<Adapter>),
    /// Opened devices, as one machine.
    Devices(Vec<Device>),
}

impl Target {
    async fn open(&self) -> Result<Engine> {
        match self {
            Target::Cpu => Ok(Engine::cpu()),
            Target::Adapters(adapters) => {
                Ok(Engine::devices_of(try_join_all(adapters.iter().map(Adapter::open_async)).await?))
            }
            Target::Devices(devices) => Ok(Engine::devices_of(devices.clone())),
        }
    }

    fn machine(&self) -> Machine {
        match self {
            Target::Cpu => Machine::cpu(),
            Target::Adapters(adapters) => Machine::of(adapters.iter().map(Adapter::info)),
            Target::Devices(devices) => Machine::of(devices.iter().map(Device::info)),
        }
    }

    fn cases(&self, settings: &BenchSettings) -> Vec<Case> {
        let mut cases = settings.cases();
        if matches!(self, Target::Cpu) {
            cases.iter_mut().for_each(Case::remove_schedule);
            cases.dedup();
            cases.retain(|case| !matches!(case.work, Work::Roofline(_)));
        }
        cases
    }
}

/// The progress of a benchmark, reported before every case and repeatedly during it.
#[derive(Debug, Clone, Copy)]
pub struct BenchProgress<'a> {
    /// The results so far.
    pub report: &'a BenchReport,
    /// The machine's name.
    pub adapter: &'a str,
    /// The case.
    pub case: &'a Case,
    /// Cases that have ended, on all machines.
    pub done: usize,
    /// Cases on all machines.
    pub of: usize,
    /// Counted runs of the case that have ended; `None` before the first one begins.
    pub runs: Option<u32>,
}

/// Measures every case on every target. `progress` ends the benchmark early by [`ControlFlow::Break`]; the report then
/// has the cases so far, and is marked as interrupted.
///
/// # Errors
/// Bad input for settings out of range, or no target. A case that fails on a machine is skipped in the report.
#[cfg(not(target_arch = "wasm32"))]
pub fn run(
    targets: &[Target],
    settings: &BenchSettings,
    progress: impl FnMut(BenchProgress<'_>) -> ControlFlow<()>,
) -> Result<BenchReport> {
    crate::host::block_on(run_async(targets, settings, progress))
}

/// [`run`] for async programs. Compiling, the CPU engine and its alpha-beta search block the thread.
///
/// # Errors
/// As [`run`].
pub async fn run_async(
    targets: &[Target],
    settings: &BenchSettings,
    mut progress: impl FnMut(BenchProgress<'_>) -> ControlFlow<()>,
) -> Result<BenchReport> {
    settings.validate()?;
    if targets.is_empty() {
        return Err(Error::invalid("no machine to measure: give an adapter or the CPU engine"));
    }
    let plan: Vec<_> = targets.iter().map(|target| (target, target.cases(settings))).collect();
    let of = plan.iter().map(|(_, cases)| cases.len()).sum();
    let mut report = BenchReport::new(settings);
    let mut done = 0;
    for (place, (target, cases)) in plan.iter().enumerate() {
        report.machines.push(target.machine());
        let engine = target.open().await;
        let mut bench = Bench::new(settings);
        for case in cases {
            let adapter = &report.machines[place].adapter;
            let mut tick = |runs| progress(BenchProgress { report: &report, adapter, case, done, of, runs });
            let ended = match &engine {
                Ok(engine) => bench.case(engine, case, &mut tick).await,
                Err(error) => Ended::Skipped(error.to_string()),
            };
            let Some(case_report) = CaseReport::of(case, ended) else {
                report.interrupted = true;
                break;
            };
            report.machines[place].cases.push(case_report);
            done += 1;
        }
        let machine = &mut report.machines[place];
        machine.sensors = provenance::sensors(&machine.adapter);
        if report.interrupted {
            break;
        }
    }
    Ok(report)
}
