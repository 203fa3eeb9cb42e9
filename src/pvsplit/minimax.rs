//! Minimax without pruning: the definition, which the other engines are compared with.

use super::{
    board::{Board, Move},
    deepen::{AtDepth, Watch},
    report::{SplitLimit, SplitProgress, SplitReport},
};
use crate::error::Result;
use std::ops::ControlFlow;

/// [`minimax_with`] without progress.
///
/// # Errors
/// Bad input if the limit's depth is out of range.
pub fn minimax<B: Board>(board: &B, limit: SplitLimit) -> Result<SplitReport> {
    minimax_with(board, limit, |_| ControlFlow::Continue(()))
}

/// Plain negamax over every node. It shares only the rules with the other engines; leaves are made and evaluated one by
/// one. `progress` is called from time to time; `Break` ends the search like the end of its time.
///
/// # Errors
/// Bad input if the limit's depth is out of range.
pub fn minimax_with<B: Board>(
    board: &B,
    limit: SplitLimit,
    progress: impl FnMut(SplitProgress<'_>) -> ControlFlow<()>,
) -> Result<SplitReport> {
    let watch = Watch::new(board, limit, Box::new(progress))?;
    let mut run = Run { board: board.clone(), nodes: 0, open: false, watch };
    while let Some(depth) = run.watch.next_depth() {
        let found = run.search(depth);
        run.watch.take(found);
    }
    Ok(run.watch.report())
}

struct Run<'a, B> {
    board: B,
    nodes: u64,
    /// A line was cut off before the end of the game.
    open: bool,
    watch: Watch<'a>,
}

impl<B: Board> Run<'_, B> {
    fn search(&mut self, depth: u32) -> ControlFlow<(), AtDepth> {
        (self.nodes, self.open) = (0, false);
        let (score, mut line) = self.value(depth);
        line.reverse();
        if self.watch.stopped {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(AtDepth { score, line, nodes: self.nodes, exact: !self.open })
    }

    /// The value `depth` plies deep, and the first best line, last move first.
    fn value(&mut self, depth: u32) -> (i32, Vec<Move>) {
        let finished = self.board.finished();
        if depth == 0 {
            let value = self.board.leaf();
            self.open |= finished != Some(value);
            return (value, Vec::new());
        }
        if let Some(score) = finished {
            return (score, Vec::new());
        }
        let mut moves = Vec::new();
        self.board.legal_moves(&mut moves);
        let mut best: Option<(i32, Vec<Move>)> = None;
        for mv in moves {
            self.nodes += 1;
            let tick = self.nodes.is_multiple_of(1 << 18);
            // Every node on the way back up breaks off, too.
            if self.watch.stopped || (tick && self.watch.tick(self.nodes)) {
                break;
            }
            let undo = self.board.make(mv);
            let (value, mut line) = self.value(depth - 1);
            self.board.unmake(mv, undo);
            if best.as_ref().is_none_or(|(b, _)| -value > *b) {
                line.push(mv);
                best = Some((-value, line));
            }
        }
        best.unwrap_or_default()
    }
}
