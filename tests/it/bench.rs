//! The benchmark as a library: a case has figures only if its check has passed.

use crate::support::prelude::*;
use mcts_wgpu::bench::{BenchReport, BenchSettings, CaseCheck, CaseReport, Figures, Spread, Target, run};

fn measured(device: Device, filter: &str) -> BenchReport {
    let (seconds, filter) = (Duration::from_millis(10), filter.into());
    let settings = BenchSettings { seconds, filter, repeats: 1, ..BenchSettings::quick() };
    run(&[Target::Devices(vec![device])], &settings, |_| ControlFlow::Continue(())).expect("it is measured")
}

fn cases(report: &BenchReport) -> &[CaseReport] {
    &report.machines[0].cases
}

/// Cases, and a mistake planted in their kernels: a text and its replacement.
const MISTAKES: [(&str, &str, &str); 7] = [
    ("connect4 ocp 8x128 staged", "* 0xcc9e2d51u", "* 0xcc9e2d53u"),
    ("connect4 ocp 8x128", "PLAYOUTS, tally[mover]", "PLAYOUTS, tally[1u - mover]"),
    ("connect4 default", "PLAYOUTS, tally[mover]", "PLAYOUTS, tally[1u - mover]"),
    ("connect4 net", "(vec4<i32>(1) << (shift - 1u))", "vec4<i32>(0)"),
    ("connect4 rollout", "(*tally).plies += plies;", "(*tally).plies += plies + 1u;"),
    ("seeding 100000", "sum ^= jumps", "sum |= jumps"),
    ("roofline int32", "x * factor + (x >> vec4<u32>(7u))", "x * factor + (x >> vec4<u32>(8u))"),
];

#[test]
fn mistakes_in_a_kernel_void_its_case() {
    // A mistake in the rollouts in every run.
    let some = if tried(&MISTAKES).is_empty() { &MISTAKES[4..5] } else { &MISTAKES };
    each_fast_adapter(|adapter| {
        for &(filter, right, wrong) in some {
            let report = measured(device(adapter).with_mistake(right, wrong), filter);
            assert!(report.has_failed(), "{filter}: {report:#?}");
            for case in cases(&report).iter().filter(|case| case.check == Some(CaseCheck::Fail)) {
                let why = case.skipped.as_deref().expect("it says why there are no figures");
                assert!(why.starts_with("void: ") && why.contains(" gave "), "{case:#?}");
                assert_eq!(case.figures, Figures::default(), "{case:#?}");
            }
        }
    });
}

/// Also for kernels without a twin on the CPU engine.
#[test]
fn adapters_have_a_roofline() {
    each_adapter(|adapter| {
        let report = measured(device(adapter), "roofline");
        let rates: Vec<_> = cases(&report).iter().map(|case| (case.check, case.figures.rate())).collect();
        assert_eq!(rates.len(), 4);
        let right = |(check, rate): &(_, Option<Spread>)| {
            *check == Some(CaseCheck::Pass) && rate.is_some_and(|rate| rate.median > 0.0)
        };
        assert!(rates.iter().all(right), "{report:#?}");
        let machine = &report.machines[0];
        let headlines = machine.headlines();
        let has = |name| headlines.iter().any(|line| line.name == name && line.value.is_some());
        assert!(has("int32/s") && has("dispatch, us") && !has("search, leaves/s"), "{machine:#?}");
        assert!(machine.shader_compiler.is_some(), "{machine:#?}");
        let limits = machine.limits.as_ref().expect("adapters have limits");
        assert_eq!(machine.features, limits.features());
    });
}

#[test]
fn runs_that_lie_apart_are_followed_by_more() {
    let settings = BenchSettings { repeats: 2, more_repeats: 2, ..BenchSettings::quick() };
    let (seconds, filter) = (Duration::from_millis(1), "go 9 rollout".into());
    let report =
        run(&[Target::Cpu], &BenchSettings { seconds, filter, ..settings }, |_| ControlFlow::Continue(()));
    let report = report.expect("it is measured");
    let figures = &cases(&report)[0].figures;
    assert_eq!(figures.runs as usize, figures.samples.len());
    assert!((2..=5).contains(&figures.warm_up.len()), "{figures:?}");
    assert!(figures.runs == 4 || figures.steady == Some(true) && figures.runs >= 2, "{figures:?}");
}
