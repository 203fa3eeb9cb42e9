//! Data of games that protocols need besides the rules: names of points, sizes, komi, scores.

use crate::{
    error::{Error, Result},
    games::{Go, Gomoku, Othello},
    rules::{Game, Outcome, Player, Position},
};

/// Letters of columns in GTP, which has no I.
const LETTERS: &[u8] = b"ABCDEFGHJKLMNOPQRSTUVWXYZ";

/// Moves that a player still makes in a game, per hundred empty cells.
const MOVES_A_HUNDRED_CELLS: u32 = 40;

/// The name of an action in GTP: a letter other than I and a number in Go, Gomoku and Othello, else the game's own
/// name.
pub fn vertex<G: Game>(game: &G, action: u32) -> String {
    if let Some(gomoku) = as_gomoku(game) {
        let (row, column) = (action / gomoku.columns(), action % gomoku.columns());
        let letter = LETTERS.get(column as usize).copied().map_or('?', char::from);
        return format!("{letter}{}", row + 1);
    }
    let name = game.action_name(action);
    let is_point = is::<Othello, G>(game) && Some(action) != pass(game);
    if is_point { name.to_ascii_uppercase() } else { name }
}

/// The inverse of [`vertex`]; case is ignored.
pub fn action<G: Game>(game: &G, vertex: &str) -> Option<u32> {
    let Some(gomoku) = as_gomoku(game) else { return game.parse_action(vertex) };
    let letter = vertex.bytes().next()?.to_ascii_uppercase();
    let column = LETTERS.iter().position(|&known| known == letter)?;
    // Gomoku's own names include I.
    let name = char::from(b'A' + column as u8).to_string() + vertex.get(1..)?;
    gomoku.parse_action(&name)
}

/// [`action`], except a pass.
pub fn point<G: Game>(game: &G, vertex: &str) -> Option<u32> {
    action(game, vertex).filter(|&point| Some(point) != pass(game))
}

/// The action that places a stone on a cell, by row from the top and column, on a board of these rows and columns;
/// `None` if actions do not name cells.
fn action_at<G: Game>(game: &G, from_top: u32, column: u32, (rows, columns): (u32, u32)) -> Option<u32> {
    let row = if is::<Othello, G>(game) { from_top } else { rows - 1 - from_top };
    (has_points(game) || is::<Othello, G>(game)).then_some(row * columns + column)
}

/// Whether the game is played on points of boards of any size, numbered from the bottom left.
pub fn has_points<G: Game>(game: &G) -> bool {
    is::<Go, G>(game) || is::<Gomoku, G>(game)
}

/// The stones on the board, by the actions that place them; `None` if actions do not name cells.
pub fn stones<G: Game>(position: &Position<G>) -> Option<Vec<(u32, Player)>> {
    let (game, rows) = (position.game(), position.game().board_rows(position.state()));
    let mut stones = Vec::new();
    for (from_top, row) in (0..).zip(&rows) {
        for (column, symbol) in (0..).zip(row.chars()) {
            let action = action_at(game, from_top, column, sides(game))?;
            stones.extend(Player::of_symbol(symbol).map(|owner| (action, owner)));
        }
    }
    stones.sort_unstable_by_key(|stone| stone.0);
    Some(stones)
}

/// The position with exactly these stones: the inverse of [`stones`].
///
/// # Errors
/// Bad input if the game has no such position.
pub fn of_stones<G: Game>(game: &G, stones: &[(u32, Player)], turn: Player) -> Result<Position<G>> {
    let sides = sides(game);
    let symbol = |from_top, column| {
        let action = action_at(game, from_top, column, sides);
        stones.iter().find(|stone| Some(stone.0) == action).map_or('.', |stone| stone.1.symbol())
    };
    let rows: Vec<String> =
        (0..sides.0).map(|from_top| (0..sides.1).map(|column| symbol(from_top, column)).collect()).collect();
    Position::from_board(game, &rows, turn)
}

/// The same game with or without positional superko; `None` if the game has no such rule.
pub fn with_superko<G: Game>(game: &G, superko: bool) -> Option<Result<G>> {
    changed(game, |go: Go| Ok(go.with_superko(superko)))
}

/// Whether positional superko is on; `None` if the game has no such rule.
pub fn superko<G: Game>(game: &G) -> Option<bool> {
    game.as_any().downcast_ref().map(Go::superko)
}

/// The pass, if the game has one.
pub fn pass<G: Game>(game: &G) -> Option<u32> {
    game.parse_action("pass")
}

/// The same game on a square board; any side of a rectangle that can't be changed is its size.
pub fn with_size<G: Game>(game: &G, size: u32) -> Result<G> {
    let (rows, columns) = sides(game);
    let is_known = !has_points(game) && [rows, columns].contains(&size);
    if is_known { Ok(game.clone()) } else { with_sides(game, (size, size)) }
}

/// The same game on a board of (rows, columns).
pub fn with_sides<G: Game>(game: &G, (rows, columns): (u32, u32)) -> Result<G> {
    let go = || changed(game, |go: Go| go.with_sides(rows, columns));
    let gomoku = || {
        changed(game, |gomoku: Gomoku| {
            Ok(Gomoku::rectangular(rows, columns)?.with_freestyle(gomoku.freestyle()))
        })
    };
    if let Some(game) = go().or_else(gomoku) {
        return game;
    }
    let own = sides(game);
    if own == (rows, columns) {
        return Ok(game.clone());
    }
    Err(Error::invalid(format!("{} is played on {} x {} here", game.name(), own.0, own.1)))
}

/// The same game with another komi, or unchanged if it has none.
pub fn with_komi<G: Game>(game: &G, komi: f32) -> Result<G> {
    changed(game, |go: Go| go.with_komi(komi)).unwrap_or_else(|| Ok(game.clone()))
}

/// Rows and columns of the board.
pub fn sides<G: Game>(game: &G) -> (u32, u32) {
    let rows = game.board_rows(&game.start());
    (rows.len() as u32, rows.first().map_or(0, |row| row.chars().count() as u32))
}

/// Values of points, row by row, the top one first.
pub fn rows_from_top<'a, G: Game, T>(
    game: &G,
    points: &'a [T],
) -> impl Iterator<Item = &'a [T]> + use<'a, G, T> {
    points.chunks(sides(game).1.max(1) as usize).rev()
}

/// The komi, if the game has one.
pub fn komi<G: Game>(game: &G) -> Option<f32> {
    game.as_any().downcast_ref().map(Go::komi)
}

/// The game as Gomoku, if it is.
pub fn as_gomoku<G: Game>(game: &G) -> Option<&Gomoku> {
    game.as_any().downcast_ref()
}

/// The first player's score minus the second player's: of the present board in Go and Othello; in other games 1, 0 or
/// -1 at the end, and `None` before.
pub fn score<G: Game>(position: &Position<G>) -> Option<f64> {
    if let Some(go) = position.of_type::<Go>() {
        let area = go.game().area_score(go.state());
        return Some(f64::from(area) - f64::from(go.game().komi()));
    }
    if let Some(othello) = position.of_type::<Othello>() {
        let (state, is_over) = (othello.state(), othello.outcome().is_some());
        // At the end, empty squares count for the winner.
        return Some(f64::from(if is_over { state.tournament_score() } else { state.disc_difference() }));
    }
    Some(match position.outcome()? {
        Outcome::FirstWins => 1.0,
        Outcome::Draw => 0.0,
        Outcome::SecondWins => -1.0,
    })
}

/// [`score`] as in SGF: `B+3.5`, or `0` for a draw.
pub fn lead<G: Game>(position: &Position<G>) -> Option<String> {
    Some(match score(position)? {
        0.0 => "0".into(),
        ahead if ahead > 0.0 => format!("B+{ahead}"),
        behind => format!("W+{}", -behind),
    })
}

/// The position with this player to move, even if it is the other player's turn, or two passes have ended a game of Go.
/// If the other player can only pass, a pass is played. Otherwise the history is dropped: an added pass could end the
/// game together with the next one.
///
/// # Errors
/// Bad input if the game is over by its board.
pub fn with_turn<G: Game>(position: &Position<G>, player: Player) -> Result<Position<G>> {
    let is_over = position.outcome().is_some();
    if position.turn() == player && !is_over {
        return Ok(position.clone());
    }
    let legal = position.legal_actions();
    if let (&[only], Some(pass)) = (&legal[..], pass(position.game()))
        && only == pass
        && position.turn() != player
    {
        return position.after(&[pass]);
    }
    let again = as_it_stands(position, player)?;
    match again.outcome() {
        None => Ok(again),
        Some(outcome) => Err(Error::invalid(format!("the game is over: {outcome}"))),
    }
}

/// The position without history. In Go only the stones remain: an earlier pass would count as the other player's, and a
/// ko holds only for the player whose turn it was.
fn as_it_stands<G: Game>(position: &Position<G>, player: Player) -> Result<Position<G>> {
    let game = position.game();
    if !is::<Go, G>(game) {
        return Position::from_state(game, position.state().clone(), player);
    }
    Position::from_board(game, &game.board_rows(position.state()), player)
}

/// Checks that moves from the start lead to the position: protocols have no other way to send it.
pub fn check_moves<G: Game>(position: &Position<G>) -> Result<()> {
    match Position::start(position.game()).after(position.moves()) {
        Ok(reached) if reached.state() == position.state() && reached.turn() == position.turn() => Ok(()),
        _ => {
            let what = "another program can't be sent a position that was given as a board: give its moves";
            Err(Error::invalid(what))
        }
    }
}

/// The game's name with a capital letter.
pub fn title<G: Game>(game: &G) -> String {
    let mut letters = game.name().chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

/// An estimate of the moves that a player still makes: a fraction of the empty cells.
pub fn moves_to_come<G: Game>(position: &Position<G>) -> u32 {
    let rows = position.game().board_rows(position.state());
    let empty: usize = rows.iter().map(|row| row.matches('.').count()).sum();
    (empty as u32).saturating_mul(MOVES_A_HUNDRED_CELLS) / 100
}

/// The board as text, with coordinates if points have a letter and a number.
pub fn drawn<G: Game>(position: &Position<G>) -> String {
    let game = position.game();
    let rows = game.board_rows(position.state());
    let named = has_points(game);
    let mut lines = Vec::new();
    for (from_top, row) in rows.iter().enumerate() {
        let number = if named { rows.len() - from_top } else { from_top + 1 };
        let label = if named || is::<Othello, G>(game) { format!("{number:>2} ") } else { String::new() };
        lines.push(label + &spaced(row));
    }
    if named || is::<Othello, G>(game) {
        let letters: String = LETTERS.iter().take(sides(game).1 as usize).copied().map(char::from).collect();
        lines.push(format!("   {}", spaced(&letters)));
    }
    let turn = position
        .outcome()
        .map_or_else(|| format!("{} to move", position.turn()), |outcome| outcome.to_string());
    lines.push(turn);
    lines.join("\n")
}

fn spaced(row: &str) -> String {
    row.chars().map(String::from).collect::<Vec<_>>().join(" ")
}

fn is<H: Game, G: Game>(game: &G) -> bool {
    game.as_any().is::<H>()
}

/// Applies `change` to the game if it is of type `H`.
fn changed<H: Game, G: Game>(game: &G, change: impl FnOnce(H) -> Result<H>) -> Option<Result<G>> {
    let own = game.as_any().downcast_ref::<H>()?.clone();
    match change(own) {
        Ok(other) => G::of_any(&other).map(Ok),
        Err(error) => Some(Err(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Connect4;

    fn assert_names_return<G: Game>(game: &G) {
        for wanted in 0..game.max_actions() {
            let name = vertex(game, wanted);
            assert_eq!(action(game, &name), Some(wanted), "{name}");
            assert_eq!(action(game, &name.to_ascii_lowercase()), Some(wanted), "{name}");
        }
    }

    #[test]
    fn vertices_return() {
        (1..=19).for_each(|size| assert_names_return(&Go::new(size, 7.5).expect("a board")));
        assert_names_return(&Go::rectangular(5, 19, 7.5).expect("a board"));
        (5..=22).for_each(|size| assert_names_return(&Gomoku::new(size).expect("a board")));
        assert_names_return(&Gomoku::rectangular(6, 22).expect("a board"));
        assert_names_return(&Othello);
        assert_names_return(&Connect4::default());
    }

    #[test]
    fn columns_skip_i() {
        let gomoku = Gomoku::default();
        assert_eq!(
            (vertex(&gomoku, 7), vertex(&gomoku, 8), vertex(&gomoku, 224)),
            ("H1".into(), "J1".into(), "P15".into())
        );
        for wrong in ["I1", "", "A", "A0", "A16", "Q1", "é1", "A１", "H-1", "pass", "A99999999999999999999"]
        {
            assert_eq!(action(&gomoku, wrong), None, "{wrong}");
        }
        assert_eq!((vertex(&Othello, 0), vertex(&Othello, 64)), ("A1".into(), "pass".into()));
    }

    #[test]
    fn other_boards_keep_the_other_rules() {
        let go = Go::new(9, 5.5).expect("a board").with_superko(true).with_policy("m2").expect("a policy");
        let other = with_komi(&with_size(&go, 13).expect("a board"), 0.5).expect("a komi");
        assert_eq!((other.rows(), other.komi(), other.superko()), (13, 0.5, true));
        assert_eq!(other.policy(), "m2");
        let gomoku = with_size(&Gomoku::default().with_freestyle(true), 20).expect("a board");
        assert_eq!((sides(&gomoku), gomoku.freestyle()), ((20, 20), true));
        let gomoku = with_sides(&gomoku, (7, 9)).expect("a board");
        assert_eq!((sides(&gomoku), gomoku.freestyle()), ((7, 9), true));
        assert!(with_size(&go, 20).is_err() && with_size(&go, 0).is_err() && with_komi(&go, 0.3).is_err());
        assert!(with_size(&Connect4::default(), 7).is_ok() && with_size(&Othello, 8).is_ok());
        let refused = with_size(&Othello, 9).expect_err("another size");
        assert_eq!(refused.to_string(), "othello is played on 8 x 8 here");
    }
}
