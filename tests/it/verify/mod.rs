//! `verify` as a library: it passes on correct machines, and finds mistakes.

use crate::{parity::golden::golden, support::prelude::*};
use mcts_wgpu::{
    engine::Checks,
    verify::{Check, CheckResult, Expected, VerifyReport, VerifySettings, original, run, table},
};

/// The checks with this text in their names, without a limit of time.
fn verified(engine: &Engine, filter: &str) -> VerifyReport {
    let settings = VerifySettings { filter: filter.into(), time: None };
    run(engine, &settings, |_| ControlFlow::Continue(())).expect("the checks are made")
}

fn named<'a>(report: &'a VerifyReport, name: &str) -> &'a Check {
    report.checks.iter().find(|check| check.name == name).expect("there is such a check")
}

/// The first cases of a check, at most so many.
fn first_cases(engine: &Engine, check: &str, most: u32) -> VerifyReport {
    let (settings, mut cases) = (VerifySettings { filter: check.into(), time: None }, 0);
    let report = run(engine, &settings, |_| {
        cases += 1;
        if cases > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    report.expect("the checks are made")
}

/// All checks, with the number of cases to run: a case may compile a module or more, and other tests compare every
/// adapter with the same data: `parity` with the original's results and the twins of all kernels, `rules::conformance`
/// with the rules, and the next test with the table.
const CHECKS: [(&str, u32); 11] = [
    ("streams", u32::MAX),
    ("integers", u32::MAX),
    ("bounds", u32::MAX),
    ("sums", u32::MAX),
    ("searches", 2),
    ("fingerprints", 2),
    ("exact play", u32::MAX),
    ("rollouts", u32::MAX),
    ("alpha-beta", u32::MAX),
    ("games", 1),
    ("kernels", 4),
];

/// `.ci/run thorough` makes all cases.
#[test]
fn no_adapter_makes_mistakes() {
    every_adapter(|adapter| {
        let engine = opened(adapter);
        if compiles_slowly(adapter) {
            // The time limit leaves out cases that take minutes to compile.
            let seconds = if is_thorough() { 500 } else { 100 };
            let settings = VerifySettings { filter: "s".into(), time: Some(Duration::from_secs(seconds)) };
            let report = run(&engine, &settings, |_| ControlFlow::Continue(())).expect("the checks are made");
            return assert!(report.ok, "{report:#?}");
        }
        for (name, most) in CHECKS {
            let most = if is_thorough() { u32::MAX } else { most };
            let report = first_cases(&engine, name, most);
            let check = named(&report, name);
            assert!(report.ok && report.checks.len() == 1 && check.left_out.is_empty(), "{report:#?}");
            assert!(check.result == CheckResult::Passed && check.cases > 0, "{check:?}");
            assert!(check.cases <= most && check.compared >= u64::from(check.cases), "{check:?}");
        }
    });
}

/// Each case by one of its variations, in turn; outside of `.ci/run thorough` every second case.
#[test]
fn the_table_is_what_adapters_find() {
    each_fast_adapter(|adapter| {
        let (device, schedules) = (device(adapter), [Schedule::Staged, Schedule::Fused]);
        for (number, case) in table().expect("it is read").iter().enumerate() {
            if !is_thorough() && number % 4 % 3 != 0 {
                continue;
            }
            let settings = &case.settings;
            let is_staged =
                settings.variant.is_none() || settings.leaf_batch.is_some_and(|leaves| leaves > 1);
            let schedule = if is_staged { Schedule::Auto } else { schedules[number % 2] };
            let by_lanes = (number / 2 % 2 == 1).then(|| device.without_subgroups());
            let engine = Engine::devices_of(vec![by_lanes.unwrap_or_else(|| device.clone())]);
            let reports = block_on(case.run(&engine, schedule)).expect("the searches run");
            for (run, report) in case.searches.iter().zip(reports) {
                assert_eq!(run.expected.fingerprint, Some(report.fingerprint), "{} {schedule}", case.name);
            }
        }
    });
}

/// The results of checks of rules do not depend on the initial content of memory: one game is enough.
#[test]
fn checks_of_rules_pass_on_a_checked_device() {
    each_fast_adapter(|adapter| {
        let engine = engine_of(&device(adapter).checked(Checks::All));
        let report = first_cases(&engine, "games", 1);
        assert!(report.ok && named(&report, "games").cases == 1, "{report:#?}");
    });
}

#[test]
fn the_cpu_engine_passes_without_shaders() {
    let report = verified(&Engine::cpu(), "");
    assert!(report.ok && !report.interrupted, "{report:#?}");
    let left_out = report.checks.iter().filter(|check| check.result == CheckResult::LeftOut);
    let names: Vec<_> = left_out.map(|check| check.name.as_str()).collect();
    assert_eq!(names, ["streams", "integers", "bounds", "sums", "rollouts", "alpha-beta", "kernels"]);
    let verdict = concat!("mcts-wgpu ", env!("CARGO_PKG_VERSION"), " verify: 4 checks passed");
    assert!(report.verdict.starts_with(verdict), "{}", report.verdict);
    assert_eq!(report.verdict.lines().count(), 1);
}

/// A mistake of a compiler, the check that must fail, and a part of its result.
type Mistake = (&'static str, &'static str, &'static str);

/// In the helpers, in every stage, in fused kernels, in rollouts; check by check.
const MISTAKES: [Mistake; 22] = [
    ("(s.y << «23u ⇒ 22u») | (s.x >> 9u)", "streams", " of case 0 "),
    ("sum «^= ⇒ |=» jumps", "streams", "jump of case"),
    ("a.y + b.y« + u32(low < a.x) ⇒ »", "integers", "product by 16 bits of case"),
    ("(a.x >> t)« | ((a.y << 1u) << (31u - t)) ⇒ »", "integers", "shift down of case"),
    ("«soft64_round24(visits) ⇒ visits»", "bounds", "bound"),
    ("top «- ⇒ +» abs(top) * 7.6293945e-6", "bounds", "estimates err"),
    ("vec2<u32>(«low < a.xz ⇒ 0u»)", "sums", "n of case"),
    ("stride < «TREE_LANES ⇒ 2u»; stride *= 2u", "sums", "all of case"),
    ("rng_advance_by_power(stream, «0u ⇒ 1u»)", "kernels", "after seed: streams of tree 0, stream 1, "),
    (
        "«turn_at(tree, 0u) ⇒ FIRST», links[base + ROOT])",
        "kernels",
        "after select_leaf of step 2: states of tree 2",
    ),
    (
        "trees[tree].selected = «leaf.node ⇒ ROOT»;",
        "kernels",
        "after select_leaf of step 2: trees of tree 0, selected",
    ),
    ("(*header).size = first + «count ⇒ 1u»;", "kernels", "after expand_1 of step 1: trees of tree 0, size"),
    (
        "stats[child] = «child_stats(&state, turn, action, last_action(job.leaf), known) ⇒ vec4<u32>(1u)»;",
        "kernels",
        "after expand_2 of step 1: stats of tree 0, node 1",
    ),
    (
        "return «first | (second << 16u) ⇒ second | (first << 16u)»;",
        "kernels",
        "after playout of step 1: tallies of tree 0",
    ),
    ("trees[tree].tally = sum.«xz ⇒ zx»;", "kernels", "after backup_1 of step 1: trees of tree 0, tally"),
    (
        "add_stats(index, «n ⇒ 1u», trees[tree].tally[mover]);",
        "kernels",
        "after backup_2 of step 1: stats of tree 0, node 0, n, low",
    ),
    ("trees[tree]« = kept ⇒ .size = kept.size»;", "kernels", "after withdraw: trees of tree 0"),
    ("step < «params.steps ⇒ 1u»", "kernels", "after 5 fused steps"),
    (
        "RootSum(sum.stats« ⇒ .zwxy», info,",
        "kernels",
        "after reduce_over_trees: root_sums of position 0, ordinal 0, n, low",
    ),
    ("* «0xcc9e2d51u ⇒ 0xcc9e2d53u»", "fingerprints", "fingerprint "),
    ("PLAYOUTS, tally[« ⇒ 1u - »mover]", "searches", "search 1 of 200 steps: "),
    ("(*tally).plies += plies« ⇒  + 1u»;", "rollouts", "mean length"),
];

/// The result of a check on a device with a mistake, if it is not the expected failure. The first case is enough.
fn missed(adapter: &Adapter, (mistake, name, part): Mistake) -> Option<String> {
    let [from, to] = sides(mistake);
    let device = device(adapter).with_mistake(&from, &to);
    let report = first_cases(&engine_of(&device), name, 1);
    let first = named(&report, name).differences.first().map(|difference| difference.to_string());
    let first = first.unwrap_or_default();
    let message = !report.ok && first.contains(part) && report.verdict.contains("1 of 1 check FAILED");
    (!message).then(|| format!("{mistake}: {name} says '{first}', {}", report.verdict))
}

#[test]
fn mistakes_of_a_compiler_are_reported() {
    each_adapter(|adapter| {
        let some = if compiles_slowly(adapter) { &MISTAKES[2..3] } else { &MISTAKES[..] };
        let of_checks = some.chunk_by(|one, next| one.1 == next.1);
        let of_check = |mistakes| if tried(mistakes).is_empty() { &mistakes[..1] } else { mistakes };
        let all: Vec<_> =
            of_checks.flat_map(of_check).filter_map(|mistake| missed(adapter, *mistake)).collect();
        assert!(all.is_empty(), "{}", all.join("\n"));
    });
}

/// A search that finds the right trees with replaced kernels does not verify the kernels that it should have had.
#[test]
fn refused_kernels_are_reported() {
    each_fast_adapter(|adapter| {
        let device = own_device(adapter).refusing(&["fused", "packed", "descend"], true);
        let settings = VerifySettings { filter: "fingerprints".into(), time: None };
        let report = run(&engine_of(&device), &settings, |now| {
            let is_last = now.case.starts_with("connect4 ocp-prodigal");
            if is_last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let report = report.expect("the checks are made");
        let differences = named(&report, "fingerprints").differences.iter().map(ToString::to_string);
        assert!(!report.ok);
        assert_has(&differences.collect::<String>(), &["refused kernels with fused steps"]);
    });
}

/// The CPU engine reproduces each line of the table.
#[test]
fn the_table_is_what_the_cpu_engine_finds() {
    let (engine, mut cases) = (Engine::cpu(), table().expect("it is read"));
    assert!(cases.len() >= 8);
    let known = cases.clone();
    for case in &mut cases {
        let reports = block_on(case.run(&engine, Schedule::Auto)).expect("the searches run");
        for (run, report) in case.searches.iter_mut().zip(&reports) {
            run.expected = Expected { fingerprint: Expected::of(report).fingerprint, ..Expected::default() };
        }
    }
    let lines: Vec<_> = cases.iter().map(|case| serde_json::to_string(case).expect("JSON")).collect();
    assert!(cases == known, "write this to src/verify/fingerprints.json:\n[\n{}\n]", lines.join(",\n"));
}

/// The crate's results are a part of those of the tests.
#[test]
fn the_original_results_are_those_of_the_golden_file() {
    let (shipped, golden) = (original().expect("it is read"), golden());
    assert!(shipped.len() >= 8);
    for case in shipped {
        assert!(golden.contains(&case), "{}", case.name);
    }
}

#[test]
fn progress_is_reported_and_ends_the_checks() {
    let (mut seen, settings) = (Vec::new(), VerifySettings::default());
    let report = run(&Engine::cpu(), &settings, |now| {
        assert!(now.done < now.of && !now.case.is_empty());
        seen.push(now.check.to_owned());
        if now.check == "games" { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let report = report.expect("the checks are made");
    assert!(report.interrupted && report.ok && report.verdict.ends_with("; interrupted"), "{report:#?}");
    assert_eq!(report.checks.last().map(|check| check.name.as_str()), Some("games"));
    seen.dedup();
    assert_eq!(seen, ["searches", "fingerprints", "exact play", "games"]);
}

/// Without time, each check runs its first case, and leaves out the others for the same reason.
#[test]
fn cases_without_time_are_left_out() {
    let settings = VerifySettings { time: Some(Duration::ZERO), ..VerifySettings::default() };
    let report = run(&Engine::cpu(), &settings, |_| ControlFlow::Continue(())).expect("the checks are made");
    assert!(report.ok && report.verdict.contains("4 checks passed, 4 cases"), "{}", report.verdict);
    let fingerprints = named(&report, "fingerprints");
    assert!(fingerprints.left_out.iter().all(|left| left.ends_with(": the time is up")), "{fingerprints:?}");
    let left_out = report.left_out();
    let (_, late) = left_out.iter().find(|(reason, _)| *reason == "the time is up").expect("some are late");
    assert!(late.contains(&("fingerprints", fingerprints.left_out.len())), "{left_out:?}");
    assert!(report.seconds_for_all() > Some(0.0) && left_out.len() == 2, "{left_out:?}");
    assert_eq!(verified(&Engine::cpu(), "games").seconds_for_all(), None);
}

/// A long check leaves later ones their shares.
#[test]
fn every_check_has_a_share_of_the_time() {
    let settings = VerifySettings { time: Some(Duration::from_millis(400)), ..VerifySettings::default() };
    let mut slow = true;
    let report = run(&Engine::cpu(), &settings, |now| {
        // The first case of the first check alone takes longer than the check's share.
        if now.check == "searches" && std::mem::take(&mut slow) {
            std::thread::sleep(Duration::from_millis(100));
        }
        ControlFlow::Continue(())
    });
    let report = report.expect("the checks are made");
    assert!(named(&report, "searches").left_out.len() > 1, "{report:#?}");
    let made = ["searches", "fingerprints", "exact play", "games"].map(|name| named(&report, name).cases);
    assert!(made.iter().all(|&cases| cases > 0), "{made:?}");
}

#[test]
fn a_lost_device_ends_the_checks() {
    each_adapter(|adapter| {
        let device = own_device(adapter);
        let engine = engine_of(&device);
        let report = run(&engine, &VerifySettings::default(), |now| {
            if now.check == "integers" {
                device.wgpu().destroy();
            }
            ControlFlow::Continue(())
        });
        let report = report.expect("the checks are made");
        assert!(!report.ok && report.checks.len() <= 4, "{report:#?}");
        assert_eq!(named(&report, "streams").result, CheckResult::Passed);
        assert_eq!(named(&report, "integers").result, CheckResult::Failed);
        assert_eq!(report.verdict.lines().count(), 1);
    });
}

#[test]
fn bad_requests_are_refused() {
    let settings = VerifySettings { filter: "kernel of truth".into(), ..VerifySettings::default() };
    assert_bad(run(&Engine::cpu(), &settings, |_| ControlFlow::Continue(())), "streams, integers");
    each_adapter(|adapter| {
        let two = Engine::devices_of(devices(adapter, 2));
        let refused =
            run(&two, &VerifySettings::default(), |_| ControlFlow::Continue(())).expect_err("two devices");
        assert!(refused.is_bad_input(), "{refused}");
    });
}

#[test]
fn a_table_says_only_what_it_compares() {
    let expected = Expected { n_root: Some(5), ..Expected::default() };
    assert_eq!(serde_json::to_string(&expected).expect("JSON"), r#"{"n_root":5}"#);
}
