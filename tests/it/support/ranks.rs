//! Ranks that are threads.

use mcts_wgpu::Ranks;
use std::thread;

/// The results of a work on each of so many ranks.
pub fn on_ranks<T: Send>(size: usize, work: impl Fn(&Ranks) -> T + Sync) -> Vec<T> {
    let work = &work;
    thread::scope(|scope| {
        let ranks = Ranks::in_process(size).into_iter();
        let threads: Vec<_> = ranks.map(|ranks| scope.spawn(move || work(&ranks))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a rank ends")).collect()
    })
}
