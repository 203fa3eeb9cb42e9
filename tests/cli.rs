//! The program itself: every command, every way to be wrong, its JSON against the library's results.

#[path = "cli/batches.rs"]
mod batches;
#[path = "cli/errors.rs"]
mod errors;
#[path = "cli/files.rs"]
mod files;
#[path = "cli/learn_patterns.rs"]
mod learn_patterns;
#[path = "cli/play.rs"]
mod play;
#[path = "cli/program.rs"]
mod program;
#[path = "cli/shaders.rs"]
mod shaders;
#[path = "cli/shell.rs"]
mod shell;
#[cfg(unix)]
#[path = "cli/signals.rs"]
mod signals;

use mcts_wgpu::{
    Budget, Config, Engine, Game, Position, Report, Schedule, Search, Variant,
    games::{Connect4, Gomoku},
    gpu,
};
use program::{Done, run, without_adapters};
use serde_json::{Value, json};
use std::{collections::BTreeSet, fs, path::PathBuf};

/// The library's result, through the same serialization as the program's.
fn library<G: Game>(game: &G, moves: &[&str], config: Config, steps: u64) -> Value {
    let position = Position::from_moves(game, moves).expect("the moves are legal");
    let mut search = Search::new(&Engine::cpu(), game.clone(), config).expect("the search starts");
    json_of(&search.run(&position, Budget::steps(steps)).expect("the search runs"))
}

fn json_of(report: &Report) -> Value {
    let text = serde_json::to_string(report).expect("a report is JSON");
    serde_json::from_str(&text).expect("JSON is read as it was written")
}

/// Takes out what differs from run to run.
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

fn write_file(name: &str, text: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).expect("the directory for temporary files can be written");
    path.to_str().expect("its name is text").to_owned()
}

#[test]
fn a_search_prints_the_librarys_report() {
    let done = run("search connect4 --moves 3,2,3 --steps 12 --adapter cpu --json").succeeded();
    assert_eq!(done.err, "");
    let expected = library(&Connect4::default(), &["3", "2", "3"], Config::default(), 12);
    assert_eq!(without_times(done.json()), without_times(expected));
}

#[test]
fn every_option_reaches_the_search() {
    let done = run(
        "search connect4 --rows 5 --columns 8 --variant ocp-thrifty --trees 3 --playouts 16 --ucb-c 1.4 \
         --seed 18446744073709551615 --steps 40 --memory 0.01 --adapter cpu --json",
    )
    .succeeded();
    let config = Config {
        variant: Variant::OCP_THRIFTY,
        trees: 3,
        playouts: 16,
        ucb_c: 1.4,
        seed: u64::MAX,
        memory: 10 << 20,
        ..Config::default()
    };
    let expected = library(&Connect4::new(5, 8).expect("the board exists"), &[], config, 40);
    assert_eq!(without_times(done.json()), without_times(expected));

    let done =
        run("search gomoku --size 7 --moves d4,8 --playouts 2 --trees 2 --steps 3 --adapter cpu --json")
            .succeeded();
    let config = Config { playouts: 2, trees: 2, ..Config::default() };
    let expected = library(&Gomoku::new(7).expect("the board exists"), &["D4", "B2"], config, 3);
    assert_eq!(without_times(done.json()), without_times(expected));
}

fn assert_fields(value: &Value, names: &str) {
    let found: BTreeSet<_> = value.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(found, names.split_whitespace().collect());
}

#[test]
fn the_json_has_the_documented_fields() {
    let search = "search connect4 --variant ocp-prodigal --trees 1 --steps 3 --adapter cpu --json";
    let report = run(search).succeeded().json();
    assert_fields(
        &report,
        "version engine game rules policy position budget variant trees playouts seed ucb_c best n_root actions \
         principal_variation performance trees_info fingerprint",
    );
    assert_eq!(report["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!((&report["rules"], &report["policy"]), (&json!({"rows": 6, "columns": 7}), &json!("random")));
    assert_eq!(report["budget"], json!({"steps": 3, "seconds": null}));
    let board = "......./......./......./......./......./.......";
    assert_eq!(report["position"], json!({"moves": [], "board": board, "turn": "X"}));
    assert_fields(&report["principal_variation"][0], "index name n n_wins q ucb win_flag");
    assert_fields(&report["engine"], "adapter backend driver schedule adapters");
    assert_fields(&report["best"], "index name n n_wins q ucb win_flag");
    assert_fields(&report["actions"][6], "index name n n_wins q ucb win_flag");
    assert_fields(
        &report["performance"],
        "steps few_steps steps_per_second playouts playouts_per_second times_ms",
    );
    assert_fields(
        &report["performance"]["times_ms"],
        "total loop reduce_over_trees reduce_over_actions mean_loop mean_select mean_expand mean_playout mean_backup",
    );
    assert_fields(
        &report["trees_info"],
        "count mean_depth max_depth mean_size max_size sizes full reused_nodes reused_playouts",
    );

    // Three steps reach three of the seven actions.
    let actions = report["actions"].as_array().expect("a list");
    let unvisited: Vec<_> = actions.iter().filter(|action| action["n"] == 0).collect();
    assert!(unvisited.len() >= 4);
    assert!(unvisited.iter().all(|action| action["ucb"].is_null() && action["q"] == 0.0));
}

/// Whatever is in a report, with all that can be absent, is read back as it was.
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
fn a_report_says_what_was_searched() {
    let report =
        |search: &str| run(&format!("{search} --playouts 1 --adapter cpu --json")).succeeded().json();
    let go =
        report("search go --size 5 --komi 6 --superko --policy m2 --moves C3,pass --steps 2 --time 1000");
    assert_eq!(go["rules"], json!({"size": 5, "komi": 6.0, "superko": true, "max_moves": 200}));
    assert_eq!((&go["policy"], &go["budget"]), (&json!("m2"), &json!({"steps": 2, "seconds": 1000.0})));
    let board = "...../...../..X../...../.....";
    assert_eq!(go["position"], json!({"moves": ["C3", "pass"], "board": board, "turn": "X"}));
    let gomoku = report(&format!("search gomoku --size 5 --board {board} --turn O --steps 2"));
    assert_eq!(gomoku["position"], json!({"moves": null, "board": board, "turn": "O"}));
    assert_eq!(gomoku["rules"], json!({"size": 5}));
    assert_eq!(report("search othello --steps 1")["rules"], json!({}));
    assert_eq!(report("search othello --time 0.05")["budget"], json!({"steps": null, "seconds": 0.05}));
}

#[test]
fn games_are_known_in_either_case() {
    for (other, game) in [("Connect4", "connect4"), ("GO", "go"), ("oThElLo", "othello")] {
        assert_eq!(run(&format!("perft {other} --depth 1 --json")).succeeded().json()["game"], game);
    }
}

/// The line is the same on every engine, begins with the best move, and is played out less and less.
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
    assert_eq!(line("--adapter 0 --schedule staged"), expected);
    assert_eq!(line("--adapter 0 --schedule fused"), expected);
    assert_eq!(line("--adapter 0,0 --schedule staged"), expected);

    let names: Vec<_> = expected.iter().map(|action| action["name"].as_str().expect("a name")).collect();
    let text = run(&format!("{} --adapter cpu", search.replace(" --json", ""))).succeeded().out;
    let shown = names[..names.len().min(10)].join(" ");
    assert!(text.contains(&format!("\nline: {shown} (n = ")), "{shown} in {text}");
}

#[test]
fn rollouts_without_a_number_take_their_time() {
    let report = run("rollout connect4 --adapter cpu --json").succeeded().json();
    let seconds = report["seconds"].as_f64().expect("a time");
    assert!(seconds > 1.5 && report["games"].as_u64() > Some(0), "{report}");
    let counted = run("rollout connect4 --games 3000 --adapter cpu --json").succeeded().json();
    assert_eq!(counted["games"], 3000);
}

/// Neither is there a message of a driver where there is no desktop, nor a bar where there is no terminal.
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
fn every_adapter_finds_the_same_trees() {
    let search = "search connect4 --moves 3,3 --steps 15 --trees 2 --playouts 32 --json";
    let expected = fingerprint(&run(&format!("{search} --adapter cpu")).succeeded());
    let adapters = gpu::adapters(None);
    assert!(!adapters.is_empty(), "no adapter: install mesa-vulkan-drivers and libvulkan1");
    for adapter in adapters {
        let info = adapter.info();
        let done = run(&format!("{search} --schedule staged --adapter {}", info.index)).succeeded();
        assert_eq!(fingerprint(&done), expected, "{info:?}");
        let engine = &done.json()["engine"];
        assert_eq!(engine["adapter"], info.name);
        assert_eq!(engine["backend"], info.backend.name());
        assert_eq!(engine["schedule"], "staged");
    }
    let auto = run(search).succeeded();
    assert_eq!(fingerprint(&auto), expected);
    assert_ne!(fingerprint(&run(&format!("{search} --adapter cpu --seed 1")).succeeded()), expected);
}

#[test]
fn an_adapter_is_found_by_backend_and_by_a_part_of_its_name() {
    let search = "search connect4 --steps 2 --trees 1 --playouts 1 --schedule staged --json";
    let adapters = gpu::adapters(None);
    let first = adapters.first().expect("no adapter: install mesa-vulkan-drivers and libvulkan1").info();
    let part = first.name.split(' ').next().expect("an adapter has a name").to_uppercase();
    let done = run(&format!("{search} --adapter {part} --backend {}", first.backend.name())).succeeded();
    assert_eq!(done.json()["engine"]["adapter"], first.name);
    assert_eq!(done.json()["engine"]["backend"], first.backend.name());
}

#[test]
fn several_adapters_find_the_trees_of_one() {
    let search = "search connect4 --moves 3,3 --steps 15 --trees 3 --playouts 32 --schedule staged --json";
    let expected = fingerprint(&run(&format!("{search} --adapter cpu")).succeeded());
    let adapters = gpu::adapters(None);
    let info = adapters.first().expect("no adapter: install mesa-vulkan-drivers and libvulkan1").info();
    let twice = run(&format!("{search} --adapter 0,0")).succeeded();
    assert_eq!(fingerprint(&twice), expected);
    let engine = &twice.json()["engine"];
    assert_eq!(engine["adapter"], format!("{0} + {0}", info.name));
    let shares = [1, 2].map(|n| json!({"index": 0, "name": info.name, "driver": info.driver, "trees": n}));
    assert_eq!(engine["adapters"], json!(shares));

    let all = run(&format!("{search} --adapter all")).succeeded();
    assert_eq!(fingerprint(&all), expected);
    let shares = all.json()["engine"]["adapters"].as_array().map_or(0, Vec::len);
    assert!((1..=adapters.len()).contains(&shares));

    let text = run(&search.replace("--json", "--adapter 0,0,0,0")).succeeded().out;
    assert!(text.contains("adapters: 0 (0 trees), 0 (1 trees), 0 (1 trees), 0 (1 trees)"), "{text}");
}

/// Drivers are hidden by the environment, which works so on Linux only.
#[cfg(target_os = "linux")]
#[test]
fn without_an_adapter_the_cpu_searches() {
    let search = "search connect4 --moves 3,3 --steps 15 --trees 2 --playouts 32 --json";
    let done = without_adapters(search).succeeded();
    assert_eq!(done.json()["engine"]["backend"], "cpu");
    assert!(done.err.starts_with("notice: no usable GPU adapter"), "{}", done.err);
    assert_eq!(fingerprint(&done), fingerprint(&run(&format!("{search} --adapter cpu")).succeeded()));

    let done = without_adapters("adapters --json").succeeded();
    assert_eq!((done.json(), done.err.lines().count()), (json!([]), 1));
    without_adapters("search connect4 --steps 1 --backend vulkan")
        .refused(&["no usable GPU adapter", "vulkan"]);
    without_adapters("search connect4 --steps 1 --adapter nvidia").refused(&["no usable GPU adapter"]);
}

/// Software adapters are slower than the CPU engine: they are taken where they are asked for.
#[test]
fn auto_takes_a_gpu_or_the_cpu_engine() {
    let gpus: Vec<_> = gpu::adapters(None).into_iter().filter(gpu::adapters::Adapter::is_gpu).collect();
    let done = run("search connect4 --steps 1 --json").succeeded();
    let backend = done.json()["engine"]["backend"].clone();
    assert_eq!(gpus.is_empty(), backend == "cpu", "{backend}");
    assert_eq!(gpus.is_empty(), done.err.starts_with("notice: no usable GPU adapter"), "{}", done.err);
    assert_ne!(
        run("search connect4 --steps 1 --adapter all --json").succeeded().json()["engine"]["backend"],
        "cpu"
    );
}

#[test]
fn people_get_a_table() {
    let done = run("search connect4 --moves 3,2,3,2,3,2 --steps 5 --adapter cpu").succeeded();
    let report = library(&Connect4::default(), &["3", "2", "3", "2", "3", "2"], Config::default(), 5);
    let best = done.out.lines().find(|line| line.starts_with('*')).expect("the best action is marked");
    let words: Vec<_> = best.split_whitespace().collect();
    assert_eq!(words[1], report["best"]["name"]);
    assert_eq!(words[2], report["best"]["n"].to_string());
    assert_eq!(words[5], "wins");
    for part in ["engine: CPU", "acp-prodigal, 8 trees x 128 playouts", ". . O X . . .", "X to move"] {
        assert!(done.out.contains(part), "{part} in {}", done.out);
    }
    let fingerprint = report["fingerprint"].as_str().expect("a fingerprint is text");
    assert!(done.out.ends_with(&format!("fingerprint: {fingerprint}\n")), "{}", done.out);
    assert_eq!(done.err, "");
}

#[test]
fn many_actions_are_cut_to_the_most_visited() {
    let done = run("search gomoku --size 6 --steps 4 --trees 1 --playouts 2 --adapter cpu").succeeded();
    assert!(done.out.contains("and 16 more"), "{}", done.out);
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
fn a_file_of_positions_is_searched_side_by_side() {
    let file = write_file("positions.txt", "3,3\r\n\n0,1,0,1,0,1,0\n6\n");
    let search = format!("search connect4 --positions {file} --steps 9 --trees 2 --adapter cpu");
    let reports = run(&format!("{search} --json")).succeeded().json();

    let game = Connect4::default();
    let moves: [&[&str]; 4] = [&["3", "3"], &[], &["0", "1", "0", "1", "0", "1", "0"], &["6"]];
    let positions: Vec<_> =
        moves.iter().map(|moves| Position::from_moves(&game, moves).expect("the moves are legal")).collect();
    let config = Config { trees: 2, ..Config::default() };
    let mut library = Search::new(&Engine::cpu(), game, config).expect("the search starts");
    let expected = library.run_batch(&positions, Budget::steps(9)).expect("the search runs");

    let reports = reports.as_array().expect("a list").iter().cloned().map(without_times);
    let expected = (1..).zip(expected).map(|(line, mut report)| {
        report.position.line = Some(line);
        without_times(json_of(&report))
    });
    assert_eq!(reports.clone().collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    let finished = reports.clone().nth(2).expect("there are four");
    assert_eq!((&finished["best"], &finished["actions"]), (&Value::Null, &json!([])));

    let table = run(&search).succeeded().out;
    assert!(table.contains("\n3,3: ") && table.contains("\n(start): "), "{table}");
    assert!(table.contains("\n0,1,0,1,0,1,0: over, X wins\n"), "{table}");
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
fn full_trees_are_told() {
    let search = "search connect4 --trees 1 --playouts 1 --steps 500 --adapter cpu --json";
    let full = run(&format!("{search} --memory 0.00005")).succeeded();
    assert_eq!(full.json()["trees_info"]["full"], true);
    assert!(full.err.starts_with("warning: trees are full"), "{}", full.err);
    assert_eq!(full.err.lines().count(), 1);
    let roomy = run(search).succeeded();
    assert_eq!((roomy.json()["trees_info"]["full"].clone(), roomy.err.as_str()), (json!(false), ""));
}

#[test]
fn time_ends_a_search() {
    let by_time = run("search connect4 --time 0.1 --memory 0.1 --adapter cpu --json").succeeded().json();
    assert!(by_time["performance"]["steps"].as_u64() > Some(0));
    let by_steps = run("search connect4 --time 1000 --steps 3 --adapter cpu --json").succeeded().json();
    assert_eq!(by_steps["performance"]["steps"], 3);
}

#[test]
fn schedules_are_chosen_by_name() {
    assert!(!gpu::adapters(None).is_empty(), "no adapter: install mesa-vulkan-drivers and libvulkan1");
    for schedule in [Schedule::Staged, Schedule::Fused].map(Schedule::name) {
        let search = "search connect4 --steps 2 --trees 1 --playouts 4 --json --adapter 0 --schedule";
        let done = run(&format!("{search} {schedule}")).succeeded();
        assert_eq!(done.json()["engine"]["schedule"], schedule);
    }
}

#[test]
fn adapters_are_listed() {
    let adapters = gpu::adapters(None);
    assert!(!adapters.is_empty(), "no adapter: install mesa-vulkan-drivers and libvulkan1");
    let infos: Vec<_> = adapters.iter().map(|adapter| adapter.info()).collect();
    let expected = serde_json::to_value(&infos).expect("adapters are JSON");
    assert_eq!(run("adapters --json").succeeded().json(), expected);

    let table = run("adapters").succeeded().out;
    for info in infos {
        let line = format!("{}: {}\n", info.index, info.name);
        assert!(table.contains(&line) && table.contains(info.r#type), "{line} in {table}");
        let of_backend =
            run(&format!("adapters --json --backend {}", info.backend.name())).succeeded().json();
        let of_backend = of_backend.as_array().expect("a list");
        assert!(!of_backend.is_empty());
        assert!(of_backend.iter().all(|other| other["backend"] == info.backend.name()));
    }
}

/// Counts of Connect 4 and Othello as published for their standard boards; Go has 25 points and the pass; Gomoku's are products of falling numbers.
#[test]
fn perft_counts() {
    for (depth, leaves) in (1..).zip([7, 49, 343, 2401, 16807, 117_649]) {
        let count = run(&format!("perft connect4 --depth {depth} --json")).succeeded().json();
        assert_eq!((&count["game"], &count["depth"]), (&json!("connect4"), &json!(depth)));
        assert_eq!(count["leaves"], leaves);
        assert!(count["seconds"].as_f64() >= Some(0.0));
    }
    assert_eq!(run("perft othello --depth 5 --json").succeeded().json()["leaves"], 1396);
    assert_eq!(run("perft go --size 5 --depth 1 --json").succeeded().json()["leaves"], 26);
    assert_eq!(run("perft gomoku --depth 2 --json").succeeded().json()["leaves"], 225 * 224);
    let full_column = run("perft connect4 --depth 1 --moves 3,3,3,3,3,3").succeeded();
    assert!(full_column.out.starts_with("connect4, depth 1: 6 leaves in "), "{}", full_column.out);
}

/// The order of names and actions that scripts rely on.
#[test]
fn every_game_can_be_searched() {
    let games = [
        ("connect4 --moves 0", "0", 7),
        ("gomoku --size 5 --moves A1,E5", "B1", 23),
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
fn pv_split_finds_what_minimax_finds() {
    let search = |engine: &str| {
        run(&format!("pvsplit --size 4 --depth 3 --json --engine {engine}")).succeeded().json()
    };
    let expected = search("minimax");
    for engine in ["cpu", "gpu"] {
        let found = search(engine);
        assert_eq!((&found["score"], &found["depth"]), (&expected["score"], &json!(3)), "{engine}");
        assert_eq!(found["per_depth"].as_array().map(Vec::len), Some(3));
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

#[test]
fn a_reader_who_leaves_is_no_error() {
    let search = "search connect4 --steps 60 --adapter cpu --json";
    let mut child = program::start(search);
    drop(child.stdout.take());
    let done = Done::new(search, child.wait_with_output().expect("the program ends"));
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
}
