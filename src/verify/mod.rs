//! Checks of the results of an adapter, with its driver and its compilers.
//!
//! ```text
//! streams, integers, bounds, sums     helpers of the shaders       against Rust
//! searches                            small searches               against results of the original CUDA program
//! fingerprints                        small searches               against a table that comes with the crate
//! exact play                          shares of random games       against exact probabilities
//! rollouts, alpha-beta                counts and scores            against the CPU engine
//! games                               the built-in games           against their rules in Rust
//! kernels                             every stage of a search      against its twin, word by word
//! ```
//!
//! The report lists for each check the compared items, and the first difference. Its verdict is one line for a bug
//! report.
//!
//! ```
//! use mcts_wgpu::{Engine, verify::{VerifySettings, run}};
//! use std::ops::ControlFlow;
//!
//! let settings = VerifySettings { filter: "fingerprints".into(), ..VerifySettings::default() };
//! let report = run(&Engine::cpu(), &settings, |_| ControlFlow::Continue(()))?;
//! assert!(report.ok, "{}", report.verdict);
//! # Ok::<(), mcts_wgpu::Error>(())
//! ```

mod alpha_beta;
pub(crate) mod arithmetic;
#[cfg(not(target_arch = "wasm32"))]
mod blocking;
mod checker;
mod games;
mod kernels;
mod plays;
mod report;
mod searches;
mod words;

#[cfg(not(target_arch = "wasm32"))]
pub use blocking::run;
pub use checker::VerifyProgress;
pub use report::{Check, CheckResult, Difference, TIME_IS_UP, VerifyReport};

use crate::{
    engine::Engine,
    error::{Error, Result},
};
use checker::{Checker, Stop};
use std::{ops::ControlFlow, time::Duration};

/// The checks to make, and their time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifySettings {
    /// Only checks with this text in their name.
    pub filter: String,
    /// Time for all checks. Each has an equal share of the time left; after its share it begins no case but its first.
    /// The report lists the cases that are left out. `None`: no limit.
    pub time: Option<Duration>,
}

impl Default for VerifySettings {
    /// All checks; most machines take less than this time of 100 seconds.
    fn default() -> Self {
        Self { filter: String::new(), time: Some(Duration::from_secs(100)) }
    }
}

/// The checks: name, the two sides of the comparison, and the unit. The longest one is last, and has the time that
/// those before it have not used.
const CHECKS: [(&str, &str, &str); 11] = [
    ("streams", "random streams, their jumps and the places they draw, against Rust", "words"),
    ("integers", "64-bit integers in pairs of words, against Rust", "words"),
    ("bounds", "the exact UCB bound, the order of children and the estimates, against Rust", "words"),
    ("sums", "sums and prefix sums over a workgroup, against Rust", "words"),
    ("searches", "searches, against results of the original CUDA program", "searches"),
    ("fingerprints", "hashes of all trees, against the table of this version", "searches"),
    ("exact play", "shares of random games, against exact probabilities", "games"),
    ("rollouts", "counts of random games, against the CPU engine", "games"),
    ("alpha-beta", "scores of PV-Split, against the CPU engine", "depths"),
    ("games", "rules and playouts of the built-in games, against Rust", "games"),
    ("kernels", "every kernel of a search, and whole steps, against its twin", "words"),
];

impl VerifySettings {
    /// Checks the filter.
    ///
    /// # Errors
    /// Bad input if no check's name has this text.
    pub fn validate(&self) -> Result<()> {
        if CHECKS.iter().any(|(name, ..)| self.includes(name)) {
            return Ok(());
        }
        let names = CHECKS.map(|(name, ..)| name).join(", ");
        let filter = &self.filter;
        Err(Error::invalid(format!("no check has '{filter}' in its name: choose a part of {names}")))
    }

    fn includes(&self, name: &str) -> bool {
        name.contains(&self.filter.to_lowercase())
    }
}

/// Makes the checks on an engine of one adapter, or on the CPU engine, for async programs. `progress` is called before
/// every case, and ends the checks early by [`ControlFlow::Break`]; the report then has those that have ended, and is
/// marked as interrupted. Compiling, the CPU engine and PV-Split block the thread.
///
/// # Errors
/// Bad input for a filter that fits no check, or an engine of several adapters. Failures of the adapter are in the
/// report.
pub async fn run_async(
    engine: &Engine,
    settings: &VerifySettings,
    mut progress: impl FnMut(VerifyProgress<'_>) -> ControlFlow<()>,
) -> Result<VerifyReport> {
    settings.validate()?;
    if engine.has_several_devices() {
        return Err(Error::invalid("several adapters in one engine: check one after another"));
    }
    let mut report = VerifyReport::new(engine);
    let wanted: Vec<_> = CHECKS.iter().filter(|(name, ..)| settings.includes(name)).collect();
    let mut checker = Checker::new(engine, settings.time, wanted.len(), &mut progress);
    for (name, about, unit) in wanted {
        checker.begin(Check::new(name, about, unit));
        let ended = check(name, &mut checker).await;
        report.checks.push(checker.end());
        if let Err(Stop) = ended {
            report.interrupted = checker.interrupted;
            break;
        }
    }
    report.conclude();
    Ok(report)
}

async fn check(name: &str, checker: &mut Checker<'_>) -> Result<(), Stop> {
    match (name, checker.engine.first_device()) {
        ("searches", _) => searches::check(checker, &searches::original()).await,
        ("fingerprints", _) => searches::check(checker, &searches::table()).await,
        ("exact play", _) => plays::check_exact_play(checker).await,
        ("games", _) => games::check(checker).await,
        (_, None) => {
            checker.leave_out("the CPU engine has no shaders");
            Ok(())
        }
        ("streams", Some(device)) => arithmetic::check(checker, device, &arithmetic::STREAMS).await,
        ("integers", Some(device)) => arithmetic::check(checker, device, &arithmetic::INTEGERS).await,
        ("bounds", Some(device)) => arithmetic::check(checker, device, &arithmetic::BOUNDS).await,
        ("sums", Some(device)) => arithmetic::check(checker, device, &arithmetic::SUMS).await,
        ("rollouts", Some(_)) => plays::check_rollouts(checker).await,
        ("alpha-beta", Some(device)) => alpha_beta::check(checker, device).await,
        (_, Some(device)) => kernels::check(checker, device).await,
    }
}

#[doc(hidden)]
pub use searches::{Case, Expected, original, table};
