//! A game that is chosen at run time: a built-in game by its name, or a game file. The program, its protocols and
//! contests are compiled once, for [`AnyGame`]; inner loops get the game itself ([`Game::reveal`]).
//!
//! All commands have the games of `games!` at the end of this file; a new option of a game is a field of
//! [`BoardOptions`]. `.github/CONTRIBUTING.md`, "A game", has the other steps of a new game.

mod rules;

#[cfg(not(target_arch = "wasm32"))]
use crate::game_file::GameFile;
use crate::{
    error::{Error, Result},
    games::{Connect4, Go, Gomoku, Othello},
    rules::Game,
};
use serde::{Deserialize, Serialize};
use std::any::Any;

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

/// Defines [`NAMES`], [`AnyGame`] and its playouts from lines of a name, a type, the options that the game takes, and
/// its constructor.
macro_rules! games {
    ($d:tt $($name:literal $Game:ident [$($option:ident),*] $make:expr;)*) => {
        /// The games' names.
        pub const NAMES: &[&str] = &[$($name),*];

        /// One of the built-in games, or a game file.
        #[derive(Debug, Clone)]
        pub enum AnyGame {
            $(
                #[doc = concat!("`", $name, "`.")]
                $Game($Game),
            )*
            /// A game of one's own.
            #[cfg(not(target_arch = "wasm32"))]
            File(GameFile),
        }

        /// A playout of one of them.
        #[derive(Debug)]
        pub enum AnyPlayout {
            $(
                #[doc = concat!("`", $name, "`.")]
                $Game(<$Game as Game>::Playout),
            )*
            /// A game of one's own.
            #[cfg(not(target_arch = "wasm32"))]
            File(<GameFile as Game>::Playout),
        }

        $(impl From<$Game> for AnyGame {
            fn from(game: $Game) -> Self {
                Self::$Game(game)
            }
        })*

        /// The value of an expression with the game itself.
        macro_rules! with_game {
            ($d any:expr, $d game:ident => $d value:expr) => {
                match $d any {
                    $(AnyGame::$Game($d game) => $d value,)*
                    #[cfg(not(target_arch = "wasm32"))]
                    AnyGame::File($d game) => $d value,
                }
            };
        }

        /// The same, wrapped in the variant of the game.
        macro_rules! wrapped {
            ($d Any:ident, $d any:expr, $d game:ident => $d value:expr) => {
                match $d any {
                    $(AnyGame::$Game($d game) => $d Any::$Game($d value),)*
                    #[cfg(not(target_arch = "wasm32"))]
                    AnyGame::File($d game) => $d Any::File($d value),
                }
            };
        }

        /// The value of an expression with a game and one of its playouts, and another value for those of other games.
        macro_rules! with_playout {
            ($d any:expr, $d game:ident, $d playout:ident => $d value:expr, $d other:expr) => {
                match ($d any, $d playout) {
                    $((AnyGame::$Game($d game), AnyPlayout::$Game($d playout)) => $d value,)*
                    #[cfg(not(target_arch = "wasm32"))]
                    (AnyGame::File($d game), AnyPlayout::File($d playout)) => $d value,
                    _ => $d other,
                }
            };
        }

        impl GameChoice {
            /// Makes the game.
            ///
            /// # Errors
            /// Bad input for an unknown game, or a board that it does not have.
            pub fn open(&self) -> Result<AnyGame> {
                match self.game.to_lowercase().as_str() {
                    $($name => {
                        self.board.only($name, &[$(stringify!($option)),*])?;
                        let make: fn(&BoardOptions) -> Result<$Game> = $make;
                        make(&self.board).map(AnyGame::from)
                    })*
                    _ => Err(Error::invalid(format!(
                        "unknown game '{}': choose one of {}, or give a game of your own by --game-file",
                        self.game,
                        NAMES.join(", ")
                    ))),
                }
            }
        }

        impl AnyGame {
            /// A game of one of the types, or the value of this type.
            fn of_type(game: &dyn Any) -> Option<Self> {
                None.or_else(|| game.downcast_ref::<Self>().cloned())
                    $(.or_else(|| game.downcast_ref::<$Game>().cloned().map(Self::$Game)))*
            }
        }
    };
}

games! {
    $
    "connect4" Connect4 [rows, columns] |board| {
        Connect4::new(board.rows.unwrap_or(6), board.columns.unwrap_or(7))
    };
    "gomoku" Gomoku [size, rows, columns, freestyle] |board| {
        let (rows, columns) = board.sides(15);
        Ok(Gomoku::rectangular(rows, columns)?.with_freestyle(board.freestyle))
    };
    "othello" Othello [] |_| Ok(Othello);
    "go" Go [size, rows, columns, komi, superko] |board| {
        let (rows, columns) = board.sides(9);
        Ok(Go::rectangular(rows, columns, board.komi.unwrap_or(7.5))?.with_superko(board.superko))
    };
}
use {with_game, with_playout, wrapped};

#[cfg(not(target_arch = "wasm32"))]
impl From<GameFile> for AnyGame {
    fn from(file: GameFile) -> Self {
        Self::File(file)
    }
}
