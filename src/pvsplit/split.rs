//! PV-Split: the principal variation on the host, its siblings on the device.
//!
//! At a node of the principal variation the left-most child is searched first and sets the window (alpha). Its siblings
//! are then searched side by side. Near the leaves each sibling is one subtree. Higher up that would be too few and too
//! uneven, so the siblings' own upper plies are split, too (`src/pvsplit/tree.rs`). A sibling that turns out better is
//! searched again, as a principal variation of its own. Trees that one core searches in less time than a device takes
//! to start are left to the host (`src/pvsplit/sequential.rs`).

use super::{
    board::{DeviceBoard, INFINITY, Move},
    deepen::{AtDepth, Found, OnProgress, Watch},
    layout::{MAX_PATH, SplitNode},
    report::{SplitLimit, SplitProgress, SplitReport, SplitSizes},
    sequential::HostSearch,
    tree::{Credit, MAX_SUBTREES, Tree, Wave, merit},
    workers::Workers,
};
use crate::{
    device::Device,
    error::{Error, Result},
};
use std::{
    cmp::Reverse,
    ops::ControlFlow::{self, Break, Continue},
};

/// The greatest depth at which each sibling is one subtree, for boards whose last plies are searched move by move.
const FLAT: u32 = 3;
/// Trees with fewer nodes than this, with all moves everywhere and in the best order, are left to the host: some tenths
/// of a millisecond, the time of a nearly empty wave.
const HOST_NODES: u32 = 1 << 14;
/// Nodes of a subtree that a worker searches quickly, counted like `HOST_NODES`, without the plies of `board_glance`.
const SOON: u32 = 1 << 14;

macro_rules! unless_stopped {
    ($found:expr) => {
        match $found? {
            Continue(found) => found,
            Break(()) => return Ok(Break(())),
        }
    };
}

/// Principal-variation splitting on a device, for boards of one kind and size.
///
/// ```
/// use mcts_wgpu::{Engine, pvsplit::{GoBoard, PvSplit, SplitLimit, sequential}};
///
/// let (board, limit) = (GoBoard::centre(5)?, SplitLimit::depth(3));
/// // The best GPU: without one, one core finds the same score.
/// let report = match Engine::auto().devices() {
///     Some(devices) => PvSplit::new(&devices[0], &board, 3, None)?.run(&board, limit)?,
///     None => sequential(&board, limit)?,
/// };
/// assert_eq!(report.score(), 0);
/// # Ok::<(), mcts_wgpu::Error>(())
/// ```
#[derive(Debug)]
pub struct PvSplit<B> {
    workers: Workers<B>,
    host_nodes: u32,
}

impl<B: DeviceBoard> PvSplit<B> {
    /// [`new`](Self::new) for async programs. Compiling blocks the thread.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub async fn new_async(device: &Device, like: &B, max_depth: u32, workers: Option<u32>) -> Result<Self> {
        Self::sized(device, like, max_depth, SplitSizes { workers, ..SplitSizes::default() }).await
    }

    /// The same with other sizes than the adapter's defaults, for tests.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    #[doc(hidden)]
    pub async fn sized(device: &Device, like: &B, max_depth: u32, sizes: SplitSizes) -> Result<Self> {
        SplitLimit::depth(max_depth).validate()?;
        let host_nodes = sizes.host_nodes.unwrap_or(HOST_NODES);
        Ok(Self { workers: Workers::new(device, like, max_depth, sizes).await?, host_nodes })
    }

    /// [`run_with`](Self::run_with) for async programs. The future blocks its thread for a millisecond at a time while
    /// the device works. If it is dropped before its end, the run has no result; the next one is complete.
    ///
    /// # Errors
    /// As [`run_with`](Self::run_with).
    pub async fn run_async(
        &mut self,
        board: &B,
        limit: SplitLimit,
        progress: impl FnMut(SplitProgress<'_>) -> ControlFlow<()>,
    ) -> Result<SplitReport> {
        self.watched(board, limit, Box::new(progress)).await
    }

    async fn watched(
        &mut self,
        board: &B,
        limit: SplitLimit,
        progress: OnProgress<'_>,
    ) -> Result<SplitReport> {
        if !self.workers.take(board, limit.depth) {
            return Err(Error::invalid(format!(
                "the search was compiled for another board, or for {} plies only: make a new one",
                self.workers.max_depth()
            )));
        }
        let credit = || vec![0; board.move_limit()];
        let mut split = Split {
            workers: &mut self.workers,
            host_nodes: self.host_nodes,
            host: HostSearch::new(board, limit.depth)?,
            board: board.clone(),
            watch: Watch::new(board, limit, progress)?,
            credit: [credit(), credit()],
            hint: Vec::new(),
            nodes: 0,
            open: false,
        };
        while let Some(depth) = split.watch.next_depth() {
            let found = split.search(depth).await?;
            split.watch.take(found);
        }
        let mut report = split.watch.report();
        if report.last().depth > 0 {
            report.workers = Some(self.workers.report());
        }
        Ok(report)
    }
}

/// Nodes of the smallest tree that proves a value, with this many moves everywhere.
fn least_nodes(moves: u32, depth: u32) -> u32 {
    let one_side = |plies: u32| moves.saturating_pow(plies);
    one_side(depth.div_ceil(2)).saturating_add(one_side(depth / 2))
}

/// A value (exact inside the window, else a bound) and the line that leads to it.
type Valued = (i32, Vec<Move>);

/// The result of a test of the siblings against alpha.
enum Verdict {
    NoneBetter,
    /// The value of this sibling is above alpha.
    Better(Move),
    /// The split tree has its greatest size, and this sibling is undecided.
    Open(Move),
}

struct Split<'a, 'p, B> {
    workers: &'a mut Workers<B>,
    host_nodes: u32,
    host: HostSearch<B>,
    board: B,
    watch: Watch<'p>,
    credit: Credit,
    /// The line of the depth before, to be tried first.
    hint: Vec<Move>,
    nodes: u64,
    /// A line was cut off before the end of the game.
    open: bool,
}

impl<B: DeviceBoard> Split<'_, '_, B> {
    async fn search(&mut self, depth: u32) -> Found<AtDepth> {
        (self.nodes, self.open) = (0, false);
        let hint = std::mem::take(&mut self.hint);
        self.upload_order(&hint);
        let (score, line) = unless_stopped!(self.value(depth, -INFINITY, INFINITY, &hint).await);
        self.hint = line.clone();
        Ok(Continue(AtDepth { score, line, nodes: self.nodes, exact: !self.open }))
    }

    /// The value of the board; `hint` is the line to try first.
    async fn value(&mut self, depth: u32, alpha: i32, beta: i32, hint: &[Move]) -> Found<Valued> {
        if let Some(score) = self.board.finished() {
            return Ok(Continue((score, Vec::new())));
        }
        let mut moves = self.ordered_moves(hint.first().copied());
        if depth == 1 || least_nodes(self.workers.order_length() as u32, depth) < self.host_nodes {
            let AtDepth { score, line, nodes, exact } = self.host.value(&self.board, depth, alpha, beta);
            self.nodes += nodes;
            self.open |= !exact;
            return Ok(Continue((score, line)));
        }
        let first = moves.remove(0);
        let below = hint.get(1..).unwrap_or_default();
        let best = unless_stopped!(self.value_of(first, depth, alpha, beta, below).await);
        if best.0 >= beta || moves.is_empty() {
            return Ok(Continue(best));
        }
        // The plies of `board_glance` are cheap: the others count as fewer.
        if depth < FLAT + self.workers.glance_plies().max(1) {
            return self.flat_siblings(moves, depth, best, alpha, beta).await;
        }
        self.split_siblings(moves, depth, best, alpha, beta).await
    }

    /// The value of a move for its player.
    async fn value_of(
        &mut self,
        mv: Move,
        depth: u32,
        alpha: i32,
        beta: i32,
        hint: &[Move],
    ) -> Found<Valued> {
        self.nodes += 1;
        let undo = self.board.make(mv);
        let found = Box::pin(self.value(depth - 1, -beta, -alpha, hint)).await;
        self.board.unmake(mv, undo);
        let (value, below) = unless_stopped!(found);
        Ok(Continue((-value, [vec![mv], below].concat())))
    }

    /// Legal moves: the hinted one, then by estimated order and credit.
    fn ordered_moves(&self, hint: Option<Move>) -> Vec<Move> {
        let mut moves = Vec::new();
        self.board.legal_moves(&mut moves);
        moves.sort_by_cached_key(|&mv| Reverse((Some(mv) == hint, merit(&self.board, &self.credit, mv))));
        moves
    }

    /// Uploads the common order of the workers' moves, by the root and the position one move later.
    fn upload_order(&mut self, hint: &[Move]) {
        let side = self.board.side().index();
        let mut orders = [Vec::new(), Vec::new()];
        orders[side] = self.complete_order();
        let mv = self.ordered_moves(hint.first().copied())[0];
        let undo = self.board.make(mv);
        orders[1 - side] = self.complete_order();
        self.board.unmake(mv, undo);
        self.workers.set_order(&orders.concat());
    }

    fn complete_order(&self) -> Vec<u32> {
        let key = |&mv: &Move| {
            let legal = self.board.finished().is_none() && self.board.is_legal(mv);
            Reverse((legal, if legal { merit(&self.board, &self.credit, mv) } else { 0 }))
        };
        let mut moves: Vec<Move> = (0..self.workers.order_length() as Move).collect();
        moves.sort_by_cached_key(key);
        moves.into_iter().map(|mv| self.board.device_move(mv)).collect()
    }

    /// Every sibling is a subtree; with each result, the device narrows the window of those still searched.
    async fn flat_siblings(
        &mut self,
        moves: Vec<Move>,
        depth: u32,
        best: Valued,
        alpha: i32,
        beta: i32,
    ) -> Found<Valued> {
        let (mut best, mut searched) = (best, Vec::new());
        for mv in moves {
            match self.board.value_if_over(mv) {
                Some(value) if value > best.0 => best = (value, vec![mv]),
                Some(_) => {}
                None => searched.push(mv),
            }
        }
        let alpha = alpha.max(best.0);
        if alpha >= beta || searched.is_empty() {
            return Ok(Continue(best));
        }
        let mut nodes =
            [SplitNode { parent: 0, move_in: 0, value: -INFINITY, pending: searched.len() as u32 }];
        let entries: Vec<u32> = searched.iter().map(|&mv| self.board.device_move(mv)).collect();
        let mut wave =
            Wave { path: 1, depth: depth - 1, alpha, beta, nodes: &mut nodes, entries: &entries, fan: 1 };
        self.open |=
            unless_stopped!(self.workers.run(&self.board, &mut wave, &mut self.nodes, &mut self.watch).await);
        if nodes[0].value <= alpha {
            return Ok(Continue(best));
        }
        let outcomes = self.workers.outcomes(searched.len()).await?;
        let ranked = searched.iter().zip(&outcomes).rev();
        let better = ranked.filter(|(_, o)| o.exact == 1 || o.value >= beta).max_by_key(|(_, o)| o.value);
        Ok(Continue(match better {
            Some((&mv, outcome)) if outcome.value < beta => {
                let reply = self.board.host_move(outcome.best);
                (outcome.value, self.complete_line(vec![mv, reply], depth))
            }
            Some((&mv, outcome)) => (outcome.value, vec![mv]),
            None => best,
        }))
    }

    /// Adds the last plies to a line that is short of `depth`.
    fn complete_line(&mut self, mut line: Vec<Move>, depth: u32) -> Vec<Move> {
        let mut board = self.board.clone();
        for &mv in &line {
            board.make(mv);
        }
        let left = depth - line.len() as u32;
        if left > 0 && board.finished().is_none() {
            line.extend(self.host.value(&board, left, -INFINITY, INFINITY).line);
        }
        line
    }

    /// Tests siblings against alpha in split trees; one that is better is searched by itself and raises alpha.
    async fn split_siblings(
        &mut self,
        mut moves: Vec<Move>,
        depth: u32,
        mut best: Valued,
        alpha: i32,
        beta: i32,
    ) -> Found<Valued> {
        let width = moves.len();
        while !moves.is_empty() && best.0 < beta {
            let bar = alpha.max(best.0);
            let (better, proven) = match unless_stopped!(self.test(&mut moves, width, depth, bar).await) {
                Verdict::NoneBetter => break,
                Verdict::Better(mv) => (mv, true),
                Verdict::Open(mv) => (mv, false),
            };
            moves.retain(|&mv| mv != better);
            if proven && bar + 1 == beta {
                return Ok(Continue((beta, vec![better])));
            }
            let found = unless_stopped!(self.value_of(better, depth, bar, beta, &[]).await);
            if found.0 > best.0 {
                best = found;
            }
        }
        Ok(Continue(best))
    }

    /// Whether a sibling is worth more than `alpha`. Removes the others from `moves`.
    async fn test(&mut self, moves: &mut Vec<Move>, width: usize, depth: u32, alpha: i32) -> Found<Verdict> {
        let path = self.path_length(moves.len(), width, depth);
        let mut tree = Tree::new(path, alpha, self.workers.order_length() as u32);
        tree.grow_root(&mut self.board, &self.credit, moves);
        while tree.is_open() {
            let widened = tree.widen_refuted(&mut self.board, &self.credit);
            if tree.entries.is_empty() {
                if widened {
                    continue;
                }
                break;
            }
            self.nodes += std::mem::take(&mut tree.made);
            let mut wave = Wave {
                path,
                depth: depth - path,
                alpha,
                beta: alpha + 1,
                nodes: &mut tree.nodes,
                entries: &tree.entries,
                fan: tree.fan,
            };
            self.open |= unless_stopped!(
                self.workers.run(&self.board, &mut wave, &mut self.nodes, &mut self.watch).await
            );
            tree.entries.clear();
        }
        tree.give_credit(&self.board, &mut self.credit);
        let low = tree.low_siblings(&self.board);
        moves.retain(|mv| !low.contains(mv));
        Ok(Continue(match (tree.better_sibling(&self.board), moves.first()) {
            (Some(better), _) => Verdict::Better(better),
            (None, Some(&open)) => Verdict::Open(open),
            (None, None) => Verdict::NoneBetter,
        }))
    }

    /// Plies of the split tree where nodes have about `width` moves: odd, and the least number with subtrees that a
    /// worker can search quickly. A longer path splits the tree in more parts, but orders its moves by less
    /// information.
    fn path_length(&self, siblings: usize, width: usize, depth: u32) -> u32 {
        let (mut path, mut subtrees) = (3, siblings * width);
        while path + 2 <= MAX_PATH.min(depth - 1)
            && least_nodes(width as u32, (depth - path).saturating_sub(self.workers.glance_plies())) > SOON
            && subtrees * 8 < self.workers.count() as usize
            && subtrees * width < MAX_SUBTREES / 2
        {
            path += 2;
            subtrees *= width;
        }
        path
    }
}
