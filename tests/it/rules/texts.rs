//! Moves and boards as texts: each is read or refused.

use crate::support::{
    prelude::*,
    strange::{cases, one_of},
};
use proptest::{collection::vec, prelude::*};

/// Rows of a board: usually of the right number and length, with symbols of most boards.
fn rows(size: usize) -> impl Strategy<Value = Vec<String>> {
    let right = "[.XO]{1,26}".prop_map(move |row| row.chars().cycle().take(size).collect::<String>());
    let row = prop_oneof![8 => right, 1 => "[.XOx# ]{0,30}", 1 => "\\PC{0,12}"];
    prop_oneof![6 => vec(row.clone(), size), 1 => vec(row, 0..30)]
}

fn moves() -> impl Strategy<Value = Vec<String>> {
    let word = one_of(
        "0|3|6|00|+3|-1|4294967296|99999999999999999999|A1|a1|H8|i9|J10|Z99|d3|C4|pass|PASS|resign|| |3 |\
        \u{0}|é1|A|1A|aa1|64|81",
    );
    vec(prop_oneof![6 => word, 1 => "\\PC{0,5}"], 0..12)
}

/// A position that was read can be continued, and its text is read as the same position.
fn check<G: Game>(game: &G, moves: &[String], rows: &[String], turn: Player) -> Result<(), TestCaseError> {
    for name in moves {
        if let Some(action) = game.parse_action(name) {
            prop_assert!(action < game.max_actions(), "{} {name:?}: {action}", game.name());
        }
    }
    if let Ok(position) = Position::from_moves(game, moves) {
        prop_assert_eq!(position.moves().len(), moves.len());
        position.legal_actions();
    }
    let rows: Vec<_> = rows.iter().map(String::as_str).collect();
    let Ok(mut position) = Position::from_board(game, &rows, turn) else { return Ok(()) };
    let shown = game.board_rows(position.state());
    prop_assert_eq!(shown.iter().map(String::as_str).collect::<Vec<_>>(), rows, "{}", game.name());
    prop_assert_eq!(position.turn(), turn);
    if let Some(&action) = position.legal_actions().first() {
        let played = position.play(action).map(|()| position.undo());
        prop_assert_eq!(played, Ok(Some(action)), "{}", game.name());
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn any_text_is_a_position_or_an_error(
        moves in moves(), small in rows(5), eight in rows(8), nine in rows(9), wide in rows(6), second: bool,
    ) {
        let turn = if second { Player::Second } else { Player::First };
        let board = "there is such a board";
        check(&Connect4::new(5, 5).expect(board), &moves, &small, turn)?;
        check(&Connect4::default(), &moves, &wide, turn)?;
        check(&Gomoku::new(5).expect(board), &moves, &small, turn)?;
        check(&Gomoku::new(9).expect(board).with_freestyle(true), &moves, &nine, turn)?;
        check(&Gomoku::rectangular(5, 6).expect(board), &moves, &small, turn)?;
        check(&Othello, &moves, &eight, turn)?;
        check(&Go::new(5, 0.5).expect(board).with_superko(true), &moves, &small, turn)?;
        check(&Go::new(9, 7.5).expect(board), &moves, &nine, turn)?;
        check(&Go::rectangular(6, 7, 7.5).expect(board), &moves, &wide, turn)?;
    }

    #[test]
    fn any_size_is_a_game_or_an_error(rows: u32, columns: u32, few in 0u32..40, komi: f32) {
        for (rows, columns) in [(rows, columns), (few, few + 1), (rows, few)] {
            Connect4::new(rows, columns).map(|game| Position::start(&game).legal_actions()).ok();
            Gomoku::rectangular(rows, columns).map(|game| Position::start(&game).legal_actions()).ok();
            for komi in [komi, few as f32 - 20.5] {
                let game = Go::rectangular(few, rows % 21, komi).and_then(|game| game.with_max_moves(rows));
                game.map(|game| Position::start(&game).legal_actions()).ok();
            }
        }
    }
}
