//! Standard output for results, standard error for everything else; a closed one is no reason to panic. Files that are
//! written in the end are opened in the beginning.

use super::{
    failure::{Failure, Result},
    help::{ERROR, NOTICE, WARNING},
    ranks,
    shown::without_bar,
};
use crate::names::visible_lines;
use anstyle::Style;
use serde::Serialize;
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write, stdout},
    path::{Path, PathBuf},
};

/// Writes a result to standard output. Of many ranks the first one does.
pub fn print(text: &str) -> Result<()> {
    if ranks::of_job().rank() > 0 {
        return Ok(());
    }
    let mut out = stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| Failure::output(&error))
}

/// [`print`], in colours where standard output is a terminal that has them and NO_COLOR is not set.
pub fn print_in_colours(text: &str) -> Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| Failure::output(&error))
}

/// Writes a result to standard output as one JSON document.
pub fn print_json(value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value).map_err(Failure::message)?;
    print(&(text + "\n"))
}

/// Writes results to standard output, a line of JSON each.
pub fn print_json_lines(values: &[impl Serialize]) -> Result<()> {
    let lines = values.iter().map(|value| Ok(serde_json::to_string(value).map_err(Failure::message)? + "\n"));
    print(&lines.collect::<Result<String>>()?)
}

/// A driver as people are told of it: some backends say nothing.
pub fn told_driver(driver: &str) -> &str {
    if driver.is_empty() { "driver not told" } else { driver }
}

/// Writes a line to standard error, if that is not closed. Of many ranks the first one does.
pub fn notice(line: &str) {
    if ranks::of_job().rank() == 0 {
        complain(line);
    }
}

/// [`notice`], whichever rank this is. Files and arguments that it quotes can't command a terminal.
pub fn complain(line: &str) {
    let line = &*visible_lines(line);
    let style = |(word, style): (&str, Style)| {
        line.strip_prefix(word).map(|rest| format!("{style}{word}{style:#}{rest}"))
    };
    let styled = [("error:", ERROR), ("warning:", WARNING), ("notice:", NOTICE)].into_iter().find_map(style);
    without_bar(|| writeln!(anstream::stderr(), "{}", styled.as_deref().unwrap_or(line)).ok());
}

/// A file that a result is written to once there is one. Until then it keeps what it has, and where there was none,
/// none is left behind.
#[derive(Debug)]
pub struct OutFile {
    option: &'static str,
    path: PathBuf,
    file: File,
    /// It did not exist before, and nothing has been written to it.
    new: bool,
}

impl OutFile {
    /// Opens the file that an option names.
    pub fn open(option: &'static str, path: &Path) -> Result<Self> {
        let options = OpenOptions::new().write(true).truncate(false).clone();
        let opened = match options.clone().create_new(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                options.clone().create(true).open(path).map(|file| (file, false))
            }
            created => created.map(|file| (file, true)),
        };
        let (file, new) = opened.map_err(|error| unwritable(option, path, &error))?;
        Ok(Self { option, path: path.to_owned(), file, new })
    }

    /// Puts these bytes in the place of what it had.
    pub fn write(mut self, content: impl AsRef<[u8]>) -> Result<()> {
        let written = self.replace(content.as_ref());
        self.new &= written.is_err();
        written.map_err(|error| unwritable(self.option, &self.path, &error))
    }

    /// Devices and pipes have no length.
    fn replace(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        if self.file.metadata()?.is_file() {
            self.file.set_len(bytes.len() as u64)?;
        }
        self.file.flush()
    }
}

impl Drop for OutFile {
    fn drop(&mut self) {
        if self.new {
            fs::remove_file(&self.path).ok();
        }
    }
}

fn unwritable(option: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::message(format!("{option} {} can't be written: {error}", path.display()))
}
