//! `mcts-wgpu replay`: does a logged match come out the same again?

use super::host::Hall;
use crate::{
    cli::{
        failure::{Failure, Result},
        games::GameOptions,
        options::EngineOptions,
        output::{notice, print, print_json},
        progress::{Progress, share},
        signals,
    },
    contest::{LoggedGame, ReplayDifference, Replayed, read_log, replay_game},
    games::{BoardOptions, GameChoice, GameVisitor},
    names::visible,
    rules::Game,
};
use clap::Args;
use serde::Serialize;
use std::{
    ops::ControlFlow,
    path::{Path, PathBuf},
    time::Duration,
};

/// Search every move of logged games again, and compare all action values
///
/// Moves are searched in as many steps as they took then, with the same seeds and settings. Every action's n, n_wins
/// and q must be what the log has, on this adapter as on any other, and the moves must lead to the result; the exit
/// code is 1 where that is not so. Moves of players that tell no action values are left out. All searches run on
/// --adapter, whatever the players name.
#[derive(Debug, Args)]
pub struct Arguments {
    /// A log of `mcts-wgpu match` or `mcts-wgpu tournament`
    log: PathBuf,
    /// The game of the log, where that is one of your own
    #[arg(long, value_name = "FILE")]
    game_file: Option<PathBuf>,
    /// A network of the log, where that is not in the file that its player names; give several by several --net
    #[arg(long, value_name = "FILE")]
    net: Vec<String>,
    #[command(flatten)]
    engine: EngineOptions,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What is printed.
#[derive(Debug, Default, Serialize)]
struct Answer {
    games: u64,
    moves: u64,
    values: u64,
    skipped: u64,
    /// The first one.
    difference: Option<Told>,
}

#[derive(Debug, Serialize)]
struct Told {
    game_number: u64,
    move_number: usize,
    player: String,
    what: String,
}

/// Replays all games, or those up to the first difference.
pub fn run(arguments: &Arguments) -> Result<()> {
    let path = &arguments.log;
    let mut games = 0;
    let torn = read_log(path, |_| {
        games += 1;
        Ok(())
    })?;
    if games == 0 {
        return Err(Failure::message(format!("the log {} has no games", path.display())));
    }
    if torn > 0 {
        notice(&format!("notice: the last line of {} is torn, and left out", path.display()));
    }
    if arguments.game_file.is_some() {
        // Before the players take their engine from the same options: they play where the rules are asked.
        arguments.engine.open_for_rules()?;
    }
    let hall = Hall::to_replay(&arguments.engine, &arguments.net)?;
    let mut replay =
        Replay { games, hall, progress: Progress::spinner("replaying"), answer: Answer::default() };
    match &arguments.game_file {
        Some(file) => GameOptions::of_file(file.clone())
            .apply(&arguments.engine, OfFile { log: path, replay: &mut replay })?,
        None => replay.all(path, |replay, logged| {
            let rules = serde_json::to_value(&logged.rules).and_then(serde_json::from_value::<BoardOptions>);
            let board = rules.map_err(|error| {
                let LoggedGame { game_number, game, .. } = logged;
                Failure::message(format!("the rules of game {game_number} are none of {game}: {error}"))
            })?;
            GameChoice { game: logged.game.clone(), board }.visit(OfLine { logged, replay })?
        })?,
    }
    let Replay { progress, answer, .. } = replay;
    drop(progress);
    if signals::arrived().is_some() {
        notice("notice: interrupted; this is what was compared until then");
    }
    if arguments.json {
        print_json(&answer)?
    } else {
        print(&answer.text())?
    }
    if answer.difference.is_some() { Err(Failure::Check) } else { Ok(()) }
}

/// A log that is being replayed.
struct Replay {
    games: u64,
    hall: Hall,
    progress: Progress,
    answer: Answer,
}

impl Replay {
    /// Does this with game after game, up to the first difference.
    fn all(&mut self, log: &Path, mut each: impl FnMut(&mut Self, &LoggedGame) -> Result<()>) -> Result<()> {
        let mut failure = None;
        read_log(log, |logged| {
            if failure.is_none() && self.answer.difference.is_none() && signals::arrived().is_none() {
                failure = each(self, &logged).err();
            }
            Ok(())
        })?;
        failure.map_or(Ok(()), Err)
    }

    fn one<G: Game>(&mut self, game: &G, logged: &LoggedGame) -> Result<()> {
        let (games, done, moves) = (self.games, self.answer.games, logged.moves.len() as u64);
        let replayed = replay_game(game, logged, &self.hall, |at| -> ControlFlow<()> {
            let all = share(done * moves + at as u64, games * moves, Duration::ZERO, None);
            self.progress.at(all, || format!("game {} of {games}, move {at} of {moves}", done + 1))
        })?;
        self.answer.add(replayed);
        Ok(())
    }
}

/// A line of a log of built-in games.
struct OfLine<'a> {
    logged: &'a LoggedGame,
    replay: &'a mut Replay,
}

impl GameVisitor for OfLine<'_> {
    type Output = Result<()>;

    fn visit<G: Game>(self, game: G) -> Result<()> {
        self.replay.one(&game, self.logged)
    }
}

/// A log of games by the rules of a file.
struct OfFile<'a> {
    log: &'a Path,
    replay: &'a mut Replay,
}

impl GameVisitor for OfFile<'_> {
    type Output = Result<()>;

    fn visit<G: Game>(self, game: G) -> Result<()> {
        self.replay.all(self.log, |replay, logged| replay.one(&game, logged))
    }
}

impl Answer {
    fn add(&mut self, replayed: Replayed) {
        let Replayed { moves, values, skipped, difference, .. } = replayed;
        self.games += 1;
        self.moves += moves;
        self.values += values;
        self.skipped += skipped;
        self.difference = difference.map(Told::from);
    }

    fn text(&self) -> String {
        let Self { games, moves, values, skipped, difference } = self;
        let mut text = format!("{games} games, {moves} moves searched again, {values} values compared");
        if *skipped > 0 {
            text += &format!("; {skipped} moves without values");
        }
        match difference {
            None => text + "\nall are identical\n",
            Some(Told { game_number, move_number, player, what }) => {
                text + &format!(
                    "\ndiffers in game {game_number}, move {move_number} by '{}': {}\n",
                    visible(player),
                    visible(what)
                )
            }
        }
    }
}

impl From<ReplayDifference> for Told {
    fn from(difference: ReplayDifference) -> Self {
        let ReplayDifference { game_number, move_number, player, what, .. } = difference;
        Self { game_number, move_number, player, what }
    }
}
