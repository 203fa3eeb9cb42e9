//! Sequential principal-variation search on one core: iterative deepening, aspiration windows, null windows,
//! a transposition table, killer moves, history and static ordering, leaves evaluated without making the move.

use super::{
    board::{Board, INFINITY, Move},
    deepen::{AtDepth, Watch},
    report::{SplitLimit, SplitProgress, SplitReport},
    table::{Bound, Entry, Table},
};
use crate::error::Result;
use std::ops::ControlFlow::{self, Continue};

/// Half the width of the first window around the score of two plies before.
const ASPIRATION: i32 = 2;
/// Moves of a node that are picked best first; a node that can be cut off nearly always is by then.
const PICKED: usize = 8;
const NO_MOVE: Move = Move::MAX;

/// [`sequential_with`] without progress.
///
/// # Errors
/// Bad input if the limit's depth is out of range.
pub fn sequential<B: Board>(board: &B, limit: SplitLimit) -> Result<SplitReport> {
    sequential_with(board, limit, |_| Continue(()))
}

/// Principal-variation search on one core. `progress` is called from time to time; `Break` ends the search like the end
/// of its time.
///
/// # Errors
/// Bad input if the limit's depth is out of range.
pub fn sequential_with<B: Board>(
    board: &B,
    limit: SplitLimit,
    progress: impl FnMut(SplitProgress<'_>) -> ControlFlow<()>,
) -> Result<SplitReport> {
    let mut search = Search::new(board, limit.depth, Watch::new(board, limit, Box::new(progress))?);
    while let Some(depth) = search.watch.next_depth() {
        let found = search.search(depth);
        search.watch.take(found);
    }
    Ok(search.watch.report())
}

/// The same search for the small trees of PV-Split, to a greatest depth: in any window, without a time limit. Its
/// tables are kept from call to call.
pub(super) struct HostSearch<B>(Search<'static, B>);

impl<B: Board> HostSearch<B> {
    pub fn new(board: &B, depth: u32) -> Result<Self> {
        let watch = Watch::new(board, SplitLimit::depth(depth), Box::new(|_| Continue(())))?;
        Ok(Self(Search::new(board, depth, watch)))
    }

    pub fn value(&mut self, board: &B, depth: u32, alpha: i32, beta: i32) -> AtDepth {
        let Self(search) = self;
        search.board.clone_from(board);
        // Clears the lines of a deeper search.
        search.lines.iter_mut().for_each(Vec::clear);
        (search.nodes, search.next_tick, search.open) = (0, u64::MAX, false);
        // `Break` is impossible: the search has no time limit.
        let score = search.value(depth, 0, alpha, beta).continue_value().unwrap_or(alpha);
        search.found(score)
    }
}

/// A value, or `Break` because the time is up.
type Value = ControlFlow<(), i32>;

/// The moves of a node in their order: those that were good elsewhere first, and only if these have not cut the node
/// off, the list of all.
#[derive(Default)]
struct Picker {
    early: [Move; 3],
    early_len: usize,
    early_at: usize,
    listed: bool,
    moves: Vec<Move>,
    merits: Vec<i32>,
    at: usize,
}

struct Search<'a, B> {
    board: B,
    table: Table,
    /// Per ply, the two moves that cut off last.
    killers: Vec<[Move; 2]>,
    /// [side][move]: the sum of depth^2 over the nodes that the move cut off, at most 2^20.
    history: [Vec<i32>; 2],
    /// [ply]: the best line found from the node at this ply.
    lines: Vec<Vec<Move>>,
    pickers: Vec<Picker>,
    nodes: u64,
    next_tick: u64,
    /// Below this node a line was cut off before the end of the game.
    open: bool,
    watch: Watch<'a>,
}

impl<'a, B: Board> Search<'a, B> {
    fn new(board: &B, depth: u32, watch: Watch<'a>) -> Self {
        let plies = depth as usize + 1;
        Self {
            board: board.clone(),
            table: Table::new(),
            killers: vec![[NO_MOVE; 2]; plies],
            history: [vec![0; board.move_limit()], vec![0; board.move_limit()]],
            lines: vec![Vec::new(); plies + 1],
            pickers: (0..plies).map(|_| Picker::default()).collect(),
            nodes: 0,
            next_tick: 0,
            open: false,
            watch,
        }
    }

    fn search(&mut self, depth: u32) -> ControlFlow<(), AtDepth> {
        let guess = self.watch.finished.iter().nth_back(1).map(|finished| finished.score);
        (self.nodes, self.next_tick, self.open) = (0, 0, false);
        let score = self.root(depth, guess)?;
        Continue(self.found(score))
    }

    fn found(&self, score: i32) -> AtDepth {
        AtDepth { score, line: self.lines[0].clone(), nodes: self.nodes, exact: !self.open }
    }

    /// The value at a depth; its line is left in `lines[0]`.
    fn root(&mut self, depth: u32, guess: Option<i32>) -> Value {
        let (alpha, beta) = guess.map_or((-INFINITY, INFINITY), |g| (g - ASPIRATION, g + ASPIRATION));
        let score = self.value(depth, 0, alpha, beta)?;
        match score {
            _ if score <= alpha => self.value(depth, 0, -INFINITY, score + 1),
            _ if score >= beta => self.value(depth, 0, score - 1, INFINITY),
            _ => Continue(score),
        }
    }

    /// Fail-soft: a result inside the window is the value, one at or beyond a side is a bound on that side.
    fn value(&mut self, depth: u32, ply: usize, alpha: i32, beta: i32) -> Value {
        self.lines[ply].clear();
        if let Some(score) = self.board.finished() {
            return Continue(score);
        }
        self.check_time()?;
        if depth == 1 {
            self.open |= !self.board.is_last_ply();
            return Continue(self.best_leaf(ply, alpha, beta));
        }
        let key = self.board.key();
        let known = self.table.get(key, depth).copied();
        if let Some(entry) = known.filter(|entry| settles(entry, depth, alpha, beta)) {
            self.open |= entry.is_open();
            return Continue(entry.score);
        }
        let open_elsewhere = std::mem::take(&mut self.open);
        let mut picker = std::mem::take(&mut self.pickers[ply]);
        self.start_picker(&mut picker, ply, known.map(|e| e.best));
        let result = self.try_moves(&mut picker, depth, ply, alpha, beta);
        self.pickers[ply] = picker;
        let (best, score) = result?;
        let bound = match score {
            _ if score >= beta => Bound::AtLeast,
            _ if score <= alpha => Bound::AtMost,
            _ => Bound::Exact,
        };
        self.table.put(Entry::new(key, depth, self.open, bound, score, best));
        self.open |= open_elsewhere;
        Continue(score)
    }

    /// Tries the moves until one cuts off; returns the best with its value.
    fn try_moves(
        &mut self,
        picker: &mut Picker,
        depth: u32,
        ply: usize,
        alpha: i32,
        beta: i32,
    ) -> ControlFlow<(), (Move, i32)> {
        let (mut best, mut best_score) = (NO_MOVE, -INFINITY);
        while let Some(mv) = self.pick(picker) {
            let bar = alpha.max(best_score);
            let score = self.try_move(mv, depth, ply, bar, beta, best == NO_MOVE)?;
            if score > best_score {
                (best, best_score) = (mv, score);
                if score > alpha {
                    self.take_line(ply, mv);
                }
            }
            if score >= beta {
                self.credit(mv, depth, ply);
                break;
            }
        }
        Continue((best, best_score))
    }

    /// The first move gets the whole window; the others are first tested by a null window.
    fn try_move(&mut self, mv: Move, depth: u32, ply: usize, alpha: i32, beta: i32, first: bool) -> Value {
        self.nodes += 1;
        let undo = self.board.make(mv);
        let mut value = Continue(alpha + 1);
        if !first {
            value = self.child(depth, ply, alpha, alpha + 1);
        }
        if let Continue(v) = value
            && (first || v > alpha && v < beta)
        {
            value = self.child(depth, ply, alpha, beta);
        }
        self.board.unmake(mv, undo);
        value
    }

    fn child(&mut self, depth: u32, ply: usize, alpha: i32, beta: i32) -> Value {
        Continue(-self.value(depth - 1, ply + 1, -beta, -alpha)?)
    }

    /// The value of a node whose children are all leaves.
    fn best_leaf(&mut self, ply: usize, alpha: i32, beta: i32) -> i32 {
        let killer = self.killers[ply][0];
        if killer != NO_MOVE && self.board.is_legal(killer) {
            let score = self.board.value_after(killer);
            self.nodes += 1;
            if score >= beta {
                self.take_line(ply, killer);
                return score;
            }
        }
        let (best, score, leaves) = self.board.best_leaf(beta, &mut self.pickers[ply].moves);
        self.nodes += leaves;
        if score > alpha {
            self.take_line(ply, best);
        }
        if score >= beta {
            self.killers[ply][0] = best;
        }
        score
    }

    fn take_line(&mut self, ply: usize, mv: Move) {
        let (above, below) = self.lines.split_at_mut(ply + 1);
        above[ply].clear();
        above[ply].push(mv);
        above[ply].extend_from_slice(&below[0]);
    }

    fn credit(&mut self, mv: Move, depth: u32, ply: usize) {
        let killers = &mut self.killers[ply];
        if killers[0] != mv {
            *killers = [mv, killers[0]];
        }
        let merit = &mut self.history[self.board.side().index()][mv as usize];
        *merit = (*merit + (depth * depth) as i32).min(1 << 20);
    }

    fn start_picker(&self, picker: &mut Picker, ply: usize, known: Option<Move>) {
        let [first, second] = self.killers[ply];
        (picker.early_len, picker.early_at, picker.listed) = (0, 0, false);
        for mv in [known.unwrap_or(NO_MOVE), first, second] {
            if mv != NO_MOVE && !picker.early[..picker.early_len].contains(&mv) && self.board.is_legal(mv) {
                picker.early[picker.early_len] = mv;
                picker.early_len += 1;
            }
        }
    }

    fn pick(&self, picker: &mut Picker) -> Option<Move> {
        if picker.early_at < picker.early_len {
            picker.early_at += 1;
            return Some(picker.early[picker.early_at - 1]);
        }
        if !picker.listed {
            self.list_moves(picker);
        }
        if picker.at < PICKED {
            let rest = picker.merits.get(picker.at..)?;
            let (best, _) =
                rest.iter().enumerate().max_by_key(|&(i, &merit)| (merit, std::cmp::Reverse(i)))?;
            picker.merits.swap(picker.at, picker.at + best);
            picker.moves.swap(picker.at, picker.at + best);
        }
        picker.at += 1;
        picker.moves.get(picker.at - 1).copied()
    }

    fn list_moves(&self, picker: &mut Picker) {
        self.board.legal_moves(&mut picker.moves);
        let early = &picker.early[..picker.early_len];
        picker.moves.retain(|mv| !early.contains(mv));
        let history = &self.history[self.board.side().index()];
        let merit = |&mv: &Move| (self.board.order_value(mv) << 20) + history[mv as usize];
        picker.merits.clear();
        picker.merits.extend(picker.moves.iter().map(merit));
        (picker.listed, picker.at) = (true, 0);
    }

    fn check_time(&mut self) -> ControlFlow<()> {
        if self.nodes >= self.next_tick {
            self.next_tick = self.nodes + (1 << 18);
            self.watch.tick(self.nodes);
        }
        if self.watch.stopped { ControlFlow::Break(()) } else { Continue(()) }
    }
}

/// Whether an entry settles a node. Inside an open window only a search gives the line.
fn settles(entry: &Entry, depth: u32, alpha: i32, beta: i32) -> bool {
    let settles = match entry.bound {
        Bound::AtLeast => entry.score >= beta,
        Bound::AtMost => entry.score <= alpha,
        Bound::Exact => beta - alpha == 1,
    };
    settles && entry.depth() == depth
}
