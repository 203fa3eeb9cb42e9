//! The error type of the crate: every message names the fault and its remedy.

use std::{fmt::Display, sync::Arc};

/// An error of this crate: its [kind](Error::kind), and a message for people.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    kind: ErrorKind,
    message: String,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

/// The kind of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Impossible input: an illegal move, a size out of range, ...
    BadInput,
    /// No adapter fits the request.
    NoAdapter,
    /// An allocation failed.
    OutOfMemory,
    /// The device was lost, or refused an operation, during a search.
    DeviceLost,
    /// A shader did not compile; the message names the author's file and line.
    Shader,
    /// The adapter's driver refused to compile a kernel that is within the adapter's limits.
    Refused,
    /// The adapter ended a loop of a shader early, as some software adapters do, so that there is no valid result.
    CutShort,
    /// A [check](crate::engine::Checks) has found guard words in the device's memory overwritten.
    Overwritten,
    /// Another program did not keep to a protocol: it was silent, ended, or sent a wrong answer.
    Peer,
    /// The [evaluator](crate::net::Evaluator) of a search has failed.
    Evaluator,
    /// A player has resigned.
    Resigned,
    /// Another [rank](crate::ranks) of the same work has failed, or is gone.
    Rank,
}

/// Errors are equal if their kinds and messages are.
impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        (self.kind, &self.message) == (other.kind, &other.message)
    }
}

impl Eq for Error {}

/// The crate's result type.
pub type Result<T, E = Error> = std::result::Result<T, E>;

macro_rules! constructors {
    ($($name:ident $Kind:ident,)*) => {
        $(pub(crate) fn $name(message: impl Display) -> Self {
            Self::new(ErrorKind::$Kind, message)
        })*
    };
}

macro_rules! predicates {
    ($($name:ident $Kind:ident,)*) => {
        $(
            #[doc = concat!("Is it of the kind [`", stringify!($Kind), "`](ErrorKind::", stringify!($Kind), ")?")]
            pub fn $name(&self) -> bool {
                self.kind == ErrorKind::$Kind
            }
        )*
    };
}

impl Error {
    fn new(kind: ErrorKind, message: impl Display) -> Self {
        Self { kind, message: message.to_string(), source: None }
    }

    /// [Bad input](ErrorKind::BadInput), for authors of games: say what is wrong and what to do.
    ///
    /// ```
    /// let error = mcts_wgpu::Error::invalid("a board of 0 rows: give at least 1");
    /// assert_eq!(error.kind(), mcts_wgpu::ErrorKind::BadInput);
    /// ```
    pub fn invalid(message: impl Display) -> Self {
        Self::new(ErrorKind::BadInput, message)
    }

    constructors! {
        no_adapter NoAdapter,
        out_of_memory OutOfMemory,
        device_lost DeviceLost,
        cut_short CutShort,
        overwritten Overwritten,
        peer Peer,
        evaluator Evaluator,
        rank Rank,
        resigned Resigned,
        shader Shader,
        refused Refused,
    }

    /// Out of memory: no thread can be created.
    pub(crate) fn no_thread(why: std::io::Error) -> Self {
        Self::out_of_memory("no thread can be created: end other programs, or allow more threads")
            .because(why)
    }

    /// The same error with a cause.
    pub(crate) fn because(self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self { source: Some(Arc::new(source)), ..self }
    }

    /// The same error, attributed to a part of the input.
    pub(crate) fn of(self, part: impl Display) -> Self {
        Self { message: format!("{part}: {}", self.message), ..self }
    }

    /// Its kind.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    predicates! {
        is_bad_input BadInput,
        is_no_adapter NoAdapter,
        is_out_of_memory OutOfMemory,
        is_device_lost DeviceLost,
        is_cut_short CutShort,
        is_overwritten Overwritten,
        is_peer Peer,
        is_evaluator Evaluator,
        is_rank Rank,
        is_resigned Resigned,
        is_shader Shader,
        is_refused Refused,
    }
}
