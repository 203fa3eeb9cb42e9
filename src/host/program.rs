//! A program: it may block, and has threads.

pub use pollster::block_on;
pub use std::time::Instant;

use super::parallel::in_tasks;
use rayon::ThreadPoolBuilder;
use std::{
    error::Error,
    future::poll_fn,
    io,
    panic::resume_unwind,
    sync::OnceLock,
    task::Poll,
    thread::{Builder, JoinHandle},
    time::{SystemTime, UNIX_EPOCH},
};

/// Seconds since 1970 by the clock of the machine; none where it is set to a time before.
pub fn unix_time() -> Option<u64> {
    SystemTime::now().duration_since(UNIX_EPOCH).ok().map(|time| time.as_secs())
}

/// Starts the threads that all searches share, unless they exist. If no thread can be created, rayon would panic when
/// it first needs one.
///
/// # Errors
/// Where no thread can be created.
pub fn start_threads() -> io::Result<()> {
    static FAILED: OnceLock<Option<String>> = OnceLock::new();
    let failed = FAILED.get_or_init(|| {
        let built = ThreadPoolBuilder::new().build_global();
        // An error without a source means that the threads exist already.
        built.err().and_then(|error| Some(error.source()?.to_string()))
    });
    failed.as_ref().map_or(Ok(()), |why| Err(io::Error::other(why.clone())))
}

/// Runs work that keeps a processor busy, such as compiling, for all items, each on a thread of its own. The calling
/// thread waits for it.
pub async fn together<I: Send, T: Send, E: Send>(
    items: Vec<I>,
    work: impl AsyncFn(I) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    in_tasks(items, 1..=usize::MAX, &|item| block_on(work(item))).into_iter().collect()
}

/// [`together`] for two different pieces of work.
pub async fn both<A: Send, B: Send>(
    one: impl AsyncFnOnce() -> A + Send,
    other: impl AsyncFnOnce() -> B + Send,
) -> (A, B) {
    rayon::join(|| block_on(one()), || block_on(other()))
}

/// Work on a thread of its own, whose result is needed later. Dropping it waits for its end: a driver must not be
/// working when the program ends.
#[derive(Debug)]
pub struct Background<T>(Option<JoinHandle<T>>);

impl<T: Send + 'static> Background<T> {
    /// Begins the work. [`together`] inside of it has threads of its own, as all others may wait for the work to end.
    ///
    /// # Errors
    /// Where no thread can be created.
    pub async fn begin(work: impl AsyncFnOnce() -> T + Send + 'static) -> io::Result<Self> {
        let pool = ThreadPoolBuilder::new().build().map_err(io::Error::other)?;
        Ok(Self(Some(Builder::new().spawn(move || pool.install(|| block_on(work())))?)))
    }

    /// Whether the work has ended.
    pub fn has_ended(&self) -> bool {
        self.0.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// The result, once the work has ended.
    pub async fn ended(mut self) -> Option<T> {
        self.0.take().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
    }
}

impl<T> Drop for Background<T> {
    fn drop(&mut self) {
        self.0.take().map(JoinHandle::join);
    }
}

/// Yields to the other futures of the thread.
pub async fn give_way() {
    let mut has_given_way = false;
    poll_fn(|context| {
        if has_given_way {
            return Poll::Ready(());
        }
        has_given_way = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{sync::mpsc, thread, time::Duration};

    /// Searches may run on every thread, and all of them may wait at the same time.
    #[test]
    fn work_ends_while_all_threads_wait_for_it() {
        let wait = || {
            block_on(async {
                let work = async || together(vec![1, 2, 3], async |item| Ok::<_, ()>(2 * item)).await;
                Background::begin(work).await.expect("there are threads").ended().await
            })
        };
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || sender.send(rayon::broadcast(|_| wait())));
        let all = receiver.recv_timeout(Duration::from_secs(300)).expect("nobody waits for ever");
        assert!(all.iter().all(|found| *found == Some(Ok(vec![2, 4, 6]))));
    }
}
