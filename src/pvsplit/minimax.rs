//! The definition, without any pruning: what the other engines are checked against.

use super::{Board, Budget, DepthReport, Move, Observer, Report, Watch};
use std::time::Instant;

/// Plain negamax over every node. It shares with the other engines the rules and nothing else; leaves are made and
/// evaluated one by one.
pub fn minimax<'a, B: Board>(board: &B, budget: Budget, observer: &'a mut Observer<'a>) -> Report {
    if let Some(score) = board.finished() {
        return Report::of_finished_game(score);
    }
    let mut run = Run { board: board.clone(), nodes: 0, watch: Watch::new(budget.time, observer) };
    let mut report = Report { per_depth: Vec::new(), workers: None };
    for depth in 1..=budget.depth.max(1) {
        let start = Instant::now();
        run.nodes = 0;
        let (score, mut line) = run.value(depth);
        if run.watch.stopped {
            break;
        }
        line.reverse();
        let seconds = start.elapsed().as_secs_f64();
        let found = DepthReport { depth, score, principal_variation: line, nodes: run.nodes, seconds };
        run.watch.finished(&found);
        report.per_depth.push(found);
        if run.watch.stopped {
            break;
        }
    }
    report
}

struct Run<'a, B> {
    board: B,
    nodes: u64,
    watch: Watch<'a>,
}

impl<B: Board> Run<'_, B> {
    /// The value `depth` plies deep, and the first best line, last move first.
    fn value(&mut self, depth: u32) -> (i32, Vec<Move>) {
        if let Some(score) = self.board.finished() {
            return (score, Vec::new());
        }
        if depth == 0 {
            return (self.board.evaluate(), Vec::new());
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
