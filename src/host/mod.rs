//! The differences between a native program and a page in a browser: the clock, threads, and waiting. A page can't
//! block, and has one thread. The only other module with such differences is `device::submissions`.

pub mod parallel;

#[cfg(not(target_arch = "wasm32"))]
mod cgroup;
#[cfg(not(target_arch = "wasm32"))]
mod program;
#[cfg(not(target_arch = "wasm32"))]
pub use cgroup::memory_limit;
#[cfg(not(target_arch = "wasm32"))]
pub use program::{Background, Instant, block_on, both, give_way, start_threads, together, unix_time};

#[cfg(target_arch = "wasm32")]
mod page;
#[cfg(target_arch = "wasm32")]
pub use page::{Background, Instant, both, give_way, memory_limit, start_threads, together, unix_time};

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The data of a mutex, whether or not a thread has panicked while it held the lock.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
