//! Split trees: the upper plies of the siblings of a node on the principal variation, and their results.
//!
//! In a *split tree* the opponent tries at odd plies to show that a sibling is no better than alpha, at first with one
//! reply at a time (young brothers wait), and at even plies every move has to be answered.
//!
//! ```text
//!  0  node on the principal variation        maximising: all siblings
//!  1    sibling                              minimising: one reply, then two, four, ... if it is refuted
//!  2      reply                              maximising: all moves
//!  3        subtree                          searched by one worker, window (alpha, alpha + 1)
//! ```
//!
//! Each minimising node between is only tested against alpha. The test needs counting alone, and is settled on the
//! device without the host.

use super::{
    board::{Board, DeviceBoard, INFINITY, Move},
    layout::{ALL_MOVES, MOVE_BITS, SplitNode},
};
use std::cmp::Reverse;

/// Subtrees of a wave, and nodes of a split tree.
pub(super) const MAX_SUBTREES: usize = 1 << 20;
pub(super) const MAX_NODES: usize = 1 << 20;

/// Waves of fewer subtrees take about as long as one of this size.
const FEW_SUBTREES: usize = 1 << 10;

/// [side][move]: the number of nodes that the move has settled.
pub(super) type Credit = [Vec<i32>; 2];

/// The subtrees of a split tree to be searched.
#[derive(Debug)]
pub(super) struct Wave<'a> {
    /// Plies from the split tree's root to the subtrees, and from there to the leaves.
    pub path: u32,
    pub depth: u32,
    pub alpha: i32,
    pub beta: i32,
    pub nodes: &'a mut [SplitNode],
    /// Each is `fan` subtrees, some of which may be empty.
    pub entries: &'a [u32],
    pub fan: u32,
}

impl Wave<'_> {
    pub fn subtrees(&self) -> u32 {
        self.entries.len() as u32 * self.fan
    }
}

/// A split tree: nodes for the device, and for each minimising one the replies that have not been tried.
#[derive(Debug)]
pub(super) struct Tree {
    path: u32,
    alpha: i32,
    pub nodes: Vec<SplitNode>,
    untried: Vec<Vec<Move>>,
    tried: Vec<usize>,
    /// The subtrees: a node and a move, or all its moves, of which there are at most `fan`.
    pub entries: Vec<u32>,
    pub fan: u32,
    /// A sibling that ends the game and is better than alpha.
    ended_better: Option<Move>,
    /// Siblings that end the game and are not.
    ended_low: Vec<Move>,
    /// Moves made since the count was last read.
    pub made: u64,
}

impl Tree {
    pub fn new(path: u32, alpha: i32, fan: u32) -> Self {
        Self {
            path,
            alpha,
            nodes: Vec::new(),
            untried: Vec::new(),
            tried: Vec::new(),
            entries: Vec::new(),
            fan,
            ended_better: None,
            ended_low: Vec::new(),
            made: 0,
        }
    }

    fn beta(&self) -> i32 {
        self.alpha + 1
    }

    pub fn is_open(&self) -> bool {
        self.nodes[0].value < self.beta() && self.nodes[0].pending > 0
    }

    fn add(&mut self, parent: u32, move_in: u32, value: i32, untried: Vec<Move>) -> u32 {
        // The pending one is the node itself, until all its children are known.
        self.nodes.push(SplitNode { parent, move_in, value, pending: 1 });
        self.untried.push(untried);
        self.tried.push(0);
        self.made += 1;
        self.nodes.len() as u32 - 1
    }

    pub fn grow_root<B: DeviceBoard>(&mut self, board: &mut B, credit: &Credit, moves: &[Move]) {
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

    /// A maximising node: every move of it has to be answered. The device lists those that lead to subtrees.
    fn grow_maximising<B: DeviceBoard>(
        &mut self,
        board: &mut B,
        credit: &Credit,
        parent: u32,
        move_in: u32,
        ply: u32,
    ) {
        let node = self.add(parent, move_in, -INFINITY, Vec::new());
        if ply + 1 == self.path && !board.is_stuck() {
            self.nodes[node as usize].pending = self.fan;
            self.entries.push(node << MOVE_BITS | ALL_MOVES);
            return;
        }
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
        credit: &Credit,
        parent: u32,
        mv: Move,
        ply: u32,
    ) {
        self.nodes[parent as usize].pending += 1;
        let move_in = board.device_move(mv);
        if ply == self.path {
            self.entries.push(parent << MOVE_BITS | move_in);
            return;
        }
        let undo = board.make(mv);
        let mut replies = Vec::new();
        board.legal_moves(&mut replies);
        let node = self.add(parent, move_in, INFINITY, replies);
        self.widen(board, credit, node, ply, 1);
        board.unmake(mv, undo);
    }

    /// Tries `count` more replies at a minimising node, the best by `merit` first.
    fn widen<B: DeviceBoard>(&mut self, board: &mut B, credit: &Credit, node: u32, ply: u32, count: usize) {
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

    /// Whether the tree takes this many quarters of the device's memory.
    fn is_full(&self, quarters: usize) -> bool {
        let subtrees = self.entries.len() * self.fan as usize;
        subtrees >= MAX_SUBTREES / 4 * quarters || self.nodes.len() >= MAX_NODES / 4 * quarters
    }

    /// Tries more replies wherever all that were tried have been refuted, while there is memory; returns false if no
    /// reply was left.
    pub fn widen_refuted<B: DeviceBoard>(&mut self, board: &mut B, credit: &Credit) -> bool {
        let refuted: Vec<u32> = (1..self.nodes.len() as u32).filter(|&node| self.is_refuted(node)).collect();
        let count = FEW_SUBTREES / (refuted.len().max(1) * self.fan as usize);
        let mut widened = false;
        for node in refuted {
            let at = node as usize;
            if self.is_full(2) || !self.is_needed(node) {
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
            self.widen(board, credit, node, path.len() as u32, count.max(self.tried[at]));
            for (mv, undo) in undos.into_iter().rev() {
                board.unmake(mv, undo);
            }
            widened = true;
        }
        widened
    }

    /// Whether this is a minimising node whose replies so far have all been refuted, and that has more of them.
    fn is_refuted(&self, node: u32) -> bool {
        let at = node as usize;
        self.nodes[at].pending == 1 && !self.untried[at].is_empty() && self.is_needed(node)
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

    /// Whether the minimising node and all above it are unsettled.
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

    // The four rules by which results propagate; the shader has the same.

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

    fn siblings(&self) -> impl Iterator<Item = &SplitNode> {
        self.nodes.iter().skip(1).filter(|node| node.parent == 0)
    }

    pub fn better_sibling<B: DeviceBoard>(&self, board: &B) -> Option<Move> {
        let refuted = self.siblings().find(|node| node.pending == 0 && node.value > self.alpha);
        self.ended_better.or(refuted.map(|node| board.host_move(node.move_in)))
    }

    pub fn low_siblings<B: DeviceBoard>(&self, board: &B) -> Vec<Move> {
        let low = self.siblings().filter(|node| node.value <= self.alpha);
        self.ended_low.iter().copied().chain(low.map(|node| board.host_move(node.move_in))).collect()
    }

    /// Credits the replies that have settled a sibling.
    pub fn give_credit<B: DeviceBoard>(&self, board: &B, credit: &mut Credit) {
        let side = board.side().opponent().index();
        for node in &self.nodes[1..] {
            let above = &self.nodes[node.parent as usize];
            if node.parent != 0 && above.parent == 0 && node.pending == 0 && above.value <= self.alpha {
                credit[side][board.host_move(node.move_in) as usize] += 1;
            }
        }
    }
}

/// The priority of a move: by estimated order, then by credit.
pub(super) fn merit<B: Board>(board: &B, credit: &Credit, mv: Move) -> i64 {
    (i64::from(board.order_value(mv)) << 32) + i64::from(credit[board.side().index()][mv as usize])
}
