//! Twin of `shaders/search/run/reduce_over_trees.wgsl`: sums the roots and their children over the trees of a position,
//! and keeps each child's proof with the fewest plies, and all half proofs.

use super::Forest;
use crate::forest::{
    Proof,
    layout::{ROOT, RootSum},
};

/// One row of B + 1 sums a position: the root's children by ordinal, the root itself last.
pub fn reduce_over_trees(forest: &Forest) -> Vec<RootSum> {
    let shape = &forest.shape;
    let row = shape.max_actions as usize + 1;
    let positions = (shape.n_trees / shape.trees_per_position) as usize;
    let mut sums = vec![RootSum::default(); positions * row];
    for tree in 0..shape.n_trees as usize {
        let base = tree * shape.capacity as usize;
        let root = forest.links[base + ROOT as usize];
        let position = tree / shape.trees_per_position as usize;
        let sums = &mut sums[position * row..][..row];
        let add = |node: usize, sum: &mut RootSum| {
            let (link, stats) = (forest.links[node], forest.stats[node]);
            sum.add(shape.plain(stats).counts(), Proof::word(Proof::of(link, &stats)), stats.half_proofs());
        };
        add(base, &mut sums[row - 1]);
        let first_child = base + root.first_child as usize;
        for (child, sum) in (first_child..).zip(&mut sums[..root.count() as usize]) {
            add(child, sum);
            if tree % shape.trees_per_position as usize == 0 {
                sum.info = forest.links[child].info;
                let prior =
                    if shape.evaluation.is_some() { forest.stats[child].prior_and_value().0 } else { 0 };
                sum.present = 1 + prior;
            }
        }
    }
    sums
}
