//! The log of a match: a line of JSON for each game, in the order in which the games ended.
//!
//! A line is written as soon as its game has ended. If the program is killed while it writes, the last line is
//! incomplete; it is removed when the log is opened again. A program that adds games locks the file against other
//! writers. Readers take no lock: a log can be plotted while it is written.

use super::game::{Fault, Resigned, Scoring};
use crate::{
    error::{Error, Result},
    input::read_line,
    rules::{Game, Outcome, RuleValue, in_words, rules_of},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
#[cfg(not(windows))]
use std::fs::TryLockError;
use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::{self, BufReader, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

/// The greatest length of a line in bytes. A game of 500 moves with 500 actions each takes half of it.
const LONGEST_LINE: u64 = 1 << 27;

/// A game: a line of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoggedGame {
    /// The version of this crate.
    pub version: String,
    /// The game's name.
    pub game: String,
    /// The game's sizes and rules.
    pub rules: BTreeMap<String, RuleValue>,
    /// The number of the game in its match, from 0.
    pub game_number: u64,
    /// The name of the first player.
    pub first: String,
    /// The name of the second player.
    pub second: String,
    /// The text of the first player.
    pub first_player: String,
    /// The text of the second player.
    pub second_player: String,
    /// Settings in the text of the first player that change nothing in this game.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first_idle: Vec<String>,
    /// Settings in the text of the second player that change nothing in this game.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub second_idle: Vec<String>,
    /// The opening, if the game did not begin at the start.
    pub opening: Option<LoggedOpening>,
    /// Names of all moves, including those of the opening.
    pub moves: Vec<String>,
    /// The result.
    pub result: Outcome,
    /// The fault that ended the game, if any.
    pub fault: Option<Fault>,
    /// The resignation that ended the game, if any, in the position after all moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resigned: Option<Resigned>,
    /// The scoring, in Go. Logs of earlier versions lack it: their games are scored as the board stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scoring: Option<Scoring>,
    /// Names of the dead stones that were taken off the board before it was scored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dead: Vec<String>,
    /// Seconds of each move; `None` for moves of the opening.
    pub seconds: Vec<Option<f64>>,
    /// The player's report on each move, if it has one.
    pub reports: Vec<Option<Value>>,
}

/// An opening of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedOpening {
    /// Its place in the list, from 1.
    pub number: u64,
    /// The number of its moves.
    pub moves: usize,
}

impl LoggedGame {
    /// The game with its sizes and rules, as text.
    pub fn described(&self) -> String {
        in_words(&self.game, &self.rules)
    }

    /// Whether dead stones are taken off the board before it is scored.
    pub(super) fn leaves_out_dead_stones(&self) -> bool {
        self.scoring == Some(Scoring::DeadStones)
    }

    /// The report of the player to move after `moves` moves: on its move, or on its resignation.
    pub(super) fn report(&self, moves: usize) -> Option<&Value> {
        match self.reports.get(moves) {
            Some(report) => report.as_ref(),
            None => self.resigned.as_ref().filter(|_| moves == self.moves.len())?.report.as_ref(),
        }
    }
}

/// A game with its sizes and rules, as text: see [`LoggedGame::described`].
pub(crate) fn described<G: Game>(game: &G) -> String {
    in_words(game.name(), rules_of(game))
}

/// A log that is open for writing.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: File,
}

/// Bytes of an incomplete last line; 0 if all lines are complete.
pub type Torn = u64;

impl Log {
    /// Opens an existing log or creates one, and calls `each` with its games. An incomplete last line is removed. The
    /// file stays locked until the returned value is dropped.
    ///
    /// # Errors
    /// Bad input if the file can't be read and written, has a line that is not a game, or is locked by another program;
    /// it is then unchanged. Errors of `each`.
    pub fn open(path: &Path, each: impl FnMut(LoggedGame) -> Result<()>) -> Result<(Self, Torn)> {
        let failed = |what: &str, error: io::Error| {
            Error::invalid(format!("the log {} can't be {what}: {error}", path.display()))
        };
        if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(Error::invalid(format!(
                "the log {} is not a regular file: name a file",
                path.display()
            )));
        }
        let mut file = open_alone(path).map_err(|error| failed("opened", error))?.ok_or_else(|| {
            Error::invalid(format!(
                "the log {} is in use by another program, which adds games to it: wait until it has ended, or name \
                 another log",
                path.display()
            ))
        })?;
        let found = read(path, &file, each)?;
        let mut mend = || {
            file.set_len(found.whole)?;
            if found.lacks_end { append(&mut file, b"\n") } else { Ok(()) }
        };
        mend().map_err(|error| failed("written", error))?;
        Ok((Self { path: path.into(), file }, found.torn))
    }

    /// Appends a game. After the return, the game is in the file even if the program is killed.
    ///
    /// # Errors
    /// Bad input if the file can't be written.
    pub fn add(&mut self, game: &LoggedGame) -> Result<()> {
        let written = serde_json::to_string(game).map_err(io::Error::other).and_then(|mut line| {
            line.push('\n');
            append(&mut self.file, line.as_bytes())
        });
        written.map_err(|error| {
            Error::invalid(format!("the log {} can't be written: {error}", self.path.display()))
        })
    }
}

/// Opens a file for appending; `None` if another program has it open in this way. Others may read it.
#[cfg(not(windows))]
pub(crate) fn open_alone(path: &Path) -> io::Result<Option<File>> {
    let file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
    // Some file systems have no locks. There the file is opened without one.
    let is_in_use = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
    Ok((!is_in_use).then_some(file))
}

/// Opens a file for appending; `None` if another program has it open in this way. Others may read it: a lock would
/// prevent that on Windows.
#[cfg(windows)]
pub(crate) fn open_alone(path: &Path) -> io::Result<Option<File>> {
    use std::os::windows::fs::OpenOptionsExt;
    const FILE_SHARE_READ: u32 = 1;
    const ERROR_SHARING_VIOLATION: i32 = 32;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).share_mode(FILE_SHARE_READ);
    match options.open(path) {
        Err(error) if error.raw_os_error() == Some(ERROR_SHARING_VIOLATION) => Ok(None),
        opened => opened.map(Some),
    }
}

/// Appends all bytes or none: if the disk is full, no incomplete line remains.
fn append(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    let end = file.seek(SeekFrom::End(0))?;
    let written = file.write_all(bytes);
    if written.is_err() {
        file.set_len(end)?;
    }
    written
}

/// Reads a log game by game, since a log with all reports can be larger than memory. Returns the bytes of an incomplete
/// last line.
///
/// # Errors
/// Bad input if the file can't be read or has a line that is not a game. Errors of `each`.
pub fn read_log(path: &Path, each: impl FnMut(LoggedGame) -> Result<()>) -> Result<Torn> {
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    Ok(read(path, &file, each)?.torn)
}

/// The end of a log.
struct Ending {
    /// Bytes of the complete lines.
    whole: u64,
    torn: Torn,
    /// The last line is a whole game without a line feed.
    lacks_end: bool,
}

fn read(path: &Path, file: &File, mut each: impl FnMut(LoggedGame) -> Result<()>) -> Result<Ending> {
    let (mut reader, mut line) = (BufReader::new(file), Vec::new());
    let mut ending = Ending { whole: 0, torn: 0, lacks_end: false };
    for number in 1.. {
        if !read_line(&mut reader, &mut line, LONGEST_LINE).map_err(|error| unreadable(path, &error))? {
            break;
        }
        let length = line.len() as u64;
        let is_whole = line.ends_with(b"\n");
        match serde_json::from_slice(&line) {
            _ if line.iter().all(u8::is_ascii_whitespace) => {}
            Ok(game) => {
                ending.lacks_end = !is_whole;
                each(game)?;
            }
            Err(_) if !is_whole => {
                ending.torn = length;
                break;
            }
            Err(error) => {
                return Err(Error::invalid(format!(
                    "line {number} of the log {} is not a game: {error}",
                    path.display()
                )));
            }
        }
        ending.whole += length;
    }
    Ok(ending)
}

fn unreadable(path: &Path, error: &io::Error) -> Error {
    Error::invalid(format!("the log {} can't be read: {error}", path.display()))
}
