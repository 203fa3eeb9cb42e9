//! Twin of `shaders/search/staged/plan.wgsl`: counts the jobs of a step, so that thrifty variants launch exactly those.

use super::Forest;

/// Writes how many jobs come before each tree, and how many there are. A tree has a job for every new child, or
/// one for the selected node where nothing was expanded; a
/// tree whose root is proven has none.
pub fn plan(forest: &mut Forest) {
    let mut before = 0;
    for (tree, jobs) in forest.trees.iter().zip(&mut forest.jobs) {
        *jobs = before;
        before += if tree.is_resting() { 0 } else { tree.expanded.max(1) };
    }
    forest.jobs[forest.trees.len()] = before;
}
