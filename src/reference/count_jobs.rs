//! Twin of `shaders/search/staged/count_jobs.wgsl`: counts the jobs of a step, so that thrifty variants launch exactly
//! those.

use super::Forest;
use crate::forest::layout::Tree;

/// Writes the number of jobs before each leaf, and in all. A leaf has a job for every new child, or one for the
/// selected node where nothing was expanded; none if its tree's root is proven.
pub fn count_jobs(forest: &mut Forest) {
    let mut before = 0;
    let played = |leaf: &Tree| if leaf.root_is_proven() { 0 } else { leaf.expanded.max(1) };
    let of_leaves: Vec<u32> = forest.leaf_headers().iter().map(played).collect();
    for (jobs, played) in forest.jobs.iter_mut().zip(&of_leaves) {
        *jobs = before;
        before += played;
    }
    forest.jobs[of_leaves.len()] = before;
}
