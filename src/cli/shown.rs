//! The progress bar that is shown, so that lines can be written above it and signals can clear it.

use indicatif::ProgressBar;
use std::sync::{Mutex, PoisonError};

static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

pub fn set(bar: &ProgressBar) {
    *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
}

/// Clears the bar; returns whether there was one.
pub fn clear() -> bool {
    let bar = SHOWN.lock().unwrap_or_else(PoisonError::into_inner).take();
    bar.inspect(ProgressBar::finish_and_clear).is_some()
}

/// Writes to the terminal with the bar hidden, so that no copy of it stays above the lines.
pub fn without_bar<T>(write: impl FnOnce() -> T) -> T {
    let bar = SHOWN.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}
