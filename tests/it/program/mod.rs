//! The program itself: every command, its errors, and its JSON against the library's results.

mod batches;
mod bench;
mod contest;
mod devices;
mod errors;
mod experiment;
mod files;
mod game_files;
mod learn_patterns;
mod networks;
mod play;
mod plot;
mod protocols;
mod pvsplit;
mod reports;
mod selfplay;
mod shaders;
mod shell;
#[cfg(unix)]
mod signals;
mod strange;
#[cfg(target_os = "linux")]
mod terminal;
mod verify;

use crate::support::prelude::*;

/// The library's result, through the same serialization as the program's.
fn library<G: Game>(game: &G, moves: &[&str], config: Config, steps: u64) -> Value {
    let position = position_after(game, moves);
    let mut search = search_on(&Engine::cpu(), game.clone(), config);
    json_of(&search.steps(&position, steps))
}

fn json_of(report: &Report) -> Value {
    let text = serde_json::to_string(report).expect("a report is JSON");
    serde_json::from_str(&text).expect("JSON is read as it was written")
}

fn without_times(mut report: Value) -> Value {
    let performance = report["performance"].as_object_mut().expect("performance is an object");
    for field in ["steps_per_second", "playouts_per_second", "times_ms"] {
        assert!(performance.remove(field).is_some(), "{field}");
    }
    report
}

fn fingerprint(done: &Done) -> String {
    done.json()["fingerprint"].as_str().expect("a fingerprint is text").to_owned()
}

#[test]
fn a_search_prints_the_librarys_report() {
    let done = run("search connect4 --moves 3,2,3 --steps 12 --adapter cpu --json").succeeded();
    assert_eq!(done.err, "");
    let game = Connect4::default();
    let position = position_after(&game, &["3", "2", "3"]);
    let search = Search::new(&Engine::cpu(), game.clone(), Settings::default());
    let expected = search.expect("the search starts").run(&position, Budget::steps(12));
    let expected = json_of(&expected.expect("the search runs"));
    assert_eq!(expected["net"], "connect4");
    assert_eq!(without_times(done.json()), without_times(expected));

    let done = run("search connect4 --moves 3,2,3 --net none --steps 12 --adapter cpu --json").succeeded();
    let game = Settings::default().with_policy(game).expect("a policy of Connect 4");
    let config = Settings::default().resolve(&game, &Engine::cpu());
    let expected = library(&game, &["3", "2", "3"], config, 12);
    assert_eq!(expected["net"], Value::Null);
    assert_eq!(without_times(done.json()), without_times(expected));
}

#[test]
fn every_option_reaches_the_search() {
    let search = "search connect4 --rows 5 --columns 8 --variant ocp-thrifty --trees 3 --playouts 16 --ucb-c 1.4 \
        --seed 18446744073709551615 --steps 40 --memory 0.01 --no-pruning --policy random --adapter cpu --json";
    let done = run(search).succeeded();
    let config = Config {
        variant: Variant::OCP_THRIFTY,
        trees: 3,
        playouts: 16,
        ucb_c: 1.4,
        seed: u64::MAX,
        memory: Some((0.01 * f64::from(1 << 30)) as u64),
        pruning: false,
        ..Config::paper()
    };
    let expected = library(&connect4_of(5, 8), &[], config, 40);
    assert_eq!(without_times(done.json()), without_times(expected));

    let search = "search gomoku --size 7 --moves d4,8 --playouts 2 --trees 2 --steps 3 --adapter cpu --json";
    let done = run(search).succeeded();
    let config = Config { playouts: 2, trees: 2, ucb_c: 0.3, ..Config::paper() };
    let expected = library(&gomoku_of(7), &["D4", "B2"], config, 3);
    assert_eq!(without_times(done.json()), without_times(expected));
}

#[test]
fn games_are_known_in_either_case() {
    for (other, game) in [("Connect4", "connect4"), ("GO", "go"), ("oThElLo", "othello")] {
        assert_eq!(run(&format!("perft {other} --depth 1 --json")).succeeded().json()["game"], game);
    }
}

#[test]
fn rollouts_without_a_number_take_their_time() {
    let report = run("rollout connect4 --adapter cpu --json").succeeded().json();
    let seconds = report["seconds"].as_f64().expect("a time");
    assert!(seconds > 1.5 && report["games"].as_u64() > Some(0), "{report}");
    let counted = run("rollout connect4 --games 3000 --adapter cpu --json").succeeded().json();
    assert_eq!(counted["games"], 3000);
}

/// Neither a driver's message without a desktop, nor a bar without a terminal.
#[test]
fn standard_error_is_empty_where_all_is_well() {
    for arguments in [
        "adapters",
        "adapters --backend vulkan",
        "search connect4 --steps 2 --trees 1 --playouts 4 --schedule staged --adapter 0 --json",
        "rollout connect4 --games 100 --adapter 0",
        "pvsplit --size 4 --depth 2 --adapter 0",
    ] {
        assert_eq!(run(arguments).succeeded().err, "", "{arguments}");
    }
}

#[test]
fn a_board_is_a_position() {
    let search = "search connect4 --steps 8 --adapter cpu --json";
    let board = "......./......./......./......./...O.../...X...";
    let of_board = run(&format!("{search} --board {board} --turn x")).succeeded();
    assert_eq!(fingerprint(&of_board), fingerprint(&run(&format!("{search} --moves 3,3")).succeeded()));
    let other_turn = run(&format!("{search} --board {board} --turn O")).succeeded();
    assert_ne!(fingerprint(&of_board), fingerprint(&other_turn));
}

#[test]
fn one_position_in_a_file_is_still_a_list() {
    let file = write_file("position.txt", "3,3");
    let search = "search connect4 --steps 4 --adapter cpu --json";
    let reports = run(&format!("{search} --positions {file}")).succeeded().json();
    let mut alone = run(&format!("{search} --moves 3,3")).succeeded().json();
    alone["position"]["line"] = json!(1);
    assert_eq!(without_times(reports[0].clone()), without_times(alone));
    assert_eq!(reports.as_array().map(Vec::len), Some(1));
}

#[test]
fn time_ends_a_search() {
    let by_time = run("search connect4 --time 0.1 --memory 0.1 --adapter cpu --json").succeeded().json();
    assert!(by_time["performance"]["steps"].as_u64() > Some(0));
    let by_steps = run("search connect4 --time 1000 --steps 3 --adapter cpu --json").succeeded().json();
    assert_eq!(by_steps["performance"]["steps"], 3);
}

/// Counts of Connect 4 and Othello as published for their standard boards; Go has 25 points and the pass; Gomoku's are
/// products of falling numbers.
#[test]
fn perft_counts() {
    for (depth, leaves) in (1..).zip([7, 49, 343, 2401, 16807, 117_649]) {
        let count = run(&format!("perft connect4 --depth {depth} --json")).succeeded().json();
        assert_eq!(fields(&count, "game depth leaves"), json!(["connect4", depth, leaves]));
        assert!(count["seconds"].as_f64() >= Some(0.0));
    }
    for (game, leaves) in
        [("othello --depth 5", 1396), ("go --size 5 --depth 1", 26), ("gomoku --depth 2", 225 * 224)]
    {
        assert_eq!(run(&format!("perft {game} --json")).succeeded().json()["leaves"], leaves);
    }
    let full_column = run("perft connect4 --depth 1 --moves 3,3,3,3,3,3").succeeded();
    assert!(full_column.out.starts_with("connect4, depth 1: 6 leaves in "), "{}", full_column.out);
}

/// The order of names and actions that scripts rely on.
#[test]
fn every_game_can_be_searched() {
    let games = [
        ("connect4 --moves 0", "0", 7),
        ("gomoku --size 5 --moves A1,E5", "B1", 11),
        ("othello --moves d3", "c3", 3),
        ("go --size 5 --komi 0.5 --moves A1,pass", "B1", 25),
    ];
    for (game, first, legal) in games {
        let search = format!("search {game} --steps 2 --trees 1 --playouts 4 --adapter cpu --json");
        let report = run(&search).succeeded().json();
        assert_eq!(report["game"], game.split(' ').next().unwrap_or_default());
        assert_eq!(report["actions"].as_array().map(Vec::len), Some(legal), "{game}");
        assert_eq!(report["actions"][0]["name"], first, "{game}");
    }
}

#[test]
fn help_and_version_are_results() {
    for command in ["", "search", "play", "adapters", "perft", "pvsplit", "shaders"] {
        let arguments = &format!("{command} --help");
        let done = run(arguments).succeeded();
        assert!(done.out.contains("Usage: mcts-wgpu") && done.err.is_empty(), "{arguments}");
    }
    let version = run("--version").succeeded();
    assert_eq!(version.out, concat!("mcts-wgpu ", env!("CARGO_PKG_VERSION"), "\n"));
}

/// Options are in groups, and fit a terminal of 100 columns.
#[test]
fn help_is_in_groups() {
    let help = run("search -h").succeeded().out;
    let heads: Vec<_> = help.lines().filter(|line| line.ends_with(':') && !line.starts_with(' ')).collect();
    assert_eq!(heads, ["Arguments:", "Options:", "Game and position:", "Search:", "Engine:", "Output:"]);
    let groups: Vec<_> = help.split("\n\n").collect();
    let group_of = |option: &str| {
        let group = groups.iter().find(|group| group.contains(&format!("      {option}")));
        group.and_then(|group| group.lines().next())
    };
    for (group, options) in [
        ("Game and position:", &["--komi ", "--moves "][..]),
        ("Search:", &["--trees ", "--time ", "--settings-file "]),
        ("Engine:", &["--backend "]),
        ("Output:", &["--json"]),
    ] {
        for option in options {
            assert_eq!(group_of(option), Some(group), "{option} in {help}");
        }
    }
    assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
}

/// As people type and paste them: moves with spaces, boards of several lines.
#[test]
fn moves_and_boards_may_have_white_space() {
    let moves = run("perft connect4 --depth 2 --moves 3,2,3 --json").succeeded().json();
    let board = "\n.......\n.......\n.......\n.......\n...X...\n..OX...\r\n";
    for position in [&["--moves", "3 2 3"][..], &["--moves", "3, 2,3 "], &["--board", board, "--turn", "O"]] {
        let mut program = command("perft connect4 --depth 2 --json");
        let done = finish("perft", program.args(position)).succeeded();
        assert_eq!(done.json()["leaves"], moves["leaves"], "{position:?}");
    }
}

#[test]
fn a_closed_output_is_no_error() {
    let search = "search connect4 --steps 60 --adapter cpu --json";
    let mut child = crate::support::program::start(search);
    drop(child.stdout.take());
    let done = Done::new(search, child.wait_with_output().expect("the program ends"));
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
}
