//! The benchmark as a library: figures stand beside a proof, or there are none.

use crate::support::adapters::{compiles_slowly, device, each_adapter};
use mcts_wgpu::{
    bench::{BenchReport, BenchSettings, CaseReport, Target, Verdict, run},
    engine::Device,
};
use std::{ops::ControlFlow, time::Duration};

fn measured(device: Device, filter: &str) -> BenchReport {
    let (seconds, filter) = (Duration::from_millis(10), filter.into());
    let settings = BenchSettings { seconds, filter, repeats: 1, ..BenchSettings::quick() };
    run(&[Target::Devices(vec![device])], &settings, |_| ControlFlow::Continue(())).expect("it is measured")
}

fn cases(report: &BenchReport) -> &[CaseReport] {
    &report.machines[0].cases
}

/// A case of each kind of work, and a mistake of a compiler in its kernels: the text that it misreads, and what it
/// reads there.
const MISTAKES: [(&str, &str, &str); 6] = [
    ("connect4 default", "(s.y << 23u) | (s.x >> 9u)", "(s.y << 22u) | (s.x >> 9u)"),
    (
        "connect4 ocp 8x128 staged",
        "add_stats(index, n, trees[tree].tally[mover]);",
        "add_stats(index, 1u, n);",
    ),
    ("connect4 ocp 8x128 fused", "* 0xcc9e2d51u", "* 0xcc9e2d53u"),
    ("connect4 rollout", "(*tally).plies += plies;", "(*tally).plies += plies + 1u;"),
    ("seeding 100000", "sum ^= jumps", "sum |= jumps"),
    ("go 19 pvsplit 5", "4 - i32(go_count(near, 3u))", "5 - i32(go_count(near, 3u))"),
];

#[test]
fn a_kernel_that_computes_something_else_voids_its_case() {
    each_adapter(|adapter| {
        if compiles_slowly(adapter) {
            return;
        }
        for (filter, right, wrong) in MISTAKES {
            let report = measured(device(adapter), filter);
            assert!(!report.has_failed(), "{report:#?}");
            for case in cases(&report) {
                assert_eq!((case.check, &case.skipped, case.figures.runs), (Some(Verdict::Pass), &None, 1));
            }
            let report = measured(device(adapter).with_mistake(right, wrong), filter);
            assert!(report.has_failed(), "{report:#?}");
            for case in cases(&report) {
                let why = case.skipped.as_deref().expect("it says why there are no figures");
                assert!(case.check == Some(Verdict::Fail) && why.starts_with("void: "), "{case:#?}");
                assert!(case.figures.runs == 0 && case.figures.named().all(|(_, figure)| figure.is_none()));
            }
        }
    });
}
