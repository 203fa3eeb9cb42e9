//! Commands of the person.

use crate::search::{Budget, time_of};
use std::path::PathBuf;

/// A move or command.
#[derive(Debug, Clone, PartialEq)]
pub enum Order {
    /// Play an action, by name or index.
    Move(String),
    /// Show the board.
    Board,
    /// List the legal moves.
    Moves,
    /// Show the engine's best move.
    Hint,
    /// Take back the person's last move.
    Undo,
    /// Begin a new game.
    New,
    /// Change sides.
    Swap,
    /// Set the budget of the engine's moves; without a budget, show it.
    Level(Option<Budget>),
    /// Save the game; without a name, to the last file.
    Save(Option<PathBuf>),
    /// Load a game.
    Load(PathBuf),
    Help,
    Quit,
}

/// The text of `help`.
pub const HELP: &str = "\
Type a move by its name or index, or one of:
  board            show the board
  moves            list your legal moves
  hint             ask for the engine's advice
  undo             take your last move back
  new              begin a new game
  swap             change sides with the engine
  level 5 s        let the engine search for 5 seconds per move
  level 1000 steps     ... or for 1000 steps
  save FILE        save the game: as SGF if the name ends in .sgf (Go), else
                   as JSON; without FILE, to the same file again
  load FILE        continue a saved game
  help             show this
  quit             leave
Ctrl-C makes the engine move at once while it searches, and leaves otherwise.
";

/// Greatest length of a move's name.
const LONGEST_MOVE: usize = 32;

impl Order {
    /// Parses a line: a command, else a move. The error of a command says what is wrong.
    pub fn parse(line: &str) -> Result<Self, String> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let (word, rest) = (word.to_lowercase(), rest.trim());
        let path = (!rest.is_empty()).then(|| PathBuf::from(rest));
        let order = match word.as_str() {
            "level" => return level(rest).map(Self::Level),
            "save" => return Ok(Self::Save(path)),
            "load" => return path.map(Self::Load).ok_or_else(|| "load needs a file: load FILE".into()),
            "" | "help" | "?" => Self::Help,
            "board" => Self::Board,
            "moves" => Self::Moves,
            "hint" => Self::Hint,
            "undo" => Self::Undo,
            "new" => Self::New,
            "swap" => Self::Swap,
            "quit" | "q" | "exit" => Self::Quit,
            _ if line.len() > LONGEST_MOVE => {
                return Err("this is neither a move nor a command: see help".into());
            }
            _ => return Ok(Self::Move(line.into())),
        };
        if rest.is_empty() { Ok(order) } else { Err(format!("{word} takes no arguments: see help")) }
    }
}

/// Parses `5 s`, `1000 steps`, or nothing.
fn level(text: &str) -> Result<Option<Budget>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let bad = |what: &str| Err(format!("{what}: for example level 5 s, or level 1000 steps"));
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    match unit.trim().to_lowercase().as_str() {
        "s" | "sec" | "second" | "seconds" => match number.parse().ok().and_then(time_of) {
            Some(time) => Ok(Some(Budget::time(time))),
            None => bad("the engine needs a time above 0 s"),
        },
        "step" | "steps" => match number.parse() {
            Ok(steps @ 1..) => Ok(Some(Budget::steps(steps))),
            _ => bad("the engine needs at least one step"),
        },
        _ => bad("a level is a time or a number of steps"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::time::Duration;

    #[test]
    fn orders_are_read_in_any_case() {
        let orders = [
            ("", Order::Help),
            (" Undo \r\n", Order::Undo),
            ("NEW", Order::New),
            ("q", Order::Quit),
            ("D4", Order::Move("D4".into())),
            ("save My Game.sgf", Order::Save(Some("My Game.sgf".into()))),
            ("save", Order::Save(None)),
            ("load\ta.json", Order::Load("a.json".into())),
            ("level", Order::Level(None)),
            ("level 5 s", Order::Level(Some(Budget::time(Duration::from_secs(5))))),
            ("Level .25Seconds", Order::Level(Some(Budget::time(Duration::from_millis(250))))),
            ("level 1 step", Order::Level(Some(Budget::steps(1)))),
            ("level 18446744073709551615steps", Order::Level(Some(Budget::steps(u64::MAX)))),
        ];
        for (line, order) in orders {
            assert_eq!(Order::parse(line), Ok(order), "{line}");
        }
    }

    #[test]
    fn bad_orders_are_explained() {
        for (line, said) in [
            ("load", "load FILE"),
            ("undo twice", "undo takes no arguments"),
            ("level 5", "level 5 s, or level 1000 steps"),
            ("level 0 s", "above 0 s"),
            ("level 1e9 s", "a time or a number"),
            ("level 99999999999999999999999 s", "above 0 s"),
            ("level . s", "above 0 s"),
            ("level -1 steps", "a time or a number"),
            ("level 0 steps", "at least one step"),
            ("level 1.5 steps", "at least one step"),
            ("level 18446744073709551616 steps", "at least one step"),
            (&"x".repeat(33), "neither a move"),
        ] {
            let error = Order::parse(line).expect_err(line);
            assert!(error.contains(said), "{line}: {error}");
        }
    }

    proptest! {
        #[test]
        fn any_line_is_read(line in "\\PC{0,40}", word in "(level|save|load|undo|) ?", number in "[0-9.eE+s -]{0,30}") {
            Order::parse(&line).ok();
            Order::parse(&format!("{word}{number}{line}")).ok();
        }
    }
}
