//! Parallel loops over all cores. Their work is a trait object, so that rayon's code is compiled once for each type of
//! items and results, and not for each game and each caller.

use rayon::prelude::*;
use std::ops::RangeInclusive;

/// The results of the work for all items, in tasks of so many items.
pub fn in_tasks<T: Send, R: Send>(
    items: Vec<T>,
    lengths: RangeInclusive<usize>,
    work: &(dyn Fn(T) -> R + Sync),
) -> Vec<R> {
    let tasks = items.into_par_iter().with_min_len(*lengths.start()).with_max_len(*lengths.end());
    tasks.map(work).collect()
}

/// The results of the work for the numbers below `count`.
pub fn map<R: Send>(count: usize, work: &(dyn Fn(usize) -> R + Sync)) -> Vec<R> {
    (0..count).into_par_iter().map(work).collect()
}
