//! Valid states, and others.

use crate::support::prelude::*;
use mcts_wgpu::games::OthelloState;

/// All states of random games are accepted, and are the same positions.
fn assert_play_is_taken<G: Game>(game: &G, games: u64) {
    for seed in 0..games {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let mut position = Position::start(game);
        loop {
            let again = Position::from_state(game, position.state().clone(), position.turn());
            let again = again.unwrap_or_else(|error| panic!("{game:?} {:?}: {error}", position.moves()));
            assert_eq!((again.state(), again.outcome()), (position.state(), position.outcome()));
            let legal = position.legal_actions();
            if legal.is_empty() {
                break;
            }
            position.play(legal[rng.next_u32() as usize % legal.len()]).expect("a legal action");
        }
    }
}

#[test]
fn states_of_played_games_are_taken() {
    assert_play_is_taken(&Connect4::default(), 20);
    assert_play_is_taken(&connect4_of(3, 16), 20);
    assert_play_is_taken(&gomoku_of(6), 5);
    assert_play_is_taken(&gomoku_of(22), 2);
    assert_play_is_taken(&Othello, 20);
    for size in [1, 2, 3, 9, 19] {
        let game = go_of(size, 7.5);
        assert_play_is_taken(&game, 3);
        assert_play_is_taken(&game.with_superko(true), 2);
    }
}

fn assert_refused<G: Game>(game: &G, state: G::State, words: &str) {
    for turn in [Player::First, Player::Second] {
        assert_bad(Position::from_state(game, state.clone(), turn), words);
    }
}

#[test]
fn states_that_connect4_cannot_have_are_refused() {
    let after = |rows, columns, moves: &[&str]| {
        let game = connect4_of(rows, columns);
        *position_after(&game, moves).state()
    };
    let game = Connect4::default();
    assert_refused(&game, after(7, 8, &["7"]), "a disc outside of 6 rows x 7 columns");
    assert_refused(&game, after(4, 4, &["1", "1"]), "a disc outside of 6 rows x 7 columns");
    assert_refused(&game, after(3, 5, &["1"]), "a disc in column 0 hangs above an empty cell");
}

#[test]
fn states_that_gomoku_cannot_have_are_refused() {
    let game = gomoku_of(9);
    let large = Gomoku::default();
    let after = |name| position_after(&large, &[name]).state().clone();
    assert!(Position::from_state(&game, after("I9"), Player::First).is_ok());
    assert_refused(&game, after("A10"), "a stone outside of 9 x 9 cells");
    assert_refused(&game, after("J1"), "a stone outside of 9 x 9 cells");
    assert_refused(&game, game.unpack(&[0, 1 | 1 << 16, 0, 0, 0, 0, 0, 0, 0]), "stones of both players");
}

#[test]
fn states_that_othello_cannot_have_are_refused() {
    let start = Othello.start();
    let both = OthelloState { black: start.black | 1 << 9, white: start.white | 1 << 9 };
    assert_refused(&Othello, both, "discs of both players on b2");
    assert_refused(&Othello, OthelloState { black: 1, white: 2 }, "d4, e4, d5 or e5 is empty");
}

#[test]
fn states_that_go_cannot_have_are_refused() {
    let game = go_of(2, 0.5);
    // Black's plane, White's, and a word of ko, passes and moves: A1 and B1 are bits 0 and 1, A2 and B2 bits 3 and 4.
    let state = |black: u32, white: u32, ko: u32, passes: u32, moves: u32| {
        game.unpack(&[black, white, ko | passes << 9 | moves << 11])
    };
    assert!(Position::from_state(&game, state(0b1, 0b10, 0, 0, 0), Player::First).is_ok());
    assert_refused(&game, state(0b100, 0, 0, 0, 0), "a stone outside of 2 x 2 points");
    assert_refused(&game, state(1 << 30, 0, 0, 0, 0), "a stone outside of 2 x 2 points");
    assert_refused(&game, state(0b1, 0b1, 0, 0, 0), "stones of both colours on A1");
    assert_refused(&game, state(0b1, 0b1010, 0, 0, 0), "the group of A1 on this Go board has no liberty");
    assert_refused(&game, state(0b11011, 0, 0, 0, 0), "has no liberty");
    assert_refused(&game, state(0, 0, 0, 3, 5), "at most 200 moves and 2 passes");
    assert_refused(&game, state(0, 0, 0, 2, 1), "at most 200 moves and 2 passes");
    assert_refused(&game, state(0, 0, 0, 0, 201), "at most 200 moves and 2 passes");
    assert_refused(&game, state(0b1, 0b10, 1, 0, 5), "an impossible ko");
    assert_refused(&game, state(0b1, 0b10, 3, 0, 5), "an impossible ko");
    assert_refused(&game, state(0b1, 0b10, 400, 0, 5), "an impossible ko");
    assert_refused(&game, state(0b1, 0b10, 4, 1, 5), "an impossible ko");
    assert!(Position::from_state(&game, state(0b1, 0b10, 4, 0, 5), Player::First).is_ok());
    let large = go_of(19, 0.5);
    let corner = *position_after(&large, &["T19"]).state();
    assert_refused(&game, corner, "a stone outside of 2 x 2 points");
}
