//! Work of a step on the cores that other trees leave idle. No result depends on who does it, or when.

use crate::forest::Shape;
use rayon::prelude::*;

/// Nanoseconds of work that are worth handing over: some times what it takes another core to find and end it.
pub const GRAIN: u32 = 4000;

/// About how many nanoseconds a ply of a playout takes.
pub const A_PLY: u32 = 20;
/// The same for each action of a game, where a step lists those that are legal, or appends their children.
pub const AN_ACTION: u32 = 20;
/// The same where the nodes of a path choose their best children.
pub const A_BOUND: u32 = 8;
/// The same where children get their rapid action values of a playout.
pub const A_CREDIT: u32 = 40;

/// Products of a network that take about one.
pub const PRODUCTS: u64 = 20;

/// Pieces of work, each of so many nanoseconds, that are worth handing over.
pub fn grain(cost: u32) -> usize {
    (GRAIN / cost.max(1)).max(1) as usize
}

/// May trees leave cores idle? Where there are many, a core that waits for others had better not begin another tree
/// meanwhile, and then yet another one: they would pile up on its stack.
pub fn has_idle_cores(shape: &Shape) -> bool {
    let cores = rayon::current_num_threads();
    cores > 1 && (shape.n_trees as usize) < 2 * cores
}

/// Does the work for all items, each of which takes about so many nanoseconds.
pub fn for_each<T: Send>(
    shape: &Shape,
    cost: u32,
    items: impl Iterator<Item = T>,
    work: impl Fn(T) + Send + Sync,
) {
    let grain = grain(cost);
    let is_small = items.size_hint().1.is_some_and(|most| most <= grain);
    if is_small || !has_idle_cores(shape) {
        return items.for_each(work);
    }
    items.collect::<Vec<_>>().into_par_iter().with_min_len(grain).for_each(work);
}
