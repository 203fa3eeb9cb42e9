//! `mcts-wgpu replay`: repeats the searches of a logged match, or converts its games to other formats.

use super::{
    host::PlayerHost,
    written::{to_sgf, to_text},
};
use crate::{
    any_game::{AnyGame, BoardOptions, GameChoice},
    cli::{
        failure::{Failure, Result},
        games::GameOptions,
        help::OUTPUT,
        options::EngineOptions,
        output::{OutFile, print, print_result},
        play::logged::{no_such_game, read_noting_torn},
        progress::{Progress, share},
        signals,
    },
    contest::{LoggedGame, ReplayDifference, Replayed, read_log, replay_game},
    names::{counted, visible},
};
use clap::Args;
use serde::Serialize;
use std::{ops::ControlFlow, path::PathBuf, time::Duration};

/// Repeat the searches of logged games and compare all action values, or write the games as SGF or text
///
/// A search has the logged number of steps, with the same seed and settings. On every adapter, each action's n, n_wins
/// and q must equal the logged ones, and the moves must lead to the logged result; otherwise the exit code is 1. Moves
/// without logged action values are skipped. All searches run on --adapter, not on the players' adapters.
///
/// With --sgf or --text, nothing is searched.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Log of `mcts-wgpu match` or `mcts-wgpu tournament`
    log: PathBuf,
    /// Game file of the log's game
    #[arg(long, value_name = "FILE")]
    game_file: Option<PathBuf>,
    /// Network of the log, if it is not in the file that its player names; can be repeated
    #[arg(long, value_name = "FILE")]
    net: Vec<String>,
    /// Game N of the log only
    #[arg(long, value_name = "N")]
    game: Option<u64>,
    /// Write the games to this file as SGF (Go)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["text", "json"])]
    sgf: Option<PathBuf>,
    /// Write the games to this file as lines of moves, as for --moves and --openings
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    text: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineOptions,
    /// Print JSON
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

/// The JSON output.
#[derive(Debug, Default, Serialize)]
struct Answer {
    games: u64,
    moves: u64,
    values: u64,
    skipped: u64,
    /// The first difference.
    difference: Option<ReplayDifference>,
}

/// Replays the games up to the first difference, or writes them.
pub fn run(arguments: &Arguments) -> Result<()> {
    let games = arguments.count()?;
    match (&arguments.sgf, &arguments.text) {
        (Some(path), _) => arguments.write(OutFile::open("--sgf", path)?, true),
        (None, Some(path)) => arguments.write(OutFile::open("--text", path)?, false),
        (None, None) => arguments.replay(games),
    }
}

impl Arguments {
    /// The number of games to replay or to write.
    fn count(&self) -> Result<u64> {
        let (path, mut games, mut all) = (&self.log, 0, 0);
        read_noting_torn(path, |logged| {
            (games, all) = (games + u64::from(self.includes(&logged)), all + 1);
            Ok(())
        })?;
        match (games, self.game) {
            (0, Some(number)) if all > 0 => Err(no_such_game(path, number)),
            (0, _) => Err(Failure::message(format!("the log {} has no games", path.display()))),
            _ => Ok(games),
        }
    }

    fn includes(&self, logged: &LoggedGame) -> bool {
        self.game.is_none_or(|number| number == logged.game_number)
    }

    fn replay(&self, games: u64) -> Result<()> {
        if self.game_file.is_some() {
            // Before the players open the engine of the same options, so that they use the engine of the rules.
            self.engine.open_for_rules()?;
        }
        let host = PlayerHost::to_replay(&self.engine, &self.net)?;
        let progress = Progress::spinner("replaying");
        let mut answer = Answer::default();
        self.each(|game, logged| {
            let (done, moves) = (answer.games, logged.moves.len() as u64);
            let replayed = replay_game(game, logged, &host, |at| {
                let all = share(done * moves + at as u64, games * moves, Duration::ZERO, None);
                progress.at(all, || format!("game {} of {games}, move {at} of {moves}", done + 1))
            })?;
            answer.add(replayed);
            let ends = answer.difference.is_some() || signals::arrived().is_some();
            Ok(if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        drop(progress);
        signals::tell("these are the comparisons so far");
        print_result(self.json, &answer, || answer.text())?;
        if answer.difference.is_some() { Err(Failure::Check) } else { Ok(()) }
    }

    fn write(&self, file: OutFile, as_sgf: bool) -> Result<()> {
        let (mut text, mut games) = (String::new(), 0);
        self.each(|game, logged| {
            text += &if as_sgf { to_sgf(logged, game)? } else { to_text(logged, game)? };
            games += 1;
            Ok(ControlFlow::Continue(()))
        })?;
        file.write(&text)?;
        print(&format!("{} written\n", counted(games, "game")))
    }

    /// Applies `work` to each game, with the rules of that game, until it breaks or fails. The rest of the log is
    /// read all the same, so that its faults are found.
    fn each(&self, mut work: impl FnMut(&AnyGame, &LoggedGame) -> Result<ControlFlow<()>>) -> Result<()> {
        let of_file = self.game_file.clone().map(|file| GameOptions::of_file(file).open(&self.engine));
        let of_file = of_file.transpose()?;
        let mut flow = Ok(ControlFlow::Continue(()));
        read_log(&self.log, |logged| {
            if self.includes(&logged) && matches!(flow, Ok(ControlFlow::Continue(()))) {
                flow = match &of_file {
                    Some(game) => work(game, &logged),
                    None => game_of(&logged).and_then(|game| work(&game, &logged)),
                };
            }
            Ok(())
        })?;
        flow.map(|_| ())
    }
}

/// The game of a log, by its name and rules.
fn game_of(logged: &LoggedGame) -> Result<AnyGame> {
    let LoggedGame { game_number, game, rules, .. } = logged;
    let rules = serde_json::to_value(rules).and_then(serde_json::from_value::<BoardOptions>);
    let board = rules.map_err(|error| {
        Failure::message(format!("game {game_number} has invalid rules of {game}: {error}"))
    })?;
    Ok(GameChoice { game: game.clone(), board }.open()?)
}

impl Answer {
    fn add(&mut self, replayed: Replayed) {
        let Replayed { moves, values, skipped, difference, .. } = replayed;
        self.games += 1;
        self.moves += moves;
        self.values += values;
        self.skipped += skipped;
        self.difference = difference;
    }

    fn text(&self) -> String {
        let Self { games, moves, values, skipped, difference } = self;
        let mut text = format!("{games} games, {moves} moves searched again, {values} values compared");
        if *skipped > 0 {
            text += &format!("; {skipped} moves without values");
        }
        match difference {
            None => text + "\nall are identical\n",
            Some(ReplayDifference { game_number, move_number, player, what, .. }) => {
                text + &format!(
                    "\ndiffers in game {game_number}, move {move_number} by '{}': {}\n",
                    visible(player),
                    visible(what)
                )
            }
        }
    }
}
