//! Bad input: one message, exit code 2, nothing on standard output.

use crate::support::prelude::*;

/// Arguments, and the parts of the message.
const REFUSED: &[(&str, &[&str])] = &[
    ("", &["requires a subcommand", "search"]),
    ("frobnicate", &["unrecognized subcommand 'frobnicate'"]),
    ("search", &["<GAME>"]),
    ("search chess", &["unknown game 'chess'", "connect4, gomoku"]),
    ("play chess", &["unknown game 'chess'"]),
    ("perft chess --depth 1", &["unknown game 'chess'"]),
    ("search connect4 --tim 3", &["'--tim'", "'--time'"]),
    ("search connect4 --steps 1 --steps 2", &["--steps", "multiple times"]),
    ("search connect4 extra", &["'extra'"]),
    ("adapters extra", &["'extra'"]),
    // Positions.
    ("search connect4 --moves 3,9", &["move 2", "'9' is no action of connect4"]),
    ("search connect4 --moves 3,,3", &["move 2", "''"]),
    ("search connect4 --moves -1", &["move 1", "'-1'"]),
    ("search connect4 --moves 3,3,3,3,3,3,3", &["move 7 (3) is illegal"]),
    ("search gomoku --moves H8,H8", &["move 2 (H8) is illegal"]),
    ("search gomoku --moves H8,I16", &["move 2", "'I16'"]),
    ("search connect4 --moves 0,1,0,1,0,1,0", &["the game is over", "X wins"]),
    ("search connect4 --moves 0,1,0,1,0,1,0,1", &["move 8 (1) comes after the end"]),
    ("search connect4 --rows 1 --columns 4 --moves 0,1,2,3", &["the game is over", "a draw"]),
    (
        "search connect4 --board OXOXOXO/OXOXOXO/XOXOXOX/XOXOXOX/OXOXOXO/OXOXOXO --turn X",
        &["the game is over"],
    ),
    ("search connect4 --board ./. --turn X", &["2 rows", "give 6"]),
    ("search connect4 --board ....... --turn X", &["has 1 row: give 6"]),
    ("search connect4 --rows 1 --board . --turn X", &["has 1 cell: give 7"]),
    // Numbers.
    ("search connect4 --time x", &["'--time <SECONDS>': give a number;"]),
    ("search connect4 --steps 1.5", &["'--steps <N>': give a whole number, 0 or more;"]),
    ("search connect4 --seed 99999999999999999999", &["the number is too large;"]),
    ("search connect4 --memory 5000", &["'--memory <GIB>': give a positive number of GiB up to 4096;"]),
    ("match defualt random --game go --games 1", &["'<A>': unknown player 'defualt': did you mean default?"]),
    (
        "search connect4 --board ......./......./......./......./......./........ --turn X",
        &["row 6", "8 cells", "give 7"],
    ),
    ("search connect4 --board ......./......./......./......./......./..x.... --turn X", &["'x' in row 6"]),
    ("search connect4 --board ......./......./......./......./..X..../....... --turn X", &["column 2 hangs"]),
    ("search connect4 --board ......./......./......./......./......./.......", &["--turn X or --turn O"]),
    ("search connect4 --turn X", &["--turn needs --board"]),
    ("search connect4 --board ....... --turn Z", &["'Z'", "give X (the first player) or O"]),
    ("search connect4 --moves 3 --board ....... --turn X", &["--moves and --board exclude each other"]),
    ("play connect4 --moves 3,9", &["move 2"]),
    ("play connect4 --side Z", &["'Z'", "give X (the first player) or O"]),
    ("perft connect4 --depth 1 --moves 3,9", &["move 2"]),
    ("perft connect4", &["--depth"]),
    ("perft connect4 --depth -1", &["'-1'", "--depth"]),
    // Boards.
    ("search connect4 --rows 0", &["0 rows x 7 columns"]),
    ("search connect4 --rows 9 --columns 7", &["9 rows x 7 columns", "at most 64"]),
    ("search connect4 --rows 4000000000", &["4000000000 rows"]),
    ("search connect4 --rows 3 --columns 3", &["has no line of four"]),
    ("search connect4 --rows x", &["'x'", "--rows"]),
    ("search connect4 --size 6", &["--size is no option of connect4", "--rows, --columns"]),
    ("search gomoku --size 4", &["4 x 4", "from 5 to 22"]),
    ("search gomoku --size 23", &["23 x 23", "from 5 to 22"]),
    ("search gomoku --size 9 --rows 4", &["4 x 9", "from 5 to 22"]),
    ("search gomoku --rows 9 --columns 23", &["9 x 23", "from 5 to 22"]),
    ("search othello --size 8", &["--size is no option of othello", "none"]),
    ("search go --size 20", &["20 x 20", "1 to 19"]),
    ("search go --rows 5 --columns 20", &["5 x 20", "1 to 19"]),
    ("search go --komi 0.3", &["komi of 0.3"]),
    ("search go --komi NaN", &["komi of NaN"]),
    ("search go --komi -inf", &["komi of -inf", "multiple of 0.5"]),
    ("search go --komi 2000", &["komi of 2000", "-1000 to 1000"]),
    ("search go --size 0", &["0 x 0", "1 to 19"]),
    ("search go --size 2 --turn X --board XO/OX", &["group of A1", "no liberty"]),
    ("search go --size 2 --turn X --board X./..X", &["row '..X' has 3 points: give 2"]),
    ("search go --size 2 --turn X --board X./.x", &["'x' on B1", "'X' for Black"]),
    ("search go --size 3 --moves A1,B2,A1", &["move 3 (A1) is illegal", "a stone already"]),
    ("search go --size 3 --moves A2,C3,B1,A1", &["move 4 (A1) is illegal", "suicide"]),
    ("search go --size 4 --moves B1,C1,A2,D2,B3,C3,C2,B2,C2", &["move 9 (C2) is illegal", "retake a ko"]),
    ("search gomoku --superko", &["--superko is no option of gomoku", "--size"]),
    // The search.
    ("search connect4 --variant best", &["unknown variant 'best'", "acp-prodigal"]),
    ("search connect4 --schedule best", &["unknown schedule 'best'", "auto, staged, fused"]),
    ("search connect4 --playouts 100", &["100 playouts", "a power of two"]),
    ("search connect4 --playouts 1024", &["1024 playouts", "512"]),
    ("search connect4 --playouts 0", &["0 playouts"]),
    ("search connect4 --trees 0", &["0 trees"]),
    ("search connect4 --leaves 0", &["batch of 0", "from 1 to 4096"]),
    ("search connect4 --leaves 4097", &["batch of 4097"]),
    ("search connect4 --leaves 2 --schedule fused", &["one leaf a step", "staged"]),
    ("search connect4 --trees 70000", &["70000 trees", "65536"]),
    ("search connect4 --trees -1", &["'-1'", "--trees"]),
    ("search connect4 --steps 0", &["--steps 0"]),
    ("search connect4 --steps -3", &["'-3'", "--steps"]),
    ("search connect4 --steps 1.5", &["'1.5'", "--steps"]),
    ("search connect4 --time 0", &["--time 0"]),
    ("search connect4 --time -1", &["--time -1"]),
    ("search connect4 --time NaN", &["--time NaN"]),
    ("search connect4 --time inf", &["--time inf"]),
    ("search connect4 --time 1e300", &["--time 1e300"]),
    ("search connect4 --time soon", &["'soon'", "--time"]),
    ("search connect4 --ucb-c -1", &["UCB constant -1"]),
    ("search connect4 --ucb-c NaN", &["UCB constant NaN"]),
    ("search connect4 --ucb-c inf", &["UCB constant inf"]),
    ("search connect4 --seed -1", &["'-1'", "--seed"]),
    ("search connect4 --memory 0", &["'0' for '--memory", "4096"]),
    ("search connect4 --memory -1", &["'-1' for '--memory"]),
    ("search connect4 --memory NaN", &["'NaN' for '--memory"]),
    ("search connect4 --memory 5000", &["'5000' for '--memory", "4096"]),
    ("search connect4 --net none --memory 0.000001", &["too little memory", "4 trees"]),
    ("search gomoku --memory 0.00001", &["too little memory", "225 children"]),
    ("play connect4 --memory 0.000001", &["too little memory"]),
    ("pvsplit", &["--depth or --time"]),
    ("pvsplit --depth 0", &["depth 0"]),
    ("pvsplit --depth 3 --size 20", &["20"]),
    ("pvsplit --depth 3 --time -1", &["--time -1"]),
    ("pvsplit --depth 3 --engine best", &["'best'", "minimax"]),
    // Bad input is found before an adapter is opened.
    ("pvsplit --depth 3 --workers 0 --adapter nonesuch", &["--workers 0"]),
    ("pvsplit --depth 65 --adapter nonesuch", &["depth 65"]),
    ("pvsplit --compare 5:3,5:65 --adapter nonesuch", &["depth 65"]),
    ("pvsplit --compare 5:3,20:3 --adapter nonesuch", &["20"]),
    ("rollout connect4 --mapping group --adapter nonesuch", &["connect4 has no group mapping"]),
    ("rollout connect4 --max-moves 0 --adapter nonesuch", &["0 moves"]),
    ("rollout connect4 --games 0 --adapter nonesuch", &["--games 0"]),
    ("search connect4 --policy m2 --adapter nonesuch", &["unknown policy 'm2': connect4 has random"]),
    ("search connect4 --trees 0 --adapter nonesuch", &["0 trees"]),
    ("search connect4 --positions nonesuch.txt --adapter nonesuch", &["nonesuch.txt", "can't be read"]),
    // Engines.
    ("search connect4 --steps 1 --adapter nonesuch", &["no adapter 'nonesuch'", "'cpu'"]),
    ("search connect4 --steps 1 --adapter 99", &["no adapter '99'", "0 "]),
    ("search connect4 --steps 1 --adapter 0,99", &["no adapter '0,99'", "separated by commas"]),
    ("search connect4 --steps 1 --adapter 0,cpu", &["'cpu' in the list of adapters '0,cpu'", "such as 0,1"]),
    ("search connect4 --steps 1 --adapter 0,", &["'' in the list of adapters '0,'"]),
    ("pvsplit --size 5 --depth 2 --adapter 0,0", &["--adapter 0,0 means several adapters", "give its index"]),
    ("play connect4 --steps 1 --adapter nonesuch", &["no adapter 'nonesuch'"]),
    ("search connect4 --steps 1 --adapter cpu --backend gl", &["the CPU engine has no backend"]),
    ("search connect4 --checked=all-of-it", &["unknown checks 'all-of-it'", "--checked=memory"]),
    ("search connect4 --backend glide", &["unknown backend 'glide'", "vulkan, metal, dx12, gl"]),
    ("adapters --backend glide", &["unknown backend 'glide'"]),
    ("adapters --backend cpu", &["unknown backend 'cpu'", "vulkan, metal, dx12, gl"]),
    ("bench --backend cpu", &["unknown backend 'cpu'", "vulkan, metal, dx12, gl"]),
    ("search connect4 --backend cpu", &["unknown backend 'cpu'", "vulkan, metal, dx12, gl"]),
    ("search connect4 --adapter cpu --moves \u{1b}[2J\u{202e}", &[r"'\u{1b}[2J\u{202e}' is no action"]),
];

#[test]
fn bad_arguments_are_refused_with_one_message() {
    for (arguments, parts) in REFUSED {
        run(arguments).refused(parts);
    }
}

#[test]
fn a_foreign_systems_backend_is_refused() {
    let foreign = if cfg!(windows) { "metal" } else { "dx12" };
    run(&format!("search connect4 --steps 1 --backend {foreign}")).refused(&[
        "no usable GPU adapter",
        foreign,
        "--adapter cpu",
    ]);
}

#[test]
fn bad_files_of_positions_are_refused() {
    let search = "search connect4 --steps 1 --adapter cpu --positions";
    run(&format!("{search} nonesuch.txt")).refused(&["nonesuch.txt", "can't be read"]);
    let empty = write_file("empty.txt", "");
    run(&format!("{search} {empty}")).refused(&["has no positions"]);
    let bad = write_file("bad.txt", "3,3\n3,3,3,3,3,3,3\n");
    run(&format!("{search} {bad}")).refused(&["line 2 of", "move 7 (3) is illegal"]);
    run(&format!("{search} {bad} --moves 3")).refused(&["leave out --moves"]);
}

#[test]
fn settings_come_from_files_and_by_their_former_names() {
    let search = "search go --size 5 --steps 3 --adapter cpu --json";
    let given =
        run(&format!("{search} --leaf-batch 2 --ucb-c 1.5 --prior-visits 9 --solver=false --pruning=false"));
    let given = given.succeeded().json();
    assert_eq!((&given["leaf_batch"], &given["leaves"]), (&json!(2), &json!(2)));
    let toml = "leaf_batch = 2\nc = 1.5\nknowledge = 9\nsolver = false\npruning = false\n";
    let json = r#"{"leaves": 2, "ucb_c": 1.5, "prior_visits": 9, "proofs": false, "prunes": false}"#;
    for options in [
        format!("--settings-file {}", write_file("settings.toml", toml)),
        format!("--settings-file {}", write_file("settings.json", json)),
        "--leaves 2 --ucb-c 1.5 --knowledge 9 --no-proof --no-pruning".into(),
    ] {
        let report = run(&format!("{search} {options}")).succeeded().json();
        assert_eq!(report["fingerprint"], given["fingerprint"], "{options}");
    }
    let file = write_file("settings_2.toml", "trees = 2\nrave = 0\n");
    let report = run(&format!("{search} --settings-file {file} --trees 3")).succeeded().json();
    assert_eq!((&report["trees"], &report["rave"]), (&json!(3), &json!(0)));
    let bad = write_file("settings_3.toml", "tree = 2\n");
    run(&format!("{search} --settings-file {bad}"))
        .refused(&["settings_3.toml: line 1", "unknown field `tree`"]);
    run(&format!("{search} --settings-file nonesuch.toml")).refused(&["nonesuch.toml can't be read"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has this device");
    let perft = "perft connect4 --depth 1";
    let done = finish(perft, command(perft).stdout(full));
    done.refused(&["standard output could not be written"]);
}

/// Stacks larger than any address space: no thread can be created.
#[cfg(target_os = "linux")]
#[test]
fn a_system_without_threads_is_reported() {
    for arguments in [
        "search connect4 --steps 1 --adapter cpu",
        "match random random --game connect4 --games 1",
        "pvsplit --depth 1 --engine cpu",
        "gtp --adapter cpu",
    ] {
        let mut command = command(arguments);
        command.env("RUST_MIN_STACK", (1u64 << 50).to_string()).stdin(std::process::Stdio::null());
        finish(arguments, &mut command).refused(&["threads can't be created"]);
    }
    let mut version = command("--version");
    assert_eq!(finish("--version", version.env("RUST_MIN_STACK", (1u64 << 50).to_string())).code, Some(0));
}
