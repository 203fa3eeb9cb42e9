//! Structures that host and device share in PV-Split: `tests/it/shaders/split.rs` compares them with
//! `shaders/pvsplit/search.wgsl`.

use bytemuck::{Pod, Zeroable};

/// Workers of a workgroup.
pub const LANES: u32 = 64;
/// Bits of the move in a subtree; the others are its node.
pub const MOVE_BITS: u32 = 10;
/// Greatest height of a split tree; odd.
pub const MAX_PATH: u32 = 7;
/// Words of a saved worker besides its board and its stack.
pub const SAVED_SCALARS: u32 = 7;
/// The move of a list's entry that means all moves.
pub const ALL_MOVES: u32 = (1 << MOVE_BITS) - 1;
/// Words of an entry of the table of positions.
pub const ENTRY_WORDS: u32 = 4;

/// The parameters of a submission.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct SplitParams {
    /// Subtrees of the wave.
    pub subtrees: u32,
    /// Loop iterations that a worker may make.
    pub work: u32,
    /// Plies from the split tree's root to a subtree's root.
    pub path: u32,
    /// Plies from a subtree's root to the leaves.
    pub depth: u32,
    /// The window of the wave, for the maximising player.
    pub alpha: i32,
    /// Its upper end.
    pub beta: i32,
    /// The side to move at the root.
    pub side: u32,
    /// The root's evaluation.
    pub score: i32,
    /// The number of workers.
    pub workers: u32,
    /// 1 if workers go on with subtrees of the submission before.
    pub resumed: u32,
    /// The root's [`device_aux`](super::DeviceBoard::device_aux).
    pub aux: u32,
    /// One of this many workers takes part.
    pub spread: u32,
    /// Subtrees of an entry of the list.
    pub fan: u32,
    /// Workers that search a subtree.
    pub copies: u32,
    /// The number of the search, 1 to 255 and again from 1.
    pub search: u32,
}

/// A node of a split tree.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct SplitNode {
    /// The node above; node 0 is its own.
    pub parent: u32,
    /// The move that led here, by the device's number.
    pub move_in: u32,
    /// Maximising: at least this. Minimising: at most this.
    pub value: i32,
    /// Maximising: children not yet shown to be at most alpha. Minimising: replies not yet refuted. Plus one while more
    /// may be added.
    pub pending: u32,
}

/// Counters of all workers. In the queue a bit for each subtree follows, which is set when it is done.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
pub struct SplitCounters {
    /// The next subtree of the queue.
    pub next: u32,
    /// Subtrees that are done.
    pub done: u32,
    /// Nodes of the submission.
    pub nodes: u32,
    /// Loop iterations of the submission, summed over all workers.
    pub work: u32,
    /// Loop iterations of the worker with the most.
    pub longest: u32,
    /// Not 0 if a line of the wave was cut off before the end of the game.
    pub open: u32,
}

/// The result of a subtree one move away.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct SplitOutcome {
    /// Its value, for the maximising player.
    pub value: i32,
    /// Its best move, by the device's number.
    pub best: u32,
    /// 1 if the value is exact, and not a bound.
    pub exact: u32,
}
