//! Players and outcomes.

use serde::{Deserialize, Serialize};
use std::{
    cmp::Ordering,
    fmt::{self, Display, Formatter},
};

/// One of the two players. Turns always alternate. Serialized by its [`symbol`](Player::symbol).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u32)]
pub enum Player {
    /// +1, `X`: moves first from a game's start.
    #[serde(rename = "X")]
    First = 0,
    /// -1, `O`.
    #[serde(rename = "O")]
    Second = 1,
}

impl Player {
    /// The other player.
    pub fn opponent(self) -> Self {
        match self {
            Player::First => Player::Second,
            Player::Second => Player::First,
        }
    }

    /// 0 for the first player, 1 for the second, as in the shaders.
    pub fn index(self) -> usize {
        self as usize
    }

    /// `X` or `O`.
    pub fn symbol(self) -> char {
        ['X', 'O'][self.index()]
    }

    /// The player of a [symbol](Self::symbol).
    pub(crate) fn of_symbol(symbol: char) -> Option<Self> {
        [Self::First, Self::Second].into_iter().find(|player| player.symbol() == symbol)
    }

    /// The outcome in which this player has won.
    pub fn wins(self) -> Outcome {
        match self {
            Player::First => Outcome::FirstWins,
            Player::Second => Outcome::SecondWins,
        }
    }
}

/// The outcome of a finished game. That of an ongoing game is `None` in Rust and code 0 in the shaders. Serialized by
/// its [`name`](Outcome::name).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u32)]
pub enum Outcome {
    /// -1.
    #[serde(rename = "second")]
    SecondWins = 1,
    /// 0.
    #[serde(rename = "draw")]
    Draw = 2,
    /// +1.
    #[serde(rename = "first")]
    FirstWins = 3,
}

impl Outcome {
    /// The code of an outcome in the shaders: 0 ongoing, 1 second wins, 2 draw, 3 first wins.
    pub fn code(outcome: Option<Outcome>) -> u32 {
        outcome.map_or(0, |o| o as u32)
    }

    /// The inverse of [`Outcome::code`]; only the two low bits are read.
    pub fn from_code(code: u32) -> Option<Outcome> {
        match code & 3 {
            1 => Some(Outcome::SecondWins),
            2 => Some(Outcome::Draw),
            3 => Some(Outcome::FirstWins),
            _ => None,
        }
    }

    /// Its name in logs: the player that has won, `first` or `second`, or `draw`.
    pub fn name(self) -> &'static str {
        ["second", "draw", "first"][self as usize - 1]
    }

    /// Points of a player: 1 for a win, 1/2 for a draw.
    pub fn points(self, player: Player) -> f64 {
        match self {
            Outcome::Draw => 0.5,
            _ => f64::from(self == player.wins()),
        }
    }
}

/// The outcome by the first player's score compared with the second player's.
impl From<Ordering> for Outcome {
    fn from(score: Ordering) -> Self {
        match score {
            Ordering::Greater => Self::FirstWins,
            Ordering::Equal => Self::Draw,
            Ordering::Less => Self::SecondWins,
        }
    }
}

/// `X wins`, `O wins`, `a draw`.
impl Display for Outcome {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Outcome::FirstWins => "X wins",
            Outcome::SecondWins => "O wins",
            Outcome::Draw => "a draw",
        })
    }
}

/// `X` or `O`.
impl Display for Player {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.symbol().fmt(f)
    }
}
