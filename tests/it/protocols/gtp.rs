//! The GTP server.

use super::{NOTICES, answers, dialogue, each_answer, go, last, list, served};
use crate::support::{
    prelude::*,
    strange::{cases, one_of},
};
use mcts_wgpu::{
    contest::ending::Resignation,
    protocols::{Brain, GtpServer},
};
use proptest::prelude::*;
use std::io::Write;

#[test]
fn every_command_is_known() {
    let listed = last(go(5), &["list_commands"]);
    let listed: Vec<&str> = listed.trim_start_matches("= ").lines().collect();
    for command in &listed {
        assert_eq!(last(go(5), &[&format!("known_command {command}")]), "= true", "{command}");
        assert_ne!(last(go(5), &[command]), "? unknown command", "{command}");
    }
    for command in "boardsize clear_board komi play genmove undo final_score time_settings loadsgf lz-analyze \
        kata-analyze lz-genmove_analyze kata-genmove_analyze fixed_handicap place_free_handicap set_free_handicap \
        set_position list_stones final_status_list rectangular_boardsize query_boardsize get_komi printsgf kgs-rules \
        kata-set-rules kata-get-rules kgs-time_settings kgs-genmove_cleanup gogui-analyze_commands"
        .split_whitespace()
    {
        assert!(listed.contains(&command), "{command}");
    }
    assert_eq!(listed.len(), 44);
    for unknown in ["known_command Name", "known_command cputime", "known_command 5"] {
        assert_eq!(last(go(5), &[unknown]), "= false");
    }
}

#[test]
fn commands_are_answered() {
    let dialogue = [
        ("protocol_version", "= 2"),
        ("name", "= mcts-wgpu"),
        ("version", concat!("= ", env!("CARGO_PKG_VERSION"))),
        ("boardsize 5", "="),
        ("clear_board", "="),
        ("komi 6.5", "="),
        ("time_settings 300 10 5", "="),
        ("time_left black 200 0", "="),
        ("time_left w 9 3", "="),
        ("play b c3", "="),
        ("play WHITE D4", "="),
        (
            "showboard",
            "=\n 5 . . . . .\n 4 . . . O .\n 3 . . X . .\n 2 . . . . .\n 1 . . . . .\n   A B C D E\nX to move",
        ),
        ("final_score", "= W+6.5"),
        ("undo", "="),
        ("final_score", "= B+18.5"),
        ("komi -3", "="),
        ("final_score", "= B+28"),
        ("play w pass", "="),
        ("undo", "="),
        ("undo", "="),
        ("undo", "? cannot undo"),
        ("list_games", "= Go"),
        ("set_game go", "="),
        ("set_game Othello", "? unsupported game: this is Go, not Othello"),
        ("quit", "="),
    ];
    let (commands, expected): (Vec<_>, Vec<_>) = dialogue.into_iter().unzip();
    assert_eq!(answers(go(9), &commands), expected);
}

#[test]
fn errors_are_answered() {
    let range = "give a multiple of 0.5 from -1000 to 1000, such as 7.5";
    let unacceptable = |komi: &str| format!("? unacceptable komi: a komi of {komi}: {range}");
    for (command, answer) in [
        ("", "=4 true"),
        ("frobnicate", "? unknown command"),
        ("12", "?12 unknown command"),
        ("3 PLAY b D4", "?3 unknown command"),
        ("play", "? syntax error: wrong number of arguments"),
        ("play b D4 E5", "? syntax error: wrong number of arguments"),
        ("quit now", "? syntax error: wrong number of arguments"),
        ("play green D4", "? syntax error: a colour is b or w"),
        ("genmove x", "? syntax error: a colour is b or w"),
        ("play b I5", "? invalid vertex: I5 is not on this board"),
        ("play b K1", "? invalid vertex: K1 is not on this board"),
        ("play b 5", "? invalid vertex: 5 is not on this board"),
        ("play w C3", "? illegal move: move 2 (C3) is illegal in this position: there is a stone already"),
        ("boardsize 20", "? unacceptable size: a Go board of 20 x 20: give a size from 1 to 19"),
        ("boardsize 99999999999999999999", "? syntax error: 99999999999999999999 is not a size"),
        ("boardsize -1", "? syntax error: -1 is not a size"),
        ("komi 1e30", &unacceptable("1000000000000000000000000000000")),
        ("komi nan", &unacceptable("NaN")),
        ("komi x", "? syntax error: x is not a komi"),
        ("time_settings 1 2 x", "? syntax error: x is not a number of stones"),
        ("time_settings 1e300 0 0", "? syntax error: 1e300 is not a time"),
        ("time_left b x 0", "? syntax error: x is not a time"),
        ("lz-analyze b interval", "? syntax error: 'interval' has no value"),
        ("loadsgf", "? syntax error: wrong number of arguments"),
    ] {
        let all = answers(go(9), &["play b C3", command, "4 known_command play"]);
        assert_eq!(all[1], answer, "{command}");
        assert_eq!(all.last().map(String::as_str), Some("=4 true"), "{command}");
    }
    let many = format!("play b {}", "x".repeat(500));
    assert!(last(go(9), &[&many]).len() < 200);
    let long = "x".repeat(100_000);
    assert_eq!(last(go(9), &[&long]), "? syntax error: the line is too long");
}

#[test]
fn lines_are_cleaned_before_they_are_read() {
    let lines = b"\n# nothing\n  \t\n1\tname\r\n0002 pl\x07ay b D4 # d\n\xff\xfe\n3 quit\n4 name\n";
    assert_eq!(dialogue(go(9), lines), "=1 mcts-wgpu\n\n=0002\n\n? unknown command\n\n=3\n\n");
    assert_eq!(dialogue(go(9), b"name"), "= mcts-wgpu\n\n");
    assert_eq!(dialogue(go(9), b""), "");
}

#[test]
fn the_engine_moves() {
    let all = answers(go(5), &list("genmove b; reg_genmove w; undo; undo; genmove white; genmove white"));
    assert_eq!(all[2..4], ["=", "? cannot undo"]);
    for answer in [0, 1, 4, 5] {
        assert!(all[answer].starts_with("= "), "{all:?}");
    }
    let showed = last(go(5), &["genmove w", "genmove w", "showboard"]);
    assert_eq!(showed.matches('O').count(), 2, "{showed}");
}

/// If White is asked first, Black has not passed: White's pass does not end the game.
#[test]
fn sides_move_on_every_request() {
    let handicap = ["play b D4", "play b F6", "play b D6", "play w E5"];
    let showed = last(go(9), &[&handicap[..], &["showboard"]].concat());
    assert_eq!((showed.matches('X').count(), showed.matches('O').count()), (4, 1), "{showed}");
    let passed = "play w pass; play b D4; play w pass; play w D5; play b pass; play b A1";
    assert_eq!(answers(go(9), &list(passed)), ["="; 6]);
}

#[test]
fn two_passes_end_a_game_of_go_until_it_goes_on() {
    let over = ["play b D4", "play w E5", "play b pass", "play w pass"];
    let ended = [&over[..], &["genmove b", "genmove w", "final_score", "showboard"]].concat();
    let ended = answers(go(9), &ended);
    assert_eq!(ended[4..7], ["= pass", "= pass", "= W+7.5"]);
    assert!(ended[7].ends_with("\nO wins"), "{ended:?}");
    let on = [&over[..], &["play b E4", "genmove w", "undo", "undo", "undo", "undo", "genmove b"]].concat();
    let on = answers(go(9), &on);
    assert!(on[4..10].iter().all(|answer| answer.starts_with('=')), "{on:?}");
}

#[test]
fn passes_of_one_player_end_no_game() {
    let white = answers(go(5), &["play w pass", "genmove w"]);
    assert!(white[1].starts_with("= ") && white[1] != "= pass", "{white:?}");
    for passes in [["play b pass"; 2], ["play w pass", "play b pass"]] {
        let showed = last(go(5), &[&passes[..], &["showboard"]].concat());
        let end = if passes[0] == passes[1] { "\nO to move" } else { "\nO wins" };
        assert!(showed.ends_with(end), "{passes:?}: {showed}");
    }
}

/// Controllers count every answer as a move.
#[test]
fn a_pass_after_the_end_is_a_move() {
    let over = ["play b C3", "play w pass", "play b pass"];
    let on = list("reg_genmove w; genmove w; undo; showboard; undo; showboard");
    let undone = answers(go(5), &[&over[..], &on].concat());
    assert_eq!(undone[3..6], ["= pass", "= pass", "="]);
    assert!(undone[6].ends_with("\nX wins") && undone[8].ends_with("\nX to move"), "{undone:?}");
}

fn with_searches(commands: &[&str], resignation: Option<Resignation>) -> Vec<String> {
    let config = Config { trees: 1, playouts: 16, ..Config::paper() };
    let brain = Brain::new(Engine::cpu(), config.into(), Budget::steps(40));
    let mut server = GtpServer::new(go(5), brain);
    if let Some(resignation) = resignation {
        server = server.with_resignation(resignation);
    }
    each_answer(&served(server, commands.join("\n")))
}

#[test]
fn a_pass_that_wins_is_answered_by_a_pass() {
    let won = ["komi 0.5", "play b C3", "play w pass", "genmove b", "final_score"];
    assert_eq!(with_searches(&won, None)[3..], ["= pass", "= B+24.5"]);
    let time = [&["time_settings 5 0 0", "time_left b 0 0"], &won[..]].concat();
    assert_eq!(with_searches(&time, None)[5], "= pass");
    let lost = ["komi 25.5", "play b C3", "play w pass", "reg_genmove b"];
    assert!(with_searches(&lost, None)[3].starts_with("= "));
}

/// There are 25 points.
#[test]
fn hopeless_games_are_given_up() {
    let hopeless = list("komi 30.5; genmove b; play w B2; reg_genmove b; genmove b; genmove b; showboard");
    let given_up = with_searches(&hopeless, None);
    assert_ne!(given_up[1], "= resign");
    assert!(given_up[3].starts_with("= ") && given_up[3] != "= resign", "{given_up:?}");
    assert_eq!(given_up[4..6], ["= resign", "= resign"]);
    assert!(given_up[6].ends_with("X to move"), "{given_up:?}");
    // Moves before an undo, or of another game, do not count.
    let begun_again = ["komi 30.5", "genmove b", "undo", "genmove b", "clear_board", "genmove b"];
    assert!(!with_searches(&begun_again, None).contains(&"= resign".into()));
    let never = with_searches(&hopeless, Some(Resignation::below(0.0)));
    assert!(!never.contains(&"= resign".into()), "{never:?}");
}

#[test]
fn boards_change() {
    for size in [1, 2, 7, 13, 19] {
        let boardsize = format!("boardsize {size}");
        let on = ["showboard", "genmove b", "clear_board", "komi 0.5"];
        let all = answers(go(9), &[&["play b D4", &boardsize][..], &on].concat());
        assert_eq!(all[2].lines().count(), size + 3);
        assert!(all[3..].iter().all(|answer| answer.starts_with('=')), "{all:?}");
    }
    // The moves taken back were played under the old komi.
    let komi = ["play b C3", "play w D4", "komi 0.5", "undo", "final_score", "genmove w"];
    let komi = answers(go(5), &komi);
    assert_eq!(komi[4], "= B+24.5");
    assert!(komi[5].starts_with("= "), "{komi:?}");
}

#[test]
fn gomoku_has_points_as_go_has() {
    let five = ["play b H1", "play w A15", "play b J1", "play w B15", "play b K1", "play w C15", "play b L1"];
    let on = list("play w D15; final_score; play b M1; final_score; genmove w; genmove b");
    let all = answers(Gomoku::default(), &[&five[..], &on].concat());
    assert_eq!(all[8], "? cannot score: the game has not ended");
    assert_eq!(all[9..12], ["=", "= B+1", "= resign"]);
    assert_eq!(all[12], "? the game is over: X wins");
    assert_eq!(last(Gomoku::default(), &["play b I1"]), "? invalid vertex: I1 is not on this board");
    let sizes = answers(Gomoku::default(), &["boardsize 22", "play b W22", "boardsize 4", "showboard"]);
    assert_eq!(sizes[1], "=");
    assert!(sizes[2].starts_with("? unacceptable size: "), "{sizes:?}");
    let top = sizes[3].lines().nth(1).expect("a row");
    assert!(top.starts_with("22 . . ") && top.ends_with(" . X"), "{sizes:?}");
}

#[test]
fn boards_can_be_rectangles() {
    let asked = list(
        "rectangular_boardsize 7 5; query_boardsize; play b G5; showboard; play w H1; list_stones b; \
        rectangular_boardsize 7; rectangular_boardsize 7 x; rectangular_boardsize 4 9; boardsize 6; \
        query_boardsize",
    );
    let all = answers(Gomoku::default(), &asked);
    assert_eq!(all[..3], ["=", "= 7:5", "="]);
    let rows =
        "=\n 5 . . . . . . X\n 4 . . . . . . .\n 3 . . . . . . .\n 2 . . . . . . .\n 1 . . . . . . .\n";
    assert_eq!(all[3], format!("{rows}   A B C D E F G\nO to move"));
    assert_eq!(all[4..6], ["? invalid vertex: H1 is not on this board", "= G5"]);
    assert!(all[6].starts_with("? syntax error"), "{all:?}");
    assert_eq!(all[7], "? syntax error: x is not a size");
    assert_eq!(all[8], "? unacceptable size: no Gomoku on 9 x 4: take a size from 5 to 22");
    assert_eq!(all[9..], ["=", "= 6"]);
    let asked = list(
        "komi 0.5; rectangular_boardsize 13 8; fixed_handicap 4; showboard; rectangular_boardsize 5 2; \
        fixed_handicap 2; play b E2; printsgf; mcts-ownership; genmove w; final_score",
    );
    let all = answers(go(9), &asked);
    assert_eq!(all[2], "= D3 K6 D6 K3");
    assert!(all[3].contains("\n 6 . . . X . . . . . X . . .\n"), "{all:?}");
    assert_eq!(all[5], "? invalid number of stones: a board of 2 x 5 has no fixed handicap");
    assert!(all[7].contains("SZ[5:2]KM[0.5]") && all[7].contains(";B[ea]"), "{all:?}");
    let owners: Vec<usize> = all[8].lines().skip(1).map(|row| row.split(' ').count()).collect();
    assert_eq!(owners, [5, 5], "{all:?}");
    assert!(all[9].starts_with("= ") && all[10].starts_with("= "), "{all:?}");
    let others = answers(Connect4::default(), &["rectangular_boardsize 7 6", "rectangular_boardsize 6 7"]);
    assert_eq!(others, ["=", "? unacceptable size: connect4 is played on 6 x 7 here"]);
}

#[test]
fn othello_is_that_of_other_programs() {
    let all = answers(Othello, &list("boardsize 8; showboard; play black d3; genmove white; boardsize 10"));
    assert!(all[1].contains("\n 4 . . . O X . . .\n 5 . . . X O . . .\n"), "{all:?}");
    assert!(["= C3", "= E3", "= C5"].contains(&all[3].as_str()), "{all:?}");
    assert_eq!(all[4], "? unacceptable size: othello is played on 8 x 8 here");
    let illegal = |name: &str| format!("? illegal move: move 1 ({name}) is illegal in this position: ");
    assert_eq!(last(Othello, &["play b A1"]), illegal("a1") + "it would turn no disc over");
    assert_eq!(last(Othello, &["play b pass"]), illegal("pass") + "a disc can be placed");
    assert_eq!(last(Othello, &["play b d3", "final_score"]), "= B+3");
    // Black takes all discs with the ninth move, and has the empty squares, too.
    let shortest = "E6 F4 E3 F6 G5 D6 E7 F5 C5";
    let moves = shortest.split(' ').zip(["b", "w"].into_iter().cycle());
    let played: Vec<String> = moves.map(|(vertex, player)| format!("play {player} {vertex}")).collect();
    let session: Vec<&str> = played.iter().map(String::as_str).chain(["final_score"]).collect();
    assert_eq!(last(Othello, &session), "= B+64");
}

#[test]
fn columns_are_numbers() {
    let asked = list("play b 3; play w 3; genmove b; showboard; boardsize 7; komi 5");
    let all = answers(Connect4::default(), &asked);
    assert!(all[2].trim_start_matches("= ").parse::<u32>().is_ok_and(|column| column < 7), "{all:?}");
    assert!(all[3].contains('O'), "{all:?}");
    assert_eq!(all[4..], ["=", "="]);
    assert_eq!(last(Connect4::default(), &["play b 7"]), "? invalid vertex: 7 is not on this board");
}

#[test]
fn moves_come_without_time() {
    let asked = list("time_settings 5 0 0; time_left b 0 0; genmove b; time_left w 0 1; genmove w");
    let all = answers(go(9), &asked);
    assert!(all.iter().all(|answer| answer.starts_with('=')), "{all:?}");
    assert!(all[2].len() > 2 && all[4].len() > 2, "{all:?}");
    let unlimited = answers(go(9), &["time_settings 0 1 0", "genmove b", "time_settings 0 0 0", "genmove w"]);
    assert!(unlimited.iter().all(|answer| answer.starts_with('=')), "{unlimited:?}");
}

/// The next line is there already, and ends the analysis.
#[test]
fn an_analysis_ends_with_the_next_line() {
    for command in list("lz-analyze; kata-analyze; lz-analyze w 50; kata-analyze b interval 20 maxmoves 3") {
        let text = dialogue(go(5), format!("8 {command}\n9 name\n").as_bytes());
        assert!(text.starts_with("=8\n") && text.ends_with("\n\n=9 mcts-wgpu\n\n"), "{text}");
        assert_eq!(text.matches("\n\n").count(), 2, "{text}");
    }
    let over = dialogue(go(5), b"play b pass\nplay w pass\nlz-analyze\nname\n");
    assert!(over.ends_with("\n\n= mcts-wgpu\n\n") && !over.contains('?'), "{over}");
    let over = [&["play b 0", "play w 1"].repeat(3)[..], &["play b 0", "lz-analyze"]].concat();
    assert_eq!(last(Connect4::default(), &over), "? the game is over: X wins");
}

/// Sequential halving begins with new trees, while other analyses reuse theirs.
#[test]
fn analyses_by_sequential_halving_are_no_errors() {
    let settings = Settings { gumbel: Some(4), ..Settings::default() };
    let brain = Brain::new(Engine::cpu(), settings, Budget::steps(2));
    let text = served(GtpServer::new(Connect4::default(), brain), "lz-analyze\nplay b 3\nlz-analyze\nname\n");
    assert!(text.ends_with("= mcts-wgpu\n\n") && !text.contains('?'), "{text}");
}

/// The lines of an analysis whose search ends at once, with some time before the next command.
fn lines_until_the_next_command<G: Game>(game: G, moves: &[&str]) -> Vec<String> {
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    let commands = format!("{}\nlz-analyze 100000\n", moves.join("\n"));
    let controller = std::thread::spawn(move || {
        writer.write_all(commands.as_bytes()).expect("the pipe is open");
        std::thread::sleep(Duration::from_millis(100));
        writer.write_all(b"name\n").expect("the pipe is open");
    });
    let settings = Settings { trees: Some(1), memory: Some(8 << 20), ..Settings::default() };
    let brain = Brain::new(Engine::cpu(), settings, Budget::steps(2));
    let mut out = Vec::new();
    GtpServer::new(game, brain).serve(reader, &mut out).expect("a vector can be written");
    controller.join().expect("the server reads");
    let text = String::from_utf8(out).expect("answers are text");
    text.lines().filter(|line| line.starts_with("info")).map(str::to_owned).collect()
}

#[test]
fn an_analysis_that_is_done_keeps_to_its_interval() {
    let three = ["play b 3", "play w 0"].repeat(3);
    assert_eq!(lines_until_the_next_command(Connect4::default(), &three).len(), 1);
    let four = list("play b E5; play w A1; play b F5; play w A3; play b G5; play w A5; play b H5; play w A7");
    assert_eq!(lines_until_the_next_command(Gomoku::default(), &four).len(), 1);
}

/// Words of commands, and other words.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        one_of(
            "b|w|pass|resign|D4|c3|E5|A1|T19|I9|0|1|5|9|19|-1|7.5|1e9|99999999999999999999|nan|maxmoves|\
            interval|/dev/null|/|#|\t|go"
        ),
        "[^\\n]{0,8}"
    ]
}

/// `avoid` and `allow` hold for the next move of the player to move; moves without effect are reported.
#[test]
fn analyses_are_restricted() {
    NOTICES.take();
    let of = |command: &str| {
        let text = dialogue(go(5), format!("play b C3\n{command}\n").as_bytes());
        (text.trim_start_matches("=\n\n").trim_end().to_owned(), NOTICES.take())
    };
    let printed = |answer: &str| {
        let moves = answer.split("info move ").skip(1).filter_map(|rest| rest.split(' ').next());
        moves.map(str::to_owned).collect::<Vec<_>>()
    };
    let allowed = "allow w a1,B2,pass,C3 1 allow w d4 1 avoid w resign,B2 1";
    let (answer, notices) = of(&format!("lz-analyze w 1 minmoves 30 {allowed}"));
    let mut moves = printed(&answer);
    moves.sort_unstable();
    assert_eq!((moves, notices), (vec!["A1".into(), "D4".into(), "pass".into()], vec![]), "{answer}");
    let (answer, notices) = of("kata-analyze 1 minmoves 30 avoid b A1,B2 1 avoid w pass 5");
    assert_eq!(printed(&answer).len(), 24, "{answer}");
    let no_effect = "notice: 'avoid' has no effect: it is not the turn of black";
    assert_eq!(notices, [no_effect, "notice: 'avoid' restricts the next move only, not 5 moves"]);
    // The move itself; a single one needs no search.
    for (only, moved) in [("allow w e5,A1 1 avoid w E5 1", "A1"), ("allow w pass 1", "pass")] {
        let (answer, _) = of(&format!("lz-genmove_analyze w 1 {only}"));
        assert_eq!(answer, format!("=\nplay {moved}"));
    }
    let (answer, _) = of("kata-genmove_analyze w 1 allow w A1,B1 1");
    assert!(answer.ends_with("play A1") || answer.ends_with("play B1"), "{answer}");
    assert!(answer.contains("info move "), "{answer}");
    for (keys, why) in [
        ("avoid w D4", "syntax error: 'avoid' needs a colour, vertices such as D4,E5, and a depth"),
        ("allow x D4 1", "syntax error: a colour is b or w"),
        ("allow w D4 0", "syntax error: 0 is not a depth from 1 on"),
        ("avoid w D4,I5 1", "invalid vertex: I5 is not on this board"),
        ("allow w C3 1", "no move to analyse: 'avoid' and 'allow' leave no legal move"),
    ] {
        for command in ["lz-analyze", "kata-genmove_analyze"] {
            assert_eq!(of(&format!("{command} w 1 {keys}")).0, format!("? {why}"));
        }
    }
}

fn line() -> impl Strategy<Value = String> {
    let command = one_of(
        "play|play|genmove|undo|boardsize|komi|clear_board|showboard|final_score|time_settings|time_left|\
        loadsgf|lz-analyze|kata-genmove_analyze|reg_genmove|fixed_handicap|place_free_handicap|\
        set_free_handicap|set_position|list_stones|final_status_list|kgs-time_settings|\
        kgs-genmove_cleanup|kata-set-rules|mcts-ownership|mcts-values|known_command|set_game|",
    );
    let arguments = prop::collection::vec(word(), 0..4);
    let known = (prop::option::of(0u32..1000), command, arguments).prop_map(|(id, command, arguments)| {
        format!("{} {command} {}", id.map_or(String::new(), |id| id.to_string()), arguments.join(" "))
    });
    prop_oneof![8 => known, 1 => "[^\\n]{0,40}"]
}

/// Whether the protocol requires an answer to a line.
fn asks(line: &str) -> bool {
    let before_comment = line.split('#').next().unwrap_or_default();
    before_comment.chars().any(|c| c != ' ' && !c.is_control())
}

proptest! {
    #![proptest_config(cases(60))]

    /// Any input gets one answer a command, in the protocol's form.
    #[test]
    fn every_command_has_one_answer(lines in prop::collection::vec(line(), 0..12)) {
        let text = dialogue(go(5), lines.join("\n").as_bytes());
        let answers: Vec<&str> = text.split_terminator("\n\n").collect();
        prop_assert_eq!(answers.len(), lines.iter().filter(|line| asks(line)).count(), "{}", text);
        prop_assert!(answers.iter().all(|answer| answer.starts_with(['=', '?'])), "{}", text);
    }
}
