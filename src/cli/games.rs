//! The games of the command line: adding one is a line of the table at the end of this file (and a field of
//! [`BoardOptions`] where it has an option that no other game has).

use super::{
    failure::{Failure, Result},
    options::EngineOptions,
    output::notice,
};
use crate::{
    game_file::GameFile,
    games::{Connect4, Go, Gomoku, Othello},
    rules::Game,
};
use clap::{
    Args,
    builder::{PossibleValue, StringValueParser, TypedValueParser},
};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Which game, and on which board.
#[derive(Debug, Args)]
pub struct GameOptions {
    /// The game, in either case
    #[arg(value_parser = GameNameParser, required_unless_present = "game_file")]
    game: Option<String>,
    /// A game of your own in the place of a name: a file of rules in WGSL (games/README.md)
    #[arg(long, value_name = "FILE", conflicts_with = "game")]
    game_file: Option<PathBuf>,
    #[command(flatten)]
    board: BoardOptions,
}

/// Any text, which [`GameOptions::apply`] looks at; help and completions know the names.
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

/// The board's sizes and the like; each game takes some of them. Serialized to see which were given.
#[derive(Debug, Default, Args, Serialize, Deserialize)]
#[serde(default)]
pub struct BoardOptions {
    /// Rows of connect4's board [default: 6]
    #[arg(long, value_name = "R")]
    pub rows: Option<u32>,
    /// Columns of connect4's board [default: 7]
    #[arg(long, value_name = "C")]
    pub columns: Option<u32>,
    /// Rows and columns of the board of gomoku [default: 15] and go [default: 9]
    #[arg(long, value_name = "N")]
    pub size: Option<u32>,
    /// What the second player gets for moving second in go [default: 7.5]
    #[arg(long, value_name = "K", allow_hyphen_values = true)]
    pub komi: Option<f32>,
    /// Positional superko in go: no stone may bring back an earlier position of the game (playouts keep to simple ko)
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub superko: bool,
    /// Freestyle gomoku: five or more in line win, and not exactly five alone
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub freestyle: bool,
}

/// The same, for commands whose arguments are others.
#[derive(Debug, Args)]
pub struct NamedGame {
    /// The game, in either case
    #[arg(long, value_parser = GameNameParser, required_unless_present = "game_file")]
    game: Option<String>,
    /// A game of your own in the place of a name: a file of rules in WGSL (games/README.md)
    #[arg(long, value_name = "FILE", conflicts_with = "game")]
    game_file: Option<PathBuf>,
    #[command(flatten)]
    board: BoardOptions,
}

impl From<NamedGame> for GameOptions {
    fn from(NamedGame { game, game_file, board }: NamedGame) -> Self {
        Self { game, game_file, board }
    }
}

impl GameOptions {
    /// A game by its name.
    pub fn of(game: String, board: BoardOptions) -> Self {
        Self { game: Some(game), game_file: None, board }
    }

    /// The game of a file, if there is one, else by its name.
    pub fn of_either(game: String, game_file: Option<PathBuf>, board: BoardOptions) -> Self {
        let game = Some(game).filter(|_| game_file.is_none());
        Self { game, game_file, board }
    }

    /// The game of a file.
    pub fn of_file(file: PathBuf) -> Self {
        Self { game: None, game_file: Some(file), board: BoardOptions::default() }
    }
}

/// What a command does with a game, whichever it is.
pub trait Job {
    /// Does it.
    fn run<G: Game>(self, game: G) -> Result<()>;

    /// Where the rules of a game file are to be asked, if the command lets its user say so.
    fn engine(&self) -> Option<&EngineOptions> {
        None
    }
}

impl BoardOptions {
    /// Refuses options that are not among `taken`: they would be ignored otherwise.
    fn only(&self, game: &str, taken: &[&str]) -> Result<()> {
        let values = serde_json::to_value(self).map_err(Failure::message)?;
        let given = values.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
        for (option, _) in given {
            if !taken.contains(&option.as_str()) {
                let takes: Vec<_> = taken.iter().map(|option| format!("--{option}")).collect();
                let takes = if takes.is_empty() { "none".into() } else { takes.join(", ") };
                return Err(Failure::message(format!(
                    "--{option} is no option of {game}, which takes {takes}"
                )));
            }
        }
        Ok(())
    }
}

impl GameOptions {
    /// Does the job with the game of a file.
    fn apply_file(&self, path: &Path, job: impl Job) -> Result<()> {
        self.board.only("a game file", &[])?;
        let engine = match job.engine() {
            Some(options) => options.open_for_rules()?,
            None => EngineOptions::default().open_for_rules()?,
        };
        let game = GameFile::open(path, &engine)?;
        game.notices().iter().for_each(|what| notice(&format!("notice: {what}")));
        job.run(game)
    }
}

/// Writes [`NAMES`] and [`GameOptions::apply`] from lines of a name, the options that it takes, and its constructor.
macro_rules! games {
    ($($name:literal [$($option:ident),*] $make:expr;)*) => {
        /// The games' names.
        pub const NAMES: &[&str] = &[$($name),*];

        impl GameOptions {
            /// Makes the game that the options ask for, and does the job with it.
            pub fn apply(&self, job: impl Job) -> Result<()> {
                if let Some(path) = &self.game_file {
                    return self.apply_file(path, job);
                }
                let name = self.game.as_deref().unwrap_or_default();
                match name.to_lowercase().as_str() {
                    $($name => {
                        self.board.only($name, &[$(stringify!($option)),*])?;
                        let make: fn(&BoardOptions) -> crate::error::Result<_> = $make;
                        job.run(make(&self.board)?)
                    })*
                    _ => Err(Failure::message(format!(
                        "unknown game '{name}': choose one of {}, or give a game of your own by --game-file",
                        NAMES.join(", ")
                    ))),
                }
            }
        }
    };
}

games! {
    "connect4" [rows, columns] |board| Connect4::new(board.rows.unwrap_or(6), board.columns.unwrap_or(7));
    "gomoku" [size, freestyle] |board| {
        Ok(Gomoku::new(board.size.unwrap_or(15))?.with_freestyle(board.freestyle))
    };
    "othello" [] |_| Ok(Othello);
    "go" [size, komi, superko] |board| {
        Ok(Go::new(board.size.unwrap_or(9), board.komi.unwrap_or(7.5))?.with_superko(board.superko))
    };
}
