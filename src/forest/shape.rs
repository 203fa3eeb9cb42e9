//! The sizes of a chunk of trees, and the bytes of its buffers.

use super::{
    Config,
    layout::{Best, DIGEST_SLICES, Link, ROOT_HEADER, RootSum, Stats, Tree},
};
use crate::{
    exact::{puct, rng::Jumps},
    net::{LeafEvaluation, Network, Placement},
};
use glam::{UVec2, UVec4};
use std::sync::Arc;

/// Leaves of a step whose lists 16 KiB of workgroup memory hold beside the kernel's other arrays.
const MOST_IN_WORKGROUP: u32 = 256;
/// Words of a leaf in these lists: `LISTS_STRIDE` of `shaders/search/leaves/lists_in_storage.wgsl`.
const LISTED_WORDS: usize = 9;

/// Sizes of a chunk of trees: the constants of the shaders, and the fields of `params`.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// The settings of the search.
    pub config: Config,
    /// Trees.
    pub n_trees: u32,
    /// Index of the first of them among all trees of the search, which determines the random streams.
    pub first_tree: u32,
    /// Trees that share a root position.
    pub trees_per_position: u32,
    /// Nodes that a tree can hold.
    pub capacity: u32,
    /// B, the number of actions of the game.
    pub max_actions: u32,
    /// Tallies of the playouts of one node: the number of workgroups that share them on a device.
    pub parts: u32,
    /// Words of a packed state.
    pub state_words: u32,
    /// Words of the keys of positions in a root record and in the selected node's position
    /// ([`history_words`](super::root::history_words)); 0 for games without superko.
    pub history_words: u32,
    /// Nodes on the longest path.
    pub path_capacity: u32,
    /// Distance of the expansion streams of neighbouring trees.
    pub expansion_stride: u32,
    /// The network or evaluator of the leaves; `None` where playouts evaluate them.
    pub evaluation: Option<LeafEvaluation>,
    /// 32-bit words with a bit for each place at which a playout records the first player
    /// ([`Game::first_words`](crate::Game::first_words)).
    pub first_words: u32,
}

impl Shape {
    /// The network that evaluates the leaves, if any.
    pub fn net(&self) -> Option<&Arc<Network>> {
        self.evaluation.as_ref().and_then(LeafEvaluation::network)
    }

    /// The same sizes for other settings.
    pub fn with(&self, config: Config) -> Self {
        Self { config, ..self.clone() }
    }

    /// Points of a won playout, or of a visit with the value of a certain win, in [`Stats::n_wins`].
    pub fn win_points(&self) -> u32 {
        if self.evaluation.is_some() { puct::ONE } else { self.config.draw_value.win_points() }
    }

    /// C in the unit of points, in which a win is worth [`win_points`](Self::win_points). Scaling by a power of two
    /// changes neither the order nor the ties of bounds, so that bounds are computed from points.
    pub fn scaled_c(&self) -> f32 {
        self.config.ucb_c * self.config.draw_value.win_points() as f32
    }

    /// The word of C in `params`: the bits of the scaled C, or, where a network evaluates the leaves, C^2.
    pub fn c_word(&self) -> u32 {
        if self.evaluation.is_some() { puct::squared(self.config.ucb_c) } else { self.scaled_c().to_bits() }
    }

    /// Whether each leaf of a step has its own header: with several leaves per tree, rapid action values, a network or
    /// an evaluator.
    pub fn has_leaves(&self) -> bool {
        self.config.has_leaves() || self.evaluation.is_some()
    }

    /// Whether leaves are played out: unless only a network or an evaluator evaluates them.
    pub fn has_playouts(&self) -> bool {
        self.evaluation.is_none() || self.config.playout_weight > 0.0
    }

    /// Whether steps are staged with any schedule.
    pub fn is_staged(&self) -> bool {
        self.config.is_staged() || self.evaluation.is_some()
    }

    /// Sets of playout streams of one leaf: B (ACP) or 1 (OCP).
    pub fn stream_sets(&self) -> u32 {
        if self.config.variant.all_children { self.max_actions } else { 1 }
    }

    /// The game's greatest number of plies.
    pub fn max_plies(&self) -> u32 {
        self.path_capacity - 1
    }

    /// Playout streams of one leaf of a step.
    pub fn streams_per_leaf(&self) -> usize {
        self.stream_sets() as usize * self.config.playouts as usize
    }

    /// Playout streams of one tree.
    pub fn streams_per_tree(&self) -> usize {
        self.config.leaf_batch as usize * self.streams_per_leaf()
    }

    /// Tallies of one leaf of a step.
    pub fn tallies_per_leaf(&self) -> usize {
        self.stream_sets() as usize * self.parts as usize
    }

    /// Words of a playout's record for rapid action values: its points, and the first player at each place.
    pub fn record_words(&self) -> usize {
        if self.config.rave > 0 { 1 + 2 * self.first_words as usize } else { 0 }
    }

    /// Words of a leaf's records.
    pub fn records_per_leaf(&self) -> usize {
        self.config.playouts as usize * self.record_words()
    }

    /// Words of a leaf's planes: one a cell, and whether the leaf is evaluated; none without a network.
    pub fn planes_per_leaf(&self) -> usize {
        self.evaluation.as_ref().map_or(0, |evaluation| evaluation.cells() + 1)
    }

    /// Outputs of a leaf's evaluation.
    pub fn outputs_per_leaf(&self) -> usize {
        self.evaluation.as_ref().map_or(0, |_| self.max_actions as usize + 3)
    }

    /// Words of a leaf in the lists of a step's selections in storage; none where workgroup memory of the WebGPU
    /// default limit holds the lists.
    pub fn lists_per_leaf(&self) -> usize {
        if self.config.leaf_batch > MOST_IN_WORKGROUP { LISTED_WORDS } else { 0 }
    }

    /// Words of a leaf's activations in storage.
    pub fn activations_per_leaf(&self) -> usize {
        self.net().map_or(0, |net| Placement::of(net).storage_bytes() as usize / 4)
    }

    /// n, n_wins and the marks of a proof alone, without priors, values or rapid action values.
    pub fn plain(&self, stats: Stats) -> Stats {
        if self.config.rave > 0 || self.evaluation.is_some() { stats.bare() } else { stats }
    }

    /// n and n_wins of a node for the choice among children: with the rapid action value as further playouts of the
    /// same mean (specification, "Rapid action values").
    pub fn rated_counts(&self, stats: Stats) -> (u64, u64) {
        let (n, n_wins) = self.plain(stats).counts();
        if self.config.rave == 0 {
            return (n, n_wins);
        }
        let (n_amaf, points) = stats.amaf();
        let playouts = self.config.rave * n_amaf / (self.config.rave + n_amaf);
        (n + u64::from(playouts), n_wins + u64::from(playouts * points / n_amaf.max(1)))
    }

    /// Leaves of a step in all trees.
    pub fn all_leaves(&self) -> u32 {
        self.n_trees * self.config.leaf_batch
    }

    /// The greatest number of nodes that a step adds to one tree.
    pub fn nodes_per_step(&self) -> u32 {
        self.config.leaf_batch * self.max_actions
    }

    /// Headers of one tree: its own, and those of a step's leaves, where there are several.
    pub fn headers_per_tree(&self) -> usize {
        if self.has_leaves() { 1 + self.config.leaf_batch as usize } else { 1 }
    }

    /// Words of a leaf's path: its nodes, and where a step has several leaves, the choice of each of them.
    pub fn path_words(&self) -> usize {
        self.path_capacity as usize * if self.has_leaves() { 2 } else { 1 }
    }

    /// Words with a bit for each action.
    pub fn action_words(&self) -> usize {
        self.max_actions.div_ceil(32) as usize
    }

    /// The buffers of a chunk except `params`, for the allocation of memory: the table of `shaders/README.md`.
    pub fn buffers(&self) -> [BufferBytes; 19] {
        let buffer = |name| BufferBytes { name, ..BufferBytes::default() };
        let a_node = |name, size: usize| BufferBytes { node: size as u64, ..buffer(name) };
        let a_tree =
            |name, count: usize, size: usize| BufferBytes { tree: (count * size) as u64, ..buffer(name) };
        let a_leaf =
            |name, count: usize, size: usize| a_tree(name, self.config.leaf_batch as usize * count, size);
        let a_position =
            |name, count: usize, size: usize| BufferBytes { position: (count * size) as u64, ..buffer(name) };
        [
            a_tree("roots", self.root_words(), 4),
            a_tree("trees", self.headers_per_tree(), size_of::<Tree>()),
            a_leaf("paths", self.path_words(), 4),
            a_node("stats", size_of::<Stats>()),
            a_node("links", size_of::<Link>()),
            a_leaf("states", self.selected_words(), 4),
            a_leaf("streams", self.streams_per_leaf(), size_of::<UVec4>()),
            a_leaf("tallies", self.tallies_per_leaf(), size_of::<UVec2>()),
            BufferBytes { fixed: 4, ..a_leaf("jobs", 1, 4) },
            BufferBytes { fixed: 24, ..buffer("dispatches") },
            a_position("root_sums", self.max_actions as usize + 1, size_of::<RootSum>()),
            a_position("best", 1, size_of::<Best>()),
            a_tree("digests", DIGEST_SLICES as usize, size_of::<UVec2>()),
            a_leaf("firsts", self.records_per_leaf(), 4),
            a_leaf("leaf_planes", self.planes_per_leaf(), 4),
            a_leaf("outputs", self.outputs_per_leaf(), 4),
            a_leaf("activations", self.activations_per_leaf(), 4),
            a_leaf("lists", self.lists_per_leaf(), 4),
            BufferBytes { fixed: 16 * Jumps::words().len() as u64, ..buffer("jumps") },
        ]
    }

    /// Bytes of one node: statistics and links.
    pub fn node_bytes(&self) -> u64 {
        self.buffers().iter().map(|buffer| buffer.node).sum()
    }

    /// Words of a root record.
    pub fn root_words(&self) -> usize {
        (ROOT_HEADER + self.state_words + self.history_words) as usize
    }

    /// Words of the selected node's position; where a step has several leaves, with the bits of the actions that lead
    /// to its children.
    pub fn selected_words(&self) -> usize {
        let actions = if self.has_leaves() { self.action_words() } else { 0 };
        (self.state_words + self.history_words) as usize + actions
    }

    /// Bytes of one tree besides its nodes: header, path, streams, tallies, digests, its records in `roots`, `states`
    /// and `jobs`.
    pub fn tree_bytes(&self) -> u64 {
        self.buffers().iter().map(|buffer| buffer.tree).sum()
    }

    /// Bytes of one position besides its trees: sums over them, the best action.
    pub fn position_bytes(&self) -> u64 {
        self.buffers().iter().map(|buffer| buffer.position).sum()
    }
}

/// Bytes of a buffer, by the unit that they grow with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BufferBytes {
    /// The buffer's name.
    pub name: &'static str,
    /// Bytes for each node that a tree can hold.
    pub node: u64,
    /// Bytes for each tree, besides its nodes.
    pub tree: u64,
    /// Bytes for each position.
    pub position: u64,
    /// Bytes for the whole chunk.
    pub fixed: u64,
}

impl BufferBytes {
    /// Bytes for this many trees of `capacity` nodes; `u64::MAX` on overflow.
    pub fn of(&self, trees: u64, positions: u64, capacity: u64) -> u64 {
        let a_tree = self.tree.saturating_add(capacity.saturating_mul(self.node));
        let of_trees = trees.saturating_mul(a_tree);
        self.fixed.saturating_add(of_trees).saturating_add(positions.saturating_mul(self.position))
    }
}
