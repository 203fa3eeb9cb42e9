//! Exact game-tree search to a fixed depth: plain minimax, sequential principal-variation search, and PV-Split on
//! the device, after C. Johnson, L. Barford, S. M. Dascalu, F. C. Harris, "CUDA Implementation of Computer Go Game
//! Tree Search".
//!
//! All engines compute the same number: the minimax value of a position at a given depth, from the side to move.
//! A leaf is a finished game or a position `depth` plies down, whatever the line; nothing is extended or reduced.
//! What differs is how much of the tree each has to look at:
//!
//! ```text
//!  minimax   every node                                     the definition, for checking
//!  cpu       alpha-beta, one core                           iterative deepening, transposition table, null windows
//!  gpu       PV-Split: the left-most path, then the         the upper plies of the siblings become thousands of
//!            siblings of each of its nodes side by side     subtrees, taken from a queue by the device's workers
//! ```
//!
//! A *node*, where nodes are counted, is a move made or a leaf evaluated; the root is not counted.

use crate::game::Player;
use std::fmt::Debug;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

mod connect4;
pub mod cpu;
pub mod figure;
mod go;
pub mod gpu;
mod minimax;
mod othello;
mod split;
mod table;

pub use connect4::Connect4;
pub use go::Go;
pub use minimax::minimax;
pub use othello::Othello;

/// An action's index, as everywhere in the crate.
pub type Move = u16;

/// Beyond every score that a position can have.
pub const INFINITY: i32 = 1 << 28;

/// The deepest search an engine takes on.
pub const MAX_DEPTH: u32 = 64;

/// A position on which alpha-beta makes and takes back moves. Scores are from the side to move.
pub trait Board: Clone + Debug + Send + Sync {
    /// What [`unmake`](Board::unmake) needs to take a move back.
    type Undo;

    /// Moves are 0..`move_limit()`.
    fn move_limit(&self) -> usize;
    /// The player to move.
    fn side(&self) -> Player;
    /// Replaces `moves` by the legal moves, ascending: the pass alone where there is no other, none where the game
    /// is over.
    fn legal_moves(&self, moves: &mut Vec<Move>);
    /// May the side to move play this move (any of 0..`move_limit()`, but not the pass)? Asked of games that go on.
    fn is_legal(&self, mv: Move) -> bool;
    /// Makes a legal move.
    fn make(&mut self, mv: Move) -> Self::Undo;
    /// Takes back the move made last.
    fn unmake(&mut self, mv: Move, undo: Self::Undo);
    /// The score of a game that is over, `None` where it goes on.
    fn finished(&self) -> Option<i32>;
    /// The score of a leaf.
    fn evaluate(&self) -> i32;
    /// A hash of all that the value of the position at a given depth depends on: stones, side, ko, passes.
    fn key(&self) -> u64;
    /// How good a legal move looks at a glance; greater is better. It orders moves and decides nothing.
    fn promise(&self, mv: Move) -> i32;
    /// The name of a move as on the command line.
    fn move_name(&self, mv: Move) -> String;

    /// The value, for its player, of a legal move that leads to a leaf.
    fn value_after(&mut self, mv: Move) -> i32 {
        let undo = self.make(mv);
        let value = -self.finished().unwrap_or_else(|| self.evaluate());
        self.unmake(mv, undo);
        value
    }

    /// The value, for its player, of a legal move that ends the game; `None` for one that does not.
    fn value_if_over(&mut self, mv: Move) -> Option<i32> {
        let undo = self.make(mv);
        let value = self.finished();
        self.unmake(mv, undo);
        value.map(|v| -v)
    }

    /// The best of all moves where they all lead to leaves, its value, and how many were looked at: none after one
    /// that reaches `beta`. `moves` is scratch room. Asked of games that go on.
    fn best_leaf(&mut self, beta: i32, moves: &mut Vec<Move>) -> (Move, i32, u64) {
        self.legal_moves(moves);
        let (mut best, mut best_value, mut leaves) = (0, -INFINITY, 0);
        for &mv in moves.iter() {
            let value = self.value_after(mv);
            leaves += 1;
            if value > best_value {
                (best, best_value) = (mv, value);
            }
            if value >= beta {
                break;
            }
        }
        (best, best_value, leaves)
    }
}

/// How deep to search, and how long at most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    /// Plies, 1 to [`MAX_DEPTH`].
    pub depth: u32,
    /// After this time the search ends with the deepest finished depth, which is at least 1.
    pub time: Option<Duration>,
}

impl Budget {
    /// So many plies, however long it takes.
    pub fn depth(depth: u32) -> Self {
        Self { depth, time: None }
    }
}

/// What one depth of iterative deepening found.
#[derive(Debug, Clone, PartialEq)]
pub struct DepthReport {
    /// Plies.
    pub depth: u32,
    /// The minimax value at this depth, from the side to move.
    pub score: i32,
    /// The moves both sides would play, the best one first; a game that is over has none.
    pub principal_variation: Vec<Move>,
    /// Nodes of this depth alone.
    pub nodes: u64,
    /// Time of this depth alone.
    pub seconds: f64,
}

/// How the device's workers fared over a whole search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorkerReport {
    /// Workers, each a lane with a board and a stack of its own.
    pub count: u32,
    /// Device memory that holds one worker's state, in bytes: the board, the stack, and what it carries between
    /// two submissions.
    pub bytes: u32,
    /// The part of the workers' time that was spent on subtrees, 0 to 1: the work of all workers over the work of the
    /// longest one of each submission times the number of workers.
    pub busy: f64,
    /// Subtrees searched.
    pub subtrees: u64,
    /// Submissions to the device.
    pub submissions: u64,
}

/// The outcome of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// One entry a depth, from 1 on; never empty, except that a game that is over has a single entry of depth 0.
    pub per_depth: Vec<DepthReport>,
    /// The device's workers, where it was the device that searched.
    pub workers: Option<WorkerReport>,
}

impl Report {
    /// The deepest finished depth.
    pub fn last(&self) -> &DepthReport {
        self.per_depth.last().expect("a report has at least one depth")
    }

    /// The minimax value at the deepest finished depth.
    pub fn score(&self) -> i32 {
        self.last().score
    }

    /// A move whose minimax value is the score; none where the game is over.
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

    fn of_finished_game(score: i32) -> Self {
        let only = DepthReport { depth: 0, score, principal_variation: Vec::new(), nodes: 0, seconds: 0.0 };
        Self { per_depth: vec![only], workers: None }
    }
}

/// What a search tells its observer while it runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event<'a> {
    /// The search goes on at this depth, so many nodes into it.
    Tick {
        /// The depth being searched.
        depth: u32,
        /// Nodes at this depth so far.
        nodes: u64,
    },
    /// A depth is finished.
    Depth(&'a DepthReport),
}

/// Called now and then by a running search; `Break` ends it as the end of its time would.
pub type Observer<'a> = dyn FnMut(Event<'_>) -> ControlFlow<()> + 'a;

/// An observer that lets the search run.
pub fn unobserved(_: Event<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The clock of a search: when to stop, and whom to tell.
struct Watch<'a> {
    deadline: Option<Instant>,
    observer: &'a mut Observer<'a>,
    /// Depth 1 is always finished, so that every report holds a move.
    depth: u32,
    stopped: bool,
}

impl<'a> Watch<'a> {
    fn new(time: Option<Duration>, observer: &'a mut Observer<'a>) -> Self {
        let deadline = time.and_then(|t| Instant::now().checked_add(t));
        Self { deadline, observer, depth: 1, stopped: false }
    }

    /// True once the search has to end; asked every few milliseconds.
    fn tick(&mut self, nodes: u64) -> bool {
        let told = (self.observer)(Event::Tick { depth: self.depth, nodes }).is_break();
        let late = self.deadline.is_some_and(|d| Instant::now() >= d);
        self.stopped |= self.depth > 1 && (told || late);
        self.stopped
    }

    fn finished(&mut self, report: &DepthReport) {
        let told = (self.observer)(Event::Depth(report)).is_break();
        let late = self.deadline.is_some_and(|d| Instant::now() >= d);
        self.stopped |= told || late;
        self.depth = report.depth + 1;
    }
}
