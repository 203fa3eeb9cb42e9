//! The Rust side of the page that plays in a browser.
//!
//! ```text
//! page/page.js ── messages ──► page/worker.js ── JSON ──► entry ──► RequestHandler ──► Search, verify, bench
//! page                         a thread of its own         wasm      the engine, the game, checks, benchmark
//! ```
//!
//! All but the entry is plain Rust, which every machine and the tests can run.

#[cfg(all(target_arch = "wasm32", feature = "web"))]
mod entry;
mod live_game;
mod request_handler;

pub use request_handler::RequestHandler;

use std::ops::ControlFlow;

/// Called with the progress of a request, as JSON, or with `None` between; `Break` ends the work.
pub type Listener<'a> = &'a mut dyn FnMut(Option<String>) -> ControlFlow<()>;
