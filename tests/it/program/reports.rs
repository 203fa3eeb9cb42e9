//! The report of a search, as text and as JSON.

use super::*;
use crate::support::prelude::*;

const OF_ACTIONS: &str = "index name n prior_visits n_wins q ucb prior win_flag proven proven_in";
/// Places in a report, and the names of the fields there.
const FIELDS: [(&str, &str); 8] = [
    (
        "",
        "version engine game rules policy net net_digest position budget variant trees playouts leaf_batch seed ucb_c \
         prior_visits rave pruning draw_value solver schedule reuse memory node_limit leaves knowledge prunes draws \
         proofs proven proven_in best n_root actions principal_variation performance trees_info fingerprint exact \
         root_noise gumbel gumbel_visits playout_weight",
    ),
    ("/principal_variation/0", OF_ACTIONS),
    ("/engine", "adapter backend driver schedule adapters"),
    ("/best", OF_ACTIONS),
    ("/actions/6", OF_ACTIONS),
    ("/performance", "steps few_steps steps_per_second playouts playouts_per_second times_ms"),
    (
        "/performance/times_ms",
        "total loop reduce_over_trees reduce_over_actions mean_loop mean_select mean_expand mean_playout mean_backup",
    ),
    (
        "/trees_info",
        "count mean_depth max_depth mean_size max_size sizes capacity bytes full reused_nodes reused_playouts",
    ),
];

#[test]
fn the_json_has_the_documented_fields() {
    let search = "search connect4 --variant ocp-prodigal --trees 1 --steps 3 --adapter cpu --json";
    let report = run(search).succeeded().json();
    for (place, names) in FIELDS {
        let object = report.pointer(place).and_then(Value::as_object).expect("an object");
        let found: BTreeSet<_> = object.keys().map(String::as_str).collect();
        assert_eq!(found, names.split_whitespace().collect(), "{place}");
    }
    let expected = json!([env!("CARGO_PKG_VERSION"), {"rows": 6, "columns": 7}, "tactical"]);
    assert_eq!(fields(&report, "version rules policy"), expected);
    assert_eq!(report["budget"], json!({"steps": 3, "seconds": null}));
    let board = "......./......./......./......./......./.......";
    assert_eq!(report["position"], json!({"moves": [], "board": board, "turn": "X"}));

    // Three steps reach three of the seven actions.
    let actions = report["actions"].as_array().expect("a list");
    let unvisited: Vec<_> = actions.iter().filter(|action| action["n"] == 0).collect();
    assert!(unvisited.len() >= 4);
    assert!(unvisited.iter().all(|action| action["ucb"].is_null() && action["q"] == 0.0));
}

#[test]
fn a_report_can_be_read_back() {
    for search in [
        "search go --size 5 --komi 7 --superko --policy m2 --moves C3,pass --steps 9 --time 100 --playouts 4",
        "search othello --time 0.05 --memory 0.1 --playouts 4",
        "search gomoku --size 5 --board ...../..X../...../...../..... --turn O --steps 2 --playouts 1 --trees 1",
        "search connect4 --moves 0,1,0,1,0,1 --steps 30",
    ] {
        let done = run(&format!("{search} --adapter cpu --json")).succeeded();
        let report: Report = serde_json::from_str(&done.out).expect("a report is read back");
        assert_eq!(json_of(&report), done.json(), "{search}");
        let again: Report = serde_json::from_value(json_of(&report)).expect("a report is read back");
        assert_eq!(again, report);
    }
}

#[test]
fn a_report_has_its_search() {
    let report =
        |game: &str| run(&format!("search {game} --playouts 1 --adapter cpu --json")).succeeded().json();
    let go = report("go --size 5 --komi 6 --superko --policy m2 --moves C3,pass --steps 2 --time 1000");
    assert_eq!(go["rules"], json!({"size": 5, "komi": 6.0, "superko": true, "max_moves": 200}));
    assert_eq!(fields(&go, "policy budget"), json!(["m2", {"steps": 2, "seconds": 1000.0}]));
    let board = "...../...../..X../...../.....";
    assert_eq!(go["position"], json!({"moves": ["C3", "pass"], "board": board, "turn": "X"}));
    let gomoku = report(&format!("gomoku --size 5 --board {board} --turn O --steps 2"));
    assert_eq!(gomoku["position"], json!({"moves": null, "board": board, "turn": "O"}));
    assert_eq!(gomoku["rules"], json!({"size": 5, "freestyle": false}));
    let rectangle = report("gomoku --rows 6 --columns 9 --moves I6 --steps 2");
    assert_eq!(rectangle["rules"], json!({"rows": 6, "columns": 9, "freestyle": false}));
    assert_eq!(rectangle["position"]["board"], "........X/........./........./........./........./.........");
    assert_eq!(report("othello --steps 1")["rules"], json!({}));
    assert_eq!(report("othello --time 0.05")["budget"], json!({"steps": null, "seconds": 0.05}));
}

/// The line is the same on every engine, begins with the best move, and its playouts decrease.
#[test]
fn the_principal_variation_is_the_same_everywhere() {
    let search = "search connect4 --moves 3,3 --steps 300 --trees 3 --playouts 16 --json";
    let line = |options: &str| {
        let report = run(&format!("{search} {options}")).succeeded().json();
        assert_eq!(report["principal_variation"][0], report["best"], "{options}");
        report["principal_variation"].as_array().expect("a list").clone()
    };
    let expected = line("--adapter cpu");
    assert!(expected.len() > 3, "{expected:?}");
    let ns: Vec<_> = expected.iter().map(|action| action["n"].as_u64().expect("a count")).collect();
    assert!(ns.is_sorted_by(|a, b| a > b) && ns[ns.len() - 1] > 0, "{ns:?}");
    for options in ["0 --schedule staged", "0 --schedule fused", "0,0 --schedule staged"] {
        assert_eq!(line(&format!("--adapter {options}")), expected);
    }

    let names: Vec<_> = expected.iter().map(|action| action["name"].as_str().expect("a name")).collect();
    let text = run(&format!("{} --adapter cpu", search.replace(" --json", ""))).succeeded().out;
    let shown = names[..names.len().min(10)].join(" ");
    assert!(text.contains(&format!("\nline: {shown} (n = ")), "{shown} in {text}");
}

#[test]
fn people_get_a_table() {
    let done = run("search connect4 --moves 3,2,3,2,3,2 --net none --steps 5 --adapter cpu").succeeded();
    let game = Settings::default().with_policy(Connect4::default()).expect("a policy of Connect 4");
    let config = Settings::default().resolve(&game, &Engine::cpu());
    let report = library(&game, &["3", "2", "3", "2", "3", "2"], config, 5);
    let best = done.out.lines().find(|line| line.starts_with('*')).expect("the best action is marked");
    let words: Vec<_> = best.split_whitespace().collect();
    assert_eq!(words[1], report["best"]["name"]);
    assert_eq!((words[2], words[5]), (&*report["best"]["n"].to_string(), "wins"));
    assert_has(&done.out, &["ocp-prodigal, 4 trees x 8 leaves x 1 tactical playouts"]);
    assert_has(&done.out, &["engine: CPU", ". . O X . . .", "X to move"]);
    let fingerprint = report["fingerprint"].as_str().expect("a fingerprint is text");
    assert!(done.out.ends_with(&format!("fingerprint: {fingerprint}\n")), "{}", done.out);
    assert_eq!(done.err, "");
    let random = run("search connect4 --policy random --steps 1 --adapter cpu").succeeded();
    assert!(random.out.contains("4 trees x 8 leaves x 1 playouts"), "{}", random.out);
    let default = run("search connect4 --steps 1 --adapter cpu").succeeded();
    assert_has(&default.out, &["1 tree x 8 leaves by network connect4", "\nevaluations: "]);
}

/// A proven line is complete, and fits a terminal.
#[test]
fn a_proven_line_is_shown_to_its_end() {
    let json = run("search connect4 --moves 3,2,3,2,3,2 --steps 5 --adapter cpu --json").succeeded().out;
    let mut report: Report = serde_json::from_str(&json).expect("a report");
    assert!(!report.to_string().contains("in 0 playouts"), "{report}");
    let long = report.actions.iter().cycle().take(60).cloned().collect();
    report.principal_variation = long;
    let shown = report.to_string();
    let (_, line) = shown.split_once("\nline: ").expect("a line");
    let (names, _) = line.split_once(" (").expect("its end");
    assert_eq!(names.split_whitespace().count(), 60, "{shown}");
    assert!(names.lines().count() == 2 && names.lines().all(|row| row.len() <= 80), "{shown}");
    report.proven = None;
    let shown = report.to_string();
    let (_, line) = shown.split_once("\nline: ").expect("a line");
    assert_eq!(line.split(" (").next().map(|names| names.split_whitespace().count()), Some(10), "{shown}");
}

#[test]
fn many_actions_are_cut_to_the_most_visited() {
    let done = run("search gomoku --size 6 --steps 4 --trees 1 --playouts 2 --adapter cpu").succeeded();
    assert!(done.out.contains("and 16 more"), "{}", done.out);
}

#[test]
fn full_trees_are_reported() {
    let search = "search connect4 --trees 1 --playouts 1 --steps 500 --adapter cpu --json";
    let full = run(&format!("{search} --memory 0.00005")).succeeded();
    assert_eq!(full.json()["trees_info"]["full"], true);
    assert!(full.err.starts_with("warning: trees are full"), "{}", full.err);
    assert_eq!(full.err.lines().count(), 1);
    let roomy = run(search).succeeded();
    assert_eq!((roomy.json()["trees_info"]["full"].clone(), roomy.err.as_str()), (json!(false), ""));
}
