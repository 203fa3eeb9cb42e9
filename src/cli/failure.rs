//! Failures of commands.

use std::{fmt::Display, io, path::Path};

/// The result of a command.
pub type Result<T> = std::result::Result<T, Failure>;

/// The reason why a command ended early.
#[derive(Debug)]
pub enum Failure {
    /// Bad input, or unable to run: a message on standard error, exit code 2.
    Message(String),
    /// A check failed; standard output has the details: exit code 1.
    Check,
    /// Another rank has failed, and prints the message: exit code 2.
    Elsewhere,
    /// The reader of standard output has closed it.
    OutputClosed,
}

impl Failure {
    /// A failure with a message: the fault, and what to do.
    pub fn message(message: impl Display) -> Self {
        Self::Message(message.to_string())
    }

    /// Threads can't be created.
    pub fn no_threads(why: io::Error) -> Self {
        Self::message(format!(
            "threads can't be created ({why}): end other programs, or allow more threads (ulimit -u)"
        ))
    }

    /// The same failure with the name of a part of the input, such as a line of a file, before the message.
    pub fn of(self, part: impl Display) -> Self {
        match self {
            Self::Message(message) => Self::Message(format!("{part}: {message}")),
            other => other,
        }
    }

    /// A file or folder can't be read.
    pub fn unreadable(path: &Path, why: &io::Error) -> Self {
        Self::message(format!("{} can't be read: {why}", path.display()))
    }

    /// Rejects 0 as the value of an option.
    pub fn refuse_0(option: &str, value: impl Into<u64>) -> Result<()> {
        match value.into() {
            0 => Err(Self::message(format!("{option} 0: give at least 1"))),
            _ => Ok(()),
        }
    }

    /// Standard output could not be written.
    pub fn output(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::OutputClosed,
            _ => Self::message(format!("standard output could not be written: {error}")),
        }
    }
}

impl From<crate::error::Error> for Failure {
    fn from(error: crate::error::Error) -> Self {
        if error.is_rank() { Self::Elsewhere } else { Self::message(error) }
    }
}
