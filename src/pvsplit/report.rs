//! How far a search may go, how far it is, and what it has found.

use super::board::Move;
use crate::error::{Error, Result};
use serde::Serialize;
use std::time::Duration;

/// The deepest search an engine takes on.
pub const MAX_DEPTH: u32 = 64;

/// How deep to search, and how long at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SplitLimit {
    pub(crate) depth: u32,
    pub(crate) time: Option<Duration>,
}

impl SplitLimit {
    /// So many plies, 1 to [`MAX_DEPTH`], however long it takes. Where all lines end before, the search ends, too.
    pub const fn depth(depth: u32) -> Self {
        Self { depth, time: None }
    }

    /// The same limit; after `time` the search ends with the deepest finished depth, which is at least 1.
    pub const fn within(self, time: Duration) -> Self {
        Self { time: Some(time), ..self }
    }

    /// Checks the depth.
    ///
    /// # Errors
    /// Bad input where it is out of range.
    pub fn validate(&self) -> Result<()> {
        if (1..=MAX_DEPTH).contains(&self.depth) {
            return Ok(());
        }
        Err(Error::invalid(format!("depth {}: give a number of plies from 1 to {MAX_DEPTH}", self.depth)))
    }
}

/// How large a search on the device is made; by default as suits the kind of adapter.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default)]
pub struct SplitSizes {
    /// Lanes that search side by side, rounded up to whole workgroups.
    pub workers: Option<u32>,
    /// Entries of the table of positions, rounded down to a power of two.
    pub table: Option<u32>,
    /// Nodes of the least tree that is left to the device.
    pub host_nodes: Option<u32>,
}

/// How far a search is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SplitProgress<'a> {
    /// The depth being searched, or the one that has just been finished.
    pub depth: u32,
    /// Nodes at this depth so far.
    pub nodes: u64,
    /// The depths that are finished.
    pub finished: &'a [DepthReport],
}

/// What one depth of iterative deepening found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DepthReport {
    /// Plies.
    pub depth: u32,
    /// The minimax value at this depth, from the side to move.
    pub score: i32,
    /// Every line that the score depends on was seen to end: the score is the same at any greater depth, and the
    /// position is solved. Where lines end without a full board an engine may need a ply or two more to see it.
    pub exact: bool,
    /// The moves both sides would play, the best one first; a game that is over has none.
    pub principal_variation: Vec<Move>,
    /// Nodes of this depth alone. On a device they differ from run to run.
    pub nodes: u64,
    /// Time of this depth alone.
    pub seconds: f64,
}

/// How the device's workers fared over a whole search.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WorkerReport {
    /// Workers, each a lane with a board and a stack of its own.
    pub count: u32,
    /// Device memory that holds one worker's state, in bytes: the board, the stack, and what it carries between
    /// two submissions.
    pub bytes: u32,
    /// The part of the workers' time that was spent on subtrees, 0 to 1: the work of all workers over the work of the
    /// longest one of each submission times the number of workers.
    pub busy: f64,
    /// Subtrees handed out, those among them that turned out not to be needed, or not to be legal.
    pub subtrees: u64,
    /// Submissions to the device.
    pub submissions: u64,
}

/// The outcome of a search.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SplitReport {
    /// One entry a depth, from 1 on; never empty, except that a game that is over has a single entry of depth 0.
    pub per_depth: Vec<DepthReport>,
    /// The device's workers, where it was the device that searched.
    pub workers: Option<WorkerReport>,
}

impl SplitReport {
    /// The deepest finished depth.
    pub fn last(&self) -> &DepthReport {
        self.per_depth.last().expect("a report has at least one depth")
    }

    /// The minimax value at the deepest finished depth.
    pub fn score(&self) -> i32 {
        self.last().score
    }

    /// Is the position [solved](DepthReport::exact)?
    pub fn is_exact(&self) -> bool {
        self.last().exact
    }

    /// A move whose minimax value is the score; none where the game is over.
    pub fn best(&self) -> Option<Move> {
        self.last().principal_variation.first().copied()
    }

    /// Nodes of all depths together.
    pub fn nodes(&self) -> u64 {
        self.per_depth.iter().map(|d| d.nodes).sum()
    }

    /// Time of all depths together.
    pub fn seconds(&self) -> f64 {
        self.per_depth.iter().map(|d| d.seconds).sum()
    }
}
