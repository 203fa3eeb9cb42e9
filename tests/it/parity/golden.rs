//! Results of the original CUDA program, to the last digit (`tests/golden/README.md`).

use super::*;
use mcts_wgpu::verify::{Case, Expected};

/// The cases of the golden file as cases of `verify`, with the semantics of the original.
pub fn golden() -> Vec<Case> {
    let file: Value =
        serde_json::from_str(include_str!("../../golden/mctsnc_cuda.json")).expect("the golden file parses");
    let cases = file["cases"].as_array().expect("a list");
    assert!(cases.len() > 30);
    let read = |case: &Value| {
        let mut case = case.clone();
        let mut settings =
            json!({"draw_value": "none", "solver": false, "pruning": false, "policy": "random"});
        for name in ["variant", "trees", "playouts", "seed", "ucb_c"] {
            settings[name] = case.as_object_mut().and_then(|fields| fields.remove(name)).expect("a setting");
        }
        case["settings"] = settings;
        serde_json::from_value(case).expect("a case")
    };
    cases.iter().map(read).collect()
}

fn is_same(report: &Report, expected: &Expected) -> bool {
    let found = Expected::of(report);
    let off = found.mean_depth.zip(expected.mean_depth).map(|(found, expected)| (found - expected).abs());
    let found = Expected { fingerprint: None, mean_depth: expected.mean_depth, ..found };
    off.is_some_and(|off| off < 1e-12) && found == *expected
}

fn run_all<'a>(engine: &Engine, schedule: Schedule, cases: impl IntoIterator<Item = &'a Case>) {
    for case in cases {
        let reports = block_on(case.run(engine, schedule)).expect("the searches run");
        for (report, run) in reports.iter().zip(&case.searches) {
            let what = || format!("{} on {:?}: {:?}", case.name, report.engine, Expected::of(report));
            assert!(is_same(report, &run.expected), "{}, not {:?}", what(), run.expected);
        }
    }
}

#[test]
fn the_cpu_reference_gives_the_originals_results() {
    run_all(&Engine::cpu(), Schedule::Auto, &golden());
}

/// One case of each game, board and variant: the parity suite compares adapters with the CPU in all sizes.
#[test]
fn every_adapter_gives_the_originals_results() {
    let mut kinds = golden();
    let games = |case: &Case| case.settings.trees.unwrap_or(0) * case.settings.playouts.unwrap_or(0);
    kinds.sort_by_key(|case| (games(case), case.searches.len()));
    let mut known = BTreeSet::new();
    kinds.retain(|case| known.insert(format!("{} {:?} {:?}", case.game, case.board, case.settings.variant)));
    assert!(kinds.len() >= 8);
    every_adapter(|adapter| {
        for &schedule in cases(adapter, &SCHEDULES) {
            run_all(&opened(adapter), schedule, cases(adapter, &kinds));
        }
    });
}

#[test]
fn a_wrong_result_is_noticed() {
    let mut case = golden().swap_remove(1);
    case.settings.seed = case.settings.seed.map(|seed| seed + 1);
    let reports = block_on(case.run(&Engine::cpu(), Schedule::Auto)).expect("the searches run");
    let expected = &case.searches[0].expected;
    assert!(!is_same(&reports[0], expected) && Expected::of(&reports[0]).actions != expected.actions);
}
