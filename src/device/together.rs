//! Several pieces of work at a time.

use crate::error::Result;

/// Does work that keeps a processor busy, such as compiling, for all items, each on a thread of its own. The thread
/// that asks waits for it.
pub async fn together<I: Send, T: Send>(
    items: Vec<I>,
    work: impl AsyncFn(I) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    use rayon::prelude::*;
    items.into_par_iter().map(|item| pollster::block_on(work(item))).collect()
}
