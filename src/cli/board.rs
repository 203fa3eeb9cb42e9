//! Boards in the terminal, with the names that moves are made of at their edges.

use mcts_wgpu::{Game, Position};
use std::fmt::Write;

/// Names of the columns, left to right, and of the rows, top to bottom.
#[derive(Debug, Default, PartialEq, Eq)]
struct Edges {
    columns: Vec<String>,
    rows: Vec<String>,
}

/// The board of a position, a line a row, each cell two characters wide.
pub fn draw<G: Game>(position: &Position<G>) -> String {
    let edges = edges(position.game());
    let margin = edges.rows.iter().map(String::len).max().unwrap_or(0);
    let mut text = String::new();
    for (place, row) in position.game().board_rows(position.state()).iter().enumerate() {
        let name = edges.rows.get(place).map_or("", String::as_str);
        write!(text, "  {name:>margin$}").ok();
        row.chars().for_each(|cell| text.extend([' ', cell]));
        text.push('\n');
    }
    if !edges.columns.is_empty() {
        write!(text, "  {:margin$}", "").ok();
        edges.columns.iter().for_each(|name| {
            write!(text, "{name:>2}").ok();
        });
        text.push('\n');
    }
    text
}

/// The edges of a game whose actions are columns, or cells (row * columns + column) named by letter and number; none
/// of any other game.
fn edges<G: Game>(game: &G) -> Edges {
    let board = game.board_rows(&game.start());
    let height = board.len() as u32;
    let width = board.first().map_or(0, |row| row.chars().count()) as u32;
    if game.max_actions() == width {
        return Edges { columns: (0..width).map(|column| game.action_name(column)).collect(), rows: vec![] };
    }
    if game.max_actions() < width * height {
        return Edges::default();
    }
    let letter = |column| game.action_name(column).chars().take(1).collect();
    let number = |row| game.action_name(row * width).chars().skip(1).collect();
    let mut rows: Vec<_> = (0..height).map(number).collect();
    if !first_row_is_on_top(game, width) {
        rows.reverse();
    }
    Edges { columns: (0..width).map(letter).collect(), rows }
}

/// Which way up the board is drawn shows where the first legal move lands.
fn first_row_is_on_top<G: Game>(game: &G, width: u32) -> bool {
    let mut position = Position::start(game);
    let before = game.board_rows(position.state());
    let Some(&action) = position.legal_actions().first() else { return true };
    if position.play(action).is_err() {
        return true;
    }
    let after = game.board_rows(position.state());
    let row = (action / width) as usize;
    let empty = |board: &[String]| board.get(row).map(|row| row.matches('.').count());
    empty(&before) != empty(&after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcts_wgpu::games::{Connect4, Gomoku};

    #[test]
    fn columns_are_named_below() {
        let position = Position::from_moves(&Connect4::default(), &["3", "3"]).expect("the moves are legal");
        let drawn = draw(&position);
        let lines: Vec<_> = drawn.lines().collect();
        assert_eq!(lines[4..], ["   . . . O . . .", "   . . . X . . .", "   0 1 2 3 4 5 6"]);
        assert_eq!(lines.len(), 7);
    }

    #[test]
    fn rows_are_named_as_their_moves_are() {
        let game = Gomoku::default();
        let position = Position::from_moves(&game, &["B1", "O15"]).expect("the moves are legal");
        let drawn = draw(&position);
        let lines: Vec<_> = drawn.lines().collect();
        assert_eq!(lines[0], "  15 . . . . . . . . . . . . . . O");
        assert_eq!(lines[14], "   1 . X . . . . . . . . . . . . .");
        assert_eq!(lines[15], "     A B C D E F G H I J K L M N O");
    }
}
