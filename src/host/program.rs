//! A program: it may block, and has threads.

pub use pollster::block_on;
pub use std::time::Instant;

use rayon::prelude::*;

/// Does work that keeps a processor busy, such as compiling, for all items, each on a thread of its own. The thread
/// that asks waits for it.
pub async fn together<I: Send, T: Send, E: Send>(
    items: Vec<I>,
    work: impl AsyncFn(I) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    items.into_par_iter().map(|item| block_on(work(item))).collect()
}

/// [`together`] for two pieces of work that are not alike.
pub async fn both<A: Send, B: Send>(
    one: impl AsyncFnOnce() -> A + Send,
    other: impl AsyncFnOnce() -> B + Send,
) -> (A, B) {
    rayon::join(|| block_on(one()), || block_on(other()))
}

/// Lets others have the thread. Those who wait for a long computation have threads of their own.
pub async fn give_way() {}
