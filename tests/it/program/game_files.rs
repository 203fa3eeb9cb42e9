//! Commands with `--game-file`, and `check-game`.

use crate::{
    game_files::{HEAP, HEAP_PLAYOUT, changed},
    support::prelude::*,
};

const NIM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/games/nim357.wgsl");
const TICTACTOE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/games/tictactoe.wgsl");

/// Exit code 2, and a last line on standard error with these parts. A notice about software adapters may precede it.
#[track_caller]
fn refused(arguments: &str, parts: &[&str]) {
    let done = run(arguments);
    assert_eq!((done.code, done.out.as_str()), (Some(2), ""), "{done}");
    assert!(done.err.contains("error: "), "{done}");
    assert_has(&done.err, parts);
}

#[test]
fn a_report_has_names_and_a_line() {
    let game = format!("--game-file {NIM} --moves b7,A1,c4");
    let search = format!("search {game} --steps 200 --trees 2 --playouts 8 --json");
    refused(&search.replace("b7", "b6"), &["move 1 (b6) is illegal"]);
    refused(&search.replace("b7", "d1"), &["'d1' is no action of nim357", "such as b4"]);
    let report = run(&search.replace("b7", "b5")).succeeded().json();
    assert_eq!(report["game"], "nim357");
    assert_eq!(report["position"]["moves"], serde_json::json!(["b5", "a1", "c4"]));
    // Heaps of 2, 0 and 3: the winning move leaves 2 and 2.
    assert_eq!(report["best"]["name"], "c1", "{report}");
    let actions = report["actions"].as_array().expect("a list");
    assert!(actions.iter().map(|action| &action["name"]).eq(["a1", "a2", "c1", "c2", "c3"]), "{report}");
    assert_eq!(report["principal_variation"][0]["name"], "c1");
    assert_eq!(report["fingerprint"].as_str().map(str::len), Some(16));
    let again = run(&search.replace("b7", "11")).succeeded().json();
    assert_eq!(again["fingerprint"], report["fingerprint"], "b5 is action 11: an index is no other move");
}

#[test]
fn perft_and_rollout_take_a_file() {
    let json =
        |arguments: &str| run(&format!("{arguments} --game-file {TICTACTOE} --json")).succeeded().json();
    let counted = json("perft --depth 4 --moves b2");
    assert_eq!(fields(&counted, "game leaves"), json!(["tictactoe", 8 * 7 * 6 * 5]));
    let played = json("rollout --games 500 --seed 3");
    let count = |field: &str| played[field].as_u64().expect("a count");
    assert_eq!(count("games"), 500);
    assert_eq!(count("first_wins") + count("second_wins") + count("draws") + count("unfinished"), 500);
    assert!(count("first_wins") > count("second_wins"), "{played}");
}

/// Standard error has at most a notice.
fn play(arguments: &str, input: &str) -> String {
    let options = "--steps 20 --trees 1 --playouts 4";
    let done = run_with_input(&format!("play {options} {arguments}"), input.as_bytes()).succeeded();
    assert!(done.err.lines().all(|line| line.starts_with("notice: ")), "{done}");
    done.out
}

#[test]
fn a_game_is_played_saved_and_loaded() {
    let saved = fresh("nim357.json");
    let file = format!("--game-file {NIM}");
    let out = play(&file, &format!("c7\nundo\nmoves\nhint\nA9\nb2\nsave {saved}\nquit\n"));
    let start = "   o o o . . . .\n   o o o o o . .\n   o o o o o o o\n";
    assert_has(&out, &[start, "   o o o . . . .\n   o o o o o . .\n   . . . . . . .\n", "Try ", "O plays "]);
    assert_has(&out, &["You are X. Type a move such as b5, or help.", "'A9' is no action of nim357"]);
    assert_has(&out, &["a1 a2 a3 b1 b2 b3 b4 b5 c1 c2 c3 c4 c5 c6 c7\n", "Good bye."]);
    let record: Value = serde_json::from_str(&fs::read_to_string(&saved).expect("a file")).expect("JSON");
    assert!(record.to_string().contains("b2"), "{record}");
    let again = play(&format!("{file} --load {saved}"), "moves\nquit\n");
    assert!(again.contains("X to move> ") && !again.contains(start), "{again}");
    let out = play(&format!("{file} --moves a3,b5,c6"), "c1\n");
    assert!(out.contains("The game is over: "), "{out}");
}

#[test]
fn options_without_meaning_for_a_file_are_refused() {
    const CPU_ALONE: &str = "mesa-vulkan-drivers";
    let search = format!("search --game-file {NIM} --steps 1");
    for (arguments, parts) in [
        (format!("search nim357 --game-file {NIM}"), &["--game-file", "cannot be used with"][..]),
        (format!("{search} --rows 3"), &["--rows is no option of a game file"]),
        (format!("{search} --policy m2"), &["unknown policy 'm2'", "nim357 has random"]),
        (format!("{search} --board ... --turn X"), &["boards of nim357 can't be read", "give its moves"]),
        (format!("{search} --adapter cpu"), &["the rules of nim357, a game of a WGSL file", CPU_ALONE]),
        (format!("rollout --game-file {NIM} --games 1 --adapter cpu"), &[CPU_ALONE]),
        (format!("play --game-file {NIM} --adapter cpu"), &[CPU_ALONE]),
        (format!("check-game {NIM} --adapter cpu"), &[CPU_ALONE]),
        ("search --game-file no-such.wgsl".into(), &["no-such.wgsl: No such file"]),
        ("search nim357".into(), &["unknown game 'nim357'", "--game-file"]),
        (format!("check-game {NIM} --games 0"), &["--games"]),
        ("check-game".into(), &["<FILE>"]),
    ] {
        refused(&arguments, parts);
    }
}

fn file(name: &str, text: &str) -> String {
    write_file(&format!("{name}.wgsl"), text)
}

#[test]
fn errors_have_their_place() {
    let wrong = file("wrong", &changed(HEAP, "(*state)[0] -= action + 1u;", "(*stat)[0] -= action + 1u;"));
    let file_of =
        ["search --steps 1", "perft --depth 1", "play"].map(|command| command.to_owned() + " --game-file");
    for command in file_of.into_iter().chain(["check-game".into()]) {
        refused(&format!("{command} {wrong}"), &["wrong.wgsl:12:7: no definition in scope", "12 |", "^^^^"]);
    }
    let text = "fn action_nmae(action: u32) -> vec4<u32> { return vec4<u32>(); }\nfn helper() {}\n";
    let misspelt = file("misspelt", &(HEAP.to_owned() + text));
    let done = run(&format!("perft --depth 1 --game-file {misspelt}")).succeeded();
    let meant = "fn action_name(action: u32) -> vec4<u32>?";
    assert_has(&done.err, &["misspelt.wgsl: nothing calls action_nmae: did you mean ", meant]);
    assert_eq!(done.err.matches("nothing calls").count(), 1, "{done}");
}

/// Of one action, with games longer than the loops of an invocation on some adapters: 200 plies of 400 iterations.
fn too_long_for_some() -> String {
    let slow =
        changed(HEAP, "-= action + 1u;", "-= 1u; for (var i = 0u; i < 400u; i++) { (*state)[1] += i; }");
    changed(&slow, "start = [12, 0]", "start = [200, 0]").replace("max_plies = 12", "max_plies = 200")
}

/// A limit of the adapter is never reported as a fault of the game.
#[test]
fn limits_of_an_adapter_are_no_faults_of_the_game() {
    let path = file("long", &too_long_for_some());
    let done = run(&format!("check-game {path} --games 2 --json")).succeeded();
    let report = done.json();
    assert_eq!(fields(&report, "ok findings"), json!([true, []]), "{done}");
    let unchecked = report["unchecked"].as_array().expect("a list");
    let blamed = |what: &Value| {
        let what = what.as_str().unwrap_or_default();
        !what.contains("can't play heap") || what.contains("--adapter cpu")
    };
    assert!(!unchecked.iter().any(blamed), "{done}");
    if !unchecked.is_empty() {
        refused(&format!("rollout --games 10 --game-file {path}"), &["can't play heap", "The game is valid"]);
        let text = run(&format!("check-game {path} --games 2")).succeeded().out;
        assert_has(&text, &["\nnot checked: "]);
        assert!(text.ends_with("no violation among the checks that were made\n"), "{text}");
    }
}

/// Replayed searches of the log run on the adapter of the file's rules, as in the match.
#[test]
fn a_log_of_a_file_is_replayed_without_an_adapter() {
    let log = fresh("nim357.jsonl");
    let player = "default:steps=5,trees=1,playouts=4";
    run(&format!("match {player} random --game-file {NIM} --games 2 --log {log}")).succeeded();
    let text = run(&format!("replay {log} --game-file {NIM}")).succeeded().out;
    assert!(text.contains("all are identical"), "{text}");
}

#[test]
fn a_right_file_passes_its_check() {
    let done = run(&format!("check-game {TICTACTOE} --games 20 --json")).succeeded();
    let report = done.json();
    assert_eq!(fields(&report, "ok game findings"), json!([true, "tictactoe", []]));
    assert_eq!(report["statistics"]["games"], 20);
    assert_eq!(report["perft"].as_array().expect("a list")[..4], [1, 9, 72, 504]);
    let text = run(&format!("check-game {TICTACTOE} --games 20")).succeeded().out;
    assert!(text.ends_with("20 random games: no violation\n"), "{text}");
}

#[test]
fn remainders_of_negative_numbers_are_reported() {
    let text = changed(HEAP, "-= action + 1u;", "-= action + 1u + u32((i32(action) - 1) % 1);");
    let check = format!("check-game {} --games 2", file("remainder", &text));
    let report = run(&format!("{check} --json")).succeeded().json();
    let notice = report["notices"][0].as_str().expect("a notice");
    assert_has(notice, &["% of numbers that may be negative"]);
}

#[test]
fn a_random_game_is_shown() {
    let out = run(&format!("check-game {TICTACTOE} --games 3 --show 2 --seed 5")).succeeded().out;
    assert_has(&out, &["game of seed 5\n", "game of seed 6\n", "    a b c\n"]);
    assert_has(&out, &["\n1. X plays ", "\n2. O plays "]);
    assert!(!out.contains("seed 7") && out.ends_with("3 random games: no violation\n"), "{out}");
    // The last board of the first game agrees with its result.
    let first = out.split("game of seed 6").next().expect("a game");
    let count = first.matches(" plays ").count();
    assert!(first.contains(&format!("\n{count}. ")) && first.trim_end().ends_with(['s', 'w']), "{first}");
}

#[test]
fn rules_are_shown_and_boards_have_names_and_wide_glyphs() {
    let text = fs::read_to_string(TICTACTOE).expect("the file");
    let names = text.lines().find(|line| line.contains("action_names")).expect("names").to_owned() + "\n";
    let unnamed = changed(&changed(&text, &names, ""), "\".XO\"", "[\"..\", \"X1\", \"O22\"]");
    let path = file("unnamed", &unnamed);
    let out = play(&format!("--game-file {path} --moves b2,c1"), "help\na3\nquit\n");
    let rules =
        "Tic-tac-toe: three in a line win, a full board without a line is a draw. With best play it is one.";
    assert_has(&out, &[&format!("{rules}\n"), "Type a move by its name or index", "(X1)"]);
    assert_has(&out, &["  1  ..  ..(O22)\n  2  ..  X1  ..\n  3  ..  ..  ..\n      a   b   c\n"]);
    let search = format!("search --game-file {path} --moves b2,c1 --steps 2 --trees 1 --playouts 1 --json");
    let report = run(&search).succeeded().json();
    assert_eq!(report["position"]["board"], ".. .. O22/.. X1 ../.. .. ..");
    let bad = file("bad_glyphs", &changed(&text, "\".XO\"", "[\".\", 3]"));
    refused(&search.replace(&path, &bad), &["bad_glyphs.wgsl:10:", "glyphs"]);
}

/// A mutant for each kind of finding: its text, the part of the contract, and the message.
fn mutants() -> Vec<(&'static str, String, &'static str, &'static str)> {
    let own = format!("{HEAP}{HEAP_PLAYOUT}");
    let scored = format!("{HEAP}fn compute_score(state: ptr<function, State>) -> i32 {{ return 70000; }}\n");
    let changing =
        changed(HEAP, "return action < (*state)[0];", "(*state)[1] ^= 1u; return action < (*state)[0];");
    let with_function = |name: &str, body: &str| {
        let action = if name == "action_urgency" { ", action: u32" } else { "" };
        format!("{HEAP}fn {name}(state: ptr<function, State>, turn: u32{action}) -> u32 {{ {body} }}\n")
    };
    let board = "//! start = [12, 0]\n//! [board]\n//! rows = 1\n//! columns = 4\n//! glyphs = \".o\"\n";
    let drawn = changed(HEAP, "//! start = [12, 0]\n", board)
        + "fn cell(state: ptr<function, State>, row: u32, column: u32) -> u32 { return column; }\n";
    let afterwards = changed(HEAP, "return select(", "(*state)[1] = last_action + 5u; return select(");
    let endless = changed(HEAP, "-= action + 1u;", "-= action + 1u; while (*state)[0] == 5u { }");
    // The player who takes from a heap of four loses.
    let four = "return select(0u, wins(turn) | (4u << 2u), (*state)[0] == 4u);";
    let solving = with_function("solved_outcome", "(*state)[1] = 3u; return 0u;");
    let stuck = changed(HEAP, "< (*state)[0];", "< (*state)[0] && (*state)[0] > 2u;");
    let short = changed(&own, "min((*playout).heap, 3u)", "min((*playout).heap, 2u)");
    let other =
        changed(&own, "(*playout).heap -= ordinal + 1u;", "(*playout).heap -= min(ordinal + 1u, 2u);");
    vec![
        ("endless", endless, "loops", "does not end"),
        ("changing", changing, "actions", "is_action_legal changes the position that it is given"),
        ("afterwards", afterwards, "actions", "compute_outcome changes the position that it is given"),
        ("urgent", with_function("action_urgency", "return 4u + action;"), "pruning", "more than 4 for 1"),
        ("solved", with_function("solved_outcome", four), "foresight", "solved_outcome says '"),
        ("solving", solving, "actions", "solved_outcome changes the position that it is given"),
        ("drawn", drawn, "boards", "cell gives 2 in row 0, column 2"),
        ("longer", changed(HEAP, "max_plies = 12", "max_plies = 5"), "length", "goes on after 5 plies"),
        ("stuck", stuck, "legality", "no action is legal"),
        ("seven", changed(HEAP, "wins(1u - turn)", "7u"), "outcome", "compute_outcome gives 7 after"),
        ("scored", scored, "scores", "compute_score gives 70000 after"),
        ("short", short, "playouts", "2 entries, but there are 3 legal actions"),
        ("other", other, "playouts", "no legal action does"),
    ]
}

fn findings(done: &Done) -> Vec<Value> {
    done.json()["findings"].as_array().expect("a list").clone()
}

#[test]
fn every_kind_of_finding_is_reported_and_reproduced() {
    for (name, text, part, what) in mutants() {
        let path = file(name, &text);
        let done = run(&format!("check-game {path} --games 40 --seed 7 --json"));
        assert_eq!((done.code, &done.json()["ok"]), (Some(1), &false.into()), "{name}: {done}");
        let found = findings(&done);
        assert_eq!(found.len(), 1, "{name}: {done}");
        let printed = found[0]["what"].as_str().expect("a text");
        assert!(found[0]["part"] == part && printed.contains(what), "{name}: {done}");
        let Some(seed) = found[0]["seed"].as_u64() else {
            assert!(["playouts", "boards"].contains(&part), "{name}: {done}");
            assert_has(printed, &["the position ["]);
            continue;
        };
        assert!((7..47).contains(&seed), "{name}: {done}");
        let again = run(&format!("check-game {path} --games 1 --seed {seed} --json"));
        assert_eq!(findings(&again), found, "{name}");
        let moves = found[0]["moves"].as_array().expect("a list");
        let moves: Vec<_> = moves.iter().filter_map(Value::as_str).collect();
        let said = run(&format!("check-game {path} --games 1 --seed {seed}"));
        assert_eq!(said.code, Some(1), "{said}");
        assert_has(&said.out, &["wrong: ", &format!("(seed {seed})")]);
        assert!(moves.is_empty() || said.out.contains(&format!("after {}", moves.join(" "))), "{said}");
        assert!(said.out.ends_with("1 random games: the game breaks its contract\n"), "{said}");
    }
}
