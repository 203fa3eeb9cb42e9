//! The text output of `bench`.

use crate::{
    bench::{
        BenchReport, CaseCheck, CaseReport, Comparison, Figures, Headline, Machine, Pair, Ratio, Row, Spread,
        percent, short,
    },
    engine::driver_text,
};
use std::fmt::Write;

/// One table for each machine.
pub fn report_text(report: &BenchReport) -> String {
    let BenchReport { program, seconds, repeats, .. } = report;
    let runs = format!("medians of {repeats} runs of {seconds} s or more; +-: half of their 95 % interval");
    let head = format!("{program}; {runs}\nPASS: the case computed the known result first\n");
    head + &report.machines.iter().map(machine_text).collect::<String>()
}

fn machine_text(machine: &Machine) -> String {
    let Machine { adapter, backend, driver, cases, .. } = machine;
    let driver = driver_text(driver);
    let mut text = format!("\n{adapter} ({backend}, {driver})\n\n");
    writeln!(text, "  {:>98}", "us of a step ").ok();
    writeln!(
        text,
        "  {:28} {:6} {:4} {:>7} {:>8} {:>9} {:>5}{:>6}{:>6}{:>6}{:>6}",
        "case", "", "", "steps/s", "leaves/s", "playouts/s", "+-", "sel", "exp", "play", "back"
    )
    .ok();
    cases.iter().for_each(|case| text += &case_line(case));
    text += "\n";
    for Headline { name, meaning, value } in machine.headlines() {
        let Some(value) = value.map(short) else { continue };
        writeln!(text, "  {name:16} {value:>8}  {meaning}").ok();
    }
    if let Some(bytes) = cases.iter().find_map(|case| case.figures.node_bytes) {
        writeln!(text, "\n  a node takes {bytes} bytes").ok();
    }
    if cases.iter().any(|case| case.figures.trees_full == Some(true)) {
        text += "  *: trees were full, so that later steps added no nodes\n";
    }
    let unsteady = machine.unsteady();
    if unsteady > 0 {
        let of = cases.len();
        let why = "the machine was busy, or its clock rates change";
        writeln!(text, "  !: {unsteady} of {of} cases were not steady: {why}").ok();
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
    let check = if *check == Some(CaseCheck::Pass) { "PASS" } else { "-" };
    let start = format!("{start} {check:4}");
    let mark = if figures.steady == Some(false) { "!" } else { " " };
    if let Some(rate) = rate_text(figures) {
        return format!("{start} {rate}{}\n", mark.trim_end());
    }
    let [select, others @ ..] =
        [figures.select_ms, figures.expand_ms, figures.playout_ms, figures.backup_ms].map(microseconds);
    let others = others.map(|time| format!("{time:>6}")).join("");
    let rates = [figures.steps_per_second, figures.leaves_per_second, figures.playouts_per_second];
    let [steps, leaves, playouts] = rates.map(|rate| rate.map_or("-".into(), |rate| short(rate.median)));
    let off = figures.playouts_per_second.map_or("-".into(), off);
    let full = if figures.trees_full == Some(true) { "*" } else { "" };
    format!("{start} {steps:>7} {leaves:>8} {playouts:>9} {off:>5}{mark}{select:>5}{others}{full}\n")
}

/// The figures of cases without playouts.
fn rate_text(figures: &Figures) -> Option<String> {
    let all_in = figures.seeding_ms.map_or(String::new(), |time| format!(", all in {:.3} ms", time.median));
    let rate =
        |of: Option<Spread>, unit: &str| of.map(|of| format!("{} {unit} +- {}", short(of.median), off(of)));
    let time =
        |of: Option<Spread>, unit: &str| of.map(|of| format!("{:.3} {unit} +- {}", of.median, off(of)));
    rate(figures.streams_per_second, "streams/s")
        .map(|text| text + &all_in)
        .or_else(|| time(figures.pvsplit_ms, "ms to the end of the depth"))
        .or_else(|| rate(figures.operations_per_second, "operations/s"))
        .or_else(|| rate(figures.bytes_per_second, "bytes/s"))
        .or_else(|| time(figures.dispatch_us, "us from one dispatch to the next"))
}

/// Half of the interval, relative to the median.
fn off(of: Spread) -> String {
    percent(of.deviation())
}

/// The median, in milliseconds, as microseconds in at most five characters.
fn microseconds(of: Option<Spread>) -> String {
    match of.map(|of| 1e3 * of.median) {
        None => "-".into(),
        Some(value) if value >= 1e5 => format!("{:.0}k", value / 1e3),
        Some(value) if value >= 100.0 => format!("{value:.0}"),
        Some(value) => format!("{value:.1}"),
    }
}

/// One table for each pair of machines.
pub fn comparison_text(comparison: &Comparison) -> String {
    let notices = comparison.notices.iter().map(|notice| format!("notice: {notice}\n"));
    let mut text: String = notices.chain(comparison.pairs.iter().map(pair_text)).collect();
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
    if pair.rows.iter().any(|row| row.rate.as_ref().is_some_and(|rate| rate.differs)) {
        text += "  *: the difference exceeds the spread of the runs\n";
    }
    for (file, cases) in [("A", &pair.only_a), ("B", &pair.only_b), ("B and void", &pair.void_b)] {
        if !cases.is_empty() {
            writeln!(text, "  only in {file}: {}", cases.join(", ")).ok();
        }
    }
    text + "\n"
}

/// Rates are those of playouts, or of the case's own unit; the last columns are ratios of the stages' times.
fn row_line(row: &Row) -> String {
    let (a, b) = (&row.schedule_a, &row.schedule_b);
    let schedule = if a == b { a.clone() } else { format!("{a} / {b}") };
    let of = |ratio: Option<&Ratio>| {
        ratio.and_then(|ratio| ratio.ratio).map_or("-".into(), |ratio| format!("{ratio:.3}"))
    };
    let stages = ["select_ms", "expand_ms", "playout_ms", "backup_ms"]
        .map(|figure| format!("{:>7}", of(row.ratio(figure))))
        .join("");
    let ratio = of(row.rate.as_ref());
    let mark = if row.rate.as_ref().is_some_and(|rate| rate.differs) { "*" } else { " " };
    let [a, b] = row.rate.as_ref().map_or(["-".into(), "-".into()], |rate| [rate.a, rate.b].map(short));
    format!("  {:28} {schedule:10} {a:>8} {b:>8} {ratio:>6}{mark}{stages}\n", row.case)
}
