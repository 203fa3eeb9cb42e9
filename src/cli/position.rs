//! The position a command starts from.

use super::{
    failure::{Failure, Result},
    help::POSITION,
};
use crate::rules::{Game, Player, Position};
use clap::Args;

/// Where to start; without any of these, from the start of the game.
#[derive(Debug, Args)]
#[command(next_help_heading = POSITION)]
pub struct PositionOptions {
    /// Moves from the start of the game: names or indexes, joined by commas or spaces
    #[arg(long, value_name = "A,B,C")]
    moves: Option<String>,
    /// A board: rows joined by '/' or on lines of their own, top row first; '.' empty, 'X' first player, 'O' second
    #[arg(long, value_name = "ROWS")]
    board: Option<String>,
    /// Who is to move on --board
    #[arg(long, value_name = "X|O", value_parser = parse_player)]
    turn: Option<Player>,
}

impl PositionOptions {
    /// True where none of the options is given.
    pub fn is_empty(&self) -> bool {
        self.moves.is_none() && self.board.is_none() && self.turn.is_none()
    }

    /// The position that the options mean, in which somebody is to move: where the game is over, `nothing` says what
    /// there is not.
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

    /// The position that the options mean.
    pub fn position<G: Game>(&self, game: &G) -> Result<Position<G>> {
        let bad = |message| Err(Failure::message(message));
        match (&self.moves, &self.board, self.turn) {
            (Some(_), Some(_), _) => bad("--moves and --board exclude each other: give one of them"),
            (_, None, Some(_)) => bad("--turn belongs to --board: moves tell by themselves who is next"),
            (None, Some(_), None) => bad("--board does not tell who is to move: add --turn X or --turn O"),
            (None, Some(board), Some(turn)) => {
                let board = board.trim_matches(['\n', '\r']).replace("\r\n", "\n");
                let rows: Vec<_> = board.split(['/', '\n']).collect();
                Position::from_board(game, &rows, turn).map_err(|error| Failure::from(error).of("--board"))
            }
            (moves, None, None) => parse_moves(game, moves.as_deref().unwrap_or_default()),
        }
    }
}

/// The position after moves joined by commas or spaces; none at all is the start.
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

/// The words of a text; where there is none, the empty one, which no move has for its name.
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
