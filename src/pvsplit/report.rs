//! The limit, the progress and the report of a search.

use super::board::Move;
use crate::error::{Error, Result};
use serde::Serialize;
use std::time::Duration;

/// The greatest depth of an engine.
pub const MAX_DEPTH: u32 = 64;

/// The depth of a search, and its time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SplitLimit {
    pub(crate) depth: u32,
    pub(crate) time: Option<Duration>,
}

impl SplitLimit {
    /// `depth` plies, 1 to [`MAX_DEPTH`], without a time limit. The search ends earlier if all lines end earlier.
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
    /// Bad input if it is out of range.
    pub fn validate(&self) -> Result<()> {
        if (1..=MAX_DEPTH).contains(&self.depth) {
            return Ok(());
        }
        Err(Error::invalid(format!("depth {}: give a number of plies from 1 to {MAX_DEPTH}", self.depth)))
    }
}

/// The sizes of a search on the device; the defaults depend on the kind of adapter.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default)]
pub struct SplitSizes {
    /// Lanes that search side by side, rounded up to whole workgroups.
    pub workers: Option<u32>,
    /// Entries of the table of positions, rounded down to a power of two.
    pub table: Option<u32>,
    /// The least nodes of a tree for the device.
    pub host_nodes: Option<u32>,
}

/// The progress of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SplitProgress<'a> {
    /// The depth being searched, or the one that has just been finished.
    pub depth: u32,
    /// Nodes at this depth so far.
    pub nodes: u64,
    /// The finished depths.
    pub finished: &'a [DepthReport],
}

/// The result of one depth of iterative deepening.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DepthReport {
    /// Plies.
    pub depth: u32,
    /// The minimax value at this depth, for the side to move.
    pub score: i32,
    /// Whether all lines end that the score depends on: the score is then the same at any greater depth, and the
    /// position is solved. In games that end before the board is full, it may take an engine one or two plies more.
    pub exact: bool,
    /// The principal variation, the best move first; empty if the game is over.
    pub principal_variation: Vec<Move>,
    /// Nodes of this depth alone. On a device they differ from run to run.
    pub nodes: u64,
    /// Time of this depth alone.
    pub seconds: f64,
}

/// Statistics of the device's workers over a whole search.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WorkerReport {
    /// Workers, each a lane with a board and a stack of its own.
    pub count: u32,
    /// Bytes of device memory of one worker's state: the board, the stack, and its saved scalars.
    pub bytes: u32,
    /// The part of the workers' time spent on subtrees, 0 to 1: the work of all workers over the work of the longest
    /// one of each submission times the number of workers.
    pub busy: f64,
    /// Subtrees of all waves, including those that were not needed, or not legal.
    pub subtrees: u64,
    /// Submissions to the device.
    pub submissions: u64,
}

/// The report of a search.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SplitReport {
    /// One entry a depth, from 1 on; never empty: a game that is over has a single entry of depth 0.
    pub per_depth: Vec<DepthReport>,
    /// The device's workers, if the device searched.
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

    /// Whether the position is [solved](DepthReport::exact).
    pub fn is_exact(&self) -> bool {
        self.last().exact
    }

    /// A move whose minimax value is the score; `None` if the game is over.
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
