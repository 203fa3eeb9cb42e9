//! The report of the checks.

use crate::{
    device::AdapterKind,
    engine::{Backend, Engine, driver_text},
    names::counted,
};
use serde::{Deserialize, Serialize};
use std::{env::consts, fmt};

/// The reason of a case that is left out after the end of the time.
pub const TIME_IS_UP: &str = "the time is up";

/// All checks of one adapter, or of the CPU engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct VerifyReport {
    /// Whether there is no difference.
    pub ok: bool,
    /// The result in one line, for a bug report.
    pub verdict: String,
    /// Name and version of the program.
    pub program: String,
    /// Operating system and processor.
    pub system: String,
    /// The adapter's name, or the CPU engine's.
    pub adapter: String,
    /// Its backend.
    pub backend: Backend,
    /// Driver and version; empty where the backend does not report them.
    pub driver: String,
    /// Its kind; `type` in JSON.
    #[serde(rename = "type")]
    pub kind: AdapterKind,
    /// The checks, in the order in which they were made.
    pub checks: Vec<Check>,
    /// The checks were ended before all were made.
    pub interrupted: bool,
}

/// A check: cases of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Check {
    /// Its name.
    pub name: String,
    /// The two sides of the comparison.
    pub about: String,
    /// The result.
    pub result: CheckResult,
    /// Cases that were compared.
    pub cases: u32,
    /// Compared items, over all cases.
    pub compared: u64,
    /// The unit of the items: words, games, ...
    pub unit: String,
    /// The cases with differences.
    pub differences: Vec<Difference>,
    /// Cases that were left out, each with the reason.
    pub left_out: Vec<String>,
    /// Its time.
    pub seconds: f64,
}

crate::names::named! {
    /// The result of a check.
    #[non_exhaustive]
    pub enum CheckResult: "result of a check" {
        /// No difference.
        Passed = "passed",
        /// Some case has a difference.
        Failed = "failed",
        /// Nothing was compared.
        LeftOut = "left out",
    }
}

/// A case with a difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Difference {
    /// The case.
    pub case: String,
    /// Items that differ, as far as they were counted; at least 1.
    pub differing: u64,
    /// The first differing item: its place, the expected value, and the found one.
    pub first: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.case, self.first)?;
        if self.differing > 1 { write!(f, " (and {} more)", self.differing - 1) } else { Ok(()) }
    }
}

impl Check {
    pub(super) fn new(name: &str, about: &str, unit: &str) -> Self {
        Self {
            name: name.into(),
            about: about.into(),
            result: CheckResult::LeftOut,
            cases: 0,
            compared: 0,
            unit: unit.into(),
            differences: Vec::new(),
            left_out: Vec::new(),
            seconds: 0.0,
        }
    }

    /// The check for a game file's report.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn of_file(report: &crate::conformance::FileReport, time: std::time::Duration) -> Self {
        let mut check = Self::new("game file", "random games of the file against its contract", "games");
        let found = report.findings.iter().map(|finding| (1, finding.to_string()));
        check.compared(&report.game, u64::from(report.statistics.games), found);
        for what in &report.unchecked {
            check.left_out(what, "this adapter can't");
        }
        check.seconds = time.as_secs_f64();
        check
    }

    /// Adds a compared case, and its differences: their number, and the first.
    pub(super) fn compared(
        &mut self,
        case: &str,
        things: u64,
        differing: impl IntoIterator<Item = (u64, String)>,
    ) {
        self.cases += 1;
        self.compared += things;
        let difference = |(differing, first)| Difference { case: case.into(), differing, first };
        self.differences.extend(differing.into_iter().map(difference));
        let good = self.differences.is_empty();
        self.result = if good { CheckResult::Passed } else { CheckResult::Failed };
    }

    /// Adds a case that is left out.
    pub(super) fn left_out(&mut self, case: &str, reason: &str) {
        self.left_out.push(format!("{case}: {reason}"));
    }
}

impl VerifyReport {
    pub(super) fn new(engine: &Engine) -> Self {
        let info = engine.info();
        Self {
            ok: true,
            verdict: String::new(),
            program: format!("mcts-wgpu {}", env!("CARGO_PKG_VERSION")),
            system: format!("{} {}", consts::OS, consts::ARCH),
            adapter: info.adapter,
            backend: info.backend,
            driver: info.driver,
            kind: engine.first_device().map_or(AdapterKind::Cpu, |device| device.info().kind),
            checks: Vec::new(),
            interrupted: false,
        }
    }

    /// Adds a check, and updates the verdict.
    pub fn add(&mut self, check: Check) {
        self.checks.push(check);
        self.conclude();
    }

    /// Reasons for which cases were left out, each with the checks that have such cases, and how many. A check that is
    /// left out as a whole counts as one case.
    pub fn left_out(&self) -> Vec<(&str, Vec<(&str, usize)>)> {
        let mut reasons: Vec<(&str, Vec<(&str, usize)>)> = Vec::new();
        for check in &self.checks {
            let of_check = check.left_out.iter().filter_map(|left| Some(left.rsplit_once(": ")?.1));
            for reason in of_check {
                let at = reasons.iter().position(|(known, _)| *known == reason).unwrap_or(reasons.len());
                if at == reasons.len() {
                    reasons.push((reason, Vec::new()));
                }
                match reasons[at].1.last_mut().filter(|(name, _)| *name == check.name) {
                    Some((_, count)) => *count += 1,
                    None => reasons[at].1.push((&check.name, 1)),
                }
            }
        }
        reasons
    }

    /// Seconds in which all checks would be made, by the time that their cases took; none where none was left out for
    /// the time.
    pub fn seconds_for_all(&self) -> Option<f64> {
        let is_late = |left: &&String| left.ends_with(TIME_IS_UP);
        let late = |check: &Check| check.left_out.iter().filter(is_late).count();
        let cut = self.checks.iter().any(|check| late(check) > 0);
        let needed =
            |check: &Check| check.seconds * (1.0 + late(check) as f64 / f64::from(check.cases.max(1)));
        cut.then(|| self.checks.iter().map(needed).sum())
    }

    pub(super) fn conclude(&mut self) {
        let of = |result: CheckResult| self.checks.iter().filter(move |check| check.result == result);
        let (failed, left_out) = (of(CheckResult::Failed).count(), of(CheckResult::LeftOut).count());
        let made = self.checks.len() - left_out;
        let cases: u32 = self.checks.iter().map(|check| check.cases).sum();
        let said = match (failed, made) {
            (0, 0) => "nothing checked".to_owned(),
            (0, _) => format!("{} passed, {}", counted(made as u64, "check"), counted(cases.into(), "case")),
            _ => format!("{failed} of {} FAILED", counted(made as u64, "check")),
        };
        let Self { program, system, adapter, backend, driver, .. } = self;
        let driver = driver_text(driver);
        let mut verdict = format!("{program} verify: {said}; {adapter}, {backend}, {driver}, {system}");
        let cut = of(CheckResult::LeftOut).chain(of(CheckResult::Passed)).filter(|c| !c.left_out.is_empty());
        let parts = cut.map(|check| check.left_out.len()).sum::<usize>();
        if parts > 0 {
            verdict += &format!("; {} left out", counted(parts as u64, "case"));
        }
        if self.interrupted {
            verdict += "; interrupted";
        }
        if let Some(check) = of(CheckResult::Failed).next() {
            verdict += &format!("; first: {}: {}", check.name, check.differences[0]);
        }
        // Some messages have several lines.
        let verdict: Vec<_> = verdict.split_whitespace().collect();
        (self.ok, self.verdict) = (failed == 0, verdict.join(" "));
    }
}
