//! The built-in games, each the twin of `games/<game>.wgsl`. `src/any_game` lists them.

mod connect4;
pub mod go;
mod gomoku;
pub mod othello;

pub use connect4::{Connect4, Connect4Playout, Connect4State};
pub use go::{Go, GoState};
pub use gomoku::{Gomoku, GomokuPlayout, GomokuState};
pub use othello::{Othello, OthelloState};

use crate::{
    error::{Error, Result},
    names::counted,
    rules::{Player, RuleValue},
};

/// The rules of a board's size: one number for a square.
fn size_rules(rows: u32, columns: u32) -> Vec<(&'static str, RuleValue)> {
    if rows == columns {
        return vec![("size", RuleValue::Count(rows))];
    }
    vec![("rows", RuleValue::Count(rows)), ("columns", RuleValue::Count(columns))]
}

/// Parses a board of `rows` x `columns` and reports each stone as (row from the top, column, player).
fn parse_stones(rows: &[&str], size: (u32, u32), mut put: impl FnMut(u32, u32, Player)) -> Result<()> {
    if rows.len() != size.0 as usize {
        return Err(Error::invalid(format!(
            "the board has {}: give {}",
            counted(rows.len() as u64, "row"),
            size.0
        )));
    }
    for (from_top, row) in (0..).zip(rows) {
        let width = row.chars().count();
        if width != size.1 as usize {
            let place = from_top + 1;
            return Err(Error::invalid(format!(
                "row {place} of the board, '{row}', has {}: give {}",
                counted(width as u64, "cell"),
                size.1
            )));
        }
        for (column, symbol) in (0..).zip(row.chars()) {
            match symbol {
                '.' => {}
                'X' => put(from_top, column, Player::First),
                'O' => put(from_top, column, Player::Second),
                _ => {
                    return Err(Error::invalid(format!(
                        "'{symbol}' in row {} of the board is no cell: use '.' for empty, 'X' and 'O' for stones",
                        from_top + 1
                    )));
                }
            }
        }
    }
    Ok(())
}

/// The number of planes of [`stone_planes`].
const STONE_PLANES: u32 = 4;

/// The first planes of a game, at a cell with a stone of `owner`: the twin of `stone_planes` in
/// `shaders/lib/game.wgsl`.
fn stone_planes(owner: Option<Player>, turn: Player) -> u32 {
    let own = u32::from(owner == Some(turn));
    let theirs = u32::from(owner == Some(turn.opponent()));
    own | theirs << 1 | 1 << 2 | u32::from(turn == Player::First) << 3
}

/// The board as text, top row first, from the owner of each cell (row from the top, column).
fn format_rows(size: (u32, u32), owner: impl Fn(u32, u32) -> Option<Player>) -> Vec<String> {
    let row =
        |from_top| (0..size.1).map(|column| owner(from_top, column).map_or('.', Player::symbol)).collect();
    (0..size.0).map(row).collect()
}
