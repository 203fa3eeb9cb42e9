//! What `bench` tells people.

use super::super::output::told_driver;
use mcts_wgpu::bench::{BenchReport, CaseReport, Comparison, Machine, Pair, Row, Spread, Verdict};
use std::fmt::Write;

/// A table for each machine.
pub fn report_text(report: &BenchReport) -> String {
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
    writeln!(text, "  {:>98}", "us of a step ").ok();
    writeln!(
        text,
        "  {:28} {:6} {:4} {:>7} {:>8} {:>9} {:>5}{:>6}{:>6}{:>6}{:>6}",
        "case", "", "", "steps/s", "leaves/s", "playouts/s", "+-", "sel", "exp", "play", "back"
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
    let CaseReport { case: name, schedule, figures, check, .. } = case;
    let start = format!("  {name:28} {schedule:6}");
    if let Some(reason) = &case.skipped {
        let skipped = if check.is_some() { "" } else { "skipped: " };
        return format!("{start} {skipped}{reason}\n");
    }
    let check = if *check == Some(Verdict::Pass) { "PASS" } else { "-" };
    let start = format!("{start} {check:4}");
    if let (Some(rate), Some(time)) = (figures.streams_per_second, figures.seeding_ms) {
        let (rate, off) = (short(rate.median), deviation(rate));
        return format!("{start} {rate} streams/s +- {off}, all in {:.3} ms\n", time.median);
    }
    if let Some(time) = figures.pvsplit_ms {
        return format!("{start} {:.3} ms to the end of the depth +- {}\n", time.median, deviation(time));
    }
    let stages = [figures.select_ms, figures.expand_ms, figures.playout_ms, figures.backup_ms];
    let stages = stages.map(|time| format!("{:>6}", microseconds(time))).join("");
    let rates = [figures.steps_per_second, figures.leaves_per_second, figures.playouts_per_second];
    let [steps, leaves, playouts] = rates.map(|rate| rate.map_or("-".into(), |rate| short(rate.median)));
    let off = figures.playouts_per_second.map_or("-".into(), deviation);
    let full = if figures.trees_full == Some(true) { "*" } else { "" };
    format!("{start} {steps:>7} {leaves:>8} {playouts:>9} {off:>5}{stages}{full}\n")
}

/// The median of milliseconds, in at most five characters.
fn microseconds(of: Option<Spread>) -> String {
    match of.map(|of| 1e3 * of.median) {
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

/// A table for each pair of machines.
pub fn comparison_text(comparison: &Comparison) -> String {
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
