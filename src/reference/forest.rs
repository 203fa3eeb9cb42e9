//! The trees of a search and the buffers they live in.

use crate::{
    error::{Error, Result},
    game::{Game, Position},
    gpu::shaders::DIGEST_SLICES,
    layout::{Best, Link, ROOT_HEADER, RootSum, Stats, Tree, join, split},
    rng::{Jumps, Stream},
    search::Variant,
};
use bytemuck::{Zeroable, allocation::try_zeroed_vec};
use glam::{UVec2, UVec4};
use rayon::prelude::*;

/// Sizes of a chunk of trees: what the shaders have as constants and in `params`.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Trees.
    pub n_trees: u32,
    /// Index of the first of them among all trees of the search: it names the random streams.
    pub first_tree: u32,
    /// Trees that share a root position.
    pub trees_per_position: u32,
    /// Nodes a tree can hold.
    pub capacity: u32,
    /// B.
    pub max_actions: u32,
    /// m.
    pub playouts: u32,
    /// Parts that the playouts of one node are tallied in: workgroups that share them on a device.
    pub parts: u32,
    /// Words of a packed state.
    pub state_words: u32,
    /// Words of the keys of positions that a root record and the selected node's position carry along, as
    /// [`history_words`] gives them; 0 where the game allows repetition.
    pub history_words: u32,
    /// Nodes on the longest path.
    pub path_capacity: u32,
    /// Distance between the expansion streams of neighbouring trees.
    pub expansion_stride: u32,
    /// Which children are played out, and how work is launched.
    pub variant: Variant,
    /// C.
    pub ucb_c: f32,
    /// The seed.
    pub seed: u64,
}

impl Shape {
    /// Children of one tree that have playout streams of their own: B (ACP) or 1 (OCP).
    pub fn stream_sets(&self) -> u32 {
        if self.variant.all_children { self.max_actions } else { 1 }
    }

    /// The game's greatest number of plies.
    pub fn max_plies(&self) -> u32 {
        self.path_capacity - 1
    }

    /// Playout streams of one tree.
    pub fn streams_per_tree(&self) -> usize {
        self.stream_sets() as usize * self.playouts as usize
    }

    /// Tallies of one tree.
    pub fn tallies_per_tree(&self) -> usize {
        self.stream_sets() as usize * self.parts as usize
    }

    /// The buffers of a chunk but for `params`, as allocation and the sharing out of memory see them: the table of
    /// `shaders/README.md`.
    pub fn buffers(&self) -> [BufferBytes; 14] {
        let buffer = |name| BufferBytes { name, ..BufferBytes::default() };
        let a_node = |name, size: usize| BufferBytes { node: size as u64, ..buffer(name) };
        let a_tree =
            |name, count: usize, size: usize| BufferBytes { tree: (count * size) as u64, ..buffer(name) };
        let a_position =
            |name, count: usize, size: usize| BufferBytes { position: (count * size) as u64, ..buffer(name) };
        [
            a_tree("roots", self.root_words(), 4),
            a_tree("trees", 1, size_of::<Tree>()),
            a_tree("paths", self.path_capacity as usize, 4),
            a_node("stats", size_of::<Stats>()),
            a_node("links", size_of::<Link>()),
            a_tree("states", self.selected_words(), 4),
            a_tree("streams", self.streams_per_tree(), size_of::<UVec4>()),
            a_tree("tallies", self.tallies_per_tree(), size_of::<UVec2>()),
            BufferBytes { fixed: 4, ..a_tree("jobs", 1, 4) },
            BufferBytes { fixed: 24, ..buffer("dispatches") },
            a_position("root_sums", self.max_actions as usize + 1, size_of::<RootSum>()),
            a_position("best", 1, size_of::<Best>()),
            a_tree("digests", DIGEST_SLICES as usize, size_of::<UVec2>()),
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

    /// Words of the selected node's position.
    pub fn selected_words(&self) -> usize {
        (self.state_words + self.history_words) as usize
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

/// Bytes of a buffer, by what takes them.
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
    /// Bytes once.
    pub fixed: u64,
}

impl BufferBytes {
    /// Bytes for so many trees of `capacity` nodes; `u64::MAX` where they are more.
    pub fn of(&self, trees: u64, positions: u64, capacity: u64) -> u64 {
        let a_tree = self.tree.saturating_add(capacity.saturating_mul(self.node));
        let of_trees = trees.saturating_mul(a_tree);
        self.fixed.saturating_add(of_trees).saturating_add(positions.saturating_mul(self.position))
    }
}

/// A chunk of trees in host memory. Every field is a buffer of `shaders/README.md`.
#[derive(Debug, Clone, PartialEq)]
pub struct Forest {
    /// Sizes.
    pub shape: Shape,
    /// `[tree][root_words]`: player to move, outcome code, packed state; number and keys of the positions before.
    pub roots: Vec<u32>,
    /// `[tree]`
    pub trees: Vec<Tree>,
    /// `[tree][path_capacity]` node indexes from the root to the selected node.
    pub paths: Vec<u32>,
    /// `[tree][capacity]`
    pub stats: Vec<Stats>,
    /// `[tree][capacity]`
    pub links: Vec<Link>,
    /// `[tree][selected_words]`: packed position of the selected node; keys of the positions of its path.
    pub states: Vec<u32>,
    /// `[tree][action or 0][lane]` states of the playout streams.
    pub streams: Vec<UVec4>,
    /// `[tree][ordinal or 0][part]` wins of the first and the second player.
    pub tallies: Vec<UVec2>,
    /// `[tree + 1]` jobs before each tree, and in all; only thrifty variants use it.
    pub jobs: Vec<u32>,
}

impl Forest {
    /// Trees without nodes; run [`seed`](super::seed::seed) and [`reset`](super::reset::reset) next. Memory is
    /// taken from the system when it is first written.
    ///
    /// # Errors
    /// Out of memory.
    pub fn new(shape: Shape) -> Result<Self> {
        let trees = shape.n_trees as usize;
        let nodes = trees * shape.capacity as usize;
        Ok(Self {
            roots: zeroed(trees * shape.root_words())?,
            trees: zeroed(trees)?,
            paths: zeroed(trees * shape.path_capacity as usize)?,
            stats: zeroed(nodes)?,
            links: zeroed(nodes)?,
            states: zeroed(trees * shape.selected_words())?,
            streams: zeroed(trees * shape.streams_per_tree())?,
            tallies: zeroed(trees * shape.tallies_per_tree())?,
            jobs: zeroed(trees + 1)?,
            shape,
        })
    }

    /// Views of all trees, for rayon.
    pub fn par_trees(&mut self) -> impl IndexedParallelIterator<Item = TreeView<'_>> {
        let shape = &self.shape;
        let capacity = shape.capacity as usize;
        let root_words = shape.root_words();
        let per_node = (
            self.stats.par_chunks_mut(capacity),
            self.links.par_chunks_mut(capacity),
            self.states.par_chunks_mut(shape.selected_words()),
        );
        let per_tree = (
            self.trees.par_iter_mut(),
            self.paths.par_chunks_mut(shape.path_capacity as usize),
            self.roots.par_chunks(root_words),
            self.streams.par_chunks_mut(shape.streams_per_tree()),
            self.tallies.par_chunks_mut(shape.tallies_per_tree()),
        );
        (per_node, per_tree).into_par_iter_zipped()
    }
}

fn zeroed<T: Zeroable>(length: usize) -> Result<Vec<T>> {
    try_zeroed_vec(length).map_err(|()| {
        let mib = (length * size_of::<T>()) >> 20;
        Error::out_of_memory(format!(
            "the host has no room for {mib} MiB of trees: give the search less memory"
        ))
    })
}

/// Zips the chunks of all buffers into one view a tree.
trait IntoViews<'a> {
    fn into_par_iter_zipped(self) -> impl IndexedParallelIterator<Item = TreeView<'a>>;
}

impl<'a, S, L, W, T, P, R, G, C> IntoViews<'a> for ((S, L, W), (T, P, R, G, C))
where
    S: IndexedParallelIterator<Item = &'a mut [Stats]>,
    L: IndexedParallelIterator<Item = &'a mut [Link]>,
    W: IndexedParallelIterator<Item = &'a mut [u32]>,
    T: IndexedParallelIterator<Item = &'a mut Tree>,
    P: IndexedParallelIterator<Item = &'a mut [u32]>,
    R: IndexedParallelIterator<Item = &'a [u32]>,
    G: IndexedParallelIterator<Item = &'a mut [UVec4]>,
    C: IndexedParallelIterator<Item = &'a mut [UVec2]>,
{
    fn into_par_iter_zipped(self) -> impl IndexedParallelIterator<Item = TreeView<'a>> {
        let ((stats, links, states), (trees, paths, roots, streams, tallies)) = self;
        let nodes = stats.zip(links).zip(states);
        let small = trees.zip(paths).zip(roots).zip(streams).zip(tallies);
        nodes.zip(small).enumerate().map(
            |(index, (((stats, links), state), ((((tree, path), root), streams), tallies)))| TreeView {
                index: index as u32,
                tree,
                path,
                root,
                stats,
                links,
                state,
                streams,
                tallies,
            },
        )
    }
}

/// The slices of one tree.
#[derive(Debug)]
pub struct TreeView<'a> {
    /// The tree's index in its chunk.
    pub index: u32,
    /// Its header.
    pub tree: &'a mut Tree,
    /// Its path.
    pub path: &'a mut [u32],
    /// Its root record.
    pub root: &'a [u32],
    /// Its nodes' statistics.
    pub stats: &'a mut [Stats],
    /// Its nodes' links.
    pub links: &'a mut [Link],
    /// Packed position of its selected node, keys of its path.
    pub state: &'a mut [u32],
    /// Its playout streams.
    pub streams: &'a mut [UVec4],
    /// Its tallies.
    pub tallies: &'a mut [UVec2],
}

impl TreeView<'_> {
    /// The same slices for a while.
    pub fn reborrow(&mut self) -> TreeView<'_> {
        TreeView {
            index: self.index,
            tree: self.tree,
            path: self.path,
            root: self.root,
            stats: self.stats,
            links: self.links,
            state: self.state,
            streams: self.streams,
            tallies: self.tallies,
        }
    }

    /// The player (0 or 1) to move at a node of this depth.
    pub fn turn_at(&self, depth: u32) -> u32 {
        self.tree.root_turn() ^ (depth & 1)
    }

    /// The player to move at the selected node.
    pub fn selected_turn(&self) -> u32 {
        self.turn_at(self.tree.path_length - 1)
    }
}

/// A root record: player to move, outcome code, packed state.
pub(crate) fn root_record<G: Game>(position: &Position<G>) -> Vec<u32> {
    let game = position.game();
    let mut record = vec![0; (ROOT_HEADER + game.state_words() + history_words(game)) as usize];
    record[0] = position.turn() as u32;
    record[1] = crate::game::Outcome::code(position.outcome());
    let (state, history) = record[ROOT_HEADER as usize..].split_at_mut(game.state_words() as usize);
    game.pack(position.state(), state);
    // The position itself is the first one of every path.
    if let ([count, words @ ..], [earlier @ .., _]) = (history, position.keys()) {
        *count = earlier.len() as u32;
        for (words, &key) in words.chunks_exact_mut(2).zip(earlier) {
            words.copy_from_slice(&split(key).to_array());
        }
    }
    record
}

/// Words of the keys that a game that forbids repetition has to know, 0 for others: their number, then two words for
/// each position of the longest path.
pub fn history_words<G: Game>(game: &G) -> u32 {
    if game.forbids_repetition() { 1 + 2 * (game.max_plies() + 1) } else { 0 }
}

/// Reads keys as [`root_record`] and [`select`](super::select) write them.
pub(crate) fn keys(words: &[u32]) -> impl Iterator<Item = u64> {
    words.chunks_exact(2).map(|words| join(UVec2::new(words[0], words[1])))
}

/// A stream as the shaders hold it.
pub(crate) fn stream_words(stream: Stream) -> UVec4 {
    stream.words().into()
}

/// The inverse of [`stream_words`].
pub(crate) fn stream_of(words: UVec4) -> Stream {
    Stream::from_words(words.into())
}
