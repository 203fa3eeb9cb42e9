//! Iterative deepening, the same for every engine: depth by depth, until the limit, the end of all lines, or the end of
//! the time.

use super::{
    board::{Board, Move},
    report::{DepthReport, SplitLimit, SplitProgress, SplitReport},
};
use crate::{error::Result, host::Instant};
use std::ops::ControlFlow;

/// What a search finds at a depth, or the order to end because the time is up.
pub(super) type Found<T> = Result<ControlFlow<(), T>>;

/// What is found at a depth.
pub(super) struct AtDepth {
    pub score: i32,
    pub line: Vec<Move>,
    pub nodes: u64,
    pub exact: bool,
}

/// The clock of a search: which depth comes next, when to stop, whom to tell, and what is finished. An engine asks for
/// a depth, searches to it, hands over what it has found, and asks for the next one.
pub(super) struct Watch<P> {
    depths: u32,
    deadline: Option<Instant>,
    progress: P,
    /// When the depth under way was begun.
    began: Instant,
    /// Depth 1 is always finished, so that every report holds a move.
    pub finished: Vec<DepthReport>,
    pub stopped: bool,
}

impl<P: FnMut(SplitProgress<'_>) -> ControlFlow<()>> Watch<P> {
    /// The clock of a search of a board. Where the game is over, the search is, too.
    pub fn new(board: &impl Board, limit: SplitLimit, progress: P) -> Result<Self> {
        limit.validate()?;
        let began = Instant::now();
        let deadline = limit.time.and_then(|time| began.checked_add(time));
        let over = |score| AtDepth { score, line: Vec::new(), nodes: 0, exact: true }.report(0, 0.0);
        let finished = board.finished().map(over).into_iter().collect();
        Ok(Self { depths: limit.depth, deadline, progress, began, finished, stopped: false })
    }

    /// Begins the next depth; none where the search has ended.
    pub fn next_depth(&mut self) -> Option<u32> {
        let is_solved = self.finished.last().is_some_and(|last| last.exact);
        let depth = Some(self.finished.len() as u32 + 1).filter(|&depth| depth <= self.depths);
        self.began = Instant::now();
        depth.filter(|_| !self.stopped && !is_solved)
    }

    /// True once the search has to end; asked every few milliseconds.
    pub fn tick(&mut self, nodes: u64) -> bool {
        let depth = self.finished.len() as u32 + 1;
        self.stopped |= self.is_over(depth, nodes) && depth > 1;
        self.stopped
    }

    /// Takes what was found at the depth under way; `Break` where the clock has stopped it.
    pub fn take(&mut self, found: ControlFlow<(), AtDepth>) {
        let ControlFlow::Continue(found) = found else { return };
        let (depth, nodes) = (self.finished.len() as u32 + 1, found.nodes);
        self.finished.push(found.report(depth, self.began.elapsed().as_secs_f64()));
        self.stopped |= self.is_over(depth, nodes);
    }

    /// What all depths have found.
    pub fn report(self) -> SplitReport {
        SplitReport { per_depth: self.finished, workers: None }
    }

    fn is_over(&mut self, depth: u32, nodes: u64) -> bool {
        let told = (self.progress)(SplitProgress { depth, nodes, finished: &self.finished }).is_break();
        told || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

impl AtDepth {
    fn report(self, depth: u32, seconds: f64) -> DepthReport {
        let Self { score, line, nodes, exact } = self;
        DepthReport { depth, score, exact, principal_variation: line, nodes, seconds }
    }
}
