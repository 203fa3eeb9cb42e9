//! Options of the game: a built-in game by its name, or a game file.

use super::{failure::Result, help::POSITION, options::EngineOptions, output::notice};
use crate::{
    any_game::{AnyGame, BoardOptions, GameChoice, NAMES},
    game_file::GameFile,
};
use clap::{
    Args,
    builder::{PossibleValue, StringValueParser, TypedValueParser},
};
use std::path::PathBuf;

/// Options of the game and its board.
#[derive(Debug, Args)]
#[command(next_help_heading = POSITION)]
pub struct GameOptions {
    /// Game; case is ignored
    #[arg(value_parser = GameNameParser, required_unless_present = "game_file", help_heading = None::<&str>)]
    game: Option<String>,
    /// Game file instead of a game: rules in WGSL (games/README.md)
    #[arg(long, value_name = "FILE", conflicts_with = "game")]
    game_file: Option<PathBuf>,
    #[command(flatten, next_help_heading = POSITION)]
    board: BoardOptions,
}

/// Parses any text, which [`GameOptions::open`] checks; help and completions have the names.
#[derive(Debug, Clone)]
pub struct GameNameParser;

impl TypedValueParser for GameNameParser {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> std::result::Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(NAMES.iter().map(PossibleValue::new)))
    }
}

impl GameOptions {
    /// A built-in game by its name.
    pub fn of(game: String, board: BoardOptions) -> Self {
        Self { game: Some(game), game_file: None, board }
    }

    /// A game file, if given, else a built-in game by its name.
    pub fn of_either(game: String, game_file: Option<PathBuf>, board: BoardOptions) -> Self {
        let game = Some(game).filter(|_| game_file.is_none());
        Self { game, game_file, board }
    }

    pub fn of_file(file: PathBuf) -> Self {
        Self { game: None, game_file: Some(file), board: BoardOptions::default() }
    }

    /// Makes the game. The rules of a game file run on the engine, if there is one.
    pub fn open(&self, engine: &EngineOptions) -> Result<AnyGame> {
        let Some(path) = &self.game_file else {
            let game = self.game.clone().unwrap_or_default();
            return Ok(GameChoice { game, board: self.board.clone() }.open()?);
        };
        self.board.only("a game file", &[])?;
        let game = GameFile::open(path, &engine.open_for_rules()?)?;
        game.notices().iter().for_each(|what| notice(&format!("notice: {what}")));
        Ok(game.into())
    }
}
