//! Games of logs of matches, to continue.

use super::record::Record;
use crate::{
    cli::{
        failure::{Failure, Result},
        output::notice,
    },
    contest::{LoggedGame, described, ended_without, read_log},
    rules::{Game, Position},
};
use std::{fs::File, io::Read, path::Path, time::Duration};

/// The first line of a log has the name of its game within this many bytes.
const HEAD: u64 = 4096;

/// Whether a file is the log of a match: its first line is a game.
pub fn is_log(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    let head = String::from_utf8_lossy(&head);
    read.is_ok() && head.starts_with("{\"version\":") && head.contains("\"game_number\":")
}

/// The game of a log with this number, or the first one.
pub fn load<G: Game>(path: &Path, number: Option<u64>, game: &G) -> Result<Record<G>> {
    let (mut found, mut games) = (None, 0);
    read_log(path, |logged| {
        games += 1;
        if found.is_none() && number.is_none_or(|number| number == logged.game_number) {
            found = Some(logged);
        }
        Ok(())
    })?;
    let logged = found.ok_or_else(|| no_such_game(path, number.unwrap_or(0)))?;
    if number.is_none() && games > 1 {
        notice(&format!(
            "notice: {} has {games} games, and this is game {}; --load-game N loads another",
            path.display(),
            logged.game_number
        ));
    }
    record_of(&logged, game)
}

/// Reads a log game by game. Prints a notice if its last line is incomplete.
pub fn read_noting_torn(path: &Path, each: impl FnMut(LoggedGame) -> crate::error::Result<()>) -> Result<()> {
    if read_log(path, each)? > 0 {
        notice(&format!("notice: the last line of {} is incomplete, and ignored", path.display()));
    }
    Ok(())
}

/// The error for a number that no game of the log has.
pub fn no_such_game(path: &Path, number: u64) -> Failure {
    Failure::message(format!("the log {} has no game {number}", path.display()))
}

/// A logged game, played by the rules of `game`.
pub fn record_of<G: Game>(logged: &LoggedGame, game: &G) -> Result<Record<G>> {
    let (own, of_log) = (described(game), logged.described());
    let number = logged.game_number;
    if own != of_log {
        return Err(Failure::message(format!(
            "game {number} of the log is a game of {of_log}, not of {own}: name the game of the log"
        )));
    }
    let mut record = Record::new(&Position::start(game))?;
    let at = |why: crate::error::Error| Failure::from(why).of(format!("game {number} of the log"));
    for (place, name) in logged.moves.iter().enumerate() {
        let action = record.now().parse_action(name).map_err(at)?;
        let seconds = logged.seconds.get(place).copied().flatten();
        record.play(action, seconds.and_then(|it| Duration::try_from_secs_f64(it).ok())).map_err(at)?;
    }
    let dead = logged.dead.iter().map(|name| record.now().parse_action(name));
    let dead = dead.collect::<crate::error::Result<Vec<_>>>().map_err(at)?;
    if !dead.is_empty() && record.now().outcome().is_some() {
        record.score_as(ended_without(record.now(), &dead).map_err(at)?);
    }
    Ok(record)
}
