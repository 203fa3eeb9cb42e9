//! A match on file: a line of JSON a game, in the order in which they ended.
//!
//! A line is written as soon as its game has ended. A program that is killed while it writes leaves a torn last line
//! behind, which is cut off when the log is opened again. A program that adds games holds a lock on the file: a second
//! one is refused. Readers take no lock: a log can be plotted while it is written.

use super::game::{Fault, GameResult, Resigned, Scoring};
use crate::{
    error::{Error, Result},
    input::read_line,
    rules::{Game, RuleValue},
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

/// Bytes of a line at the most: a game of 500 moves with 500 actions each takes half of them.
const LONGEST_LINE: u64 = 1 << 27;

/// A game, as a line of a log has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoggedGame {
    /// The version of this crate.
    pub version: String,
    /// The game's name.
    pub game: String,
    /// The game's sizes and rules.
    pub rules: BTreeMap<String, RuleValue>,
    /// Its number in its match, from 0 on.
    pub game_number: u64,
    /// Who played first, by name.
    pub first: String,
    /// Who played second, by name.
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
    /// What it began with, where that was not the start.
    pub opening: Option<LoggedOpening>,
    /// All moves by name, those of the opening among them.
    pub moves: Vec<String>,
    /// How it ended.
    pub result: GameResult,
    /// Set where a fault ended it.
    pub fault: Option<Fault>,
    /// Set where a player gave up, in the position after all moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resigned: Option<Resigned>,
    /// How it is scored, in Go. Logs of earlier versions, which lack this, have games scored as the board stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scoring: Option<Scoring>,
    /// The dead stones that were taken off the board before it was scored, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dead: Vec<String>,
    /// Seconds that each move took; none for moves of the opening.
    pub seconds: Vec<Option<f64>>,
    /// What the players tell of each move.
    pub reports: Vec<Option<Value>>,
}

/// An opening of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedOpening {
    /// Its place in the list, from 1 on.
    pub number: u64,
    /// How many moves it has.
    pub moves: usize,
}

impl LoggedGame {
    /// Its game in words.
    pub fn described(&self) -> String {
        in_words(&self.game, &self.rules)
    }

    /// Are dead stones taken off the board before it is scored?
    pub(super) fn leaves_out_dead_stones(&self) -> bool {
        self.scoring == Some(Scoring::DeadStones)
    }

    /// What the player to move after so many moves tells: of its move, or of giving up.
    pub(super) fn report(&self, moves: usize) -> Option<&Value> {
        match self.reports.get(moves) {
            Some(report) => report.as_ref(),
            None => self.resigned.as_ref().filter(|_| moves == self.moves.len())?.report.as_ref(),
        }
    }
}

/// A game in words, as [`LoggedGame::described`] has it.
pub(crate) fn described<G: Game>(game: &G) -> String {
    in_words(game.name(), &rules_of(game))
}

/// The sizes and rules of a game.
pub(crate) fn rules_of<G: Game>(game: &G) -> BTreeMap<String, RuleValue> {
    game.rules().into_iter().map(|(name, value)| (name.into(), value)).collect()
}

fn in_words(name: &str, rules: &BTreeMap<String, RuleValue>) -> String {
    let rules: Vec<_> = rules.iter().map(|(name, value)| format!("{name} {value}")).collect();
    if rules.is_empty() { name.into() } else { format!("{name} ({})", rules.join(", ")) }
}

/// A log that games are added to.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: File,
}

/// Bytes of a torn last line; 0 where all lines are whole.
pub type Torn = u64;

impl Log {
    /// Opens a log to go on with, or a new one, and hands over the games that it has. A torn last line is cut off.
    ///
    /// The log is locked as long as this lives.
    ///
    /// # Errors
    /// Bad input where the file can't be read and written, has lines that are no games, or is the open log of another
    /// program, which is then left as it is; what `each` returns.
    pub fn open(path: &Path, each: impl FnMut(LoggedGame) -> Result<()>) -> Result<(Self, Torn)> {
        let failed = |what: &str, error: io::Error| {
            Error::invalid(format!("the log {} can't be {what}: {error}", path.display()))
        };
        if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(Error::invalid(format!(
                "the log {} is no file: games can't be kept there",
                path.display()
            )));
        }
        let mut file = open_alone(path).map_err(|error| failed("opened", error))?.ok_or_else(|| {
            Error::invalid(format!(
                "the log {} is in use by another program, which adds its games: wait until that has ended, or give \
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

    /// Adds a game: once this returns, it is on file even if the program is killed.
    ///
    /// # Errors
    /// Bad input where the file can't be written.
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

/// Opens a file to add to; none where another program has opened it so. Whoever reads is let in.
#[cfg(not(windows))]
pub(crate) fn open_alone(path: &Path) -> io::Result<Option<File>> {
    let file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
    // Some file systems have no locks: there, lines are at least written as wholes.
    let is_in_use = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
    Ok((!is_in_use).then_some(file))
}

/// Opens a file to add to; none where another program has opened it so. Whoever reads is let in, as a lock would not.
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

/// Writes at the end of a file, all or nothing: where the disk is full, no torn line is left for the next one to go on.
fn append(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    let end = file.seek(SeekFrom::End(0))?;
    let written = file.write_all(bytes);
    if written.is_err() {
        file.set_len(end)?;
    }
    written
}

/// Reads a log as it is, game by game: with all reports, a log can be larger than memory.
///
/// # Errors
/// Bad input where the file can't be read, or has lines that are no games; what `each` returns.
pub fn read_log(path: &Path, each: impl FnMut(LoggedGame) -> Result<()>) -> Result<Torn> {
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    Ok(read(path, &file, each)?.torn)
}

/// How a log ends.
struct Ending {
    /// Bytes of the whole lines.
    whole: u64,
    torn: Torn,
    /// The last line lacks nothing but its end.
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
                    "line {number} of the log {} is no game: {error}",
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
