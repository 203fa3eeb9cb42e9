//! Every type and constant that Rust and WGSL share, and nothing else. `shaders/README.md` lists the buffers; a test
//! compares this file with the composed shaders.

use bytemuck::{Pod, Zeroable};
use glam::{UVec2, UVec4};

/// The root is node 0 of every tree.
pub const ROOT: u32 = 0;
/// [`Link::first_child`] of a leaf. The root is no node's child, so that its index is free for this mark.
pub const NO_CHILDREN: u32 = 0;

/// Low bits of [`Link::info`]: the action that led to the node.
pub const ACTION_BITS: u32 = 10;
/// Next bits of [`Link::info`]: the number of children. They fit: a node has at most 512.
pub const COUNT_BITS: u32 = 10;
/// The position of the outcome code, two bits, in [`Link::info`].
pub const OUTCOME_SHIFT: u32 = ACTION_BITS + COUNT_BITS;
/// The position of the ordinal of the best child in [`Link::info`].
pub const BEST_SHIFT: u32 = OUTCOME_SHIFT + 2;
/// Bits of that ordinal. They are enough: a node has at most 512 children.
pub const BEST_BITS: u32 = 9;
/// In [`Link::info`]: some legal actions have no children, since others are more urgent.
pub const LEFT_OUT: u32 = 1 << 31;

/// [`Tree::flags`]: the tree had no room for an expansion.
pub const TREE_FULL: u32 = 1;
/// [`Tree::flags`]: the second player is to move at the root.
pub const TREE_SECOND_MOVES: u32 = 2;

/// [`Tree::flags`]: the root is proven; the tree makes no more steps.
pub const TREE_PROVEN: u32 = 256;
/// [`Tree::flags`], within a step: a child that the step has appended ends the game.
pub const TREE_ENDED: u32 = 512;

/// [`Tree::flags`] of a leaf, where a step has several: an earlier leaf of the step is the same node.
pub const TREE_FOLLOWS: u32 = 1024;
/// [`Tree::flags`], within a step that has several leaves: the visits of its selections are counted, but its playouts
/// are not backed up yet.
pub const TREE_UNDER_WAY: u32 = 2048;
/// All faults in [`Tree::flags`].
pub const FAULTS: u32 = FAULT_TOO_LONG
    | FAULT_LOOP_ENDED
    | FAULT_OUTCOME
    | FAULT_LEFT
    | FAULT_ENDLESS
    | FAULT_STUCK
    | FAULT_MISREAD
    | FAULT_WEIGHTS;
/// The choice noted for a node of a path where it does not change.
pub const NO_CHOICE: u32 = u32::MAX;

/// In the high word of [`Stats::n`]: the node is proven, with the outcome of its link.
pub const PROVEN: u32 = 1 << 31;
/// The position of the plies to a proven node's outcome in that word, below [`PROVEN`].
pub const PLIES_SHIFT: u32 = 21;
/// The greatest number of plies that is represented; longer lines count as this.
pub const MOST_PLIES: u32 = (1 << 10) - 1;
/// Of a node that is not proven, in the place of the plies: its player to move draws at least.
pub const AT_LEAST_DRAWN: u32 = 1 << PLIES_SHIFT;
/// The same: its player to move draws at most.
pub const AT_MOST_DRAWN: u32 = 2 << PLIES_SHIFT;

/// In searches with rapid action values ([`Settings::rave`](crate::Settings::rave)), the position in the high word of
/// [`Stats::n`] of the count of playouts in which the node's action was first played later; n has the 37 bits below it.
pub const AMAF_SHIFT: u32 = 5;
/// The position of the points of those playouts in the high word of [`Stats::n_wins`].
pub const AMAF_POINTS_SHIFT: u32 = 16;
/// Playouts of a parent at which counting ends: twice as many points fit into 16 bits.
pub const MOST_AMAF: u32 = 1 << 15;

/// Where a network evaluates the leaves, the position of a node's prior in the high word of [`Stats::n`]; n has the 37
/// bits below it.
pub const PRIOR_SHIFT: u32 = 5;
/// The position of the network's value of the node, for its player to move, in the high word of [`Stats::n_wins`].
pub const VALUE_SHIFT: u32 = 16;
/// In a search by Gumbel, the position in the high word of the root's n of the number of children that it considers, 8
/// bits, until the root is proven.
pub const CONSIDERED_SHIFT: u32 = 23;

/// A fault ([`Tree::flags`], and of rollouts): a path or a playout is longer than
/// [`Game::max_plies`](crate::Game::max_plies).
pub const FAULT_TOO_LONG: u32 = 4;
/// A fault: the adapter has ended a loop early.
pub const FAULT_LOOP_ENDED: u32 = 8;
/// A fault: the rules in WGSL returned a number that is no outcome code.
pub const FAULT_OUTCOME: u32 = 16;
/// A fault: `run_playout` in WGSL returned before the playout was over or had all its plies.
pub const FAULT_LEFT: u32 = 32;
/// A fault: the loops of a call of a game file's rules made too many iterations.
pub const FAULT_ENDLESS: u32 = 64;
/// A fault: a playout of a game file goes on and has no legal action.
pub const FAULT_STUCK: u32 = 128;
/// A fault: the adapter has read a number that is at least 1 as 0.
pub const FAULT_MISREAD: u32 = 4096;
/// A fault: the weights of a game file's legal actions sum up to 0, or to more than 2^31.
pub const FAULT_WEIGHTS: u32 = 8192;

/// Words before the packed state in a root record: the player to move and the outcome code.
pub const ROOT_HEADER: u32 = 2;

/// Slices of a tree that are hashed side by side.
pub const DIGEST_SLICES: u32 = 32;

/// Values that are constant for a run, for each chunk of trees. Uniform `params`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct Params {
    /// Trees in this chunk.
    pub n_trees: u32,
    /// Index of the chunk's first tree among all trees of the search, which determines the random streams.
    pub first_tree: u32,
    /// Nodes that a tree can hold.
    pub capacity: u32,
    /// Trees of this chunk that share a root position.
    pub trees_per_position: u32,
    /// Low and high word of both words of stream 0's first state.
    pub stream_zero: UVec2,
    /// The bits of the float32 UCB constant C.
    pub ucb_c: u32,
    /// Steps of one dispatch of the fused schedule.
    pub steps: u32,
    /// Index of a dispatch's first workgroup, where the dispatch is a slice of a larger one.
    pub first_group: u32,
    /// Makes the size a multiple of 8.
    pub padding: u32,
}

/// A tree's header. Storage `trees[tree]`. Where a step has several leaves, each of them has a header too, after those
/// of the trees, `trees[n_trees + leaf]`, with the fields of a selection.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct Tree {
    /// Nodes in the tree.
    pub size: u32,
    /// [`TREE_FULL`], [`TREE_SECOND_MOVES`], [`TREE_PROVEN`], [`TREE_ENDED`], and faults such as [`FAULT_TOO_LONG`].
    pub flags: u32,
    /// The node at which the last selection ended.
    pub selected: u32,
    /// Nodes on the path from the root to `selected`, both counted.
    pub path_length: u32,
    /// First child of `selected`, where this step expanded it.
    pub first_child: u32,
    /// Children that this step appended; 0 where `selected` itself is played out.
    pub expanded: u32,
    /// OCP: the ordinal of the child to play out.
    pub drawn: u32,
    /// Greatest depth of a node.
    pub max_depth: u32,
    /// Sum of the depths of all nodes, 64 bits.
    pub depth_sum: UVec2,
    /// Points of this step's playouts, of the first and the second player, over all children played out.
    pub tally: UVec2,
    /// State of the expansion stream.
    pub expansion_stream: UVec4,
}

impl Tree {
    /// Whether the root is proven, so that the tree makes no more steps.
    pub fn root_is_proven(&self) -> bool {
        self.flags & TREE_PROVEN != 0
    }

    /// Adds `count` nodes of this depth.
    pub fn append(&mut self, count: u32, depth: u32) {
        self.size += count;
        self.max_depth = self.max_depth.max(depth);
        self.depth_sum = split(join(self.depth_sum) + u64::from(depth) * u64::from(count));
    }

    /// The player to move at the root: 0 or 1.
    pub fn root_turn(&self) -> u32 {
        (self.flags & TREE_SECOND_MOVES) / TREE_SECOND_MOVES
    }

    /// The player (0 or 1) to move at a node of this depth.
    pub fn turn_at(&self, depth: u32) -> u32 {
        self.root_turn() ^ (depth & 1)
    }

    /// The player to move at the selected node.
    pub fn selected_turn(&self) -> u32 {
        self.turn_at(self.path_length - 1)
    }
}

/// Statistics of a node. Storage `stats[tree * capacity + node]`, a `vec4<u32>` there.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct Stats {
    /// Playouts through the node, in the lower 53 bits; in the bits above, the mark of a proof ([`PROVEN`]).
    pub n: UVec2,
    /// Points of the player who moved into the node in these playouts, 64 bits: 1 for a win, or, where draws count
    /// half, 2 for a win and 1 for a draw ([`DrawValue::win_points`](super::DrawValue::win_points)).
    pub n_wins: UVec2,
}

impl Stats {
    /// The statistics of a new node with this outcome code, in searches with proofs.
    pub fn new(outcome: u32) -> Self {
        Self { n: UVec2::new(0, if outcome == 0 { 0 } else { PROVEN }), n_wins: UVec2::ZERO }
    }

    /// (n, n_wins) as integers; n_wins in points.
    pub fn counts(&self) -> (u64, u64) {
        (join(self.n) & ((1 << (32 + PLIES_SHIFT)) - 1), join(self.n_wins))
    }

    /// Playouts in which the player who moved into the node took its action later, and their points, in searches with
    /// rapid action values.
    pub fn amaf(&self) -> (u32, u32) {
        (self.n.y >> AMAF_SHIFT & 0xffff, self.n_wins.y >> AMAF_POINTS_SHIFT)
    }

    /// Where a network evaluates the leaves: the prior of the action into the node, and the network's value of the node
    /// for its player to move, in units of 1/65536.
    pub fn prior_and_value(&self) -> (u32, u32) {
        (self.n.y >> PRIOR_SHIFT & 0xffff, self.n_wins.y >> VALUE_SHIFT)
    }

    /// Sets the prior of a node that has none.
    pub fn give_prior(&mut self, prior: u32) {
        self.n.y |= prior << PRIOR_SHIFT;
    }

    /// Sets the prior of a node that has one.
    pub fn replace_prior(&mut self, prior: u32) {
        self.n.y = self.n.y & !(0xffff << PRIOR_SHIFT) | prior << PRIOR_SHIFT;
    }

    /// Sets the network's value of a node that has none.
    pub fn give_value(&mut self, value: u32) {
        self.n_wins.y |= value << VALUE_SHIFT;
    }

    /// In a search by Gumbel, the number of children that the root considers; 0 for other nodes. Invalid for a proven
    /// node.
    pub fn considered(&self) -> u32 {
        self.n.y >> CONSIDERED_SHIFT & 0xff
    }

    /// Sets that number.
    pub fn consider(&mut self, count: u32) {
        self.n.y |= count << CONSIDERED_SHIFT;
    }

    /// n, n_wins and the marks of a proof alone.
    #[must_use]
    pub fn bare(self) -> Self {
        let n = self.n.y & !(0xffff << AMAF_SHIFT);
        let n_wins = self.n_wins.y & ((1 << AMAF_POINTS_SHIFT) - 1);
        Self { n: UVec2::new(self.n.x, n), n_wins: UVec2::new(self.n_wins.x, n_wins) }
    }

    /// Whether later playouts (AMAF) of this node's children are still counted.
    pub fn counts_amaf(&self) -> bool {
        self.bare().counts().0 < u64::from(MOST_AMAF)
    }

    /// Adds later playouts (AMAF) and their points.
    pub fn add_amaf(&mut self, n: u32, points: u32) {
        self.n.y += n << AMAF_SHIFT;
        self.n_wins.y += points << AMAF_POINTS_SHIFT;
    }

    /// Whether the node's outcome is known for certain.
    pub fn is_proven(&self) -> bool {
        self.n.y & PROVEN != 0
    }

    /// Plies to a proven node's outcome.
    pub fn plies(&self) -> u32 {
        self.n.y >> PLIES_SHIFT & MOST_PLIES
    }

    /// Marks a node as proven, with this many plies to its outcome.
    pub fn prove(&mut self, plies: u32) {
        self.n.y = self.n.y & ((1 << PLIES_SHIFT) - 1) | PROVEN | plies.min(MOST_PLIES) << PLIES_SHIFT;
    }

    /// [`AT_LEAST_DRAWN`] and [`AT_MOST_DRAWN`] of a node that is not proven.
    pub fn half_proofs(&self) -> u32 {
        if self.is_proven() { 0 } else { self.n.y & (AT_LEAST_DRAWN | AT_MOST_DRAWN) }
    }

    /// Whether the node is closed to selections from a parent with these statistics: if its outcome is certain, or if
    /// it is at most a draw for a player who has a certain draw elsewhere.
    pub fn is_closed(&self, parent: &Self) -> bool {
        self.is_proven() || self.half_proofs() & parent.half_proofs() & AT_LEAST_DRAWN != 0
    }

    /// Subtracts playouts.
    pub fn take_back(&mut self, n: u64) {
        self.n = split(join(self.n) - n);
    }

    /// Adds playouts and wins.
    pub fn add(&mut self, n: u64, n_wins: u64) {
        self.n = split(join(self.n) + n);
        self.n_wins = split(join(self.n_wins) + n_wins);
    }
}

/// A node's link: its action, its children and its outcome. Storage `links[tree * capacity + node]`, a `vec2<u32>`
/// there.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct Link {
    /// Index of the first child, [`NO_CHILDREN`] for a leaf; children are neighbours.
    pub first_child: u32,
    /// Action into the node, number of children, outcome code, ordinal of the best child.
    pub info: u32,
}

impl Link {
    /// A leaf reached by `action`.
    pub fn leaf(action: u32, outcome: u32) -> Self {
        Self { first_child: NO_CHILDREN, info: action | outcome << OUTCOME_SHIFT }
    }

    /// The action that led to the node (0 for the root).
    pub fn action(self) -> u32 {
        self.info & ((1 << ACTION_BITS) - 1)
    }

    /// Number of children.
    pub fn count(self) -> u32 {
        (self.info >> ACTION_BITS) & ((1 << COUNT_BITS) - 1)
    }

    /// The node's outcome code (see [`crate::rules::Outcome::code`]).
    pub fn outcome(self) -> u32 {
        (self.info >> OUTCOME_SHIFT) & 3
    }

    /// Index of the best child of a node with children.
    pub fn best_child(self) -> u32 {
        self.first_child + (self.info >> BEST_SHIFT & ((1 << BEST_BITS) - 1))
    }

    /// [`info`](Self::info) without the best child, which follows from the counts.
    pub fn lasting_info(self) -> u32 {
        self.info & !(((1 << BEST_BITS) - 1) << BEST_SHIFT)
    }
}

/// A root action summed over trees, or the root itself at the end of a row. Storage `root_sums[position * (B + 1) +
/// ordinal]`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct RootSum {
    /// Sums of the trees' n and n_wins, without marks.
    pub stats: Stats,
    /// [`Link::info`] of the action's child in the position's first tree.
    pub info: u32,
    /// 0 where the position's first tree has no such child, else 1 and its prior, in units of 1/65536.
    pub present: u32,
    /// The proof of the action, or of the root, as a word ([`Proof::word`](super::Proof::word)): of several trees'
    /// proofs, the one with the fewest plies.
    pub proof: u32,
    /// Half proofs of some trees: [`AT_LEAST_DRAWN`] and [`AT_MOST_DRAWN`].
    pub half_proofs: u32,
}

impl RootSum {
    /// The child's link, with the fields that the sums have.
    pub fn link(&self) -> Link {
        Link { info: self.info, ..Link::default() }
    }

    /// Adds the sums of other trees of the position, which come after these.
    pub fn add_trees(&mut self, other: &Self) {
        self.add(other.stats.counts(), other.proof, other.half_proofs);
    }

    /// Adds the sums of one tree, or of some trees: counts without marks, proof as a word, half proofs.
    pub fn add(&mut self, (n, n_wins): (u64, u64), proof: u32, half_proofs: u32) {
        self.stats.add(n, n_wins);
        self.proof = self.proof.max(proof);
        self.half_proofs |= half_proofs;
    }
}

/// The result of the reduction over actions for a position. Storage `best[position]`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct Best {
    /// Ordinal of the best action among the root's legal ones; [`NO_ACTION`] where there is none.
    pub ordinal: u32,
    /// The best action.
    pub action: u32,
}

/// The share of a dispatch of tree reuse: a run of blocks of nodes, the same one in some neighbouring trees. Uniform
/// `slab`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct Slab {
    /// The first tree.
    pub first_tree: u32,
    /// Trees.
    pub trees: u32,
    /// The first block of each of them.
    pub first_block: u32,
    /// Blocks of each of them.
    pub blocks: u32,
    /// Moves from the old root to the new one.
    pub moves: u32,
    /// Elements of `spans` for a tree: one, and one a block.
    pub spans: u32,
    /// Words of a root record.
    pub root_words: u32,
    /// The first tree of the group that has marks.
    pub first_marked: u32,
}

/// "No action": the root has no children.
pub const NO_ACTION: u32 = u32::MAX;

/// Two 32-bit words, low first, as an integer.
pub fn join(words: UVec2) -> u64 {
    u64::from(words.x) | u64::from(words.y) << 32
}

/// An integer as two 32-bit words, low first.
pub fn split(value: u64) -> UVec2 {
    UVec2::new(value as u32, (value >> 32) as u32)
}
