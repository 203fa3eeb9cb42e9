//! A page, or one of its workers: one thread, which must yield to the browser for any event to be handled.

pub use web_time::Instant;

use futures_util::future::{join, try_join_all};
use js_sys::{Function, Promise, Reflect, global};
use std::{cell::Cell, io, time::Duration};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// Runs work for all items side by side, as far as it waits for the browser.
pub async fn together<I, T, E>(items: Vec<I>, work: impl AsyncFn(I) -> Result<T, E>) -> Result<Vec<T>, E> {
    let work = &work;
    try_join_all(items.into_iter().map(|item| work(item))).await
}

/// Does nothing: a page has no threads.
///
/// # Errors
/// None.
pub fn start_threads() -> io::Result<()> {
    Ok(())
}

/// Seconds since 1970 by the clock of the machine.
pub fn unix_time() -> Option<u64> {
    let time = web_time::SystemTime::now().duration_since(web_time::UNIX_EPOCH);
    time.ok().map(|time| time.as_secs())
}

/// `None`: a page can't get its memory limit.
pub fn memory_limit() -> Option<u64> {
    None
}

/// [`together`] for two different pieces of work.
pub async fn both<A, B>(one: impl AsyncFnOnce() -> A, other: impl AsyncFnOnce() -> B) -> (A, B) {
    join(one(), other()).await
}

/// Work whose result is needed later. A page has no thread for it, and runs it at once.
#[derive(Debug)]
pub struct Background<T>(T);

impl<T> Background<T> {
    /// Runs the work.
    ///
    /// # Errors
    /// None.
    pub async fn begin(work: impl AsyncFnOnce() -> T) -> io::Result<Self> {
        Ok(Self(work().await))
    }

    /// Whether the work has ended.
    pub fn has_ended(&self) -> bool {
        true
    }

    /// The result.
    pub async fn ended(self) -> Option<T> {
        Some(self.0)
    }
}

thread_local! {
    /// The time when the thread last yielded to the browser.
    static LAST: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Yielding costs four milliseconds, which browsers add to timers that set one another.
const YIELD_INTERVAL: Duration = Duration::from_millis(100);

/// Lets the browser handle events, such as a click that ends a search, before the next part of a long computation; not
/// at every call.
pub async fn give_way() {
    if LAST.get().is_some_and(|last| last.elapsed() < YIELD_INTERVAL) {
        return;
    }
    let wake = |resolve: Function, _| {
        let set_timeout =
            Reflect::get(&global(), &"setTimeout".into()).and_then(JsCast::dyn_into::<Function>);
        if set_timeout.and_then(|later| later.call1(&JsValue::UNDEFINED, &resolve)).is_err() {
            // Without a timer, goes on at once.
            let _ = resolve.call0(&JsValue::UNDEFINED);
        }
    };
    let _ = JsFuture::from(Promise::new(&mut { wake })).await;
    LAST.set(Some(Instant::now()));
}
