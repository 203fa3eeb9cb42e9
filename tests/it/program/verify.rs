//! `verify`: its report as text and JSON, its exit codes, and game files.

use crate::{
    game_files::{HEAP, changed},
    support::prelude::*,
};

const TICTACTOE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/games/tictactoe.wgsl");

#[test]
fn the_cpu_engine_is_checked() {
    let done = run("verify --adapter cpu --json --time 3600").succeeded();
    assert_eq!(done.err, "");
    let answer = done.json();
    let report = &answer["adapters"][0];
    assert_eq!(answer["ok"], true);
    assert_eq!(fields(report, "ok backend type"), json!([true, "cpu", "cpu"]));
    let results: Vec<_> =
        report["checks"].as_array().expect("a list").iter().map(|check| &check["result"]).collect();
    assert_eq!(results.iter().filter(|result| **result == "passed").count(), 4, "{report}");
    assert_eq!(results.iter().filter(|result| **result == "left out").count(), 7, "{report}");
    let verdict = report["verdict"].as_str().expect("a text");
    assert!(verdict.starts_with("mcts-wgpu ") && verdict.contains("checks passed"), "{verdict}");
}

/// Adapters one after another, each with a verdict as its last line.
#[test]
fn a_report_is_for_people() {
    let text = run("verify --adapter all --check integers").succeeded().out;
    let verdict = text.lines().last().expect("a last line");
    assert!(verdict.contains("verify: 1 check passed"), "{text}");
    assert!(text.contains("  integers      passed    1 case, 229376 words"), "{text}");
    let count = |part: &str| text.matches(part).count();
    assert_eq!(count("64-bit integers in pairs of words"), count(" verify: 1 check passed"));
}

#[test]
fn a_game_file_is_checked_too() {
    let done = run(&format!("verify --check sums --game-file {TICTACTOE} --json")).succeeded();
    let checks = &done.json()["adapters"][0]["checks"];
    let fields = (&checks[0]["name"], &checks[1]["name"], &checks[1]["result"], &checks[1]["compared"]);
    assert_eq!(fields, (&"sums".into(), &"game file".into(), &"passed".into(), &100.into()));
    let wrong = write_file("verified.wgsl", changed(HEAP, "max_plies = 12", "max_plies = 4"));
    let done = run(&format!("verify --check sums --game-file {wrong}"));
    assert_eq!(done.code, Some(1), "{done}");
    assert!(done.out.contains("game file     failed") && done.out.contains("FAILED; "), "{done}");
    assert!(done.out.contains("differs: heap: the game goes on after 4 plies"), "{done}");
}

#[test]
fn impossible_requests_are_refused() {
    run("verify --check nothing").refused(&["no check has 'nothing'", "streams, integers"]);
    run("verify --adapter nosuch").refused(&["no adapter 'nosuch'"]);
    run("verify --time 0").refused(&["--time"]);
    run("verify --backend tin").refused(&["unknown backend 'tin'"]);
    run("verify --adapter cpu --backend vulkan").refused(&["the CPU engine has no backend"]);
    run(&format!("verify --adapter cpu --check sums --game-file {TICTACTOE}")).refused(&["adapter"]);
    run("verify --game-file /nonexistent --check sums").refused(&["/nonexistent"]);
}

#[cfg(target_os = "linux")]
#[test]
fn without_an_adapter_there_is_nothing_to_check() {
    without_adapters("verify").refused(&["no ", "adapter", "--adapter cpu"]);
    without_adapters("verify --adapter cpu --check searches").succeeded();
}
