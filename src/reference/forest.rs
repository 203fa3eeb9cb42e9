//! The trees of a search and the buffers they live in.

use crate::{
    error::{Error, Result},
    exact::rng::Stream,
    forest::{
        layout::{Link, Stats, Tree},
        nodes::{Node, NodeRun},
        shape::Shape,
    },
};
use bytemuck::{Zeroable, allocation::try_zeroed_vec};
use glam::{UVec2, UVec4};
use rayon::prelude::*;

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

    /// The nodes of a run.
    pub fn nodes(&self, run: NodeRun) -> Vec<Node> {
        let first = run.tree as usize * self.shape.capacity as usize + run.first as usize;
        let nodes = first..first + run.count as usize;
        self.links[nodes.clone()].iter().copied().zip(self.stats[nodes].iter().copied()).collect()
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

/// A stream as the shaders hold it.
pub(crate) fn stream_words(stream: Stream) -> UVec4 {
    stream.words().into()
}

/// The inverse of [`stream_words`].
pub(crate) fn stream_of(words: UVec4) -> Stream {
    Stream::from_words(words.into())
}
