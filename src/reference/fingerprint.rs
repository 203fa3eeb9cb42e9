//! Twin of `shaders/search/run/fingerprint.wgsl`: a hash of every node of every tree, independent of where the nodes
//! lie in memory and of how the work was split.

use super::Forest;
use glam::UVec2;
use rayon::prelude::*;

/// One digest a tree: the sum over its nodes of a hash of index, statistics, and links without the best child.
pub fn fingerprint(forest: &Forest) -> Vec<u64> {
    let capacity = forest.shape.capacity as usize;
    let digest = |tree: usize| {
        let base = tree * capacity;
        let nodes = 0..forest.trees[tree].size as usize;
        let sum = nodes.map(|node| {
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
        let sum = sum.fold(UVec2::ZERO, |a, b| UVec2::new(a.x.wrapping_add(b.x), a.y.wrapping_add(b.y)));
        crate::forest::layout::join(sum)
    };
    (0..forest.shape.n_trees as usize).into_par_iter().map(digest).collect()
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
    digests
        .iter()
        .flat_map(|d| d.to_le_bytes())
        .fold(0xcbf2_9ce4_8422_2325, |h, byte| (h ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
