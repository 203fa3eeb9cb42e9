//! Files of tournaments in TOML.

use crate::{
    any_game::BoardOptions,
    cli::{
        failure::{Failure, Result},
        games::GameOptions,
    },
    contest::{Entrant, Spec},
    input::read_text,
};
use serde::Deserialize;
use std::{
    ops::Range,
    path::{Path, PathBuf},
};
use toml::Spanned;

/// An example of a file, for errors.
const EXAMPLE: &str = "write for example game = \"connect4\", games = 10, and for each player a [[player]] with \
                       name = \"fast\" and player = \"vanilla:time=1\"";

/// The greatest size of a file in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// A tournament.
pub struct Setup {
    pub game: GameOptions,
    /// Games of each pair.
    pub games: u64,
    /// A path relative to the working directory.
    pub openings: Option<PathBuf>,
    pub players: Vec<Entrant>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    game: Option<String>,
    game_file: Option<PathBuf>,
    games: Spanned<u64>,
    openings: Option<PathBuf>,
    rows: Option<u32>,
    columns: Option<u32>,
    size: Option<u32>,
    komi: Option<f32>,
    #[serde(default)]
    superko: bool,
    #[serde(default)]
    freestyle: bool,
    player: Vec<WrittenPlayer>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenPlayer {
    name: Option<String>,
    player: Spanned<String>,
}

impl Setup {
    /// Reads a file. Its path of openings is relative to its folder.
    pub fn read(path: &Path) -> Result<Self> {
        let text = read_text(path, MOST_BYTES).map_err(|error| Failure::unreadable(path, &error))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::parse(&text, folder).map_err(|failure| failure.of(path.display()))
    }

    fn parse(text: &str, folder: &Path) -> Result<Self> {
        let written: Written = toml::from_str(text).map_err(|error| {
            let message = error.message().trim();
            at(text, error.span(), format!("{message}; {EXAMPLE}"))
        })?;
        if *written.games.get_ref() == 0 {
            return Err(at(text, Some(written.games.span()), "games = 0: give at least 1"));
        }
        let players = written.player.into_iter().map(|WrittenPlayer { name, player }| {
            let spec: Spec =
                player.get_ref().parse().map_err(|error| at(text, Some(player.span()), error))?;
            Ok(Entrant { name: name.unwrap_or_else(|| spec.text().into()), spec })
        });
        let Written { rows, columns, size, komi, superko, freestyle, .. } = written;
        let board = BoardOptions { rows, columns, size, komi, superko, freestyle };
        let game = match (written.game, written.game_file) {
            (Some(game), None) => GameOptions::of(game, board),
            (None, Some(file)) => GameOptions::of_file(folder.join(file)),
            _ => return Err(Failure::message(format!("give either game or game_file; {EXAMPLE}"))),
        };
        Ok(Self {
            game,
            games: written.games.into_inner(),
            openings: written.openings.map(|openings| folder.join(openings)),
            players: players.collect::<Result<_>>()?,
        })
    }
}

/// An error at a place of a text.
pub fn at(text: &str, span: Option<Range<usize>>, what: impl std::fmt::Display) -> Failure {
    let before = text.get(..span.map_or(0, |span| span.start)).unwrap_or_default();
    Failure::message(what).of(format!("line {}", 1 + before.matches('\n').count()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> Result<Setup> {
        Setup::parse(text, Path::new("folder"))
    }

    #[test]
    fn a_tournament_is_read() {
        let text =
            "game = \"go\"\nsize = 5\ngames = 3\nopenings = \"o.txt\"\n[[player]]\nplayer = \"random\"\n";
        let setup = parse(text).expect("it is right");
        assert_eq!((setup.games, setup.openings), (3, Some(PathBuf::from("folder/o.txt"))));
        assert_eq!((setup.players.len(), setup.players[0].name.as_str()), (1, "random"));
    }

    /// Patterns of the two sides of a line.
    const KEY: &str = "(game|games|size|rows|komi|superko|player|\\[\\[player\\]\\]\nplayer|name|x)";
    const VALUE: &str =
        "([0-9]{1,21}|-1|1e400|nan|\"go\"|\"random\"|\"\\PC{0,6}\"|\\[\\]|true|\\{|\\PC{0,6})";

    proptest! {
        #[test]
        fn any_text_is_a_tournament_or_an_error(
            keys in prop::collection::vec(KEY, 0..6),
            values in prop::collection::vec(VALUE, 6),
            text in "[\\[\\]{}=\"',.#\n a-z0-9-]{0,40}",
        ) {
            let lines: String = keys.iter().zip(&values).map(|(key, value)| format!("{key} = {value}\n")).collect();
            parse(&lines).ok();
            parse(&(lines + &text)).ok();
            parse(&text).ok();
        }
    }
}
