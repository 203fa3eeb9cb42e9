//! The progress bar that is shown, so that lines can be written above it and signals can clear it.

use crate::host::locked;
use indicatif::ProgressBar;
use std::sync::Mutex;

static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

pub fn set(bar: &ProgressBar) {
    *locked(&SHOWN) = Some(bar.clone());
}

/// Clears the bar; returns whether there was one.
pub fn clear() -> bool {
    let bar = locked(&SHOWN).take();
    bar.inspect(ProgressBar::finish_and_clear).is_some()
}

/// Writes to the terminal with the bar hidden, so that no copy of it stays above the lines.
pub fn without_bar<T>(write: impl FnOnce() -> T) -> T {
    let bar = locked(&SHOWN).clone();
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}
