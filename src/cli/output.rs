//! Output: results to standard output, all else to standard error. Closed streams do not cause panics. Files are opened
//! before the work whose result they get.

use super::{
    failure::{Failure, Result},
    help::{ERROR, NOTICE, WARNING},
    ranks,
    shown::without_bar,
};
use crate::names::visible_lines;
use anstream::{AutoStream, ColorChoice};
use anstyle::Style;
use serde::Serialize;
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write, stderr, stdout},
    path::{Path, PathBuf},
};

/// Writes a result to standard output; in an MPI job on the first rank only.
pub fn print(text: &str) -> Result<()> {
    if ranks::of_job().rank() > 0 {
        return Ok(());
    }
    let mut out = stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| Failure::output(&error))
}

/// [`print`], with colours if standard output is a terminal with colours and NO_COLOR is not set.
pub fn print_in_colours(text: &str) -> Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| Failure::output(&error))
}

/// Writes a result to standard output, as one JSON document or as text.
pub fn print_result(as_json: bool, value: &impl Serialize, text: impl FnOnce() -> String) -> Result<()> {
    if as_json {
        return print(&(serde_json::to_string_pretty(value).map_err(Failure::message)? + "\n"));
    }
    print(&text())
}

/// Writes results to standard output as lines of JSON.
pub fn print_json_lines(values: &[impl Serialize]) -> Result<()> {
    let lines = values.iter().map(|value| Ok(serde_json::to_string(value).map_err(Failure::message)? + "\n"));
    print(&lines.collect::<Result<String>>()?)
}

/// Writes a line to standard error, unless it is closed; in an MPI job on the first rank only.
pub fn notice(line: &str) {
    if ranks::of_job().rank() == 0 {
        complain(line);
    }
}

/// [`notice`] on any rank. Control characters of quoted files and arguments are escaped.
pub fn complain(line: &str) {
    let line = &*visible_lines(line);
    let style = |(word, style): (&str, Style)| {
        line.strip_prefix(word).map(|rest| format!("{style}{word}{style:#}{rest}"))
    };
    let styled = [("error:", ERROR), ("warning:", WARNING), ("notice:", NOTICE)].into_iter().find_map(style);
    let has_colours = AutoStream::choice(&stderr()) != ColorChoice::Never;
    without_bar(|| match styled.filter(|_| has_colours) {
        Some(styled) => writeln!(anstream::stderr(), "{styled}").ok(),
        // In one piece, so that mpirun does not put lines of other ranks into it.
        None => stderr().write_all(format!("{line}\n").as_bytes()).ok(),
    });
}

/// A file for a result, opened before the result exists. Without a result, its contents stay, and a new file is
/// removed.
#[derive(Debug)]
pub struct OutFile {
    option: &'static str,
    path: PathBuf,
    file: File,
    /// The file did not exist before, and nothing has been written.
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

/// Creates the folder of --out, if it does not exist.
pub fn create_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path)
        .map_err(|why| Failure::message(format!("--out {} can't be created: {why}", path.display())))
}

/// Writes a file of a folder.
pub fn write_file(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    fs::write(path, content)
        .map_err(|why| Failure::message(format!("{} can't be written: {why}", path.display())))
}

fn unwritable(option: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::message(format!("{option} {} can't be written: {error}", path.display()))
}
