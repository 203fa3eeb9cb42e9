//! `mcts-wgpu play`: a person against the engine, in the terminal.

pub mod logged;
mod order;
mod record;
pub mod saved;
mod session;

use super::{
    failure::{Failure, Result},
    games::GameOptions,
    options::{EndingOptions, EngineOptions, SearchOptions, print_idle},
    output::print,
    position::{PositionOptions, parse_player},
    progress::Progress,
    summary::engine_line,
};
use crate::{
    contest::DeadStones,
    rules::{Game, Player},
    search::Search,
};
use clap::Args;
use record::Record;
use session::Session;
use std::{io::stdin, path::PathBuf};

/// Play against the engine
///
/// Moves and commands are read from standard input, one a line; the command `help` lists them.
#[derive(Debug, Args)]
#[command(allow_negative_numbers = true)]
pub struct Arguments {
    #[command(flatten)]
    pub game: GameOptions,
    /// Your side: X begins
    #[arg(long, value_name = "X|O", value_parser = parse_player)]
    side: Option<Player>,
    #[command(flatten)]
    position: PositionOptions,
    /// Continue a saved game: JSON of this program, (go) SGF, or a game in the log of a match
    #[arg(long, value_name = "FILE")]
    load: Option<PathBuf>,
    /// Load game N of the log [default: the first in the file]
    #[arg(long, value_name = "N", requires = "load")]
    load_game: Option<u64>,
    #[command(flatten)]
    search: SearchOptions,
    #[command(flatten)]
    pub engine: EngineOptions,
    #[command(flatten)]
    ending: EndingOptions,
}

/// Plays a game.
pub fn run(arguments: &Arguments) -> Result<()> {
    let game = arguments.game.open(&arguments.engine)?;
    let settings = arguments.search.settings()?;
    let (record, side) = arguments.record(&game)?;
    let budget = arguments.search.budget()?;
    settings.check(&game, 1)?;
    print_idle("", &settings.idle(&game), &game);
    let engine = arguments.engine.open()?;
    let compiling = Progress::begin(&engine);
    let dead = DeadStones::new(&engine).left_on(!arguments.ending.dead_stones);
    let mut search = Search::new(&engine, game, settings)?;
    search.prepare(1, budget)?;
    drop(compiling);
    print(&engine_line(&engine.info()))?;
    let start = record.first().clone();
    let file = arguments.load.clone();
    Session { search, dead, budget, side, start, record, file }.play(&mut stdin().lock())
}

impl Arguments {
    /// The game to continue, and the person's side.
    fn record<G: Game>(&self, game: &G) -> Result<(Record<G>, Player)> {
        let position = self.position.position(game)?;
        let Some(path) = &self.load else {
            return Ok((Record::new(&position)?, self.side.unwrap_or(Player::First)));
        };
        if !self.position.is_empty() {
            let what = "--load gives the position: leave out --moves, --board and --turn";
            return Err(Failure::message(what));
        }
        let (record, side) = saved::load(path, self.load_game, game)?;
        Ok((record, self.side.or(side).unwrap_or(Player::First)))
    }
}
