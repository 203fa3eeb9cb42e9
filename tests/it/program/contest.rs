//! `match`, `tournament` and `replay`.

use crate::support::prelude::*;
use std::thread::sleep;

/// Longer than the program takes for a few games.
const PATIENCE: Duration = Duration::from_secs(120);

#[test]
fn a_match_prints_its_score() {
    let log = fresh("match.jsonl");
    let done = run(&format!(
        "match vanilla:steps=200 random --game connect4 --games 6 --log {log} --json --parallel 2"
    ))
    .succeeded();
    assert_eq!(done.err, "");
    let answer = done.json();
    for field in "game a b games a_wins b_wins draws a_score interval elo faults".split(' ') {
        assert!(answer.get(field).is_some(), "{field}");
    }
    assert_eq!(fields(&answer, "game games faults"), json!(["connect4", 6, 0]));
    let games = lines_of(&log);
    let points = |game: &Value| {
        let sides = if game["first"] == "random" { ["second", "first"] } else { ["first", "second"] };
        sides.iter().position(|side| game["result"] == *side).map_or(0.5, |place| 1.0 - place as f64)
    };
    assert_eq!(answer["a_score"].as_f64(), Some(games.iter().map(points).sum::<f64>() / 6.0));
    let first = games.iter().filter(|game| game["first"] == "random").count();
    assert_eq!((games.len(), first), (6, 3));
    for game in &games {
        let [moves, reports] = ["moves", "reports"].map(|field| game[field].as_array().expect("a list"));
        assert_eq!(moves.len(), reports.len());
        let place = usize::from(game["first"] == "random");
        assert!(reports[place]["actions"][0]["n"].is_u64() && reports[1 - place].is_null());
    }
    // A table, and the same games again without playing any.
    let again =
        run(&format!("match vanilla:steps=200 random --game connect4 --games 6 --log {log}")).succeeded();
    assert!(again.err.contains("has 6 games already"), "{again}");
    assert!(again.out.starts_with("connect4: 6 games\n\nA: vanilla:steps=200\nB: random\n"), "{again}");
    let row = again.out.lines().find(|line| line.starts_with("in all")).expect("a row");
    let printed: Vec<_> = row.split_whitespace().skip(2).map(str::to_owned).collect();
    let counts = ["a_wins", "draws", "b_wins"].map(|field| answer[field].to_string());
    assert_eq!((&printed[..3], again.out.matches("Elo").count()), (&counts[..], 1), "{again}");
    assert!(again.out.lines().all(|line| line.len() <= 80), "{again}");
    assert_eq!(lines_of(&log), games);
}

#[test]
fn the_same_player_twice_plays_itself() {
    let done = run("match random random --game gomoku --size 5 --games 2 --json").succeeded();
    assert_eq!(fields(&done.json(), "a b"), json!(["random", "random (2)"]));
}

#[test]
fn games_on_rectangles_are_logged_and_replayed() {
    let log = fresh("rectangles.jsonl");
    let sides = "--game gomoku --rows 5 --columns 7";
    let players = "vanilla:steps=20 default:steps=4,trees=1,playouts=1 --adapter cpu";
    run(&format!("match {players} {sides} --games 2 --log {log}")).succeeded();
    assert_eq!(lines_of(&log)[0]["rules"], serde_json::json!({"columns": 7, "freestyle": false, "rows": 5}));
    run(&format!("replay {log} --adapter cpu")).succeeded();
    let go = "--game go --rows 3 --columns 4 --games 2";
    let (of_go, sgf) = (fresh("rectangles-go.jsonl"), fresh("rectangles.sgf"));
    run(&format!("match {players} {go} --log {of_go}")).succeeded();
    run(&format!("replay {of_go} --adapter cpu")).succeeded();
    run(&format!("replay {of_go} --sgf {sgf}")).succeeded();
    assert!(std::fs::read_to_string(&sgf).expect("a file").contains("SZ[4:3]"));
    run(&format!("match pvsplit:depth=2 random {go} --adapter cpu")).refused(&["3 x 4", "takes squares"]);
    run(&format!("match random default:net=go {go} --adapter cpu")).refused(&["9 x 9", "3 x 4"]);
    let refused = run(&format!("match {players} --game gomoku --rows 7 --columns 5 --games 4 --log {log}"));
    refused.refused(&["rows 7", "rows 5"]);
}

#[test]
fn a_test_ends_a_match_early() {
    let arguments = "match vanilla:steps=150 random --game connect4 --games 5000 --sprt 0,200 --json";
    let answer = run(arguments).succeeded().json();
    assert_eq!(answer["sprt"]["verdict"], "elo1");
    assert!(answer["games"].as_u64() < Some(1000), "{answer}");
}

#[test]
fn openings_are_played() {
    let openings = write_file("openings.txt", "# two of them\n3,3\n\n2,4,2\n");
    let log = fresh("openings.jsonl");
    run(&format!("match random random:seed=1 --game connect4 --games 4 --openings {openings} --log {log}"))
        .succeeded();
    let begun = |game: &Value| json!([game["game_number"], game["opening"]["number"], game["moves"][0]]);
    let begun: BTreeSet<_> = lines_of(&log).iter().map(|game| begun(game).to_string()).collect();
    let expected = [(0, 1, "3"), (1, 1, "3"), (2, 2, "2"), (3, 2, "2")];
    assert_eq!(begun, expected.map(|opened| json!(opened).to_string()).into());
}

#[test]
fn logs_of_other_matches_are_refused() {
    let log = fresh("other.jsonl");
    run(&format!("match random random:seed=1 --game connect4 --games 2 --log {log}")).succeeded();
    let before = fs::read(&log).expect("the log");
    for (arguments, said) in [
        ("match random random:seed=2 --game connect4 --games 2", "random:seed=2"),
        ("match random random:seed=1 --game connect4 --games 1", "has a game 1"),
        ("match random random:seed=1 --game connect4 --rows 5 --games 2", "rows 5"),
        ("match random random:seed=1 --game othello --games 2", "othello"),
    ] {
        let done = run(&format!("{arguments} --log {log}"));
        done.refused(&[said]);
        assert_eq!(fs::read(&log).expect("the log"), before, "{done}");
    }
}

#[test]
fn faults_are_reported_and_the_match_goes_on() {
    // A program that always plays the same point.
    let cases = "protocol_version) say 2;; list_commands) say boardsize;; genmove) say C3;; *) say '';;";
    let text = format!(
        "say() {{ printf '= %s\\n\\n' \"$1\"; }}\nwhile read -r word rest; do case \"$word\" in {cases} esac; done\n"
    );
    let program = write_file("same_move.sh", &text);
    let game = "random --game go --size 3 --games 2 --json";
    let mut command = command("");
    command.args(["match", &format!("gtp:sh {program}")]).args(game.split(' '));
    let done = finish("match", &mut command).succeeded();
    assert_eq!(fields(&done.json(), "games faults a_score"), json!([2, 2, 0.0]));
    assert_eq!(done.err.lines().count(), 2, "{done}");
    assert!(done.err.contains("game 1 is lost by fault: gtp:sh "), "{done}");
}

#[test]
fn a_player_that_can_not_begin_is_found_before_the_first_game() {
    let log = fresh("not_there.jsonl");
    // Alpha-beta has no board of one point, which it finds when it begins.
    for (player, said) in [
        ("gtp:no-such-program", "player 'gtp:no-such-program' can't begin: "),
        ("pvsplit:depth=2", "player 'pvsplit:depth=2' can't begin: a Go board of 1 x 1"),
    ] {
        run(&format!("match random {player} --game go --size 1 --games 2 --adapter cpu --log {log}"))
            .refused(&[said]);
        assert!(lines_of(&log).is_empty());
    }
}

/// A log as SGF can be read by other programs; as text, it is input of --openings.
#[test]
fn a_log_is_written_in_other_formats() {
    let log = fresh("formats.jsonl");
    run(&format!("match random random:seed=1 --game go --size 3 --games 2 --log {log}")).succeeded();
    let games = lines_of(&log);
    let [sgf, text] = ["formats.sgf", "formats.txt"].map(fresh);
    let done = run(&format!("replay {log} --sgf {sgf}")).succeeded();
    assert_eq!((done.out.as_str(), done.err.as_str()), ("2 games written\n", ""));
    let written = fs::read_to_string(&sgf).expect("the SGF");
    assert_eq!(written.matches("(;GM[1]").count(), 2, "{written}");
    assert!(written.contains("PB[random]PW[random:seed=1]RE["), "{written}");
    run(&format!("replay {log} --text {text} --game 1")).succeeded();
    // Games end in any order.
    let game = games.iter().find(|game| game["game_number"] == 1).expect("two games");
    let names: Vec<_> = game["moves"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let written = fs::read_to_string(&text).expect("the text");
    assert!(written.starts_with("# game 1: random:seed=1 against random: "), "{written}");
    assert_eq!(written.lines().nth(1), Some(names.join(",").as_str()));
    run(&format!("replay {log} --text {text} --game 5")).refused(&["has no game 5"]);
    let other = fresh("formats_connect4.jsonl");
    run(&format!("match random random:seed=1 --game connect4 --games 1 --log {other}")).succeeded();
    let nothing = fresh("nothing.sgf");
    run(&format!("replay {other} --sgf {nothing}")).refused(&["SGF is for go", "--text"]);
    assert!(!Path::new(&nothing).exists());
}

#[test]
fn dead_stones_are_an_option_of_matches() {
    let [log, toml] = [fresh("dead_stones.jsonl"), fresh("dead_stones.toml")];
    let asked = format!("match random random:seed=1 --game go --size 4 --games 2 --log {log}");
    run(&format!("{asked} --dead-stones")).succeeded();
    assert!(lines_of(&log).iter().all(|game| game["scoring"] == "dead-stones"));
    run(&format!("replay {log}")).succeeded();
    run(&asked).refused(&["the scoring is dead-stones instead of area"]);
    let players = ["random", "random:seed=1"].map(|player| format!("[[player]]\nplayer = \"{player}\"\n"));
    write_file(&toml, format!("game = \"go\"\nsize = 4\ngames = 2\n{}", players.concat()));
    run(&format!("tournament {toml} --log {log} --dead-stones=true")).succeeded();
    run(&format!("tournament {toml} --log {log}")).refused(&["dead-stones instead of area"]);
    let idle = run("match random random:seed=1 --game connect4 --games 1 --dead-stones").succeeded();
    assert_eq!(idle.err, "notice: --dead-stones has no effect in connect4\n");
}

#[test]
fn moves_are_limited() {
    for player in
        ["vanilla:steps=1000000000000", "ocp-thrifty:steps=1000000000,trees=1,playouts=1", "pvsplit:depth=60"]
    {
        let arguments = "random --game connect4 --games 1 --move-limit 0.05 --adapter cpu --json";
        let answer = run(&format!("match {player} {arguments}")).succeeded().json();
        assert_eq!(answer["games"], 1, "{player}");
    }
}

#[test]
fn bad_matches_are_refused() {
    let openings = write_file("no_openings.txt", "# none\n");
    let over = write_file("over.txt", "3\n0,1,0,1,0,1,0\n");
    let letter = write_file("letter.jsonl", "Dear reader,\n");
    let log = format!("random --game connect4 --games 2 --log {letter}");
    for (arguments, parts) in [
        ("--game connect4 --games 2", &["<B>"][..]),
        ("nobody --game connect4 --games 2", &["player 'nobody'", "choose one of random"]),
        ("vanilla:trees=2 --game connect4 --games 2", &["no setting 'trees'"]),
        ("random --games 2", &["--game"]),
        ("random --game chess --games 2", &["unknown game 'chess'"]),
        ("random --game connect4 --games 0", &["--games 0", "at least 1"]),
        ("random --game connect4 --games 2 --parallel 0", &["--parallel", "1 to 1024"]),
        ("random --game connect4 --games 2 --parallel 1025", &["'1025'", "1 to 1024"]),
        ("random --game connect4 --games 2 --move-limit 0", &["--move-limit 0", "positive"]),
        ("random --game connect4 --games 2 --sprt 5", &["--sprt", "such as 0,20"]),
        ("random --game connect4 --games 2 --sprt 20,0", &["lower one first"]),
        ("vanilla:policy=m2 --game connect4 --games 2", &["player 'vanilla:policy=m2'", "connect4"]),
        (
            "pvsplit --game gomoku --games 2 --adapter cpu",
            &["player 'pvsplit'", "alpha-beta does not play gomoku"],
        ),
        ("default:steps=1 --game gomoku --games 2 --adapter nosuch", &["nosuch"]),
        ("random --game connect4 --games 2 --openings /no/such", &["/no/such can't be read"]),
        (&format!("random --game connect4 --games 2 --openings {openings}"), &["has no openings"]),
        (&format!("random --game connect4 --games 2 --openings {over}"), &["line 2", "X wins"]),
        (&log, &["line 1 of the log", "is not a game"]),
        ("random --game connect4 --games 2 --log /no/such/log", &["/no/such/log can't be opened"]),
    ] {
        run(&format!("match random {arguments}")).refused(parts);
    }
}

#[test]
fn games_of_files_are_played() {
    let file = format!("{}/tests/it/game_files/connect4.wgsl", env!("CARGO_MANIFEST_DIR"));
    let log = fresh("own_game.jsonl");
    let players = "ocp-thrifty:steps=5,trees=1,playouts=4 random";
    let played = run(&format!("match {players} --game-file {file} --games 1 --log {log} --adapter 0 --json"));
    assert_eq!(played.succeeded().json()["faults"], 0);
    let answer = run(&format!("replay {log} --game-file {file} --adapter 0 --json")).succeeded().json();
    assert!(answer["moves"].as_u64() > Some(0) && answer["difference"].is_null(), "{answer}");
    let game = lines_of(&log)[0]["game"].clone();
    run(&format!("replay {log}"))
        .refused(&[&format!("unknown game {game}").replace('"', "'"), "--game-file"]);
    let other = format!("{}/games/gomoku.wgsl", env!("CARGO_MANIFEST_DIR"));
    let wrong = run(&format!("replay {log} --game-file {other} --adapter 0"));
    assert_eq!(wrong.code, Some(2), "{wrong}");
    let players = "[[player]]\nplayer = 'random'\n[[player]]\nplayer = 'random:seed=1'\n";
    let setup = write_file("own_game.toml", format!("game_file = '{file}'\ngames = 1\n{players}"));
    assert_eq!(run(&format!("tournament {setup} --adapter 0 --json")).succeeded().json()["games"], 1);
}

const PLAYERS: &str = r#"
[[player]]
name = "yardstick"
player = "vanilla:steps=30"

[[player]]
player = "random"

[[player]]
name = "other"
player = "random:seed=5"
"#;

fn setup(name: &str, head: &str) -> String {
    write_file(name, format!("{head}{PLAYERS}"))
}

#[test]
fn a_tournament_has_everybody_meet() {
    let file = setup("three.toml", "game = \"gomoku\"\nsize = 6\ngames = 4\n");
    let answer = run(&format!("tournament {file} --json")).succeeded().json();
    assert_eq!((answer["games"].as_u64(), answer["pairs"].as_array().map(Vec::len)), (Some(12), Some(3)));
    let players = answer["players"].as_array().expect("a list");
    let names: Vec<_> = players.iter().map(|player| player["name"].as_str().expect("a name")).collect();
    assert_eq!(names, ["yardstick", "random", "other"]);
    assert!(players.iter().all(|player| player["games"] == 8));
    assert!(players[0]["rating"]["elo"].as_f64() > players[1]["rating"]["elo"].as_f64(), "{answer}");
    let out = fresh("three.md");
    let shown = run(&format!("tournament {file} --out {out}")).succeeded().out;
    let rows: Vec<_> = shown.lines().collect();
    assert!(rows[2].starts_with("    player ") && rows[3].starts_with("A   yardstick "), "{shown}");
    assert!(rows.iter().all(|row| row.chars().count() <= 80 && !row.contains('|')), "{shown}");
    let table = fs::read_to_string(&out).expect("the table");
    assert!(table.contains("| | player | A | B | C | score | Elo |"), "{table}");
    assert_eq!(table.lines().filter(|line| line.starts_with("| ")).count(), 5, "{table}");
}

#[test]
fn parts_are_merged() {
    let file = setup("parts.toml", "game = \"connect4\"\ngames = 3\n");
    let logs: Vec<_> = (1..=2).map(|part| fresh(&format!("part{part}.jsonl"))).collect();
    for (part, log) in (1..).zip(&logs) {
        run(&format!("tournament {file} --part {part}/2 --log {log}")).succeeded();
    }
    let merged = fresh("merged.jsonl");
    let one = run(&format!("tournament {file} --merge {} --json", logs[0])).succeeded();
    assert!(one.err.contains("4 of 9 games are in no log"), "{one}");
    let all = format!("tournament {file} --merge {} --log {merged} --json", logs.join(" "));
    let answer = run(&all).succeeded().json();
    assert_eq!((answer["games"].as_u64(), lines_of(&merged).len()), (Some(9), 9));
    assert_eq!(run(&format!("tournament {file} --json")).succeeded().json()["pairs"], answer["pairs"]);
    run(&format!("tournament {file} --merge {0} {0}", logs[0])).refused(&["is in the logs twice"]);
}

#[test]
fn a_tournament_that_was_killed_goes_on() {
    let file = setup("killed.toml", "game = \"connect4\"\ngames = 200\n");
    let log = fresh("killed.jsonl");
    let arguments = format!("tournament {file} --log {log} --parallel 2 --json");
    for wanted in [3, 20] {
        let mut child = start(&arguments);
        let began = Instant::now();
        let written =
            || fs::read(&log).map_or(0, |bytes| bytes.iter().filter(|&&byte| byte == b'\n').count());
        while written() < wanted && child.try_wait().expect("it can be waited for").is_none() {
            assert!(began.elapsed() < PATIENCE, "no game has ended");
            sleep(Duration::from_millis(1));
        }
        child.kill().expect("it is killed");
        child.wait().expect("it has ended");
    }
    // An incomplete line: a killed program may have written a part of one. That part is cut off.
    let mut before = fs::read(&log).expect("the log");
    before.truncate(before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1));
    fs::write(&log, [&before[..], b"{\"version\":\"0.1"].concat()).expect("the log is written");
    let done = run(&arguments).succeeded();
    assert_has(&done.err, &["is incomplete, as after a killed program: its 15 bytes are cut off"]);
    let after = fs::read(&log).expect("the log");
    assert!(after.starts_with(&before), "finished games were lost");
    let mut numbers: Vec<_> = lines_of(&log).iter().map(|game| game["game_number"].as_u64()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..600).map(Some).collect::<Vec<_>>());
    assert_eq!(done.json()["games"], 600);
}

#[test]
fn malformed_setups_are_explained() {
    // Semicolons stand for ends of lines.
    let lines = |text: &str| text.replace("; ", "\n") + "\n";
    for (name, text, parts) in [
        ("syntax.toml", "game = 'connect4'; games == 4", &["line 2", "write for example"][..]),
        ("unknown.toml", "game = 'go'; games = 4; speed = 3", &["line 3", "unknown field `speed`", "games"]),
        ("missing.toml", "game = 'connect4'", &["missing field `games`"]),
        ("type.toml", "game = 'connect4'; games = 'four'", &["line 2", "invalid type"]),
        ("negative.toml", "game = 'connect4'; games = -4", &["line 2", "-4"]),
        ("zero.toml", "game = 'connect4'; ; games = 0", &["line 3", "games = 0"]),
        ("both.toml", "game = 'go'; game_file = 'x.wgsl'; games = 4", &["give either game or game_file"]),
        ("neither.toml", "games = 4", &["give either game or game_file"]),
        ("game.toml", "game = 'chess'; games = 4", &["unknown game 'chess'"]),
        ("size.toml", "game = 'othello'; games = 4; size = 8", &["--size is no option of othello"]),
    ] {
        run(&format!("tournament {}", setup(name, &lines(text)))).refused(parts);
    }
    let head = "game = \"connect4\"\ngames = 2\n";
    for (name, players, parts) in [
        ("alone.toml", "[[player]]; player = 'random'", &["at least two"][..]),
        ("none.toml", "", &["missing field `player`"]),
        ("twins.toml", "[[player]]; player = 'random'; [[player]]; player = 'random'", &["called 'random'"]),
        ("player.toml", "[[player]]; name = 'x'; player = 'nobody'", &["line 5", "unknown player 'nobody'"]),
        ("key.toml", "[[player]]; name = 'x'; text = 'random'", &["line 5", "unknown field `text`"]),
    ] {
        let file = write_file(name, head.to_owned() + &lines(players));
        run(&format!("tournament {file}")).refused(&[parts, &[name]].concat());
    }
    run("tournament /no/such.toml").refused(&["/no/such.toml can't be read"]);
    let file = setup("part.toml", head);
    for part in ["0/3", "4/3", "1", "1/0", "x/2"] {
        run(&format!("tournament {file} --part {part}")).refused(&["such as 1/8"]);
    }
}

#[test]
fn a_replay_finds_changes() {
    let log = fresh("replayed.jsonl");
    let players = "acp-prodigal:steps=6,trees=2,playouts=4 vanilla:steps=30";
    run(&format!("match {players} --game connect4 --games 2 --log {log} --adapter cpu")).succeeded();
    for adapter in ["cpu", "0"] {
        let answer = run(&format!("replay {log} --adapter {adapter} --json")).succeeded().json();
        assert_eq!((&answer["games"], &answer["difference"]), (&2.into(), &Value::Null));
        assert!(answer["values"].as_u64() > answer["moves"].as_u64());
    }
    let text = fs::read_to_string(&log).expect("the log");
    let place = text.find("\"n\":").expect("a count") + 4;
    let changed = write_file("changed.jsonl", format!("{}1{}", &text[..place], &text[place..]));
    let arguments = format!("replay {changed} --adapter cpu");
    let done = finish(&arguments, &mut command(&arguments));
    assert_eq!((done.code, done.err.as_str()), (Some(1), ""), "{done}");
    assert!(done.out.contains("differs in game"), "{done}");
    let result =
        if text.contains("\"result\":\"first\"") { ["first", "second"] } else { ["second", "first"] };
    let [old, new] = result.map(|result| format!("\"result\":\"{result}\""));
    let changed = write_file("changed-result.jsonl", text.replacen(&old, &new, 1));
    let done = run(&format!("replay {changed} --adapter cpu"));
    assert_eq!(done.code, Some(1), "{done}");
    assert!(done.out.contains(&format!("the result is {} in the log", result[1])), "{done}");
    run(&format!("replay {}", write_file("nothing.jsonl", ""))).refused(&["has no games"]);
    run("replay /no/such.jsonl").refused(&["can't be read"]);
    assert!(Path::new(&log).exists());
}

/// A second program on the same log is refused; after the end of the first one, however it ended, the next one
/// continues.
#[test]
fn two_programs_do_not_write_one_log() {
    let file = setup("two.toml", "game = \"connect4\"\ngames = 100000\n");
    let log = fresh("two.jsonl");
    let arguments = format!("tournament {file} --log {log} --parallel 1");
    let mut child = start(&arguments);
    let began = Instant::now();
    while fs::metadata(&log).map_or(0, |log| log.len()) == 0 {
        assert!(began.elapsed() < PATIENCE, "no game has ended");
        sleep(Duration::from_millis(1));
    }
    run(&arguments).refused(&["the log ", "is in use by another program"]);
    run(&format!("tournament {file} --merge {log} --log {log}")).refused(&["is in use by another program"]);
    assert_eq!(child.try_wait().expect("it can be waited for"), None);
    child.kill().expect("it is killed");
    child.wait().expect("it has ended");
    let one = setup("two.toml", "game = \"connect4\"\ngames = 100000\n");
    let merged = run(&format!("tournament {one} --merge {log} --json")).succeeded();
    let again = run(&format!("tournament {file} --merge /dev/null --log {log} --json")).succeeded();
    assert_eq!(again.json()["games"], merged.json()["games"]);
}

/// The disk is full: the incomplete line is removed, and no line follows.
#[cfg(unix)]
#[test]
fn a_log_that_can_not_grow_keeps_whole_lines() {
    let log = fresh("full.jsonl");
    let arguments =
        format!("match random vanilla:steps=20 --game connect4 --games 500 --parallel 4 --log {log}");
    let mut limited = std::process::Command::new("sh");
    // Of 512 or 1024 bytes each.
    limited.args(["-c", "trap '' XFSZ; ulimit -f 64; exec \"$@\"", "sh"]);
    let program = command(&arguments);
    limited.arg(program.get_program()).args(program.get_args());
    finish(&arguments, &mut limited).refused_after_work(&["the log ", "can't be written"]);
    let text = fs::read_to_string(&log).expect("the log");
    assert!(text.ends_with("}\n"), "the last line is torn: {:?}", text.lines().last());
    assert!(!lines_of(&log).is_empty());
}
