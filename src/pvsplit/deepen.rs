//! Iterative deepening, the same for every engine: depth by depth, until the limit, the end of all lines, or the end of
//! the time.

use super::{
    board::{Board, Move},
    report::{DepthReport, SplitLimit, SplitProgress, SplitReport},
};
use crate::{error::Result, host::Instant};
use std::ops::ControlFlow;

/// Called from time to time; breaks to end the search. Not generic, so that a board's search is compiled once.
pub(super) type OnProgress<'a> = Box<dyn FnMut(SplitProgress<'_>) -> ControlFlow<()> + 'a>;

/// The result of a depth, or `Break` because the time is up.
pub(super) type Found<T> = Result<ControlFlow<(), T>>;

/// The result of a depth.
pub(super) struct AtDepth {
    /// In a window, a bound at or beyond its sides.
    pub score: i32,
    pub line: Vec<Move>,
    pub nodes: u64,
    pub exact: bool,
}

/// The state of a search: the next depth, the time limit, the progress, and the finished depths. An engine gets a
/// depth, searches to it, reports the result, and gets the next one.
pub(super) struct Watch<'a> {
    depths: u32,
    deadline: Option<Instant>,
    progress: OnProgress<'a>,
    /// The start of the current depth.
    began: Instant,
    /// Depth 1 is always finished, so that every report has a move.
    pub finished: Vec<DepthReport>,
    pub stopped: bool,
}

impl<'a> Watch<'a> {
    /// The state for a search of a board. If the game is over, so is the search.
    pub fn new(board: &impl Board, limit: SplitLimit, progress: OnProgress<'a>) -> Result<Self> {
        limit.validate()?;
        let began = Instant::now();
        let deadline = limit.time.and_then(|time| began.checked_add(time));
        let over = |score| AtDepth { score, line: Vec::new(), nodes: 0, exact: true }.report(0, 0.0);
        let finished = board.finished().map(over).into_iter().collect();
        Ok(Self { depths: limit.depth, deadline, progress, began, finished, stopped: false })
    }

    /// Begins the next depth; `None` after the end of the search.
    pub fn next_depth(&mut self) -> Option<u32> {
        let is_solved = self.finished.last().is_some_and(|last| last.exact);
        let depth = Some(self.finished.len() as u32 + 1).filter(|&depth| depth <= self.depths);
        self.began = Instant::now();
        depth.filter(|_| !self.stopped && !is_solved)
    }

    /// Whether the search has to end. Called every few milliseconds.
    pub fn tick(&mut self, nodes: u64) -> bool {
        let depth = self.finished.len() as u32 + 1;
        self.stopped |= self.is_over(depth, nodes) && depth > 1;
        self.stopped
    }

    /// Takes the result of the current depth; `Break` if the clock has stopped it.
    pub fn take(&mut self, found: ControlFlow<(), AtDepth>) {
        let ControlFlow::Continue(found) = found else { return };
        let (depth, nodes) = (self.finished.len() as u32 + 1, found.nodes);
        self.finished.push(found.report(depth, self.began.elapsed().as_secs_f64()));
        self.stopped |= self.is_over(depth, nodes);
    }

    /// The results of all depths.
    pub fn report(self) -> SplitReport {
        SplitReport { per_depth: self.finished, workers: None }
    }

    fn is_over(&mut self, depth: u32, nodes: u64) -> bool {
        let stopped = (self.progress)(SplitProgress { depth, nodes, finished: &self.finished }).is_break();
        stopped || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

impl AtDepth {
    fn report(self, depth: u32, seconds: f64) -> DepthReport {
        let Self { score, line, nodes, exact } = self;
        DepthReport { depth, score, exact, principal_variation: line, nodes, seconds }
    }
}
