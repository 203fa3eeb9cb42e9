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
        output::{OutFile, notice, print, print_result},
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
        let mut replay = Replay { games, host, progress, answer: Answer::default() };
        self.each(&mut replay)?;
        let Replay { progress, answer, .. } = replay;
        drop(progress);
        if signals::arrived().is_some() {
            notice("notice: interrupted; these are the comparisons so far");
        }
        print_result(self.json, &answer, || answer.text())?;
        if answer.difference.is_some() { Err(Failure::Check) } else { Ok(()) }
    }

    fn write(&self, file: OutFile, as_sgf: bool) -> Result<()> {
        let mut written = Written { as_sgf, text: String::new(), games: 0 };
        self.each(&mut written)?;
        file.write(&written.text)?;
        print(&format!("{} written\n", counted(written.games, "game")))
    }

    /// Applies `work` to each game, with the rules of that game.
    fn each(&self, work: &mut impl Work) -> Result<()> {
        if let Some(file) = &self.game_file {
            let game = GameOptions::of_file(file.clone()).open(&self.engine)?;
            return self.all(work, |work, logged| work.one(&game, logged));
        }
        self.all(work, |work, logged| {
            let rules = serde_json::to_value(&logged.rules).and_then(serde_json::from_value::<BoardOptions>);
            let board = rules.map_err(|error| {
                let LoggedGame { game_number, game, .. } = logged;
                Failure::message(format!("game {game_number} has invalid rules of {game}: {error}"))
            })?;
            work.one(&GameChoice { game: logged.game.clone(), board }.open()?, logged)
        })
    }

    fn all<W: Work>(
        &self,
        work: &mut W,
        mut one: impl FnMut(&mut W, &LoggedGame) -> Result<()>,
    ) -> Result<()> {
        let mut failure = None;
        read_log(&self.log, |logged| {
            if self.includes(&logged) && failure.is_none() && !work.has_ended() {
                failure = one(work, &logged).err();
            }
            Ok(())
        })?;
        failure.map_or(Ok(()), Err)
    }
}

/// A task for the games of a log.
trait Work {
    /// Handles one game.
    fn one(&mut self, game: &AnyGame, logged: &LoggedGame) -> Result<()>;

    /// Whether further games are skipped.
    fn has_ended(&self) -> bool;
}

/// Replays the games.
struct Replay {
    games: u64,
    host: PlayerHost,
    progress: Progress,
    answer: Answer,
}

impl Work for Replay {
    fn one(&mut self, game: &AnyGame, logged: &LoggedGame) -> Result<()> {
        let (games, done, moves) = (self.games, self.answer.games, logged.moves.len() as u64);
        let replayed = replay_game(game, logged, &self.host, |at| -> ControlFlow<()> {
            let all = share(done * moves + at as u64, games * moves, Duration::ZERO, None);
            self.progress.at(all, || format!("game {} of {games}, move {at} of {moves}", done + 1))
        })?;
        self.answer.add(replayed);
        Ok(())
    }

    fn has_ended(&self) -> bool {
        self.answer.difference.is_some() || signals::arrived().is_some()
    }
}

/// Writes the games as SGF or text.
struct Written {
    as_sgf: bool,
    text: String,
    games: u64,
}

impl Work for Written {
    fn one(&mut self, game: &AnyGame, logged: &LoggedGame) -> Result<()> {
        self.text += &if self.as_sgf { to_sgf(logged, game)? } else { to_text(logged, game)? };
        self.games += 1;
        Ok(())
    }

    fn has_ended(&self) -> bool {
        false
    }
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
