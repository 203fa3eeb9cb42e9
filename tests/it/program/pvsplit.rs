//! `mcts-wgpu pvsplit`: games, engines, and solved positions.

use crate::{
    program::{Done, run},
    support::prelude::*,
};

fn by_every_engine(arguments: &str) -> [Value; 3] {
    let search = |engine| run(&format!("pvsplit {arguments} --json --engine {engine}")).succeeded().json();
    ["minimax", "cpu", "gpu --adapter 0"].map(search)
}

#[test]
fn all_engines_equal_minimax() {
    for (arguments, game, size, depth) in [
        ("--size 4 --depth 3", "go", json!(4), 3),
        ("GO --size 3 --moves B2,pass --depth 4", "go", json!(3), 4),
        ("Othello --moves d3,c3 --depth 5", "othello", Value::Null, 5),
        ("connect4 --rows 6 --columns 7 --moves 3,3,2,2 --depth 6", "connect4", Value::Null, 3),
    ] {
        let [expected, others @ ..] = by_every_engine(arguments);
        let depths = expected["per_depth"].as_array().map(Vec::len);
        assert_eq!(depths, expected["depth"].as_u64().map(|depth| depth as usize), "{arguments}");
        for found in others.iter().chain([&expected]) {
            assert_eq!((&found["game"], &found["size"]), (&json!(game), &size), "{arguments}");
            assert_eq!(found["score"], expected["score"], "{arguments}");
            assert!(found["depth"].as_u64() >= Some(depth), "{arguments}: {found}");
            assert!(found["best"].is_string() && found["nodes"].is_u64(), "{arguments}");
        }
    }
}

/// Ten squares are empty; the best line has two passes.
#[test]
fn an_othello_end_game_is_solved() {
    let board = "XXXXXXX./OXOOOOOO/OXXOOXO./OXOOOOOO/.OOXOOOX/OX.OXOOX/.OO.OOO./..OOOOO.";
    for engine in ["cpu", "gpu"] {
        let solve = format!("pvsplit othello --board {board} --turn X --engine {engine} --adapter 0");
        let found = run(&format!("{solve} --json")).succeeded().json();
        assert_eq!((&found["score"], &found["exact"]), (&json!(36), &json!(true)));
        assert_eq!(found["discs"], 36, "the board is full");
        assert_eq!(found["per_depth"][9]["exact"], false);
        let Done { out, err, .. } = run(&solve).succeeded();
        assert!(out.starts_with("othello on "), "{out}");
        assert!(out.contains("solved: all lines end, and the score 36 is exact"), "{out}");
        assert_eq!(err, "");
    }
}

/// Fourteen cells are empty; the mover wins by the disc that is its fifteenth: 22 - 15.
#[test]
fn a_connect4_end_game_is_solved() {
    let moves = "3,3,3,3,3,3,2,2,2,2,2,2,4,4,4,4,4,4,0,1,1,1,1,1,1,0,0,0";
    for engine in ["cpu", "gpu", "minimax"] {
        let solve = format!("pvsplit connect4 --moves {moves} --engine {engine} --adapter 0 --json");
        let found = run(&solve).succeeded().json();
        assert_eq!((&found["score"], &found["best"]), (&json!(7), &json!("5")));
        assert_eq!((&found["exact"], &found["discs"]), (&json!(true), &Value::Null));
    }
}

/// Four discs to none: the winner has the 60 empty squares, too. With a time limit, no depth is needed.
#[test]
fn empty_squares_are_the_winners_and_no_depth_is_asked_for() {
    let board = "......../......../......../...XX.../...XX.../......../......../........";
    let over = format!("pvsplit othello --board {board} --turn X --engine cpu");
    let found = run(&format!("{over} --json")).succeeded().json();
    assert_eq!((&found["score"], &found["discs"]), (&json!(64), &json!(4)));
    let text = run(&over).succeeded().out;
    assert!(text.contains("the score 64 (discs: 4) is exact"), "{text}");
    let timed = run("pvsplit --size 5 --time 0.2 --engine cpu --json").succeeded();
    assert!(timed.json()["depth"].as_u64() >= Some(1) && timed.err.is_empty(), "{timed}");
}

#[test]
fn a_finished_game_has_a_score_and_no_move() {
    let found =
        run("pvsplit connect4 --moves 0,1,0,1,0,1,0 --depth 5 --engine cpu --json").succeeded().json();
    assert_eq!((&found["score"], &found["best"]), (&json!(-18), &Value::Null));
    assert_eq!((&found["exact"], &found["depth"]), (&json!(true), &json!(0)));
}

/// End games 5, 11 and 20 of the French federation's test, which end with empty squares: the winner has them.
#[test]
fn end_games_of_the_french_federation_are_solved() {
    let boards = [
        (".OOOOO../..OXXO.X/XXOXOXX./XXOXOXXO/XXOOXOOO/XXXXOO.O/X.XOOO../.XXXXX..", "X", "g8", 32, 31),
        ("...O.XOX/....XXOX/...XXOOX/O.XXOXOX/XXXOOXOX/.XOOXXXX/XOOOXX.X/OOOOOOO.", "O", "b3", 30, 29),
        ("XXXOXXXX/OXXXXXXX/OOXXXXXX/OOOXXXXX/OOOXXOO./OOOOO.../OOOOOOO./OOOOOOO.", "X", "h5", 6, 1),
    ];
    for (board, turn, best, score, discs) in boards {
        let solved = format!("pvsplit othello --board {board} --turn {turn} --engine cpu --json");
        let found = run(&solved).succeeded().json();
        assert_eq!((&found["score"], &found["discs"]), (&json!(score), &json!(discs)), "{board}");
        assert_eq!((&found["best"], &found["exact"]), (&json!(best), &json!(true)), "{board}");
    }
}

#[test]
fn options_of_other_games_are_refused() {
    for (arguments, parts) in [
        ("gomoku --depth 3", &["'gomoku'", "go, othello, connect4"][..]),
        ("othello --size 8 --depth 3", &["--size is an option of go, not of othello"]),
        ("--rows 6 --depth 3", &["--rows is an option of connect4, not of go"]),
        ("connect4 --rows 5 --depth 3", &["5 rows x 7 columns", "6 rows x 7 columns"]),
        ("othello --compare 5:3", &["--compare is an option of go"]),
        ("--size 1 --depth 3", &["1 x 1", "squares of 2 to 19"]),
        ("othello --depth 3 --moves a1", &["a1"]),
    ] {
        run(&format!("pvsplit {arguments} --adapter nonesuch")).refused(parts);
    }
    let board = "......./......./......./......./OOO..../XXXX...";
    run(&format!("pvsplit connect4 --depth 3 --board {board} --turn X"))
        .refused(&["no game leads to this board"]);
}
