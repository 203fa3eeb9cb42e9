//! The folder of a run: training data, the log of games, and the state that an interrupted run continues from. Every
//! file but the log is written as a whole; the log is cut to the length in the state when a run continues.

use super::{data::Rows, report::SelfPlayTally, table::Table};
use crate::{
    contest::open_alone,
    error::{Error, Result},
    input::read_file,
    net::read_tensors,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::{
    fmt::Display,
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

const FORMAT: &str = "mcts-wgpu-selfplay-1";
const STATE: &str = "state.json";
const LOG: &str = "games.jsonl";
/// Greatest size of a file that a run continues from, in bytes.
const MOST_BYTES: u64 = 8 << 30;

/// A place for games: one in progress, or the last position of the last one that was played there.
#[derive(Debug, Serialize, Deserialize)]
pub struct Place {
    pub moves: Vec<u32>,
    pub table: Option<Table>,
}

/// The state that a run continues from.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct State {
    format: String,
    /// All properties that the games depend on.
    pub task: Map<String, Value>,
    /// Rounds that are over.
    pub round: u64,
    /// The number of the next game.
    pub next_game: u64,
    pub tally: SelfPlayTally,
    /// Files of training data.
    pub files: u32,
    /// The file of the remaining rows.
    pending: Option<String>,
    log_bytes: u64,
    pub places: Vec<Place>,
}

impl State {
    /// The state of a new run.
    pub fn new(task: Map<String, Value>) -> Self {
        Self { format: FORMAT.into(), task, ..Self::default() }
    }
}

/// The folder, locked until this is dropped.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    log: File,
}

impl Folder {
    /// Opens the folder of a run, or makes it, and reads the state.
    ///
    /// # Errors
    /// Bad input if it can't be written or read, is another run's, or in use.
    pub fn open(path: &Path, task: Map<String, Value>) -> Result<(Self, State, Rows)> {
        let shown = path.display();
        let failed =
            |error: io::Error| Error::invalid(format!("the folder {shown} can't be written: {error}"));
        fs::create_dir_all(path).map_err(failed)?;
        let log = open_alone(&path.join(LOG)).map_err(failed)?.ok_or_else(|| {
            Error::invalid(format!(
                "another program plays in {shown}: wait until it has ended, or give another folder"
            ))
        })?;
        let folder = Self { path: path.into(), log };
        if !fs::exists(path.join(STATE)).map_err(failed)? {
            folder.check_new()?;
            return Ok((folder, State::new(task), Rows::default()));
        }
        let bytes = read_file(&path.join(STATE), MOST_BYTES).map_err(|error| folder.broken(STATE, error))?;
        let state: State = serde_json::from_slice(&bytes).map_err(|error| folder.broken(STATE, error))?;
        if state.format != FORMAT {
            return Err(folder.broken(STATE, format!("its format is '{}', and not '{FORMAT}'", state.format)));
        }
        folder.check_task(&state.task, &task)?;
        let rows = match &state.pending {
            Some(name) => {
                let rows =
                    read_tensors(&folder.path.join(name), MOST_BYTES).and_then(|bytes| Rows::parse(&bytes));
                rows.map_err(|error| folder.broken(name, error))?
            }
            None => Rows::default(),
        };
        folder.cut_log(state.log_bytes)?;
        folder.clear(state.pending.as_deref());
        Ok((folder, state, rows))
    }

    /// Checks that it has no files of another run.
    fn check_new(&self) -> Result<()> {
        if self.log.metadata().is_ok_and(|log| log.len() == 0) {
            return Ok(());
        }
        let shown = self.path.display();
        Err(Error::invalid(format!("{shown} has {LOG}, and no {STATE} to go on from: give a new folder")))
    }

    fn check_task(&self, then: &Map<String, Value>, now: &Map<String, Value>) -> Result<()> {
        let shown = self.path.display();
        let text = |value: Option<&Value>| value.map_or("none".into(), Value::to_string);
        let differs = |name: &&String| then.get(*name) != now.get(*name);
        let Some(name) = then.keys().chain(now.keys()).find(differs) else { return Ok(()) };
        Err(Error::invalid(format!(
            "{shown} is of a run with {name} = {}, and this one has {}: go on as it began, or give another folder",
            text(then.get(name)),
            text(now.get(name))
        )))
    }

    /// Cuts off the lines after those of the state: their games are played again.
    fn cut_log(&self, bytes: u64) -> Result<()> {
        let length = self.log.metadata().map_err(|error| self.broken(LOG, error))?.len();
        if length < bytes {
            return Err(self.broken(LOG, "it is shorter than the state says"));
        }
        self.log.set_len(bytes).map_err(|error| self.unwritable(LOG, &error))
    }

    /// Removes the remains of a run that was killed, except the pending rows of its state.
    fn clear(&self, pending: Option<&str>) {
        for entry in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_pending = name.starts_with("pending-") && Some(&*name) != pending;
            if is_pending || name.ends_with(".part") {
                fs::remove_file(entry.path()).ok();
            }
        }
    }

    /// Writes lines of the log, rows, which become a file of training data if they `fill` one, and then the state.
    ///
    /// # Errors
    /// Bad input if a file can't be written.
    pub fn save(
        &mut self,
        state: &mut State,
        lines: &mut String,
        (rows, fill): (&mut Rows, bool),
        to_bytes: impl FnOnce(&Rows) -> Result<Vec<u8>>,
    ) -> Result<()> {
        let added = self.log.write_all(lines.as_bytes()).and_then(|()| self.log.sync_data());
        added.map_err(|error| self.unwritable(LOG, &error))?;
        state.log_bytes += lines.len() as u64;
        lines.clear();
        let before = state.pending.take();
        if rows.len() > 0 {
            let name = match fill {
                true => format!("data-{:05}.safetensors", state.files),
                false => format!("pending-{}.safetensors", state.round),
            };
            self.write(&name, &to_bytes(rows)?)?;
            if fill {
                state.files += 1;
                *rows = Rows::default();
            } else {
                state.pending = Some(name);
            }
        }
        let text = serde_json::to_vec(state).map_err(Error::invalid)?;
        self.write(STATE, &text)?;
        if let Some(name) = before.filter(|name| state.pending.as_ref() != Some(name)) {
            fs::remove_file(self.path.join(name)).ok();
        }
        Ok(())
    }

    /// Writes a file atomically.
    fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let part = self.path.join(format!("{name}.part"));
        let written = File::create(&part).and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()?;
            fs::rename(&part, self.path.join(name))
        });
        written.map_err(|error| self.unwritable(name, &error))
    }

    fn unwritable(&self, name: &str, error: &io::Error) -> Error {
        Error::invalid(format!("{} can't be written: {error}", self.path.join(name).display()))
    }

    fn broken(&self, name: &str, why: impl Display) -> Error {
        let file = self.path.join(name);
        Error::invalid(format!("the run can't go on from {} ({why}): give a new folder", file.display()))
    }
}
