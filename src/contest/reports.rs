//! Players' reports on their moves.

use crate::search::Report;
use serde::Serialize;

/// A player's report on a move.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum MoveReport {
    /// By a [`Search`](crate::Search).
    Search(Box<Report>),
    /// By [vanilla MCTS](super::Vanilla).
    Vanilla(Box<VanillaReport>),
    /// By [alpha-beta](super::SplitPlayer).
    Split(Box<SplitMove>),
}

/// The report of vanilla MCTS; fields are named as in [`Report`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct VanillaReport {
    /// The version of this crate.
    pub version: String,
    /// The game's name.
    pub game: String,
    /// The playouts' policy, by name.
    pub policy: String,
    /// The seed of the game's random numbers.
    pub seed: u64,
    /// C.
    pub ucb_c: f32,
    /// The best action: the maximum of (win_flag, n, n_wins).
    pub best: Option<VanillaAction>,
    /// Playouts in the tree.
    pub n_root: u64,
    /// The legal root actions, ascending.
    pub actions: Vec<VanillaAction>,
    /// Counts and times.
    pub performance: VanillaPerformance,
    /// Size and depth of the tree.
    pub trees_info: VanillaTree,
}

/// A root action of vanilla MCTS.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct VanillaAction {
    /// The action.
    pub index: u32,
    /// Its name.
    pub name: String,
    /// Playouts through the action.
    pub n: u64,
    /// Of those, wins of the player to move at the root; a draw may count half a win.
    pub n_wins: f64,
    /// n_wins / n; 0 where n = 0.
    pub q: f64,
    /// q + C sqrt(ln(n_root) / n); none (infinite) where n = 0.
    pub ucb: Option<f64>,
    /// The action wins at once.
    pub win_flag: bool,
}

/// Counts and times of vanilla MCTS.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct VanillaPerformance {
    /// Steps done; one playout each.
    pub steps: u64,
    /// Steps per second.
    pub steps_per_second: f64,
    /// Playouts; equals `steps`.
    pub playouts: u64,
    /// Playouts per second.
    pub playouts_per_second: f64,
    /// From the call to the report.
    pub seconds: f64,
}

/// The tree of vanilla MCTS; counts visited nodes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct VanillaTree {
    /// Number of trees: 1.
    pub count: usize,
    /// Mean depth of a node; the root has depth 0.
    pub mean_depth: f64,
    /// Greatest depth of a node.
    pub max_depth: u32,
    /// Number of nodes.
    pub mean_size: f64,
    /// Number of nodes.
    pub max_size: u32,
    /// The tree became full: later leaves were not expanded.
    pub full: bool,
}

/// The report of alpha-beta.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SplitMove {
    /// The greatest depth searched to the end, in plies.
    pub depth: u32,
    /// The minimax value at this depth, for the side to move.
    pub score: i32,
    /// No greater depth changes the score.
    pub exact: bool,
    /// The principal variation by names of moves, the best move first.
    pub principal_variation: Vec<String>,
    /// Nodes over all depths.
    pub nodes: u64,
    /// Time over all depths, in seconds.
    pub seconds: f64,
}
