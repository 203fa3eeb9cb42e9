//! Iterative deepening, the same for every engine: depth by depth, until the limit, the end of all lines, or the end of
//! the time.

use super::{
    board::{Board, Move},
    report::{DepthReport, SplitLimit, SplitProgress, SplitReport},
};
use crate::error::Result;
use std::{ops::ControlFlow, time::Instant};

/// What a search finds at a depth, or the order to end because the time is up.
pub(super) type Found<T> = Result<ControlFlow<(), T>>;

/// What is found at a depth.
pub(super) struct AtDepth {
    pub score: i32,
    pub line: Vec<Move>,
    pub nodes: u64,
    pub exact: bool,
}

/// What searches to one depth after the other.
pub(super) trait Engine<'a> {
    /// The clock it looks at.
    fn watch(&mut self) -> &mut Watch<'a>;
    /// Searches to a depth; `Break` where the clock has stopped it.
    fn search(&mut self, depth: u32) -> Found<AtDepth>;
}

/// The clock of a search: when to stop, whom to tell, and what is finished.
pub(super) struct Watch<'a> {
    deadline: Option<Instant>,
    progress: &'a mut dyn FnMut(SplitProgress<'_>) -> ControlFlow<()>,
    /// Depth 1 is always finished, so that every report holds a move.
    pub finished: Vec<DepthReport>,
    pub stopped: bool,
}

impl Watch<'_> {
    /// True once the search has to end; asked every few milliseconds.
    pub fn tick(&mut self, nodes: u64) -> bool {
        let depth = self.finished.len() as u32 + 1;
        self.stopped |= self.is_over(depth, nodes) && depth > 1;
        self.stopped
    }

    /// True where the search has to end, after a depth that is finished.
    fn end(&mut self, report: DepthReport) -> bool {
        let DepthReport { depth, nodes, exact, .. } = report;
        self.finished.push(report);
        self.stopped |= self.is_over(depth, nodes);
        self.stopped || exact
    }

    fn is_over(&mut self, depth: u32, nodes: u64) -> bool {
        let told = (self.progress)(SplitProgress { depth, nodes, finished: &self.finished }).is_break();
        told || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// Searches with the engine that `begin` makes for a clock, unless the game is over.
pub(super) fn deepen<'a, B: Board, E: Engine<'a>>(
    board: &B,
    limit: SplitLimit,
    progress: &'a mut dyn FnMut(SplitProgress<'_>) -> ControlFlow<()>,
    begin: impl FnOnce(Watch<'a>) -> E,
) -> Result<SplitReport> {
    limit.validate()?;
    let report = |per_depth| Ok(SplitReport { per_depth, workers: None });
    if let Some(score) = board.finished() {
        let over = AtDepth { score, line: Vec::new(), nodes: 0, exact: true };
        return report(vec![over.report(0, 0.0)]);
    }
    let deadline = limit.time.and_then(|time| Instant::now().checked_add(time));
    let mut engine = begin(Watch { deadline, progress, finished: Vec::new(), stopped: false });
    for depth in 1..=limit.depth {
        let start = Instant::now();
        let ControlFlow::Continue(found) = engine.search(depth)? else { break };
        let found = found.report(depth, start.elapsed().as_secs_f64());
        if engine.watch().end(found) {
            break;
        }
    }
    report(std::mem::take(&mut engine.watch().finished))
}

impl AtDepth {
    fn report(self, depth: u32, seconds: f64) -> DepthReport {
        let Self { score, line, nodes, exact } = self;
        DepthReport { depth, score, exact, principal_variation: line, nodes, seconds }
    }
}
