//! Two reports side by side.

use super::{BenchReport, CaseCheck, CaseReport, Machine, Spread};
use crate::engine::AdapterKind;
use serde::Serialize;

/// A figure in both reports.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ratio {
    /// The figure's name.
    pub figure: &'static str,
    /// Its median in the first report.
    pub a: f64,
    /// Its median in the second one.
    pub b: f64,
    /// b / a; `None` if a is 0.
    pub ratio: Option<f64>,
    /// Whether their intervals are apart, and the ratio is outside of 0.98 to 1.02.
    pub differs: bool,
}

impl Ratio {
    fn new(figure: &'static str, a: Spread, b: Spread) -> Self {
        let ratio = (a.median > 0.0).then(|| b.median / a.median);
        Self { figure, a: a.median, b: b.median, ratio, differs: a.differs(&b) }
    }
}

/// A case in both reports.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The case's name.
    pub case: String,
    /// The schedule in the first report.
    pub schedule_a: String,
    /// The schedule in the second one.
    pub schedule_b: String,
    /// The ratio of the case's [rates](super::Figures::rate). It [differs](Ratio::differs) only if most cases of both
    /// machines were steady, this one included.
    pub rate: Option<Ratio>,
    /// The ratios of all figures in both reports.
    pub ratios: Vec<Ratio>,
}

/// A machine of each report, compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pair {
    /// The machine of the first report.
    pub a: String,
    /// The machine of the second one.
    pub b: String,
    /// Cases in both.
    pub rows: Vec<Row>,
    /// Cases of the first one alone: name and schedule.
    pub only_a: Vec<String>,
    /// Cases of the second one alone.
    pub only_b: Vec<String>,
    /// Cases whose result in the second one is wrong.
    pub void_b: Vec<String>,
}

/// The comparison of two reports, the second over the first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Texts for people: settings that differ between the reports, so that their figures may be of different work; and
    /// machines whose cases were mostly not steady.
    pub notices: Vec<String>,
    /// Machines in both.
    pub pairs: Vec<Pair>,
    /// Machines of the first report alone.
    pub only_a: Vec<String>,
    /// Machines of the second report alone.
    pub only_b: Vec<String>,
}

impl Comparison {
    /// Pairs each machine of one report with one of the other: with the same adapter if possible, else with a machine
    /// of the same kind (CPU engine or adapter), else with the next one.
    pub fn new(a: &BenchReport, b: &BenchReport) -> Self {
        let (mut left, mut right): (Vec<_>, Vec<_>) =
            (a.machines.iter().collect(), b.machines.iter().collect());
        let mut pairs = Vec::new();
        let criteria: [fn(&Machine, &Machine) -> bool; 3] = [
            |a, b| (&a.adapter, &a.backend) == (&b.adapter, &b.backend),
            |a, b| (a.kind == AdapterKind::Cpu) == (b.kind == AdapterKind::Cpu),
            |_, _| true,
        ];
        for is_pair in criteria {
            left.retain(|&a| match right.iter().position(|&b| is_pair(a, b)) {
                Some(place) => {
                    pairs.push(Pair::new(a, right.remove(place)));
                    false
                }
                None => true,
            });
        }
        let names = |machines: &[&Machine]| machines.iter().map(|machine| name(machine)).collect();
        let mut notices = notices(a, b);
        for (report, machines) in [("A", &a.machines), ("B", &b.machines)] {
            let unsteady = machines.iter().filter(|machine| !is_quiet(machine));
            notices.extend(unsteady.map(|machine| {
                format!(
                    "{}: most cases were not steady in {report}, so that no difference is marked",
                    name(machine)
                )
            }));
        }
        Self { notices, pairs, only_a: names(&left), only_b: names(&right) }
    }

    /// Cases whose rate in the second report is below this share of that in the first, and [differs](Ratio::differs);
    /// and void cases of the second report. Each has its name and its schedule.
    pub fn slower_than(&self, share: f64) -> Vec<String> {
        let is_slower = |rate: &Ratio| rate.differs && rate.ratio.is_some_and(|ratio| ratio < share);
        let of_pair = |pair: &Pair| {
            let rows = pair.rows.iter().filter(|row| row.rate.as_ref().is_some_and(is_slower));
            rows.map(|row| format!("{} {}", row.case, row.schedule_b))
                .chain(pair.void_b.clone())
                .collect::<Vec<_>>()
        };
        self.pairs.iter().flat_map(of_pair).collect()
    }
}

fn notices(a: &BenchReport, b: &BenchReport) -> Vec<String> {
    let mut notices = Vec::new();
    let mut compare = |what: &str, a: String, b: String| {
        if a != b {
            notices.push(format!("{what}: {a} in A, {b} in B"));
        }
    };
    compare("case set", a.case_set.to_string(), b.case_set.to_string());
    compare("seconds of a run", a.seconds.to_string(), b.seconds.to_string());
    compare("bytes of trees", a.memory.to_string(), b.memory.to_string());
    notices
}

impl Pair {
    fn new(a: &Machine, b: &Machine) -> Self {
        let (measured_a, measured_b) = (measured(a), measured(b));
        let are_quiet = is_quiet(a) && is_quiet(b);
        let row = |a, b| Row::new(a, b, are_quiet);
        let rows = measured_a
            .iter()
            .flat_map(|&a| measured_b.iter().filter(move |b| are_compared(a, b)).map(move |b| row(a, b)))
            .collect();
        let without = |cases: &[&CaseReport], others: &[&CaseReport]| {
            let unmatched = cases.iter().filter(|case| !others.iter().any(|other| are_compared(case, other)));
            unmatched.map(|case| label(case)).collect()
        };
        let void = b.cases.iter().filter(|case| case.check == Some(CaseCheck::Fail));
        let (only_a, only_b) = (without(&measured_a, &measured_b), without(&measured_b, &measured_a));
        Self { a: name(a), b: name(b), rows, only_a, only_b, void_b: void.map(label).collect() }
    }
}

impl Row {
    fn new(a: &CaseReport, b: &CaseReport, are_quiet: bool) -> Self {
        let figures = a.figures.named().zip(b.figures.named());
        let ratios = figures.filter_map(|((figure, a), (_, b))| Some(Ratio::new(figure, a?, b?)));
        let rate = a.figures.rate().zip(b.figures.rate());
        // The load of a machine may change between two benchmarks, so that the spread of the runs is too narrow.
        let are_steady = are_quiet && [a, b].iter().all(|case| case.figures.steady != Some(false));
        Self {
            case: a.case.clone(),
            schedule_a: a.schedule.clone(),
            schedule_b: b.schedule.clone(),
            rate: rate
                .map(|(a, b)| Ratio::new("rate", a, b))
                .map(|rate| Ratio { differs: rate.differs && are_steady, ..rate }),
            ratios: ratios.collect(),
        }
    }

    /// The figure of this name.
    pub fn ratio(&self, figure: &str) -> Option<&Ratio> {
        self.ratios.iter().find(|ratio| ratio.figure == figure)
    }
}

fn name(machine: &Machine) -> String {
    format!("{} ({})", machine.adapter, machine.backend)
}

fn label(case: &CaseReport) -> String {
    format!("{} {}", case.case, case.schedule)
}

fn measured(machine: &Machine) -> Vec<&CaseReport> {
    machine.cases.iter().filter(|case| case.skipped.is_none()).collect()
}

/// Whether at least half of a machine's cases were steady. Otherwise other programs may have slowed down all runs of
/// the steady cases, too.
fn is_quiet(machine: &Machine) -> bool {
    let cases = measured(machine);
    let unsteady = cases.iter().filter(|case| case.figures.steady == Some(false)).count();
    2 * unsteady <= cases.len()
}

/// Whether two cases are compared: those of the same name and schedule. A case of the CPU engine, which has no
/// schedules, is compared with an adapter's by both schedules.
fn are_compared(a: &CaseReport, b: &CaseReport) -> bool {
    a.case == b.case && (a.schedule == b.schedule || a.schedule == "-" || b.schedule == "-")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::bench::{BenchSettings, Figures};

    pub fn case(name: &str, schedule: &str, rate: f64) -> CaseReport {
        let figures = Figures { runs: 1, playouts_per_second: Spread::of([rate]), ..Figures::default() };
        CaseReport {
            case: name.into(),
            schedule: schedule.into(),
            check: None,
            evidence: None,
            skipped: None,
            figures,
        }
    }

    fn machine(adapter: &str, kind: &str, cases: Vec<CaseReport>) -> Machine {
        Machine { adapter: adapter.into(), kind: kind.parse().unwrap(), cases, ..Machine::cpu() }
    }

    fn report(machines: Vec<Machine>) -> BenchReport {
        BenchReport { machines, ..BenchReport::new(&BenchSettings::quick()) }
    }

    #[test]
    fn slower_and_void_cases_are_listed() {
        let a = report(vec![machine("a", "discrete", vec![case("x", "-", 100.0), case("y", "-", 100.0)])]);
        let void =
            CaseReport { check: Some(CaseCheck::Fail), skipped: Some("void".into()), ..case("y", "-", 1.0) };
        let b = BenchReport {
            seconds: 9.0,
            ..report(vec![machine("a", "discrete", vec![case("x", "-", 96.0), void])])
        };
        let comparison = Comparison::new(&a, &b);
        assert_eq!(comparison.notices, ["seconds of a run: 0.25 in A, 9 in B"]);
        assert_eq!(comparison.slower_than(0.95), ["y -"]);
        assert_eq!(comparison.slower_than(0.97), ["x -", "y -"]);
        assert!(Comparison::new(&a, &a).slower_than(2.0).is_empty());
        let mut unsteady = b.clone();
        unsteady.machines[0].cases[0].figures.steady = Some(false);
        assert_eq!(Comparison::new(&a, &unsteady).slower_than(0.97), ["y -"]);
    }

    #[test]
    fn nothing_differs_on_a_machine_that_was_not_quiet() {
        let with = |rate: f64, unsteady: usize| {
            let names = ["w", "x", "y", "z"];
            let mut cases = names.map(|name| case(name, "-", rate));
            cases[..unsteady].iter_mut().for_each(|case| case.figures.steady = Some(false));
            report(vec![machine("a", "discrete", cases.into())])
        };
        let compared = |unsteady| Comparison::new(&with(2.0, 0), &with(1.0, unsteady));
        assert_eq!(compared(2).slower_than(0.9), ["y -", "z -"]);
        assert!(compared(2).notices.is_empty());
        assert!(compared(3).slower_than(0.9).is_empty());
        let notice = "a (cpu): most cases were not steady in B, so that no difference is marked";
        assert_eq!(compared(3).notices, [notice]);
    }

    #[test]
    fn skipped_cases_have_no_ratio() {
        let skipped = CaseReport { skipped: Some("too slow".into()), ..case("x", "staged", 1.0) };
        let a = report(vec![machine("a", "discrete", vec![skipped])]);
        let b = report(vec![machine("a", "discrete", vec![case("x", "staged", 1.0)])]);
        let pair = &Comparison::new(&a, &b).pairs[0];
        assert_eq!(
            (pair.rows.len(), pair.only_a.len(), &pair.only_b[..]),
            (0, 0, &["x staged".to_owned()][..])
        );
    }

    #[test]
    fn machines_are_paired_by_adapter_and_kind() {
        let of = |names: &[(&str, &str)]| {
            report(names.iter().map(|(name, kind)| machine(name, kind, Vec::new())).collect())
        };
        let a = of(&[("cpu, 2 threads", "cpu"), ("old", "discrete"), ("same", "software")]);
        let b =
            of(&[("same", "software"), ("new", "integrated"), ("cpu, 9 threads", "cpu"), ("extra", "other")]);
        let comparison = Comparison::new(&a, &b);
        let mut pairs: Vec<_> =
            comparison.pairs.iter().map(|pair| (pair.a.as_str(), pair.b.as_str())).collect();
        pairs.sort_unstable();
        let expected = [
            ("cpu, 2 threads (cpu)", "cpu, 9 threads (cpu)"),
            ("old (cpu)", "new (cpu)"),
            ("same (cpu)", "same (cpu)"),
        ];
        assert_eq!(pairs, expected);
        assert_eq!((comparison.only_a.len(), &comparison.only_b[..]), (0, &["extra (cpu)".to_owned()][..]));
    }

    #[test]
    fn the_cpu_engine_is_compared_with_both_schedules() {
        let cpu = report(vec![machine("cpu", "cpu", vec![case("x", "-", 1.0)])]);
        let cases = vec![case("x", "staged", 2.0), case("x", "fused", 3.0)];
        let gpu = report(vec![machine("gpu", "discrete", cases)]);
        for (a, b, rows) in [(&cpu, &gpu, 2), (&gpu, &cpu, 2)] {
            let pair = &Comparison::new(a, b).pairs[0];
            assert_eq!((pair.rows.len(), pair.only_a.len(), pair.only_b.len()), (rows, 0, 0));
        }
    }
}
