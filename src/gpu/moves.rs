//! Trees that move from one chunk to another, on the device.

use super::{buffers::copy_runs, forest::Forest};
use crate::forest::layout::{Link, Stats, Tree};
use std::ops::Range;

impl Forest {
    /// The index of the first tree after this chunk's, counted over all trees.
    pub(crate) fn end_tree(&self) -> u32 {
        self.shape.first_tree + self.shape.n_trees
    }

    /// Records copies of all data that last from one step to the next, of the trees that both chunks have. No tree has
    /// more than `nodes` nodes.
    pub(crate) fn take_over(&self, from: &Self, nodes: u32, encoder: &mut wgpu::CommandEncoder) {
        let first = self.shape.first_tree.max(from.shape.first_tree);
        let trees = first..self.end_tree().min(from.end_tree()).max(first);
        let (leaves, header) = (u64::from(self.shape.config.leaf_batch), size_of::<Tree>() as u64);
        let mut copy =
            |name, element, bases| self.copy_trees_of(from, name, (&trees, element, bases), encoder);
        copy("roots", 4 * self.shape.root_words() as u64, [0; 2]);
        copy("streams", 16 * self.shape.streams_per_tree() as u64, [0; 2]);
        copy("trees", header, [0; 2]);
        if self.shape.has_leaves() {
            // The headers of the leaves are behind those of the trees.
            let bases = [from, self].map(|chunk| u64::from(chunk.shape.n_trees) * header);
            copy("trees", leaves * header, bases);
        }
        for tree in trees {
            self.copy_nodes_of(from, tree, nodes, encoder);
        }
    }

    /// Copies a buffer of `element` bytes a tree, from the first tree that both chunks have.
    fn copy_trees_of(
        &self,
        from: &Self,
        name: &str,
        (trees, element, bases): (&Range<u32>, u64, [u64; 2]),
        encoder: &mut wgpu::CommandEncoder,
    ) {
        let at = |chunk: &Self| u64::from(trees.start - chunk.shape.first_tree) * element;
        let bytes = trees.len() as u64 * element;
        if bytes > 0 {
            let (source, target) = (&from.buffers()[name], &self.buffers()[name]);
            encoder.copy_buffer_to_buffer(source, bases[0] + at(from), target, bases[1] + at(self), bytes);
        }
    }

    fn copy_nodes_of(&self, from: &Self, tree: u32, nodes: u32, encoder: &mut wgpu::CommandEncoder) {
        let nodes = nodes.min(from.shape.capacity).min(self.shape.capacity);
        for (name, size) in [("stats", size_of::<Stats>()), ("links", size_of::<Link>())] {
            let [source, target] = [from, self].map(|chunk| {
                let first = u64::from(tree - chunk.shape.first_tree) * u64::from(chunk.shape.capacity);
                chunk.buffers().nodes(name, size as u64, first, nodes.into())
            });
            copy_runs(source, target, encoder);
        }
    }
}
