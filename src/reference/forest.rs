//! The trees of a search and their buffers.

use super::evaluation_cache::EvaluationCache;
use crate::{
    error::{Error, Result},
    exact::rng::Stream,
    forest::{
        layout::{Link, Stats, Tree},
        nodes::{Node, NodeRun},
        shape::Shape,
    },
    host::parallel::in_tasks,
};
use bytemuck::{Zeroable, allocation::try_zeroed_vec};
use glam::{UVec2, UVec4};
use std::ops::Range;

/// A chunk of trees in host memory. The fields are the buffers of `shaders/README.md`.
#[derive(Debug, Clone, PartialEq)]
pub struct Forest {
    /// Sizes.
    pub shape: Shape,
    /// `[tree][root_words]`: player to move, outcome code, packed state; number and keys of the positions before.
    pub roots: Vec<u32>,
    /// `[tree]` headers; after them `[leaf]`, where a step has several leaves a tree: from leaf `tree * leaves` on.
    pub trees: Vec<Tree>,
    /// `[leaf][path_words]` node indexes from the root to the selected node, and the choices of these nodes.
    pub paths: Vec<u32>,
    /// `[tree][capacity]`
    pub stats: Vec<Stats>,
    /// `[tree][capacity]`
    pub links: Vec<Link>,
    /// `[leaf][selected_words]`: packed position of the selected node; keys of the positions of its path; the actions
    /// that lead to its children.
    pub states: Vec<u32>,
    /// `[leaf][action or 0][lane]` states of the playout streams.
    pub streams: Vec<UVec4>,
    /// `[leaf][ordinal or 0][part]` wins of the first and the second player.
    pub tallies: Vec<UVec2>,
    /// `[leaf][game]` the record of each playout for rapid action values: its points, those of the first player in the
    /// low half; the places where each player was the first to play.
    pub firsts: Vec<u32>,
    /// `[leaf][cells + 1]` the planes of the leaf's position; whether a network evaluates it.
    pub leaf_planes: Vec<u32>,
    /// `[leaf][actions + 3]` logits of the actions; win, draw and loss of the player to move.
    pub outputs: Vec<i32>,
    /// `[leaf + 1]` jobs before each leaf, and in all; only thrifty variants use it.
    pub jobs: Vec<u32>,
    /// The network's evaluations by position; not a buffer.
    pub evaluations: EvaluationCache,
}

impl Forest {
    /// Trees without nodes; run [`seed`](super::seed::seed) and [`reset`](super::reset::reset) next. The system
    /// allocates the memory when it is first written.
    ///
    /// # Errors
    /// Out of memory.
    pub fn new(shape: Shape) -> Result<Self> {
        let trees = shape.n_trees as usize;
        let leaves = shape.all_leaves() as usize;
        let nodes = trees * shape.capacity as usize;
        Ok(Self {
            roots: zeroed(trees * shape.root_words())?,
            trees: zeroed(trees * shape.headers_per_tree())?,
            paths: zeroed(leaves * shape.path_words())?,
            stats: zeroed(nodes)?,
            links: zeroed(nodes)?,
            states: zeroed(leaves * shape.selected_words())?,
            streams: zeroed(leaves * shape.streams_per_leaf())?,
            tallies: zeroed(leaves * shape.tallies_per_leaf())?,
            firsts: zeroed(leaves * shape.records_per_leaf())?,
            leaf_planes: zeroed(leaves * shape.planes_per_leaf())?,
            outputs: zeroed(leaves * shape.outputs_per_leaf())?,
            jobs: zeroed(leaves + 1)?,
            evaluations: EvaluationCache::default(),
            shape,
        })
    }

    /// The headers of the trees.
    pub fn headers(&self) -> &[Tree] {
        &self.trees[..self.shape.n_trees as usize]
    }

    /// The headers of a step's leaves; the trees' own where a step has one leaf a tree.
    pub fn leaf_headers(&self) -> &[Tree] {
        &self.trees[self.trees.len() - self.shape.all_leaves() as usize..]
    }

    /// The nodes of a run.
    pub fn nodes(&self, run: NodeRun) -> Vec<Node> {
        let first = run.tree as usize * self.shape.capacity as usize + run.first as usize;
        let nodes = first..first + run.count as usize;
        let stats = self.stats[nodes.clone()].iter().map(|&stats| self.shape.plain(stats));
        self.links[nodes].iter().copied().zip(stats).collect()
    }

    /// Views of all trees.
    pub fn trees(&mut self) -> impl Iterator<Item = TreeView<'_>> {
        let (count, known) = (self.shape.n_trees as usize, &self.evaluations);
        let (trees, of_leaves) = self.trees.split_at_mut(count);
        let mut roots = self.roots.chunks(self.shape.root_words());
        let mut leaves = parts(of_leaves, count);
        let mut nodes = parts(&mut self.stats, count).zip(parts(&mut self.links, count));
        let mut descents = parts(&mut self.paths, count).zip(parts(&mut self.states, count));
        let mut playouts = parts(&mut self.streams, count).zip(parts(&mut self.tallies, count));
        let mut firsts = parts(&mut self.firsts, count);
        let mut evaluations = parts(&mut self.leaf_planes, count).zip(parts(&mut self.outputs, count));
        (0..).zip(trees).map_while(move |(index, tree)| {
            let ((stats, links), (path, state)) = (nodes.next()?, descents.next()?);
            let ((streams, tallies), (leaf_planes, outputs)) = (playouts.next()?, evaluations.next()?);
            let (root, leaves, firsts) = (roots.next()?, leaves.next()?, firsts.next()?);
            Some(TreeView {
                index,
                tree,
                leaves,
                path,
                root,
                stats,
                links,
                state,
                streams,
                tallies,
                firsts,
                leaf_planes,
                outputs,
                evaluations: known,
            })
        })
    }

    /// Does the work for each tree, side by side.
    pub fn for_each_tree(&mut self, work: impl Fn(TreeView<'_>) + Sync) {
        self.for_some_trees(0..usize::MAX, work);
    }

    /// The same for a range of trees.
    pub fn for_some_trees(&mut self, range: Range<usize>, work: impl Fn(TreeView<'_>) + Sync) {
        let trees = self.trees().skip(range.start).take(range.len());
        in_tasks(trees.collect(), 1..=usize::MAX, &work);
    }
}

fn zeroed<T: Zeroable>(length: usize) -> Result<Vec<T>> {
    try_zeroed_vec(length).map_err(|()| {
        let gib = (length * size_of::<T>()) as f64 / f64::from(1 << 30);
        Error::out_of_memory(format!(
            "the host has no room for {gib:.1} GiB of trees: give the search less memory"
        ))
    })
}

/// A list, which may be empty, in `count` equal parts.
fn parts<T>(mut all: &mut [T], count: usize) -> impl Iterator<Item = &mut [T]> {
    let length = all.len().checked_div(count).unwrap_or(0);
    (0..count).map(move |_| all.split_off_mut(..length).unwrap_or_default())
}

/// The slices of one tree.
#[derive(Debug)]
pub struct TreeView<'a> {
    /// The tree's index in its chunk.
    pub index: u32,
    /// Its header.
    pub tree: &'a mut Tree,
    /// The headers of a step's leaves; empty where there is one leaf, and in the view of a leaf.
    pub leaves: &'a mut [Tree],
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
    /// The records of its playouts for rapid action values.
    pub firsts: &'a mut [u32],
    /// The planes of its leaves.
    pub leaf_planes: &'a mut [u32],
    /// The network's outputs for its leaves.
    pub outputs: &'a mut [i32],
    /// The network's evaluations by position.
    pub evaluations: &'a EvaluationCache,
}

impl TreeView<'_> {
    /// The same slices, borrowed again.
    pub fn reborrow(&mut self) -> TreeView<'_> {
        TreeView {
            index: self.index,
            tree: self.tree,
            leaves: self.leaves,
            path: self.path,
            root: self.root,
            stats: self.stats,
            links: self.links,
            state: self.state,
            streams: self.streams,
            tallies: self.tallies,
            firsts: self.firsts,
            leaf_planes: self.leaf_planes,
            outputs: self.outputs,
            evaluations: self.evaluations,
        }
    }

    /// The slices of one of a step's leaves, by its place among them, with the nodes of its tree. The header is the
    /// leaf's.
    pub fn leaf(&mut self, place: usize) -> TreeView<'_> {
        let count = self.leaves.len();
        TreeView {
            index: self.index * count as u32 + place as u32,
            tree: &mut self.leaves[place],
            leaves: &mut [],
            path: part(self.path, place, count),
            root: self.root,
            stats: self.stats,
            links: self.links,
            state: part(self.state, place, count),
            streams: part(self.streams, place, count),
            tallies: part(self.tallies, place, count),
            firsts: part(self.firsts, place, count),
            leaf_planes: part(self.leaf_planes, place, count),
            outputs: part(self.outputs, place, count),
            evaluations: self.evaluations,
        }
    }

    /// All of a step's leaves, side by side, with shared nodes.
    pub fn leaf_views(&mut self) -> impl Iterator<Item = LeafView<'_>> {
        let count = self.leaves.len();
        let (root, stats, links) = (self.root, &*self.stats, &*self.links);
        let own = parts(self.path, count).zip(parts(self.state, count)).zip(parts(self.firsts, count));
        let evaluated = parts(self.leaf_planes, count).zip(parts(self.outputs, count));
        let leaf = move |(tree, (((path, state), firsts), (leaf_planes, outputs)))| {
            let firsts: &mut [u32] = firsts;
            LeafView { tree, path, root, stats, links, state, firsts, leaf_planes, outputs }
        };
        self.leaves.iter_mut().zip(own.zip(evaluated)).map(leaf)
    }

    /// The player (0 or 1) to move at a node of this depth.
    pub fn turn_at(&self, depth: u32) -> u32 {
        self.tree.turn_at(depth)
    }

    /// The player to move at the selected node.
    pub fn selected_turn(&self) -> u32 {
        self.tree.selected_turn()
    }
}

impl<'a> TreeView<'a> {
    /// The slices that the playouts of each of a step's leaves need.
    pub fn into_plays(self) -> Vec<PlayView<'a>> {
        let headers = if self.leaves.is_empty() { std::slice::from_ref(self.tree) } else { self.leaves };
        let part = |length: usize| length / headers.len();
        let states = self.state.chunks(part(self.state.len()));
        let streams = self.streams.chunks_mut(part(self.streams.len()));
        let tallies = self.tallies.chunks_mut(part(self.tallies.len()));
        let firsts = parts(self.firsts, headers.len());
        let own = headers.iter().zip(states).zip(streams.zip(tallies).zip(firsts));
        let (links, first) = (&*self.links, self.index as usize * headers.len());
        let play = |(leaf, ((tree, state), ((streams, tallies), firsts)))| PlayView {
            leaf,
            tree,
            links,
            state,
            streams,
            tallies,
            firsts,
        };
        (first..).zip(own).map(play).collect()
    }
}

/// The slices of a leaf while others of its step are processed, with shared nodes.
#[derive(Debug)]
pub struct LeafView<'a> {
    /// Its header.
    pub tree: &'a mut Tree,
    /// Its path, and the choices of the path's nodes.
    pub path: &'a mut [u32],
    /// Its tree's root record.
    pub root: &'a [u32],
    /// Its tree's statistics.
    pub stats: &'a [Stats],
    /// Its tree's links.
    pub links: &'a [Link],
    /// Packed position of its selected node, keys of its path, the list of actions.
    pub state: &'a mut [u32],
    /// The records of its playouts for rapid action values.
    pub firsts: &'a [u32],
    /// The planes of its position.
    pub leaf_planes: &'a mut [u32],
    /// The network's outputs for it.
    pub outputs: &'a mut [i32],
}

/// The slices that the playouts of a leaf need.
#[derive(Debug)]
pub struct PlayView<'a> {
    /// Its index in its chunk.
    pub leaf: usize,
    /// Its header.
    pub tree: &'a Tree,
    /// Its tree's links.
    pub links: &'a [Link],
    /// Packed position of the selected node.
    pub state: &'a [u32],
    /// The playout streams.
    pub streams: &'a mut [UVec4],
    /// The tallies.
    pub tallies: &'a mut [UVec2],
    /// The records of the playouts for rapid action values.
    pub firsts: &'a mut [u32],
}

/// The part with index `place` of `count` equal parts of a slice.
fn part<T>(all: &mut [T], place: usize, count: usize) -> &mut [T] {
    let length = all.len() / count;
    &mut all[place * length..][..length]
}

/// A stream in the format of the shaders.
pub(crate) fn stream_words(stream: Stream) -> UVec4 {
    stream.words().into()
}

/// The inverse of [`stream_words`].
pub(crate) fn stream_of(words: UVec4) -> Stream {
    Stream::from_words(words.into())
}
