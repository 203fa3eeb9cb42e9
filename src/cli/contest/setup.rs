//! A tournament as a TOML file.

use crate::cli::{
    failure::{Failure, Result},
    games::{BoardOptions, GameOptions},
};
use mcts_wgpu::contest::{Entrant, Spec};
use serde::Deserialize;
use std::{
    fs,
    ops::Range,
    path::{Path, PathBuf},
};
use toml::Spanned;

/// What a file looks like, for those whose own does not.
const EXAMPLE: &str = "write for example game = \"connect4\", games = 10, and for each player a [[player]] with \
                       name = \"fast\" and player = \"vanilla:time=1\"";

/// A tournament.
pub struct Setup {
    pub game: GameOptions,
    /// Of each pair.
    pub games: u64,
    /// A path from the working directory on.
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
    /// Reads a file; openings are looked for beside it.
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path)
            .map_err(|error| Failure::message(format!("{} can't be read: {error}", path.display())))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::parse(&text, folder).map_err(|failure| failure.of(path.display()))
    }

    fn parse(text: &str, folder: &Path) -> Result<Self> {
        let written: Written = toml::from_str(text).map_err(|error| {
            let message = error.message().trim();
            at(text, error.span(), format!("{message}; {EXAMPLE}"))
        })?;
        let Written {
            game,
            game_file,
            games,
            openings,
            rows,
            columns,
            size,
            komi,
            superko,
            freestyle,
            player,
        } = written;
        if *games.get_ref() == 0 {
            return Err(at(text, Some(games.span()), "games = 0: give at least 1"));
        }
        let players = player.into_iter().map(|WrittenPlayer { name, player }| {
            let spec: Spec =
                player.get_ref().parse().map_err(|error| at(text, Some(player.span()), error))?;
            Ok(Entrant { name: name.unwrap_or_else(|| spec.text().into()), spec })
        });
        let board = BoardOptions { rows, columns, size, komi, superko, freestyle };
        let game = match (game, game_file) {
            (Some(game), None) => GameOptions::of(game, board),
            (None, Some(file)) => GameOptions::of_file(folder.join(file)),
            _ => return Err(Failure::message(format!("give game or game_file, one of them; {EXAMPLE}"))),
        };
        Ok(Self {
            game,
            games: games.into_inner(),
            openings: openings.map(|openings| folder.join(openings)),
            players: players.collect::<Result<_>>()?,
        })
    }
}

/// What is wrong at a place of a text.
fn at(text: &str, span: Option<Range<usize>>, what: impl std::fmt::Display) -> Failure {
    let before = text.get(..span.map_or(0, |span| span.start)).unwrap_or_default();
    Failure::message(what).of(format!("line {}", 1 + before.matches('\n').count()))
}
