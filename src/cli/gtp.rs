//! `mcts-wgpu gtp`: an engine for front ends and referees by the Go Text Protocol.

use super::{
    failure::{Failure, Result},
    games::{GameNameParser, GameOptions},
    options::{EndingOptions, EngineOptions, SearchOptions, print_idle},
    output::notice,
    progress::Progress,
};
use crate::{
    any_game::BoardOptions,
    contest::ending::Resignation,
    protocols::{Brain, GtpServer},
    rules::Game,
};
use clap::Args;
use std::{
    io::{stdin, stdout},
    path::PathBuf,
};

/// Speak the Go Text Protocol, version 2, on standard input and output
///
/// For front ends such as Sabaki, Lizzie and GoGui, and for referees. A move takes --time or --steps, unless a clock is
/// set by time_settings; then it takes a part of the time left. In Go the engine passes if that wins, and resigns if
/// the game is lost. Analyses (lz-analyze, kata-analyze) reuse the trees.
#[derive(Debug, Args)]
#[command(allow_negative_numbers = true)]
pub struct Arguments {
    /// Game; case is ignored
    #[arg(long, value_name = "GAME", default_value = "go", value_parser = GameNameParser)]
    game: String,
    /// Game file instead of a game: rules in WGSL (games/README.md)
    #[arg(long, value_name = "FILE", conflicts_with = "game")]
    game_file: Option<PathBuf>,
    #[command(flatten)]
    board: BoardOptions,
    #[command(flatten)]
    server: ServerOptions,
    /// Resign if the best move's q is below Q in two consecutive moves; 0: never [default: 0.03 in go, else 0]
    #[arg(long, value_name = "Q", value_parser = parse_resign)]
    resign: Option<f64>,
    #[command(flatten)]
    ending: EndingOptions,
}

fn parse_resign(text: &str) -> std::result::Result<f64, String> {
    let q = text.parse().ok().filter(|q| (0.0..=0.5).contains(q));
    q.ok_or_else(|| "give a number from 0 (never) to 0.5".into())
}

/// Options of a server's searches.
#[derive(Debug, Args)]
pub struct ServerOptions {
    #[command(flatten)]
    search: SearchOptions,
    #[command(flatten)]
    engine: EngineOptions,
}

impl ServerOptions {
    /// The searches of a game, compiled.
    pub fn brain<G: Game>(&self, game: &G) -> Result<Brain<G>> {
        let (settings, budget) = (self.search.settings()?, self.search.budget()?);
        settings.check(game, 1)?;
        print_idle("", &settings.idle(game), game);
        let engine = self.engine.open()?;
        let _compiling = Progress::begin(&engine);
        let mut brain = Brain::new(engine, settings, budget);
        brain.prepare(game)?;
        Ok(brain)
    }
}

/// Answers commands until `quit`.
pub fn run(arguments: &Arguments) -> Result<()> {
    let Arguments { game, game_file, board, server, resign, ending } = arguments;
    let game = GameOptions::of_either(game.clone(), game_file.clone(), board.clone()).open(&server.engine)?;
    let brain = server.brain(&game)?.with_dead_stones(ending.dead_stones);
    let resignation = resign.map_or_else(|| Resignation::usual(&game), Resignation::below);
    let mut server = GtpServer::new(game, brain).with_resignation(resignation).with_notice(notice);
    server.serve(stdin(), &mut stdout().lock()).map_err(|error| Failure::output(&error))
}
