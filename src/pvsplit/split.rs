//! PV-Split, the part on the host: the principal variation, the upper plies of its siblings, and what becomes of them.
//!
//! At a node of the principal variation the left-most child is searched first and sets the window (alpha). Its
//! siblings are then searched side by side. Near the leaves each sibling is one subtree. Higher up that would be too
//! few and too uneven, so the siblings' own upper plies are split too: a *split tree*, by whose odd plies the
//! opponent tries to show that a sibling is no better than alpha, with one reply at a time at first (young brothers
//! wait), and by whose even plies every move has to be answered.
//!
//! ```text
//!  0  node on the principal variation        maximising: all siblings
//!  1    sibling                              minimising: one reply, then two, four, ... if it is refuted
//!  2      reply                              maximising: all moves
//!  3        subtree                          searched by one worker, window (alpha, alpha + 1)
//! ```
//!
//! The minimising nodes between are asked one question, at most alpha or not, which needs counting only and is
//! therefore settled on the device without a word to the host. A sibling that turns out better is searched again, as
//! a principal variation of its own.

use super::gpu::{DeviceBoard, Gpu, MAX_NODES, MAX_PATH, MAX_SUBTREES, MOVE_BITS, Node, Wave};
use super::{DepthReport, INFINITY, Move, Report, Watch};
use crate::error::Result;
use std::cmp::Reverse;
use std::ops::ControlFlow::{self, Break, Continue};
use std::time::Instant;

/// Down to this depth each sibling is one subtree.
const FLAT: u32 = 3;

/// Iterative deepening.
pub(super) fn search<B: DeviceBoard>(
    gpu: &mut Gpu<B>,
    board: &B,
    depth: u32,
    watch: Watch<'_>,
) -> Result<Report> {
    let credit = [vec![0; board.move_limit()], vec![0; board.move_limit()]];
    let mut split = Split { gpu, board: board.clone(), watch, credit, nodes: 0 };
    let mut report = Report { per_depth: Vec::new(), workers: None };
    let mut hint = Vec::new();
    for depth in 1..=depth {
        let start = Instant::now();
        split.nodes = 0;
        split.upload_order(&hint);
        let Continue((score, line)) = split.value(depth, -INFINITY, INFINITY, &hint)? else { break };
        let seconds = start.elapsed().as_secs_f64();
        let found =
            DepthReport { depth, score, principal_variation: line.clone(), nodes: split.nodes, seconds };
        hint = line;
        split.watch.finished(&found);
        report.per_depth.push(found);
        if split.watch.stopped {
            break;
        }
    }
    Ok(report)
}

/// Something found, or the order to end because the time is up.
type Found<T> = Result<ControlFlow<(), T>>;
/// A value (exact inside the window, else a bound) and the line that leads to it.
type Valued = (i32, Vec<Move>);

macro_rules! unless_stopped {
    ($found:expr) => {
        match $found? {
            Continue(found) => found,
            Break(()) => return Ok(Break(())),
        }
    };
}

/// What a test of the siblings against alpha has shown.
enum Verdict {
    NoneBetter,
    /// This one is better.
    Better(Move),
    /// The split tree has grown as large as it may, and this sibling is not decided.
    Open(Move),
}

struct Split<'a, 'w, B: DeviceBoard> {
    gpu: &'a mut Gpu<B>,
    board: B,
    watch: Watch<'w>,
    /// Per side and move: how many nodes it has settled.
    credit: [Vec<i32>; 2],
    nodes: u64,
}

impl<B: DeviceBoard> Split<'_, '_, B> {
    /// The value of the board as it stands; `hint` is the line to try first.
    fn value(&mut self, depth: u32, alpha: i32, beta: i32, hint: &[Move]) -> Found<Valued> {
        if let Some(score) = self.board.finished() {
            return Ok(Continue((score, Vec::new())));
        }
        let mut moves = self.ordered_moves(hint.first().copied());
        if depth == 1 {
            let (best, value, leaves) = self.board.best_leaf(beta, &mut moves);
            self.nodes += leaves;
            return Ok(Continue((value, vec![best])));
        }
        let first = moves.remove(0);
        let below = hint.get(1..).unwrap_or_default();
        let best = unless_stopped!(self.value_of(first, depth, alpha, beta, below));
        if best.0 >= beta || moves.is_empty() {
            return Ok(Continue(best));
        }
        match depth {
            0..=FLAT => self.flat_siblings(moves, depth, best, alpha, beta),
            _ => self.split_siblings(moves, depth, best, alpha, beta),
        }
    }

    /// The value of a move for its player.
    fn value_of(&mut self, mv: Move, depth: u32, alpha: i32, beta: i32, hint: &[Move]) -> Found<Valued> {
        self.nodes += 1;
        let undo = self.board.make(mv);
        let found = self.value(depth - 1, -beta, -alpha, hint);
        self.board.unmake(mv, undo);
        let (value, below) = unless_stopped!(found);
        Ok(Continue((-value, [vec![mv], below].concat())))
    }

    /// Legal moves: the hinted one, then by promise and credit.
    fn ordered_moves(&self, hint: Option<Move>) -> Vec<Move> {
        let mut moves = Vec::new();
        self.board.legal_moves(&mut moves);
        moves.sort_by_cached_key(|&mv| Reverse((Some(mv) == hint, merit(&self.board, &self.credit, mv))));
        moves
    }

    /// The common order of the workers' moves, as it looks at the root and one move later.
    fn upload_order(&mut self, hint: &[Move]) {
        let side = self.board.side().index();
        let mut orders = [Vec::new(), Vec::new()];
        orders[side] = self.complete_order();
        let mv = self.ordered_moves(hint.first().copied())[0];
        let undo = self.board.make(mv);
        orders[1 - side] = self.complete_order();
        self.board.unmake(mv, undo);
        self.gpu.set_order(&orders.concat());
    }

    fn complete_order(&self) -> Vec<u32> {
        let key = |&mv: &Move| {
            let legal = self.board.finished().is_none() && self.board.is_legal(mv);
            Reverse((legal, if legal { merit(&self.board, &self.credit, mv) } else { 0 }))
        };
        let mut moves: Vec<Move> = (0..self.gpu.order_length() as Move).collect();
        moves.sort_by_cached_key(key);
        moves.into_iter().map(|mv| self.board.device_move(mv)).collect()
    }

    /// Every sibling is a subtree; as results come in, the device narrows the window of those still searched.
    fn flat_siblings(
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
        let mut nodes = [Node { parent: 0, move_in: 0, value: -INFINITY, pending: searched.len() as u32 }];
        let subtrees: Vec<u32> = searched.iter().map(|&mv| self.board.device_move(mv)).collect();
        let mut wave =
            Wave { path: 1, depth: depth - 1, alpha, beta, nodes: &mut nodes, subtrees: &subtrees };
        self.nodes += subtrees.len() as u64;
        unless_stopped!(self.gpu.run(&self.board, &mut wave, &mut self.nodes, &mut self.watch));
        if nodes[0].value <= alpha {
            return Ok(Continue(best));
        }
        let outcomes = self.gpu.outcomes(searched.len())?;
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

    /// Adds the last ply to a line that is one move short of `depth`.
    fn complete_line(&self, mut line: Vec<Move>, depth: u32) -> Vec<Move> {
        let mut board = self.board.clone();
        for &mv in &line {
            board.make(mv);
        }
        if line.len() < depth as usize && board.finished().is_none() {
            line.push(board.best_leaf(INFINITY, &mut Vec::new()).0);
        }
        line
    }

    /// Siblings are tested against alpha in split trees; one that is better is searched by itself and raises alpha.
    fn split_siblings(
        &mut self,
        mut moves: Vec<Move>,
        depth: u32,
        mut best: Valued,
        alpha: i32,
        beta: i32,
    ) -> Found<Valued> {
        while !moves.is_empty() && best.0 < beta {
            let bar = alpha.max(best.0);
            let (better, proven) = match unless_stopped!(self.test(&mut moves, depth, bar)) {
                Verdict::NoneBetter => break,
                Verdict::Better(mv) => (mv, true),
                Verdict::Open(mv) => (mv, false),
            };
            moves.retain(|&mv| mv != better);
            if proven && bar + 1 == beta {
                return Ok(Continue((beta, vec![better])));
            }
            let found = unless_stopped!(self.value_of(better, depth, bar, beta, &[]));
            if found.0 > best.0 {
                best = found;
            }
        }
        Ok(Continue(best))
    }

    /// Is a sibling worth more than `alpha`? Those shown to be worth no more leave `moves`.
    fn test(&mut self, moves: &mut Vec<Move>, depth: u32, alpha: i32) -> Found<Verdict> {
        let path = self.path_length(moves.len(), depth);
        let mut tree = Tree::new(path, alpha);
        tree.grow_root(&mut self.board, &self.credit, moves);
        while tree.is_open() {
            let widened = tree.widen_refuted(&mut self.board, &self.credit);
            if tree.subtrees.is_empty() {
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
                subtrees: &tree.subtrees,
            };
            unless_stopped!(self.gpu.run(&self.board, &mut wave, &mut self.nodes, &mut self.watch));
            tree.subtrees.clear();
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

    /// Plies of the split tree: odd, so many that the workers have several subtrees each.
    fn path_length(&self, siblings: usize, depth: u32) -> u32 {
        let (mut path, mut subtrees) = (3, siblings * siblings);
        while path + 2 <= MAX_PATH.min(depth - 1)
            && subtrees * 8 < self.gpu.workers() as usize
            && subtrees * siblings < MAX_SUBTREES / 2
        {
            path += 2;
            subtrees *= siblings;
        }
        path
    }
}

fn merit<B: DeviceBoard>(board: &B, credit: &[Vec<i32>; 2], mv: Move) -> i64 {
    (i64::from(board.promise(mv)) << 32) + i64::from(credit[board.side().index()][mv as usize])
}

/// A split tree: nodes for the device, and beside each minimising one the replies that have not been tried.
struct Tree {
    path: u32,
    alpha: i32,
    nodes: Vec<Node>,
    untried: Vec<Vec<Move>>,
    tried: Vec<usize>,
    subtrees: Vec<u32>,
    /// A sibling that ends the game and is better than alpha.
    ended_better: Option<Move>,
    /// Siblings that end the game and are not.
    ended_low: Vec<Move>,
    made: u64,
}

impl Tree {
    fn new(path: u32, alpha: i32) -> Self {
        Self {
            path,
            alpha,
            nodes: Vec::new(),
            untried: Vec::new(),
            tried: Vec::new(),
            subtrees: Vec::new(),
            ended_better: None,
            ended_low: Vec::new(),
            made: 0,
        }
    }

    fn beta(&self) -> i32 {
        self.alpha + 1
    }

    fn is_open(&self) -> bool {
        self.nodes[0].value < self.beta() && self.nodes[0].pending > 0
    }

    fn add(&mut self, parent: u32, move_in: u32, value: i32, untried: Vec<Move>) -> u32 {
        // The one that is pending is the node itself, until all its children are known.
        self.nodes.push(Node { parent, move_in, value, pending: 1 });
        self.untried.push(untried);
        self.tried.push(0);
        self.made += 1;
        self.nodes.len() as u32 - 1
    }

    fn grow_root<B: DeviceBoard>(&mut self, board: &mut B, credit: &[Vec<i32>; 2], moves: &[Move]) {
        self.add(0, 0, -INFINITY, Vec::new());
        for &mv in moves {
            match board.value_if_over(mv) {
                Some(value) if value > self.alpha => self.ended_better = Some(mv),
                Some(_) => self.ended_low.push(mv),
                None => self.grow_child(board, credit, 0, mv, 1),
            }
        }
        if self.ended_better.is_some() {
            self.nodes[0].value = self.beta();
        }
        self.child_is_low(0);
    }

    /// A maximising node: every move of it has to be answered.
    fn grow_maximising<B: DeviceBoard>(
        &mut self,
        board: &mut B,
        credit: &[Vec<i32>; 2],
        parent: u32,
        move_in: u32,
        ply: u32,
    ) {
        let node = self.add(parent, move_in, -INFINITY, Vec::new());
        let mut moves = Vec::new();
        board.legal_moves(&mut moves);
        for mv in moves {
            match board.value_if_over(mv) {
                Some(value) if value > self.alpha => {
                    self.child_is_high(node);
                    return;
                }
                Some(_) => {}
                None => self.grow_child(board, credit, node, mv, ply + 1),
            }
        }
        self.child_is_low(node);
    }

    /// A child of a maximising node: a subtree, or a minimising node with its first reply.
    fn grow_child<B: DeviceBoard>(
        &mut self,
        board: &mut B,
        credit: &[Vec<i32>; 2],
        parent: u32,
        mv: Move,
        ply: u32,
    ) {
        self.nodes[parent as usize].pending += 1;
        let move_in = board.device_move(mv);
        if ply == self.path {
            self.made += 1;
            self.subtrees.push(parent << MOVE_BITS | move_in);
            return;
        }
        let undo = board.make(mv);
        let mut replies = Vec::new();
        board.legal_moves(&mut replies);
        let node = self.add(parent, move_in, INFINITY, replies);
        self.widen(board, credit, node, ply, 1);
        board.unmake(mv, undo);
    }

    /// Tries so many more replies at a minimising node, the best looking first.
    fn widen<B: DeviceBoard>(
        &mut self,
        board: &mut B,
        credit: &[Vec<i32>; 2],
        node: u32,
        ply: u32,
        count: usize,
    ) {
        let at = node as usize;
        for _ in 0..count {
            if self.is_full(3) {
                return;
            }
            let replies = self.untried[at].iter().enumerate();
            let best = replies.max_by_key(|&(i, &mv)| (merit(board, credit, mv), Reverse(i)));
            let Some((index, &mv)) = best else { break };
            self.untried[at].swap_remove(index);
            self.tried[at] += 1;
            match board.value_if_over(mv) {
                Some(value) if -value <= self.alpha => return self.is_low(node),
                Some(_) => {}
                None => {
                    self.nodes[at].pending += 1;
                    let undo = board.make(mv);
                    self.grow_maximising(board, credit, node, board.device_move(mv), ply + 1);
                    board.unmake(mv, undo);
                }
            }
        }
        if self.untried[at].is_empty() {
            self.reply_is_refuted(node);
        }
    }

    /// Has the tree so many quarters of the room on the device?
    fn is_full(&self, quarters: usize) -> bool {
        self.subtrees.len() >= MAX_SUBTREES / 4 * quarters || self.nodes.len() >= MAX_NODES / 4 * quarters
    }

    /// Tries more replies wherever all that were tried have been refuted, while there is room; false where nothing
    /// was left to try.
    fn widen_refuted<B: DeviceBoard>(&mut self, board: &mut B, credit: &[Vec<i32>; 2]) -> bool {
        let mut widened = false;
        for node in 1..self.nodes.len() as u32 {
            let at = node as usize;
            if self.is_full(2)
                || self.nodes[at].pending != 1
                || self.untried[at].is_empty()
                || !self.is_needed(node)
            {
                continue;
            }
            let path = self.path_to(node);
            let undos: Vec<_> = path
                .iter()
                .map(|&device| {
                    let mv = board.host_move(device);
                    (mv, board.make(mv))
                })
                .collect();
            self.widen(board, credit, node, path.len() as u32, self.tried[at]);
            for (mv, undo) in undos.into_iter().rev() {
                board.unmake(mv, undo);
            }
            widened = true;
        }
        widened
    }

    fn path_to(&self, node: u32) -> Vec<u32> {
        let mut path = Vec::new();
        let mut at = node;
        while at != 0 {
            path.push(self.nodes[at as usize].move_in);
            at = self.nodes[at as usize].parent;
        }
        path.reverse();
        path
    }

    /// Neither the minimising node nor one above it is settled.
    fn is_needed(&self, node: u32) -> bool {
        let mut at = node as usize;
        loop {
            if self.nodes[at].value <= self.alpha {
                return false;
            }
            at = self.nodes[at].parent as usize;
            if self.nodes[at].value >= self.beta() {
                return false;
            }
            if at == 0 {
                return true;
            }
            at = self.nodes[at].parent as usize;
        }
    }

    // The four rules by which results climb; the shader has the same ones.

    fn child_is_low(&mut self, maximising: u32) {
        let node = &mut self.nodes[maximising as usize];
        node.pending -= 1;
        if node.pending == 0 && maximising != 0 {
            let above = node.parent;
            self.is_low(above);
        }
    }

    fn is_low(&mut self, minimising: u32) {
        let node = &mut self.nodes[minimising as usize];
        if node.value > self.alpha {
            node.value = self.alpha;
            let above = node.parent;
            self.child_is_low(above);
        }
    }

    fn child_is_high(&mut self, maximising: u32) {
        let beta = self.beta();
        let node = &mut self.nodes[maximising as usize];
        if node.value < beta {
            node.value = beta;
            let above = node.parent;
            if maximising != 0 {
                self.reply_is_refuted(above);
            }
        }
    }

    fn reply_is_refuted(&mut self, minimising: u32) {
        let node = &mut self.nodes[minimising as usize];
        node.pending -= 1;
        if node.pending == 0 {
            let above = node.parent;
            self.child_is_high(above);
        }
    }

    fn siblings(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().skip(1).filter(|node| node.parent == 0)
    }

    fn better_sibling<B: DeviceBoard>(&self, board: &B) -> Option<Move> {
        let refuted = self.siblings().find(|node| node.pending == 0 && node.value > self.alpha);
        self.ended_better.or(refuted.map(|node| board.host_move(node.move_in)))
    }

    fn low_siblings<B: DeviceBoard>(&self, board: &B) -> Vec<Move> {
        let low = self.siblings().filter(|node| node.value <= self.alpha);
        self.ended_low.iter().copied().chain(low.map(|node| board.host_move(node.move_in))).collect()
    }

    /// Credits the replies that have settled a sibling.
    fn give_credit<B: DeviceBoard>(&self, board: &B, credit: &mut [Vec<i32>; 2]) {
        let side = board.side().opponent().index();
        for node in &self.nodes[1..] {
            let above = &self.nodes[node.parent as usize];
            if node.parent != 0 && above.parent == 0 && node.pending == 0 && above.value <= self.alpha {
                credit[side][board.host_move(node.move_in) as usize] += 1;
            }
        }
    }
}
