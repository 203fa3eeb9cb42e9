//! Why a command ended early.

use std::{fmt::Display, io};

/// What a command returns.
pub type Result<T> = std::result::Result<T, Failure>;

/// Why a command ended early.
#[derive(Debug)]
pub enum Failure {
    /// Bad input, or no way to run: told on standard error, exit code 2.
    Message(String),
    /// A check failed, and standard output says how: exit code 1.
    Check,
    /// Another rank has failed, and tells why: exit code 2.
    Elsewhere,
    /// Standard output was closed by its reader.
    OutputClosed,
}

impl Failure {
    /// Says what was wrong and what to do.
    pub fn message(message: impl Display) -> Self {
        Self::Message(message.to_string())
    }

    /// The system gives no threads.
    pub fn no_threads(why: io::Error) -> Self {
        Self::message(format!(
            "the system gives no threads ({why}): end other programs, or allow more threads (ulimit -u)"
        ))
    }

    /// The same failure, said of a part of the input, such as a line of a file.
    pub fn of(self, part: impl Display) -> Self {
        match self {
            Self::Message(message) => Self::Message(format!("{part}: {message}")),
            other => other,
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
