//! Othello against independent programs.

use super::{go::rows, outcome_of, replays};
use crate::support::prelude::*;
use mcts_wgpu::games::OthelloState;

#[test]
fn positions_are_counted_as_others_count_them() {
    let start = Position::start(&Othello);
    let leaves: Vec<u64> = (1..=9).map(|depth| perft(&start, depth).expect("a count")).collect();
    assert_eq!(leaves, [4, 12, 56, 244, 1396, 8200, 55092, 390_216, 3_005_288]);
}

#[test]
fn games_of_openspiel_replay() {
    let games = replays(&Othello, "traces_othello.jsonl");
    assert_eq!(games.len(), 120);
    for (trace, position) in games {
        assert_eq!(position.outcome(), Some(outcome_of(&trace)));
        assert_eq!(rows_of_trace(trace["final"].as_str().expect("a board")), rows(&Othello, &position));
    }
}

/// At the end of a game the winner has the empty squares.
#[test]
fn finished_games_have_both_scores() {
    let message = |rows: [&str; 8]| {
        let state = Othello.parse_board(&rows).expect("a board");
        (Othello.score_text(&state), state.disc_difference(), state.tournament_score())
    };
    let blank = "........";
    let over = message([blank, blank, blank, "...OO...", "...OO...", "....O...", blank, blank]);
    assert_eq!(over, ("X has 0 discs, O 5; with the empty squares for the winner 0 to 64".into(), -5, -64));
    let (text, ..) = message([blank, blank, blank, "...OX...", "...XO...", blank, blank, blank]);
    assert_eq!(text, "X has 2 discs, O 2", "the game goes on");
    let half = ["XXXXXXXX"; 4].into_iter().chain(["OOOOOOOO"; 4]).collect::<Vec<_>>();
    let full = message(half.try_into().expect("eight rows"));
    assert_eq!(full, ("X has 32 discs, O 32".into(), 0, 0));
}

/// OpenSpiel draws `1 - x o - ...` with a line of letters above and below.
fn rows_of_trace(board: &str) -> Vec<String> {
    let squares = |line: &str| {
        let symbols = line.chars().filter(|c| "-xo".contains(*c));
        symbols.map(|c| if c == '-' { '.' } else { c.to_ascii_uppercase() }).collect::<String>()
    };
    board.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).map(squares).collect()
}

#[test]
fn notation() {
    let game = Othello;
    assert_eq!(["a1", "h1", "d3", "h8", "pass"].map(|n| game.parse_action(n).unwrap()), [0, 7, 19, 63, 64]);
    assert_eq!(["i1", "a9", "a0", "", "a10", "é1"].map(|name| game.parse_action(name)), [None; 6]);
    let rows = game.board_rows(&game.start());
    assert_eq!(rows[3..5], ["...OX...", "...XO..."]);
    let given: Vec<&str> = rows.iter().map(String::as_str).collect();
    assert_eq!(game.parse_board(&given).unwrap(), game.start());
}

#[test]
fn bad_input() {
    let board = |middle: &str, rows: usize| {
        let mut board = vec!["........"; rows];
        board[3] = middle;
        board[4] = "...XO...";
        Othello.parse_board(&board)
    };
    assert!(board("...OX...", 8).is_ok());
    for (middle, rows, what) in [
        ("...OX..", 8, "8 rows"),
        ("...OX...", 7, "8 rows"),
        ("...OZ...", 8, "'Z' on e4"),
        ("...O....", 8, "e4"),
    ] {
        assert_bad(board(middle, rows), what);
    }
    assert!(Position::from_moves(&Othello, &["a1"]).unwrap_err().is_bad_input());
    assert!(Position::from_moves(&Othello, &["pass"]).unwrap_err().is_bad_input());
}

#[test]
fn full_boards_are_over() {
    let board = |symbol: &str| Othello.parse_board(&[symbol.repeat(8).as_str(); 8]).unwrap();
    let over = |state: OthelloState| Othello.compute_outcome(&state, Player::First, None);
    assert_eq!(over(board("X")), Some(Outcome::FirstWins));
    assert_eq!(over(board("O")), Some(Outcome::SecondWins));
    assert_eq!(over(OthelloState { black: u64::MAX << 32, white: u64::MAX >> 32 }), Some(Outcome::Draw));
}
