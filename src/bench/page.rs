//! Results as Markdown: of one report, to paste, and of many machines, as a page.

use super::{BenchReport, CaseCheck, CaseReport, Figures, Machine, Roof, Spread, System};
use crate::engine::AdapterKind;
use std::fmt::Write;

/// A headline figure of a machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Headline {
    /// Its name.
    pub name: &'static str,
    /// Its meaning.
    pub meaning: &'static str,
    /// Its value; `None` if it was not measured.
    pub value: Option<f64>,
}

/// A headline figure of any machine.
type HeadlineOf = (&'static str, &'static str, fn(&Machine) -> Option<f64>);

/// Leaves per second of default searches with playouts: the geometric mean over Connect 4, Gomoku, Othello and Go 9x9.
const LEAVES: HeadlineOf = (
    "search, leaves/s",
    "leaves of default searches by playouts, geometric mean over four games",
    |machine| machine.mean("playouts", |figures| figures.leaves_per_second),
);

/// The headline figures: three of searches and games, and the roofline.
const HEADLINES: [HeadlineOf; 7] = [
    LEAVES,
    ("games/s", "random games without a tree, geometric mean over these games", |machine| {
        machine.mean("rollout", |figures| figures.playouts_per_second)
    }),
    // By the faster schedule: the latency of small steps.
    ("step, us", "a step of Connect 4 by OCP: 8 trees x 128 playouts, one after another", |machine| {
        machine.best("connect4 ocp 8x128", |figures| figures.steps_per_second).map(|rate| 1e6 / rate)
    }),
    ("int32/s", "products, shifts and sums of 32-bit integers", |machine| machine.roof(Roof::Int32)),
    ("dot4i8/s", "products and sums of bytes, four at a time", |machine| machine.roof(Roof::Dot4I8)),
    ("memory, B/s", "bytes read and written", |machine| machine.roof(Roof::Memory)),
    ("dispatch, us", "the time from one dispatch to the next, which needs its result", |machine| {
        machine.roof(Roof::Dispatch).map(|rate| 1e6 / rate)
    }),
];

/// Beginnings of words in adapters' names, and the vendors.
const VENDORS: [(&str, &str); 10] = [
    ("NVIDIA", "NVIDIA"),
    ("GeForce", "NVIDIA"),
    ("AMD", "AMD"),
    ("Radeon", "AMD"),
    ("Intel", "Intel"),
    ("Apple", "Apple"),
    ("Adreno", "Qualcomm"),
    ("Mali", "Arm"),
    ("PowerVR", "Imagination"),
    ("Microsoft", "Microsoft"),
];

impl Machine {
    /// The vendor; `Software` for drivers that compute on the processor, `CPU engine` for the CPU engine.
    pub fn vendor(&self) -> &'static str {
        match self.kind {
            AdapterKind::Cpu => "CPU engine",
            AdapterKind::Software => "Software adapters",
            _ => {
                let name = self.adapter.to_lowercase();
                let has = |start: &str| name.split(' ').any(|word| word.starts_with(&start.to_lowercase()));
                VENDORS.iter().find(|(start, _)| has(start)).map_or("Others", |(_, of)| of)
            }
        }
    }

    /// The headline figures.
    pub fn headlines(&self) -> [Headline; 7] {
        HEADLINES.map(|(name, meaning, of)| Headline { name, meaning, value: of(self) })
    }

    /// The geometric mean of a rate over the cases of this kind of four games; `None` unless all were measured.
    fn mean(&self, kind: &str, rate: fn(&Figures) -> Option<Spread>) -> Option<f64> {
        let games = ["connect4", "gomoku", "othello", "go 9"];
        let rates: Option<Vec<f64>> =
            games.iter().map(|game| self.best(&format!("{game} {kind}"), rate)).collect();
        rates.map(|rates| rates.iter().product::<f64>().powf(1.0 / rates.len() as f64))
    }

    fn roof(&self, roof: Roof) -> Option<f64> {
        self.best(&format!("roofline {roof}"), Figures::rate)
    }

    /// Adapter and backend; for the CPU engine also the processor.
    fn name(&self) -> String {
        let Self { adapter, backend, system, .. } = self;
        match self.kind {
            AdapterKind::Cpu => format!("{adapter} of {}", system.cpu),
            _ => format!("{adapter} ({backend})"),
        }
    }

    /// Adapter, backend, driver and system in a line.
    pub fn title(&self) -> String {
        let parts = [self.name(), self.driver.clone(), self.system.os.clone()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }

    /// `22 PASS`; or `21 PASS, 1 FAIL, 2 not steady, load 9.5 on 2 cores`. The load is given if it exceeds the cores.
    fn checks(&self) -> String {
        let count = |check| self.cases.iter().filter(|case| case.check == Some(check)).count();
        let counts = [(count(CaseCheck::Fail), "FAIL"), (self.unsteady(), "not steady")];
        let more =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!(", {count} {what}"));
        let System { load, cores, .. } = self.system;
        let busy = load.filter(|load| *load > f64::from(cores));
        let load = busy.map_or(String::new(), |load| format!(", load {load:.1} on {cores} cores"));
        format!("{} PASS", count(CaseCheck::Pass)) + &more.collect::<String>() + &load
    }
}

impl BenchReport {
    /// A file name without an extension, from the first machine: `nvidia-h100-80gb-hbm3-vulkan`.
    pub fn file_name(&self) -> String {
        let named = self.machines.first().map_or("nothing".into(), Machine::name).to_lowercase();
        let words = named.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join("-")
    }

    /// Version, settings and time of the benchmark.
    fn origin(&self) -> String {
        let Self { program, commit, time, case_set, seconds, quick, interrupted, .. } = self;
        let mut parts = vec![program.clone()];
        parts.extend(commit.iter().map(|commit| format!("commit {commit}")));
        parts.push(format!("case set {case_set}{}", if *quick { " (quick)" } else { "" }));
        parts.push(format!("runs of {seconds} s"));
        parts.extend(time.clone());
        parts.extend(interrupted.then(|| "interrupted".into()));
        parts.join(", ")
    }

    /// The report as Markdown, with a section for each machine.
    pub fn markdown(&self) -> String {
        let machines = self.machines.iter().map(|machine| {
            format!("### {}\n\n{}\n\n{}", machine.title(), self.origin(), machine_text(machine))
        });
        machines.collect::<Vec<_>>().join("\n")
    }
}

fn machine_text(machine: &Machine) -> String {
    let System { cpu, cores, memory, load, wgpu, naga, .. } = &machine.system;
    let mut text = format!("- {cpu}");
    // A browser reports none of these.
    let parts = [
        (*cores > 0).then(|| format!(", {cores} cores")),
        (*memory > 0).then(|| format!(", {:.1} GiB", *memory as f64 / f64::from(1 << 30))),
        load.map(|load| format!(", load {load}")),
    ];
    text.extend(parts.into_iter().flatten());
    text += &format!("\n- wgpu {wgpu}, naga {naga}");
    let compiler = machine.shader_compiler.map(|compiler| format!("shaders by {compiler}"));
    for part in compiler.iter().chain(&machine.features).chain(&machine.sensors) {
        text += &format!(", {part}");
    }
    text += "\n\n| figure | | |\n| --- | --- | --- |\n";
    for Headline { name, meaning, value } in machine.headlines() {
        let Some(value) = value.map(short) else { continue };
        writeln!(text, "| {name} | {value} | {meaning} |").ok();
    }
    text += "\n| case | | check | steps/s | leaves/s | rate | +- |\n| --- | --- | --- | --- | --- | --- | --- |\n";
    machine.cases.iter().for_each(|case| text += &case_row(case));
    text
}

fn case_row(case: &CaseReport) -> String {
    let CaseReport { case: name, schedule, skipped, check, figures, .. } = case;
    let check = check.map_or("-".into(), |check| check.name().to_uppercase());
    if let Some(why) = skipped {
        return format!("| {name} | {schedule} | {check} | {why} | | | |\n");
    }
    let text = |spread: Option<Spread>| spread.map_or("-".into(), |spread| short(spread.median));
    let [steps, leaves, rate] =
        [figures.steps_per_second, figures.leaves_per_second, figures.rate()].map(text);
    let off = figures.rate().map_or("-".into(), |rate| percent(rate.deviation()));
    let off = if figures.steady == Some(false) { format!("{off}, not steady") } else { off };
    format!("| {name} | {schedule} | {check} | {steps} | {leaves} | {rate} | {off} |\n")
}

/// The machines of a page, by vendor; those of a vendor by speed, the fastest first.
fn sorted(reports: &[BenchReport]) -> Vec<(&BenchReport, &Machine)> {
    let mut all: Vec<_> = reports
        .iter()
        .flat_map(|report| report.machines.iter().map(move |machine| (report, machine)))
        .collect();
    let speed = |machine: &Machine| LEAVES.2(machine).unwrap_or_default();
    let vendor = |machine: &Machine| (machine.kind >= AdapterKind::Software, machine.vendor());
    all.sort_by(|(_, a), (_, b)| {
        vendor(a).cmp(&vendor(b)).then(speed(b).total_cmp(&speed(a))).then(a.title().cmp(&b.title()))
    });
    all
}

/// The page of all machines of some reports, as Markdown.
pub fn page(reports: &[BenchReport]) -> String {
    let mut text = String::from(
        "# Speed of machines\n\n`mcts-wgpu bench table` makes this page from the results in its folder; \
         `mcts-wgpu bench --share` makes a result. Each\ncase first computes a known result, \
         the same on every machine; the column `checks` counts these results.\n\n\
         ![Leaves per second of default searches by playouts](speed.svg)\n\n",
    );
    for (name, meaning, _) in HEADLINES {
        writeln!(text, "- **{name}**: {meaning}.").ok();
    }
    text += "\nThe four games are Connect 4, Gomoku 15x15, Othello and Go 9x9. Default searches by playouts \
             are those\nof `mcts-wgpu search GAME --net none`; their sizes differ between GPUs and the CPU engine.\n";
    let mut vendor = "";
    for (report, machine) in sorted(reports) {
        if machine.vendor() != vendor {
            vendor = machine.vendor();
            let names = HEADLINES.map(|(name, ..)| name).join(" | ");
            let line = "| --- ".repeat(HEADLINES.len() + 3);
            write!(text, "\n## {vendor}\n\n| machine | {names} | checks | by |\n{line}|\n").ok();
        }
        let values = machine.headlines().map(|line| line.value.map_or("-".into(), short)).join(" | ");
        writeln!(text, "| {} | {values} | {} | {} |", machine.title(), machine.checks(), report.origin())
            .ok();
    }
    text
}

/// The name of each machine and the leaves per second of its default searches by playouts, in the order of the page.
pub fn speeds(reports: &[BenchReport]) -> Vec<(String, f64)> {
    let speed =
        |(_, machine): (&BenchReport, &Machine)| LEAVES.2(machine).map(|speed| (machine.name(), speed));
    sorted(reports).into_iter().filter_map(speed).collect()
}

/// A share as a percentage: `0.5%`, `20%`.
#[doc(hidden)]
pub fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent < 9.95 { format!("{percent:.1}%") } else { format!("{percent:.0}%") }
}

/// A number by four digits and a unit: `1234`, `12.34 k`, `1.234 M`, `4.600 G`.
#[doc(hidden)]
pub fn short(value: f64) -> String {
    let units = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k")];
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{BenchSettings, compare::tests::case};

    fn machine(adapter: &str, kind: AdapterKind, leaves: f64) -> Machine {
        let figures = Figures { leaves_per_second: Spread::of([leaves]), ..Figures::default() };
        let names = ["connect4 playouts", "gomoku playouts", "othello playouts", "go 9 playouts"];
        let cases = names.map(|name| CaseReport {
            check: Some(CaseCheck::Pass),
            figures: figures.clone(),
            ..case(name, "-", leaves)
        });
        let system = System::default();
        Machine { adapter: adapter.into(), kind, system, cases: cases.into(), ..Machine::cpu() }
    }

    #[test]
    fn machines_stand_by_vendor_and_speed() {
        let report =
            |machine| BenchReport { machines: vec![machine], ..BenchReport::new(&BenchSettings::quick()) };
        let reports = [
            machine("llvmpipe", AdapterKind::Software, 9e9),
            machine("NVIDIA T4", AdapterKind::Discrete, 2e6),
            machine("CPU reference", AdapterKind::Cpu, 1e3),
            machine("NVIDIA H100", AdapterKind::Discrete, 3e6),
            machine("amd rdna-3", AdapterKind::Other, 1e6),
        ];
        let reports = reports.map(report);
        let names: Vec<_> = speeds(&reports).into_iter().map(|(name, _)| name).collect();
        let order = ["amd rdna-3", "NVIDIA H100", "NVIDIA T4", "CPU reference", "llvmpipe"];
        assert!(names.iter().zip(order).all(|(name, start)| name.starts_with(start)), "{names:?}");
        assert_eq!(names.len(), order.len());
        let page = page(&reports);
        let headings: Vec<_> = page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        assert_eq!(headings, ["AMD", "NVIDIA", "CPU engine", "Software adapters"]);
        assert!(page.contains("| 3.000 M | - |") && page.contains("| 4 PASS |"), "{page}");
        let mut odd = machine("odd", AdapterKind::Other, 1.0);
        odd.system = System { load: Some(9.53), cores: 2, ..System::default() };
        odd.cases[0].check = Some(CaseCheck::Fail);
        odd.cases[1].figures.steady = Some(false);
        assert_eq!(odd.checks(), "3 PASS, 1 FAIL, 1 not steady, load 9.5 on 2 cores");
        odd.system.load = Some(1.9);
        assert_eq!(odd.checks(), "3 PASS, 1 FAIL, 1 not steady");
    }

    #[test]
    fn a_result_is_named_after_its_machine() {
        let machines = vec![machine("NVIDIA H100 80GB", AdapterKind::Discrete, 1e6)];
        let report = BenchReport { machines, ..BenchReport::new(&BenchSettings::default()) };
        assert_eq!(report.file_name(), "nvidia-h100-80gb-cpu");
        let text = report.markdown();
        assert!(text.starts_with("### NVIDIA H100 80GB (cpu), mcts-wgpu "), "{text}");
        assert!(text.contains("| go 9 playouts | - | PASS | - | 1.000 M | - | - |"), "{text}");
        let in_browser =
            Machine { system: System { cpu: "wasm32".into(), ..System::default() }, ..Machine::cpu() };
        assert!(machine_text(&in_browser).starts_with("- wasm32\n- wgpu "), "no cores and no memory");
    }

    #[test]
    fn numbers_have_four_digits() {
        let texts = [0.5, 12.0, 9999.0, 12_340.0, 4.6e9, 33e12].map(short);
        assert_eq!(texts, ["0.500", "12.00", "9999", "12.34 k", "4.600 G", "33.00 T"]);
        assert_eq!([0.005, 0.2].map(percent), ["0.5%", "20%"]);
    }
}
