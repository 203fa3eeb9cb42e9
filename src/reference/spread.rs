//! Work of a step on cores that would otherwise be idle. Results do not depend on the core or the order.

use crate::{forest::Shape, host::parallel::in_tasks};

/// Nanoseconds of work that are worth a task: more than it takes to wake the thread of another core.
pub const GRAIN: u32 = 20_000;

/// Nanoseconds of a ply of a playout, about: of Go; in other games less.
pub const A_PLY: u32 = 100;
/// The same for each action of a game, in steps that list the legal actions or append their children.
pub const AN_ACTION: u32 = 20;
/// The same for each child in the choice of a best child.
pub const A_BOUND: u32 = 8;
/// The same for each child in the credit of a playout's rapid action values.
pub const A_CREDIT: u32 = 40;

/// Products of a network that take about a nanosecond.
pub const PRODUCTS: u64 = 20;

/// The number of pieces of work, of `cost` nanoseconds each, that are worth a task.
pub fn grain(cost: u32) -> usize {
    (GRAIN / cost.max(1)).max(1) as usize
}

/// Whether there are so few trees that cores would be idle, which then take parts of a step. With many trees, a core
/// that waits for its tasks would start further trees, one inside another, on its stack.
pub fn has_idle_cores(shape: &Shape) -> bool {
    let cores = rayon::current_num_threads();
    cores > 1 && (shape.n_trees as usize) < 2 * cores
}

/// Runs the work for all items, each of which takes about `cost` nanoseconds.
pub fn for_each<T: Send>(shape: &Shape, cost: u32, items: impl Iterator<Item = T>, work: impl Fn(T) + Sync) {
    let grain = grain(cost);
    let is_small = items.size_hint().1.is_some_and(|most| most <= grain);
    if is_small || !has_idle_cores(shape) {
        return items.for_each(work);
    }
    in_tasks(items.collect(), grain..=usize::MAX, &work);
}
