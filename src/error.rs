//! One opaque error for the whole crate: every message says what was wrong and what to do about it.

use std::fmt::Display;

/// Anything that can go wrong in this crate. Ask the `is_*` predicates for its kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    kind: Kind,
    message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    BadInput,
    NoAdapter,
    OutOfMemory,
    DeviceLost,
    Shader,
    CutShort,
}

/// The crate's result type.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    fn new(kind: Kind, message: impl Display) -> Self {
        Self { kind, message: message.to_string() }
    }

    pub(crate) fn bad_input(message: impl Display) -> Self {
        Self::new(Kind::BadInput, message)
    }

    pub(crate) fn no_adapter(message: impl Display) -> Self {
        Self::new(Kind::NoAdapter, message)
    }

    pub(crate) fn out_of_memory(message: impl Display) -> Self {
        Self::new(Kind::OutOfMemory, message)
    }

    pub(crate) fn device_lost(message: impl Display) -> Self {
        Self::new(Kind::DeviceLost, message)
    }

    pub(crate) fn cut_short(message: impl Display) -> Self {
        Self::new(Kind::CutShort, message)
    }

    pub(crate) fn shader(message: impl Display) -> Self {
        Self::new(Kind::Shader, message)
    }

    /// The caller asked for something that is not possible: an illegal move, a size out of range, ...
    pub fn is_bad_input(&self) -> bool {
        self.kind == Kind::BadInput
    }

    /// No adapter fits the request.
    pub fn is_no_adapter(&self) -> bool {
        self.kind == Kind::NoAdapter
    }

    /// The device could not give the memory asked for.
    pub fn is_out_of_memory(&self) -> bool {
        self.kind == Kind::OutOfMemory
    }

    /// The device went away or refused an operation while a search was running.
    pub fn is_device_lost(&self) -> bool {
        self.kind == Kind::DeviceLost
    }

    /// The adapter ended a loop of a shader early, as some software adapters do: what was computed is no result.
    pub fn is_cut_short(&self) -> bool {
        self.kind == Kind::CutShort
    }

    /// A shader did not compile; the message names the file and line the author wrote.
    pub fn is_shader(&self) -> bool {
        self.kind == Kind::Shader
    }
}
