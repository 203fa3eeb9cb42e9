//! What was measured, as JSON has it. Nothing in it tells when: equal runs may be told from one another by their
//! figures alone.

use super::{
    BenchSettings, CASE_SET, Case,
    known::{Evidence, Verdict},
    measure::Ended,
};
use crate::engine::{AdapterInfo, AdapterKind, AdapterLimits, Backend, Engine};
use serde::{Deserialize, Serialize};

/// The middle of some measurements, and how far they lie apart.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The middle one, or the mean of the two in the middle.
    pub median: f64,
    /// The smallest.
    pub min: f64,
    /// The greatest.
    pub max: f64,
}

impl Spread {
    /// None where there is no measurement.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<_> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let (min, max) = (*values.first()?, *values.last()?);
        let middle = values.len() / 2;
        let median =
            if values.len() % 2 == 1 { values[middle] } else { 0.5 * (values[middle - 1] + values[middle]) };
        Some(Self { median, min, max })
    }
}

/// Declares [`Figures`] from one list, so that a new figure needs one place.
macro_rules! figures {
    ($($(#[doc = $doc:literal])* $name:ident,)+) => {
        /// The figures of a case, each over its runs; what a case does not have, or a machine does not tell, is left
        /// out.
        #[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
        #[serde(default)]
        pub struct Figures {
            /// Runs that were counted; 0 for a skipped case.
            pub runs: u32,
            $(
                $(#[doc = $doc])*
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $name: Option<Spread>,
            )+
            /// Bytes of memory that a node takes.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub node_bytes: Option<u64>,
            /// In some run trees were full, so that later steps did not expand.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub trees_full: Option<bool>,
        }

        impl Figures {
            /// Rates, times and counts, by name.
            pub fn named(&self) -> impl Iterator<Item = (&'static str, Option<Spread>)> {
                [$((stringify!($name), self.$name)),+].into_iter()
            }

            /// The figures of some runs, each of which has its own; none where there is no run.
            pub(super) fn over(runs: &[Self]) -> Option<Self> {
                let values = |figure: fn(&Self) -> Option<Spread>| {
                    Spread::of(runs.iter().filter_map(figure).map(|value| value.median))
                };
                let full: Vec<bool> = runs.iter().filter_map(|run| run.trees_full).collect();
                Some(Self {
                    runs: runs.len() as u32,
                    $($name: values(|run| run.$name),)+
                    node_bytes: runs.first()?.node_bytes,
                    trees_full: full.iter().copied().reduce(|a, b| a || b),
                })
            }
        }
    };
}

figures! {
    /// Steps per second of the loop. All trees make each of them.
    steps_per_second,
    /// Leaves per second that the steps select in all trees.
    leaves_per_second,
    /// Random games per second: of the loop in a search, of the whole run in a rollout.
    playouts_per_second,
    /// Random streams seeded per second.
    streams_per_second,
    /// Milliseconds that seeding took.
    seeding_ms,
    /// Milliseconds that PV-Split took to the end of its depth.
    pvsplit_ms,
    /// Milliseconds of a selection, from device time stamps.
    select_ms,
    /// Milliseconds of an expansion.
    expand_ms,
    /// Milliseconds of a stage of playouts.
    playout_ms,
    /// Milliseconds of a backup.
    backup_ms,
    /// Milliseconds from the call to the report that are not the loop: new trees, sums, reading back.
    host_ms,
    /// Nodes of all trees in the end.
    nodes,
}

/// A case on a machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseReport {
    /// The case's name.
    pub case: String,
    /// `staged` or `fused`; `-` where there is no choice.
    pub schedule: String,
    /// Was what it computed what it should be? None where there is nothing to compare it with, or it was skipped.
    #[serde(default)]
    pub check: Option<Verdict>,
    /// What it computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// Why it was not measured, or is void.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    /// What was measured.
    #[serde(flatten)]
    pub figures: Figures,
}

impl CaseReport {
    /// None for a case that was interrupted before its first run had ended.
    pub(super) fn of(case: &Case, ended: Ended) -> Option<Self> {
        let (evidence, figures) = match ended {
            Ended::Measured(evidence, figures) => (evidence, *figures),
            Ended::Skipped(reason) => return Some(Self::skipped(case, reason)),
            Ended::Interrupted => return None,
        };
        let check = evidence.as_ref().map(Evidence::verdict);
        let void = evidence.as_ref().filter(|_| check == Some(Verdict::Fail)).map(
            |Evidence { work, expected, found }| {
                format!("void: {work} come to {found}, and should to {expected}")
            },
        );
        let case = Self::skipped(case, String::new());
        Some(Self { check, evidence, skipped: void, figures, ..case })
    }

    fn skipped(case: &Case, reason: String) -> Self {
        Self {
            case: case.name.clone(),
            schedule: case.schedule().into(),
            check: None,
            evidence: None,
            skipped: Some(reason),
            figures: Figures::default(),
        }
    }
}

/// A machine and its cases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The adapter's name, several joined by ` + `, or the CPU engine's.
    pub adapter: String,
    /// The interface it is reached through.
    pub backend: Backend,
    /// Driver and version, empty where the backend does not tell.
    pub driver: String,
    /// What it is; `type` in JSON.
    #[serde(rename = "type")]
    pub kind: AdapterKind,
    /// None for the CPU engine.
    pub limits: Option<AdapterLimits>,
    /// In the order in which they were measured.
    pub cases: Vec<CaseReport>,
}

impl Machine {
    pub(super) fn cpu() -> Self {
        let info = Engine::cpu().info();
        Self {
            adapter: info.adapter,
            backend: info.backend,
            driver: info.driver,
            kind: AdapterKind::Cpu,
            limits: None,
            cases: Vec::new(),
        }
    }

    /// An adapter, or several as one machine: their limits are those of the first.
    pub(super) fn of<'a>(infos: impl Iterator<Item = &'a AdapterInfo>) -> Self {
        let infos: Vec<_> = infos.collect();
        let Some(info) = infos.first() else { return Self::cpu() };
        let names: Vec<_> = infos.iter().map(|info| info.name.as_str()).collect();
        Self {
            adapter: names.join(" + "),
            backend: info.backend,
            driver: info.driver.clone(),
            kind: info.kind,
            limits: Some(info.limits.clone()),
            cases: Vec::new(),
        }
    }
}

/// A benchmark's result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BenchReport {
    /// `mcts-wgpu` and its version.
    pub program: String,
    /// The version of the set of cases; 0 before there were versions.
    #[serde(default)]
    pub case_set: u32,
    /// The quick cases alone.
    pub quick: bool,
    /// Seconds of a run.
    pub seconds: f64,
    /// Runs of a case.
    pub repeats: u32,
    /// Bytes that the trees of a case may take.
    pub memory: u64,
    /// It was ended early: cases are missing, or have fewer runs.
    pub interrupted: bool,
    /// In the order in which they were measured.
    pub machines: Vec<Machine>,
}

impl BenchReport {
    /// Is there a case that did not compute what it should?
    pub fn has_failed(&self) -> bool {
        let mut cases = self.machines.iter().flat_map(|machine| &machine.cases);
        cases.any(|case| case.check == Some(Verdict::Fail))
    }

    /// Nothing has been measured yet.
    pub fn new(settings: &BenchSettings) -> Self {
        Self {
            program: format!("mcts-wgpu {}", env!("CARGO_PKG_VERSION")),
            case_set: CASE_SET,
            quick: settings.quick,
            seconds: settings.seconds.as_secs_f64(),
            repeats: settings.repeats,
            memory: settings.memory,
            interrupted: false,
            machines: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(Spread::of([]), None);
        assert_eq!(Spread::of([3.0]), Some(Spread { median: 3.0, min: 3.0, max: 3.0 }));
        assert_eq!(Spread::of([5.0, 1.0, 2.0]), Some(Spread { median: 2.0, min: 1.0, max: 5.0 }));
        assert_eq!(Spread::of([9.0, 1.0, 2.0, 4.0]), Some(Spread { median: 3.0, min: 1.0, max: 9.0 }));
    }
}
