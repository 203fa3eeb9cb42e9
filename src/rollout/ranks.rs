//! Rollouts on several ranks, in rounds: each rank sends the number of games that it would play next, and gets their
//! numbers. After the round all check the time limit. So the games played are always the first ones, for ranks of any
//! speed.

use super::rollout_loop::{FIRST, Limits, OnGames, Worker, run_loop};
use crate::{
    device::pace::Pace, error::Result, host::Instant, ranks::Ranks, reference::rollout::Tally, rules::Game,
};
use std::ops::{Add, ControlFlow, Range};

/// Seconds that a round should take: a cancellation waits for its end, and at its end devices run dry.
const ROUND: f64 = 0.25;

/// [`run_loop`](super::rollout_loop::run_loop) on all ranks.
pub(super) async fn run_loop_together<G: Game>(
    ranks: &Ranks,
    workers: &mut [Worker<G>],
    first: u64,
    limits: Limits,
    progress: OnGames<'_>,
) -> Result<u64> {
    if ranks.is_alone() {
        return run_loop(workers, first, limits, progress).await;
    }
    let mut pace = Pace::new(ROUND, FIRST, Instant::now());
    let (mut played, mut stopped, mut last) = (0, false, Ok(0));
    loop {
        let wanted = if stopped { 0 } else { pace.next(limits.deadline, Instant::now()) };
        let all: Vec<u64> = ranks.join(last.map(|_: u64| vec![wanted, stopped.into()]))?;
        let (total, own) = deal(&all, ranks.rank(), limits.games - played);
        if total == 0 {
            return Ok(played);
        }
        let games = own.end - own.start;
        pace.submitted(games);
        pace.resumed(Instant::now());
        let round = Limits { games, deadline: None };
        last = run_loop(workers, first + played + own.start, round, &mut |games| {
            stopped |= progress(played + games).is_break();
            ControlFlow::Continue(())
        })
        .await;
        if games > 0 {
            pace.ended(games, Instant::now());
        }
        played += total;
    }
}

/// The number of games of a round, and this rank's numbers, at most those left. `wanted` has two values for each rank:
/// the games that it would play, and 1 if it has to stop.
fn deal(wanted: &[u64], rank: usize, left: u64) -> (u64, Range<u64>) {
    if wanted.chunks_exact(2).any(|of| of[1] > 0) {
        return (0, 0..0);
    }
    let before = |rank: usize| wanted.chunks_exact(2).take(rank).map(|of| u128::from(of[0])).sum::<u128>();
    let all = before(usize::MAX);
    let total = all.min(left.into());
    let bound = |rank: usize| (before(rank) * total).checked_div(all).unwrap_or(0) as u64;
    (total as u64, bound(rank)..bound(rank + 1))
}

pub(super) fn tally(ranks: &Ranks, own: Result<Tally>) -> Result<Tally> {
    Ok(ranks.exchange(own)?.into_iter().fold(Tally::default(), Tally::add))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_is_dealt_without_gaps() {
        for (wanted, left, total) in
            [([3, 0, 5], 100, 8), ([3, 0, 5], 6, 6), ([7, 7, 7], 1, 1), ([0; 3], 9, 0)]
        {
            let messages: Vec<u64> = wanted.iter().flat_map(|&games| [games, 0]).collect();
            let mut next = 0;
            for (rank, &wanted) in wanted.iter().enumerate() {
                let (all, own) = deal(&messages, rank, left);
                assert_eq!((all, own.start), (total, next));
                assert!(own.end - own.start <= wanted);
                next = own.end;
            }
            assert_eq!(next, total);
        }
        assert_eq!(deal(&[3, 0, 4, 1], 0, 10), (0, 0..0));
        assert_eq!(deal(&[u64::MAX, 0, u64::MAX, 0], 1, 10), (10, 5..10));
    }
}
