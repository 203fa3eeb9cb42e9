//! Twin of `shaders/search/run/fingerprint.wgsl`: a hash of every node of every tree, independent of the nodes' order
//! in memory and of the division of the work.

use super::Forest;
use crate::{forest::layout::join, hash::fnv1a, host::parallel};
use glam::UVec2;
use std::ops::Range;

/// One digest a tree: the sum over its nodes of a hash of index, statistics, and links without the best child.
pub fn fingerprint(forest: &Forest) -> Vec<u64> {
    digests(&sums(forest, 0..forest.shape.capacity))
}

/// The sums over all nodes as digests.
pub fn digests(sums: &[UVec2]) -> Vec<u64> {
    sums.iter().map(|&sum| join(sum)).collect()
}

/// The part of each tree's sum from a range of its nodes. Parts are added up word by word, modulo 2^32.
pub fn sums(forest: &Forest, nodes: Range<u32>) -> Vec<UVec2> {
    let capacity = forest.shape.capacity as usize;
    let sum = |tree: usize| {
        let base = tree * capacity;
        let nodes = nodes.start as usize..forest.trees[tree].size.min(nodes.end) as usize;
        let hashes = nodes.map(|node| {
            let (stats, link) = (&forest.stats[base + node], &forest.links[base + node]);
            let words = [
                node as u32,
                stats.n.x,
                stats.n.y,
                stats.n_wins.x,
                stats.n_wins.y,
                link.first_child,
                link.lasting_info(),
            ];
            UVec2::new(hash(&words, 0x243f_6a88), hash(&words, 0x85a3_08d3))
        });
        hashes.fold(UVec2::ZERO, UVec2::wrapping_add)
    };
    parallel::map(forest.shape.n_trees as usize, &sum)
}

/// MurmurHash3 (32 bits) over whole words, without its length.
fn hash(words: &[u32], seed: u32) -> u32 {
    let mixed = words.iter().fold(seed, |h, &word| {
        let k = word.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
        (h ^ k).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64)
    });
    let mixed = (mixed ^ mixed >> 16).wrapping_mul(0x85eb_ca6b);
    let mixed = (mixed ^ mixed >> 13).wrapping_mul(0xc2b2_ae35);
    mixed ^ mixed >> 16
}

/// The digests of all trees, in order, as one number (FNV-1a over their words).
pub fn combine(digests: &[u64]) -> u64 {
    fnv1a(digests.iter().flat_map(|digest| digest.to_le_bytes()))
}
