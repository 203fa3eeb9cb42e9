//! The games by their names: a new game is a line of the table at the end of this file, and a field of [`BoardOptions`]
//! if it has an option of its own.

use super::{Connect4, Go, Gomoku, Othello};
use crate::{
    error::{Error, Result},
    rules::Game,
};
use serde::{Deserialize, Serialize};

/// Work on a game of any type.
pub trait GameVisitor {
    /// Its result.
    type Output;

    /// Does the work.
    fn visit<G: Game>(self, game: G) -> Self::Output;
}

/// A game by its name.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct GameChoice {
    /// One of [`NAMES`], in either case.
    pub game: String,
    /// Its board.
    #[serde(flatten)]
    pub board: BoardOptions,
}

/// The board's sizes and rules; each game takes some of them. Serialized, it has those that were given.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct BoardOptions {
    /// Rows of the board of connect4 [default: 6], gomoku and go [default: the size]
    #[cfg_attr(feature = "cli", arg(long, value_name = "R"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<u32>,
    /// Columns of the board of connect4 [default: 7], gomoku and go [default: the size]
    #[cfg_attr(feature = "cli", arg(long, value_name = "C"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<u32>,
    /// Rows and columns of the board of gomoku [default: 15] and go [default: 9]
    #[cfg_attr(feature = "cli", arg(long, value_name = "N"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u32>,
    /// White's compensation for moving second (komi) in go [default: 7.5]
    #[cfg_attr(feature = "cli", arg(long, value_name = "K", allow_hyphen_values = true))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub komi: Option<f32>,
    /// Positional superko in go: no stone may repeat an earlier position of the game (playouts keep to simple ko)
    #[cfg_attr(feature = "cli", arg(long))]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub superko: bool,
    /// Freestyle gomoku: five or more in line win, not exactly five alone
    #[cfg_attr(feature = "cli", arg(long))]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub freestyle: bool,
}

impl BoardOptions {
    /// Whether no option is given.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Rows and columns: each its own, or those of the square.
    fn sides(&self, default: u32) -> (u32, u32) {
        let size = self.size.unwrap_or(default);
        (self.rows.unwrap_or(size), self.columns.unwrap_or(size))
    }

    /// Refuses options that are not among `taken`, which would have no effect.
    ///
    /// # Errors
    /// Bad input if there is one.
    pub fn only(&self, game: &str, taken: &[&str]) -> Result<()> {
        let given = serde_json::to_value(self).map_err(Error::invalid)?;
        let mut given = given.as_object().into_iter().flat_map(|given| given.keys());
        let Some(option) = given.find(|option| !taken.contains(&option.as_str())) else { return Ok(()) };
        let takes: Vec<_> = taken.iter().map(|option| format!("--{option}")).collect();
        let takes = if takes.is_empty() { "none".into() } else { takes.join(", ") };
        Err(Error::invalid(format!("--{option} is no option of {game}, which takes {takes}")))
    }
}

/// Defines [`NAMES`] and [`GameChoice::visit`] from lines of a name, the options that it takes, and its constructor.
macro_rules! games {
    ($($name:literal [$($option:ident),*] $make:expr;)*) => {
        /// The games' names.
        pub const NAMES: &[&str] = &[$($name),*];

        impl GameChoice {
            /// Makes the game, and passes it to the visitor.
            ///
            /// # Errors
            /// Bad input for an unknown game, or a board that it does not have.
            pub fn visit<V: GameVisitor>(&self, visitor: V) -> Result<V::Output> {
                match self.game.to_lowercase().as_str() {
                    $($name => {
                        self.board.only($name, &[$(stringify!($option)),*])?;
                        let make: fn(&BoardOptions) -> Result<_> = $make;
                        Ok(visitor.visit(make(&self.board)?))
                    })*
                    _ => Err(Error::invalid(format!(
                        "unknown game '{}': choose one of {}, or give a game of your own by --game-file",
                        self.game,
                        NAMES.join(", ")
                    ))),
                }
            }
        }
    };
}

games! {
    "connect4" [rows, columns] |board| Connect4::new(board.rows.unwrap_or(6), board.columns.unwrap_or(7));
    "gomoku" [size, rows, columns, freestyle] |board| {
        let (rows, columns) = board.sides(15);
        Ok(Gomoku::rectangular(rows, columns)?.with_freestyle(board.freestyle))
    };
    "othello" [] |_| Ok(Othello);
    "go" [size, rows, columns, komi, superko] |board| {
        let (rows, columns) = board.sides(9);
        Ok(Go::rectangular(rows, columns, board.komi.unwrap_or(7.5))?.with_superko(board.superko))
    };
}
