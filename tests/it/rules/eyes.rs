//! Moves into own eyes, which searches of Go leave out.

use super::go::wide;
use crate::support::{
    naive_go::{Board, game_with_eyes, is_own_eye, point_of, stones_of},
    prelude::*,
};

#[test]
fn all_but_own_eyes_are_worth_trying() {
    // The number of tested points, and of points hemmed in by own stones: eyes and others.
    let (mut asked, mut eyes, mut false_eyes) = (0, 0, 0);
    let squares = [(1, 2), (2, 20), (3, 20), (5, 20), (9, 10), (13, 2), (19, 1)];
    let squares = squares.map(|(size, games)| ((size, size), games));
    for ((rows, columns), games) in squares.into_iter().chain([((4, 7), 5), ((18, 2), 2)]) {
        let game = wide(rows, columns, 7.5);
        for position in (0..games).flat_map(|seed| game_with_eyes(&game, seed)) {
            let (state, turn) = (position.state(), position.turn());
            let board = Board::of(&game, state);
            for action in position.legal_actions() {
                let expected = !is_own_eye(&position, action);
                let got = game.action_urgency(state, turn, action) == 1;
                assert_eq!(got, expected, "{} at\n{position}", game.action_name(action));
                asked += 1;
                eyes += u32::from(!expected);
                let is_hemmed = board.is_hemmed(point_of(&game, action), stones_of(turn)[0]);
                false_eyes += u32::from(expected && is_hemmed && action < game.pass());
            }
            assert_eq!(game.action_urgency(state, turn, game.pass()), 1);
        }
    }
    assert!(asked > 50_000 && eyes > 1_000 && false_eyes > 100, "{asked} {eyes} {false_eyes}");
}

/// One diagonal may be the opponent's in the middle of the board, none at its edge.
#[test]
fn eyes_by_hand() {
    let game = go_of(5, 7.5);
    let worth_trying = |rows: [&str; 5], turn, name: &str| {
        let position = position_of(&game, &rows, turn);
        let action = game.parse_action(name).expect("a point");
        assert!(position.legal_actions().contains(&action), "{name} at\n{position}");
        let urgency = game.action_urgency(position.state(), turn, action);
        assert_eq!(urgency, u32::from(!is_own_eye(&position, action)));
        urgency == 1
    };
    let (x, o) = (Player::First, Player::Second);
    assert!(!worth_trying([".....", "..X..", ".X.X.", "..X..", "....."], x, "C3"));
    assert!(worth_trying(["..O..", ".O.O.", "..O..", ".....", "....."], x, "A1"));
    assert!(!worth_trying([".....", "..XO.", ".X.X.", "..X..", "....."], x, "C3"));
    assert!(worth_trying([".....", ".OXO.", ".X.X.", "..X..", "....."], x, "C3"));
    assert!(!worth_trying([".....", ".....", ".....", "X....", ".X..."], x, "A1"));
    assert!(worth_trying([".....", ".....", ".....", "XO...", ".X..."], x, "A1"));
    assert!(!worth_trying([".....", ".....", "O....", ".O...", "O...."], o, "A2"));
    assert!(worth_trying([".....", ".....", "OX...", ".O...", "O...."], o, "A2"));
}
