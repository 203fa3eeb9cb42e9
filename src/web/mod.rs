//! The page that plays in a browser: what stands behind it.
//!
//! ```text
//! page/page.js ── messages ──► page/worker.js ── JSON ──► entry ──► Desk ──► Search, verify, bench
//! what one sees                a thread of its own         wasm      the machine, the game, checks, benchmark
//! ```
//!
//! All but the entry is plain Rust that any machine runs, and so do the tests.

mod checks;
mod desk;
#[cfg(all(target_arch = "wasm32", feature = "web"))]
mod entry;
mod table;

pub use checks::{Check, Verdict, checks};
pub use desk::Desk;

use std::ops::ControlFlow;

/// What the page is told while it waits for an answer, as JSON; none where there is no news, and it is only asked
/// whether the work is still wanted.
pub type Listener<'a> = &'a mut dyn FnMut(Option<String>) -> ControlFlow<()>;
