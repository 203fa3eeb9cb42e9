//! The report of a benchmark, as in JSON.

use super::{
    BenchSettings, CASE_SET, Case,
    known::{CaseCheck, Evidence},
    provenance::{System, utc},
};
use crate::{
    engine::{AdapterInfo, AdapterKind, AdapterLimits, Backend, Engine, ShaderCompiler},
    host::unix_time,
};
use serde::{Deserialize, Serialize};

/// The median of some measurements, and their spread.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The median, or the mean of the two middle values.
    pub median: f64,
    /// The smallest.
    pub min: f64,
    /// The greatest.
    pub max: f64,
    /// The 95 % confidence interval of the median, from nine measurements on; `None` in the output of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
}

impl Spread {
    /// The spread of some measurements; `None` without one.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<_> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let (min, max) = (*values.first()?, *values.last()?);
        let middle = values.len() / 2;
        let median =
            if values.len() % 2 == 1 { values[middle] } else { 0.5 * (values[middle - 1] + values[middle]) };
        // The interval of order statistics: for any distribution, the number of measurements below the median is
        // binomial.
        let count = values.len() as f64;
        let left_out = (0.5 * (count - 1.96 * count.sqrt())).max(0.0) as usize;
        let interval = Some((values[left_out], values[values.len() - 1 - left_out]));
        Some(Self { median, min, max, interval })
    }

    /// The confidence interval, or the range if there is none.
    pub fn interval(&self) -> (f64, f64) {
        self.interval.unwrap_or((self.min, self.max))
    }

    /// Half of the interval, relative to the median.
    pub fn deviation(&self) -> f64 {
        let (low, high) = self.interval();
        0.5 * (high - low) / self.median.abs().max(f64::MIN_POSITIVE)
    }

    /// Whether the intervals are apart, and the medians differ by more than two runs of one program on one machine.
    pub fn differs(&self, other: &Self) -> bool {
        let ((low, high), (other_low, other_high)) = (self.interval(), other.interval());
        let ratio = other.median / self.median;
        (high < other_low || other_high < low) && !(1.0 - NOISE..=1.0 + NOISE).contains(&ratio)
    }

    /// The rates for these times of `units` units.
    fn inverse(&self, units: f64) -> Self {
        let (low, high) = self.interval();
        let of = |value: f64| units / value.max(f64::MIN_POSITIVE);
        Self {
            median: of(self.median),
            min: of(self.max),
            max: of(self.min),
            interval: Some((of(high), of(low))),
        }
    }
}

/// The relative difference that two runs of one program on one machine may have.
const NOISE: f64 = 0.02;

/// Declares [`Figures`] from one list of figures.
macro_rules! figures {
    ($($(#[doc = $doc:literal])* $name:ident,)+) => {
        /// The figures of a case over its runs. A figure is `None` if the case does not have it, or the machine does
        /// not report it.
        #[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
        #[serde(default)]
        pub struct Figures {
            /// The number of counted runs; 0 for a skipped case.
            pub runs: u32,
            $(
                $(#[doc = $doc])*
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $name: Option<Spread>,
            )+
            /// Bytes per node.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub node_bytes: Option<u64>,
            /// Whether trees became full in a run, so that later steps added no nodes.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub trees_full: Option<bool>,
            /// `[run]`: the [rates](Figures::rate) of the warm-up runs.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub warm_up: Vec<f64>,
            /// `[run]`: the rates of the counted runs.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub samples: Vec<f64>,
            /// Whether half of the interval of the rate is at most 1 % of its median; `None` with fewer than three
            /// counted runs.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub steady: Option<bool>,
        }

        impl Figures {
            /// All figures by name.
            pub fn named(&self) -> impl Iterator<Item = (&'static str, Option<Spread>)> {
                [$((stringify!($name), self.$name)),+].into_iter()
            }

            /// The figures of the counted runs, after the warm-up runs; `None` without a counted run.
            pub(super) fn over(warm_up: &[Self], runs: &[Self]) -> Option<Self> {
                let values = |figure: fn(&Self) -> Option<Spread>| {
                    Spread::of(runs.iter().filter_map(figure).map(|value| value.median))
                };
                let full: Vec<bool> = runs.iter().filter_map(|run| run.trees_full).collect();
                Some(Self {
                    runs: runs.len() as u32,
                    $($name: values(|run| run.$name),)+
                    node_bytes: runs.first()?.node_bytes,
                    trees_full: full.iter().copied().reduce(|a, b| a || b),
                    warm_up: rates(warm_up),
                    samples: rates(runs),
                    steady: are_steady(runs),
                })
            }
        }
    };
}

figures! {
    /// Steps per second of the search loop; a step is one of every tree.
    steps_per_second,
    /// Leaves per second, over all trees.
    leaves_per_second,
    /// Random games per second: of the search loop, or of a whole run of rollouts.
    playouts_per_second,
    /// Random streams seeded per second.
    streams_per_second,
    /// Milliseconds of seeding all streams.
    seeding_ms,
    /// Milliseconds of PV-Split to the end of its depth.
    pvsplit_ms,
    /// Operations per second: on 32-bit integers, or products and sums of bytes.
    operations_per_second,
    /// Bytes read and written per second.
    bytes_per_second,
    /// Microseconds from one dispatch to the next.
    dispatch_us,
    /// Milliseconds of the selection of a step, from device time stamps.
    select_ms,
    /// Milliseconds of the expansion of a step.
    expand_ms,
    /// Milliseconds of the playouts of a step.
    playout_ms,
    /// Milliseconds of the backup of a step.
    backup_ms,
    /// Milliseconds of a run outside of the search loop: new trees, sums, read-back.
    host_ms,
    /// Nodes of all trees at the end of a run.
    nodes,
}

impl Figures {
    /// The rate of the case: playouts, streams, operations, bytes, PV-Splits or dispatches per second.
    pub fn rate(&self) -> Option<Spread> {
        let rates = [
            self.playouts_per_second,
            self.streams_per_second,
            self.operations_per_second,
            self.bytes_per_second,
            self.pvsplit_ms.map(|time| time.inverse(1e3)),
            self.dispatch_us.map(|time| time.inverse(1e6)),
        ];
        rates.into_iter().flatten().next()
    }
}

fn rates(runs: &[Figures]) -> Vec<f64> {
    runs.iter().filter_map(Figures::rate).map(|rate| rate.median).collect()
}

/// The greatest deviation of steady runs, half of the interval relative to the median.
const STEADY: f64 = 0.01;
/// The greatest relative difference of the last two warm-up runs.
const SETTLED: f64 = 0.02;

/// See [`Figures::steady`].
pub(super) fn are_steady(runs: &[Figures]) -> Option<bool> {
    let spread = Spread::of(rates(runs)).filter(|_| runs.len() > 2)?;
    Some(spread.deviation() <= STEADY)
}

/// Whether the rates of these warm-up runs have settled.
pub(super) fn have_settled(runs: &[Figures]) -> bool {
    match rates(runs)[..] {
        [.., last_but_one, last] => (last / last_but_one - 1.0).abs() <= SETTLED,
        _ => false,
    }
}

/// The end of a case.
#[derive(Debug)]
pub(super) enum Ended {
    Measured(Option<Evidence>, Box<Figures>),
    Skipped(String),
    Interrupted,
}

/// A case on a machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseReport {
    /// The case's name.
    pub case: String,
    /// `staged` or `fused`; `-` where there is no choice.
    pub schedule: String,
    /// The check of its result; `None` if it has no known result, or was skipped.
    #[serde(default)]
    pub check: Option<CaseCheck>,
    /// The result of the check, and the known one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// The reason why it was skipped, or is void.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    /// Its figures.
    #[serde(flatten)]
    pub figures: Figures,
}

impl CaseReport {
    /// `None` for a case that was interrupted before the end of its first run.
    pub(super) fn of(case: &Case, ended: Ended) -> Option<Self> {
        let (evidence, figures) = match ended {
            Ended::Measured(evidence, figures) => (evidence, *figures),
            Ended::Skipped(reason) => return Some(Self::skipped(case, reason)),
            Ended::Interrupted => return None,
        };
        let check = evidence.as_ref().map(Evidence::check);
        let void = evidence.as_ref().filter(|_| check == Some(CaseCheck::Fail)).map(
            |Evidence { work, expected, found }| format!("void: {work} gave {found}, expected {expected}"),
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
    /// The name of the adapter, of several joined by ` + `, or of the CPU engine.
    pub adapter: String,
    /// Its backend.
    pub backend: Backend,
    /// Driver and version; empty where the backend does not report them.
    pub driver: String,
    /// Its kind; `type` in JSON.
    #[serde(rename = "type")]
    pub kind: AdapterKind,
    /// Its limits; `None` for the CPU engine.
    pub limits: Option<AdapterLimits>,
    /// The compiler of its shaders; `None` for the CPU engine, and in the output of earlier versions.
    #[serde(default)]
    pub shader_compiler: Option<ShaderCompiler>,
    /// The features of the adapter that the kernels use, as `mcts-wgpu adapters` lists them.
    #[serde(default)]
    pub features: Vec<String>,
    /// Clock rates, power and temperature right after the last case, if a tool of the system reports them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sensors: Option<String>,
    /// Its system.
    #[serde(flatten)]
    pub system: System,
    /// The cases, in the order of measurement.
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
            shader_compiler: None,
            features: Vec::new(),
            sensors: None,
            system: System::of_this(),
            cases: Vec::new(),
        }
    }

    /// An adapter, or several as one machine, with the limits of the first.
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
            shader_compiler: info.compiler,
            features: info.limits.features().into_iter().map(Into::into).collect(),
            ..Self::cpu()
        }
    }

    /// The number of cases that were not steady.
    pub fn unsteady(&self) -> usize {
        self.cases.iter().filter(|case| case.figures.steady == Some(false)).count()
    }

    /// The median of a measured case, by its name; the fastest of several schedules.
    pub(super) fn best(&self, name: &str, rate: fn(&Figures) -> Option<Spread>) -> Option<f64> {
        let named = self.cases.iter().filter(|case| case.case == name && case.skipped.is_none());
        named.filter_map(|case| rate(&case.figures)).map(|rate| rate.median).max_by(f64::total_cmp)
    }
}

/// The result of a benchmark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BenchReport {
    /// `mcts-wgpu` and its version.
    pub program: String,
    /// The commit of the build, if it was given (`MCTS_WGPU_COMMIT`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The time of its start, by the clock of the machine: `2026-11-27T10:00:00Z`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// The version of the set of cases; 0 in reports without it.
    #[serde(default)]
    pub case_set: u32,
    /// Whether only the quick cases were measured.
    pub quick: bool,
    /// Seconds of a run.
    pub seconds: f64,
    /// Least number of counted runs of a case.
    pub repeats: u32,
    /// Greatest number of bytes of the trees of a case.
    pub memory: u64,
    /// Whether it was ended early, so that cases are missing, or have fewer runs.
    pub interrupted: bool,
    /// The machines, in the order of measurement.
    pub machines: Vec<Machine>,
}

impl BenchReport {
    /// Whether a case has a wrong result.
    pub fn has_failed(&self) -> bool {
        let mut cases = self.machines.iter().flat_map(|machine| &machine.cases);
        cases.any(|case| case.check == Some(CaseCheck::Fail))
    }

    /// A report without machines, of a benchmark that starts now.
    pub fn new(settings: &BenchSettings) -> Self {
        Self {
            program: format!("mcts-wgpu {}", env!("CARGO_PKG_VERSION")),
            commit: option_env!("MCTS_WGPU_COMMIT").map(str::to_owned),
            time: unix_time().map(utc),
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
    fn the_spread_has_median_range_and_interval() {
        assert_eq!(Spread::of([]), None);
        let of = |values: &[f64]| {
            let spread = Spread::of(values.iter().copied()).expect("there are some");
            (spread.median, spread.min, spread.max, spread.interval())
        };
        assert_eq!(of(&[3.0]), (3.0, 3.0, 3.0, (3.0, 3.0)));
        assert_eq!(of(&[5.0, 1.0, 2.0]), (2.0, 1.0, 5.0, (1.0, 5.0)));
        assert_eq!(of(&[9.0, 1.0, 2.0, 4.0]), (3.0, 1.0, 9.0, (1.0, 9.0)));
        // One of nine may be an outlier on either side, three of fifteen.
        assert_eq!(of(&[5.0, 5.1, 5.2, 5.0, 5.1, 5.2, 5.0, 99.0, 1.0]), (5.1, 1.0, 99.0, (5.0, 5.2)));
        assert_eq!(of(&(1..=15).map(f64::from).collect::<Vec<_>>()).3, (4.0, 12.0));
    }

    #[test]
    fn medians_differ_only_beyond_the_spread() {
        let of = |median: f64, off: f64| Spread::of([median - off, median, median + off]).expect("three");
        assert!(of(100.0, 1.0).differs(&of(110.0, 1.0)) && of(110.0, 1.0).differs(&of(100.0, 1.0)));
        assert!(!of(100.0, 6.0).differs(&of(110.0, 6.0)), "the intervals meet");
        assert!(!of(100.0, 0.1).differs(&of(101.5, 0.1)), "less than two runs of one machine may differ by");
        let times = Figures { dispatch_us: Spread::of([2.0, 4.0, 5.0]), ..Figures::default() };
        let rate = times.rate().expect("it has one");
        assert_eq!((rate.median, rate.interval()), (250e3, (200e3, 500e3)));
    }

    #[test]
    fn runs_settle_and_become_steady() {
        let runs = |rates: &[f64]| -> Vec<Figures> {
            let run = |&rate| Figures { playouts_per_second: Spread::of([rate]), ..Figures::default() };
            rates.iter().map(run).collect()
        };
        assert!(!have_settled(&runs(&[1.0])) && !have_settled(&runs(&[1.0, 1.0, 1.1])));
        assert!(have_settled(&runs(&[5.0, 1.0, 1.01])));
        let steady = [&[100.0, 100.5, 101.0][..], &[100.0, 104.0, 101.0], &[100.0, 100.0]];
        assert_eq!(steady.map(|rates| are_steady(&runs(rates))), [Some(true), Some(false), None]);
        let figures = Figures::over(&runs(&[1.0]), &runs(&[2.0, 3.0])).expect("it ran");
        assert_eq!((figures.warm_up, figures.samples, figures.steady), (vec![1.0], vec![2.0, 3.0], None));
        assert_eq!((figures.runs, Figures::over(&runs(&[1.0]), &[])), (2, None));
    }
}
