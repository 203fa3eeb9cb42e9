//! What players tell of their moves.

use crate::search::Report;
use serde::Serialize;

/// What a player tells of a move.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum MoveReport {
    /// Of a [`Search`](crate::Search).
    Search(Box<Report>),
    /// Of [vanilla MCTS](super::Vanilla).
    Vanilla(Box<VanillaReport>),
    /// Of [alpha-beta](super::SplitPlayer).
    Split(Box<SplitMove>),
}

impl From<Report> for MoveReport {
    fn from(report: Report) -> Self {
        Self::Search(Box::new(report))
    }
}

impl From<VanillaReport> for MoveReport {
    fn from(report: VanillaReport) -> Self {
        Self::Vanilla(Box::new(report))
    }
}

impl From<SplitMove> for MoveReport {
    fn from(report: SplitMove) -> Self {
        Self::Split(Box::new(report))
    }
}

/// What vanilla MCTS has found; its fields are called as those of [`Report`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct VanillaReport {
    /// The version of this crate.
    pub version: String,
    /// The game's name.
    pub game: String,
    /// The policy of the playouts, by name.
    pub policy: String,
    /// The seed of the game's random numbers.
    pub seed: u64,
    /// C.
    pub ucb_c: f32,
    /// The best action: greatest by (win_flag, n, n_wins).
    pub best: Option<VanillaAction>,
    /// Playouts.
    pub n_root: u64,
    /// The legal root actions, ascending.
    pub actions: Vec<VanillaAction>,
    /// Counts and times.
    pub performance: VanillaPerformance,
    /// Sizes and depths.
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
    /// Playouts through it.
    pub n: u64,
    /// Of those, won by the player to move at the root; a draw may count half.
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
    /// Steps made, each of one playout.
    pub steps: u64,
    /// Steps per second.
    pub steps_per_second: f64,
    /// As many as steps.
    pub playouts: u64,
    /// Playouts per second.
    pub playouts_per_second: f64,
    /// From the call to the report.
    pub seconds: f64,
}

/// The tree of vanilla MCTS: of the nodes that were visited.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct VanillaTree {
    /// Number of trees: 1.
    pub count: usize,
    /// Mean depth of a node; the root has depth 0.
    pub mean_depth: f64,
    /// Greatest depth of a node.
    pub max_depth: u32,
    /// Nodes.
    pub mean_size: f64,
    /// Nodes.
    pub max_size: u32,
    /// There was no room for an expansion: leaves were played out unexpanded from then on.
    pub full: bool,
}

/// What alpha-beta has found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SplitMove {
    /// The deepest finished depth, in plies.
    pub depth: u32,
    /// The minimax value at this depth, from the side to move.
    pub score: i32,
    /// No greater depth changes the score.
    pub exact: bool,
    /// The moves both sides would play, by name, the best one first.
    pub principal_variation: Vec<String>,
    /// Nodes of all depths together.
    pub nodes: u64,
    /// Time of all depths together.
    pub seconds: f64,
}
