//! Twin of `shaders/search/run/seed.wgsl`: sets every playout stream and every expansion stream to its place in the
//! sequence.

use super::{Forest, forest::stream_words};
use crate::exact::rng::{Jumps, Stream};
use rayon::prelude::*;

/// Seeds all streams of a chunk (specification, "Random streams").
pub fn seed(forest: &mut Forest) {
    let shape = &forest.shape;
    let (seed, first_tree, stride) = (shape.config.seed, shape.first_tree, shape.expansion_stride);
    let per_tree = shape.streams_per_tree();
    let first_leaf = first_tree * shape.config.leaf_batch;
    let of_leaves = forest.trees.len() - shape.all_leaves() as usize;
    let zero = Stream::seeded(seed);
    forest.streams.par_chunks_mut(per_tree).enumerate().for_each(|(tree, streams)| {
        let first = (first_tree as usize + tree) * per_tree;
        let mut stream = Jumps::advance(zero, first as u32);
        for words in streams {
            *words = stream_words(stream);
            stream = Jumps::advance(stream, 1);
        }
    });
    for (leaf, header) in forest.trees[of_leaves..].iter_mut().enumerate() {
        let index = (first_leaf + leaf as u32) * stride;
        header.expansion_stream = stream_words(Jumps::advance(zero, index));
    }
}
