//! Boards in the terminal, with coordinates.

use crate::rules::{Game, Position};
use anstyle::{AnsiColor, Style};
use std::fmt::Write;

/// A cell: its row from the top, and its column.
type Cell = (usize, usize);

/// The mark of a legal move.
const OPEN: &str = "*";

/// The board of a position.
pub fn draw<G: Game>(position: &Position<G>) -> String {
    Picture::of(position).text(&Styles::default())
}

/// The board of a position in colours, with the last move in brackets. With `marked`, legal moves are marked in games
/// in which they are few.
pub fn draw_in_colours<G: Game>(
    position: &Position<G>,
    before: Option<&Position<G>>,
    marked: bool,
) -> String {
    let mut picture = Picture::of(position);
    picture.last = before.and_then(|before| taken_cell(&rows(before), &rows(position)));
    if marked && allows_few_cells(position.game()) {
        let actions = position.legal_actions();
        picture.open = actions.into_iter().filter_map(|action| cell_of(position, action)).collect();
    }
    picture.text(&Styles::coloured())
}

/// Styles of the parts of a board; plain by default.
#[derive(Debug, Default)]
struct Styles {
    first: Style,
    second: Style,
    /// The brackets around the last move.
    last: Style,
    open: Style,
    edges: Style,
}

impl Styles {
    fn coloured() -> Self {
        let bold = Style::new().bold();
        Self {
            first: bold.fg_color(Some(AnsiColor::Red.into())),
            second: bold.fg_color(Some(AnsiColor::Cyan.into())),
            last: bold,
            open: Style::new().fg_color(Some(AnsiColor::Green.into())),
            edges: Style::new().dimmed(),
        }
    }

    fn of(&self, symbol: &str) -> Style {
        match symbol {
            "X" => self.first,
            "O" => self.second,
            OPEN => self.open,
            _ => Style::new(),
        }
    }
}

/// Coordinates: names of the columns, left to right, and of the rows, top to bottom.
#[derive(Debug, Default, PartialEq, Eq)]
struct Edges {
    columns: Vec<String>,
    rows: Vec<String>,
}

/// A board to draw.
struct Picture {
    edges: Edges,
    rows: Vec<Vec<String>>,
    last: Option<Cell>,
    open: Vec<Cell>,
}

impl Picture {
    fn of<G: Game>(position: &Position<G>) -> Self {
        Self { edges: edges(position.game()), rows: rows(position), last: None, open: Vec::new() }
    }

    /// One line a row. The width of a cell is that of the longest symbol or column name, and a space.
    fn text(&self, styles: &Styles) -> String {
        let longest = |names: &[String]| names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let sign = self.rows.iter().map(|row| longest(row)).max().unwrap_or(0);
        let margin = longest(&self.edges.rows);
        let width = longest(&self.edges.columns).max(sign).max(1) + 1;
        let mut text = String::new();
        for (place, row) in self.rows.iter().enumerate() {
            let name = self.edges.rows.get(place).map_or("", String::as_str);
            write!(text, "  {}", styled(styles.edges, &format!("{name:>margin$}"))).ok();
            for (column, symbol) in row.iter().enumerate() {
                text += &self.cell((place, column), symbol, width, styles);
            }
            let is_last = self.last == Some((place, row.len().wrapping_sub(1)));
            text += &if is_last { styled(styles.last, ")") } else { String::new() };
            text.push('\n');
        }
        if !self.edges.columns.is_empty() {
            let names: String = self.edges.columns.iter().map(|name| format!("{name:>width$}")).collect();
            writeln!(text, "  {:margin$}{}", "", styled(styles.edges, &names)).ok();
        }
        text
    }

    /// The brackets of the last move replace spaces.
    fn cell(&self, cell: Cell, symbol: &str, width: usize, styles: &Styles) -> String {
        let symbol = if self.open.contains(&cell) { OPEN } else { symbol };
        let mut spaces = vec![" ".to_string(); width - symbol.chars().count()];
        let (row, column) = cell;
        if self.last == Some(cell) {
            let before = spaces.len() - 1;
            spaces[before] = styled(styles.last, "(");
        } else if self.last == column.checked_sub(1).map(|left| (row, left)) && self.last.is_some() {
            spaces[0] = styled(styles.last, ")");
        }
        spaces.concat() + &styled(styles.of(symbol), symbol)
    }
}

/// A text in a style; unchanged if the style is plain.
fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

fn rows<G: Game>(position: &Position<G>) -> Vec<Vec<String>> {
    position.game().board_cells(position.state())
}

/// Whether a cell is empty.
fn is_empty(cell: &str) -> bool {
    cell.chars().all(|c| c == '.')
}

/// The cell that is empty before a move but not after it; `None` for a pass.
fn taken_cell(before: &[Vec<String>], after: &[Vec<String>]) -> Option<Cell> {
    let taken = |(before, after): (&Vec<String>, &Vec<String>)| {
        before.iter().zip(after).position(|(before, after)| is_empty(before) && !is_empty(after))
    };
    before.iter().zip(after).enumerate().find_map(|(row, pair)| taken(pair).map(|column| (row, column)))
}

/// The cell that an action fills.
fn cell_of<G: Game>(position: &Position<G>, action: u32) -> Option<Cell> {
    taken_cell(&rows(position), &rows(&position.after(&[action]).ok()?))
}

/// Whether actions are cells and few of the empty ones are legal, as in Othello.
fn allows_few_cells<G: Game>(game: &G) -> bool {
    let start = Position::start(game);
    let empty: usize = rows(&start).iter().flatten().filter(|cell| is_empty(cell)).count();
    !edges(game).rows.is_empty() && 2 * start.legal_actions().len() < empty
}

/// The coordinates of a game whose actions are columns, or cells (row * columns + column) named by letter and number;
/// empty for other games.
fn edges<G: Game>(game: &G) -> Edges {
    let board = game.board_cells(&game.start());
    let height = board.len() as u32;
    let width = board.first().map_or(0, Vec::len) as u32;
    if game.max_actions() == width {
        return Edges { columns: (0..width).map(|column| game.action_name(column)).collect(), rows: vec![] };
    }
    let is_named = |action| game.action_name(action).starts_with(|first: char| first.is_ascii_alphabetic());
    if game.max_actions() < width * height || !is_named(0) {
        return Edges::default();
    }
    let letter = |column| game.action_name(column).chars().take(1).collect();
    let number = |row| game.action_name(row * width).chars().skip(1).collect();
    let columns: Vec<String> = (0..width).map(letter).collect();
    let mut rows: Vec<String> = (0..height).map(number).collect();
    // In a game file, a letter and a number can have another meaning.
    let name = |cell: u32| columns[(cell % width) as usize].clone() + &rows[(cell / width) as usize];
    if (0..width * height).any(|cell| game.action_name(cell) != name(cell)) {
        return Edges::default();
    }
    if !first_row_is_on_top(game, width, height) {
        rows.reverse();
    }
    Edges { columns, rows }
}

/// Whether row 0 is at the top of the drawn board: tests a move outside the middle row.
fn first_row_is_on_top<G: Game>(game: &G, width: u32, height: u32) -> bool {
    let start = Position::start(game);
    let mut actions = start.legal_actions().into_iter().filter(|action| 2 * (action / width) + 1 != height);
    let landed = actions.find_map(|action| Some((action / width, cell_of(&start, action)?.0 as u32)));
    landed.is_none_or(|(row, from_top)| row == from_top)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        games::{Connect4, Go, Gomoku, Othello},
        rules::Player,
    };

    fn after<G: Game>(game: &G, moves: &[&str]) -> Position<G> {
        Position::from_moves(game, moves).expect("the moves are legal")
    }

    /// The board after moves, as a terminal without colours shows it.
    fn shown<G: Game>(game: &G, moves: &[&str]) -> Vec<String> {
        let before = moves.split_last().map(|(_, before)| after(game, before));
        let drawn = draw_in_colours(&after(game, moves), before.as_ref(), true);
        anstream::adapter::strip_str(&drawn).to_string().lines().map(str::to_owned).collect()
    }

    #[test]
    fn names_of_two_digits_keep_apart() {
        let wide = Connect4::new(3, 12).expect("a board");
        let lines = shown(&wide, &["9", "11"]);
        assert_eq!(lines[2], "    .  .  .  .  .  .  .  .  .  X  . (O)");
        assert_eq!(lines[3], "    0  1  2  3  4  5  6  7  8  9 10 11");
    }

    #[test]
    fn rows_are_named_as_their_moves_are() {
        let drawn = draw(&after(&Gomoku::default(), &["B1", "O15"]));
        let lines: Vec<_> = drawn.lines().collect();
        assert_eq!(lines[0], "  15 . . . . . . . . . . . . . . O");
        assert_eq!(lines[14], "   1 . X . . . . . . . . . . . . .");
        assert_eq!(lines[15], "     A B C D E F G H I J K L M N O");
    }

    #[test]
    fn every_name_stands_at_the_edges_of_its_cell() {
        fn check<G: Game>(game: &G) {
            let start = Position::start(game);
            let edges = edges(game);
            for action in start.legal_actions() {
                let Some((row, column)) = cell_of(&start, action) else { continue };
                let name = format!("{}{}", edges.columns[column], edges.rows[row]);
                assert_eq!(name, game.action_name(action));
            }
        }
        (5..=22).for_each(|size| check(&Gomoku::new(size).expect("a board")));
        check(&Gomoku::rectangular(6, 9).expect("a board"));
        check(&Go::rectangular(12, 3, 7.5).expect("a board"));
        (2..=19).for_each(|size| check(&Go::new(size, 7.5).expect("a board")));
        check(&Othello);
    }

    #[test]
    fn the_last_move_is_in_brackets() {
        assert_eq!(shown(&Connect4::default(), &["3", "3"])[4..6], ["   . . .(O). . .", "   . . . X . . ."]);
        assert_eq!(shown(&Connect4::default(), &["6"])[5], "   . . . . . .(X)");
        assert_eq!(shown(&Connect4::default(), &["0"])[5], "  (X). . . . . .");
        let go = Go::new(9, 7.5).expect("a board");
        let lines = shown(&go, &["J9", "A1"]);
        assert_eq!(
            (lines[0].as_str(), lines[8].as_str()),
            ("  9 . . . . . . . . X", "  1(O). . . . . . . .")
        );
        assert_eq!(lines[9], "    A B C D E F G H J");
        assert!(!shown(&go, &["J9", "pass"]).concat().contains('('));
        // A capture takes stones off and puts one on.
        let lines = shown(&go, &["A2", "A1", "B1"]);
        assert_eq!(lines[8], "  1 .(X). . . . . . .");
        let large = shown(&Go::new(19, 7.5).expect("a board"), &["T19"]);
        assert_eq!(large[0], "  19 . . . . . . . . . . . . . . . . . .(X)");
        assert_eq!(large[10], "   9 . . . . . . . . . . . . . . . . . . .");
        assert_eq!(large[19], "     A B C D E F G H J K L M N O P Q R S T");
    }

    #[test]
    fn moves_are_marked_where_there_are_few() {
        let lines = shown(&Othello, &["d3"]);
        assert_eq!(lines[2], "  3 . . *(X)* . . .");
        assert_eq!(lines[4], "  5 . . * X O . . .");
        assert_eq!(lines[8], "    a b c d e f g h");
        assert_eq!(lines.concat().matches('*').count(), 3);
        let unmarked = draw_in_colours(&after(&Othello, &["d3"]), None, false);
        assert!(!unmarked.contains('*'));
        let others = [shown(&Connect4::default(), &[]), shown(&Gomoku::default(), &[])];
        assert!(!others.concat().concat().contains('*'));
        assert!(!shown(&Go::new(5, 0.5).expect("a board"), &["C3"]).concat().contains('*'));
    }

    #[test]
    fn colours_change_nothing_else() {
        let position = after(&Othello, &["d3"]);
        let [plain, coloured] = [draw(&position), draw_in_colours(&position, None, false)];
        assert_ne!(plain, coloured);
        assert!(!plain.contains('\u{1b}') && coloured.contains("\u{1b}[31mX\u{1b}[0m"), "{coloured:?}");
        assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), plain);
    }

    #[test]
    fn a_finished_board_is_drawn() {
        let rows = ["XXXX...", ".......", ".......", ".......", ".......", "......."];
        let rows: Vec<&str> = rows.iter().rev().copied().collect();
        let over = Position::from_board(&Connect4::default(), &rows, Player::Second).expect("a board");
        assert!(draw_in_colours(&over, None, true).contains('X'));
    }
}
