//! Commands and answers.

use crate::{
    protocols::{board, process::quoted},
    rules::{Game, Player},
};
use std::str::FromStr;

/// A controller's command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The command's number as written, repeated in its answer; empty without one.
    pub id: String,
    /// The command's name; empty if the line has only a number.
    pub name: String,
    pub arguments: Vec<String>,
}

impl Command {
    /// Parses a line; `None` if it has no command.
    pub fn parse(line: &str) -> Option<Self> {
        let line = line.split('#').next().unwrap_or_default();
        let plain: String = line.replace('\t', " ").chars().filter(|c| !c.is_control()).collect();
        let mut words = plain.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).peekable();
        let id = words.next_if(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        if id.is_none() && words.peek().is_none() {
            return None;
        }
        let name = words.next().unwrap_or_default();
        Some(Self { id: id.unwrap_or_default(), name, arguments: words.collect() })
    }

    /// Formats an answer. Empty lines are removed, since they would end it; a text may begin on a new line.
    pub fn answer(&self, answer: &Result<String, String>) -> String {
        let (sign, text) = match answer {
            Ok(text) => ('=', text),
            Err(text) => ('?', text),
        };
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let space = match text.starts_with('\n') {
            true => "\n",
            false if lines.is_empty() => "",
            false => " ",
        };
        format!("{sign}{}{space}{}\n\n", self.id, lines.join("\n"))
    }
}

/// The player of a colour.
pub fn player(colour: &str) -> Option<Player> {
    match colour.to_ascii_lowercase().as_str() {
        "b" | "black" => Some(Player::First),
        "w" | "white" => Some(Player::Second),
        _ => None,
    }
}

/// [`player`], or the refusal of another word.
pub fn side(colour: &str) -> Result<Player, String> {
    player(colour).ok_or_else(|| "syntax error: a colour is b or w".into())
}

/// The value of an argument, or the refusal that says what the argument is.
pub fn parsed<T: FromStr>(text: &str, what: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("syntax error: {} is {what}", quoted(text)))
}

/// The action of a vertex, or the refusal of one that is not on the board.
pub fn action<G: Game>(game: &G, vertex: &str) -> Result<u32, String> {
    board::action(game, vertex)
        .ok_or_else(|| format!("invalid vertex: {} is not on this board", quoted(vertex)))
}

/// The colour of a player.
pub fn colour(player: Player) -> &'static str {
    ["black", "white"][player.index()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<(String, String, String)> {
        Command::parse(line).map(|command| (command.id, command.name, command.arguments.join("|")))
    }

    fn words(id: &str, name: &str, arguments: &str) -> Option<(String, String, String)> {
        Some((id.into(), name.into(), arguments.into()))
    }

    #[test]
    fn lines_are_cleaned() {
        assert_eq!(read("play b D4"), words("", "play", "b|D4"));
        assert_eq!(read("  12\tplay  b\u{7}lack\rD4 # a comment # more"), words("12", "play", "blackD4"));
        for nothing in ["", "   ", "\t", "# 12 name", "\r", "\u{1}"] {
            assert_eq!(read(nothing), None, "{nothing:?}");
        }
        assert_eq!(read("7"), words("7", "", ""));
        assert_eq!(read("99999999999999999999999 name"), words("99999999999999999999999", "name", ""));
        assert_eq!(read("-1 name"), words("", "-1", "name"));
        assert_eq!(read("name 5"), words("", "name", "5"));
    }

    #[test]
    fn answers_end_with_their_only_empty_line() {
        let command = Command::parse("3 name").expect("a command");
        assert_eq!(command.answer(&Ok("a\n\nb\n".into())), "=3 a\nb\n\n");
        assert_eq!(command.answer(&Ok(String::new())), "=3\n\n");
        assert_eq!(command.answer(&Ok("\n\n a\nb".into())), "=3\n a\nb\n\n");
        let command = Command::parse("name").expect("a command");
        assert_eq!(command.answer(&Err("no".into())), "? no\n\n");
    }
}
