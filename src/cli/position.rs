//! Options of the position.

use super::{
    failure::{Failure, Result},
    help::POSITION,
};
use crate::rules::{Game, Player, Position};
use clap::Args;

/// Options of the position; by default the start of the game.
#[derive(Debug, Args)]
#[command(next_help_heading = POSITION)]
pub struct PositionOptions {
    /// Moves from the start of the game: names or indices, separated by commas or spaces
    #[arg(long, value_name = "A,B,C")]
    moves: Option<String>,
    /// Board: rows separated by '/' or line breaks, top row first; '.' empty, 'X' first player, 'O' second
    #[arg(long, value_name = "ROWS")]
    board: Option<String>,
    /// Player to move on --board
    #[arg(long, value_name = "X|O", value_parser = parse_player)]
    turn: Option<Player>,
}

impl PositionOptions {
    /// Whether none of the options is given.
    pub fn is_empty(&self) -> bool {
        self.moves.is_none() && self.board.is_none() && self.turn.is_none()
    }

    /// The position of the options. If the game is over, this is an error; `nothing` is its last part, such as "no move
    /// to search for".
    pub fn ongoing<G: Game>(&self, game: &G, nothing: &str) -> Result<Position<G>> {
        let position = self.position(game)?;
        match position.outcome() {
            None => Ok(position),
            Some(outcome) => Err(Failure::message(format!(
                "the game is over in this position ({}): there is {nothing}",
                outcome
            ))),
        }
    }

    /// The position of the options.
    pub fn position<G: Game>(&self, game: &G) -> Result<Position<G>> {
        let bad = |message| Err(Failure::message(message));
        match (&self.moves, &self.board, self.turn) {
            (Some(_), Some(_), _) => bad("--moves and --board exclude each other: give one of them"),
            (_, None, Some(_)) => bad("--turn needs --board: moves determine the player to move"),
            (None, Some(_), None) => bad("--board needs the player to move: add --turn X or --turn O"),
            (None, Some(board), Some(turn)) => {
                let board = board.trim_matches(['\n', '\r']).replace("\r\n", "\n");
                let rows: Vec<_> = board.split(['/', '\n']).collect();
                Position::from_board(game, &rows, turn).map_err(|error| Failure::from(error).of("--board"))
            }
            (moves, None, None) => parse_moves(game, moves.as_deref().unwrap_or_default()),
        }
    }
}

/// The position after moves, separated by commas or spaces.
pub fn parse_moves<G: Game>(game: &G, moves: &str) -> Result<Position<G>> {
    let mut position = Position::start(game);
    if moves.trim().is_empty() {
        return Ok(position);
    }
    for (number, name) in (1..).zip(moves.split(',').flat_map(words)) {
        let action =
            position.parse_action(name).map_err(|error| Failure::from(error).of(format!("move {number}")))?;
        position.play(action)?;
    }
    Ok(position)
}

/// The words of a text. An empty text is one empty word, which is an error as a move.
fn words(text: &str) -> Vec<&str> {
    let words: Vec<_> = text.split_whitespace().collect();
    if words.is_empty() { vec![text] } else { words }
}

/// `X` or `O`, in either case.
pub fn parse_player(name: &str) -> std::result::Result<Player, String> {
    match name {
        "X" | "x" => Ok(Player::First),
        "O" | "o" => Ok(Player::Second),
        _ => Err("give X (the first player) or O (the second)".into()),
    }
}
