//! The bar that is shown now: for lines to be written above it, and for a signal to clear.

use indicatif::ProgressBar;
use std::sync::{Mutex, PoisonError};

static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// From now on it is this one.
pub fn set(bar: &ProgressBar) {
    *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
}

/// Takes the bar away, if there is one: tells whether there was.
pub fn clear() -> bool {
    let bar = SHOWN.lock().unwrap_or_else(PoisonError::into_inner).take();
    bar.inspect(ProgressBar::finish_and_clear).is_some()
}

/// Writes to the terminal while the bar is away, if there is one: none is left behind above the lines.
pub fn without_bar<T>(write: impl FnOnce() -> T) -> T {
    let bar = SHOWN.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}
