//! The loop of a run: one worker a device, each claiming as many games at a time as take it a submission's time.

use super::{RolloutConfig, gpu};
use crate::{
    error::Result,
    game::Game,
    gpu::Device,
    reference::rollout::{self, Rules, Tally},
};
use std::{
    collections::VecDeque,
    ops::{ControlFlow, Range},
    sync::{Mutex, MutexGuard, PoisonError, mpsc},
    thread,
    time::Instant,
};

/// A submission should take about this many seconds: short enough for a desktop's screen, a time limit and a
/// cancellation, long enough that neither its start nor its end counts.
const TARGET: f64 = 0.02;
/// Where games are long, it should take as long as so many of them in turn, or a lane would play one or two and then wait
/// for the others; but no longer than so many seconds. The first submission takes as long as its longest game.
const GAMES_IN_TURN: f64 = 16.0;
const LONGEST_TARGET: f64 = 0.2;
/// A submission grows by at most this factor over the last one: the first ones are not typical.
const GROWTH: f64 = 4.0;
/// Games of the first submission.
const FIRST: f64 = 256.0;

/// What ends a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// So many games.
    pub games: u64,
    /// No game begins after this.
    pub deadline: Option<Instant>,
}

/// What plays games.
#[derive(Debug)]
pub(super) enum Worker<G: Game> {
    Cpu { rules: Option<Rules<G>>, tally: Tally },
    Gpu(Box<gpu::Player>),
}

impl<G: Game> Worker<G> {
    pub fn cpu() -> Self {
        Worker::Cpu { rules: None, tally: Tally::default() }
    }

    pub fn gpu(device: &Device, game: &G, config: &RolloutConfig) -> Result<Self> {
        Ok(Worker::Gpu(Box::new(gpu::Player::new(device, game, config)?)))
    }

    /// Takes over a position, with no game played.
    pub fn begin(&mut self, new: &Rules<G>) -> Result<()> {
        match self {
            Worker::Cpu { rules, tally } => {
                (*rules, *tally) = (Some(new.clone()), Tally::default());
                Ok(())
            }
            Worker::Gpu(player) => player.begin(new),
        }
    }

    /// The games played since.
    pub fn tally(&self) -> Result<Tally> {
        match self {
            Worker::Cpu { tally, .. } => Ok(*tally),
            Worker::Gpu(player) => player.tally(),
        }
    }

    /// Submissions under way at a time: a device starts the next one while the host looks at the last.
    fn queue_length(&self) -> usize {
        match self {
            Worker::Cpu { .. } => 1,
            Worker::Gpu(_) => 2,
        }
    }

    /// Games that one submission can hold.
    fn most_games(&self) -> u64 {
        match self {
            Worker::Cpu { .. } => u64::MAX,
            Worker::Gpu(player) => player.most_games(),
        }
    }

    /// Hands games over. The CPU plays them at once.
    fn submit(&mut self, games: Range<u64>) -> Result<Option<wgpu::SubmissionIndex>> {
        match self {
            Worker::Cpu { rules, tally } => {
                if let Some(rules) = rules {
                    *tally += rollout::rollout(rules, games);
                }
                Ok(None)
            }
            Worker::Gpu(player) => player.submit(games).map(Some),
        }
    }

    fn wait(&self, ticket: Option<wgpu::SubmissionIndex>) -> Result<()> {
        match (self, ticket) {
            (Worker::Gpu(player), Some(ticket)) => player.wait(ticket),
            _ => Ok(()),
        }
    }
}

/// Plays games from number `first` on until a limit, or until `progress`, told of the games played so far, breaks;
/// returns how many there were.
pub(super) fn drive<G: Game>(
    workers: &mut [Worker<G>],
    first: u64,
    limits: Limits,
    mut progress: impl FnMut(u64) -> ControlFlow<()>,
) -> Result<u64> {
    let claims = Claims::new(first, first + limits.games);
    let (sender, ended) = mpsc::channel();
    thread::scope(|scope| {
        let threads: Vec<_> = workers
            .iter_mut()
            .map(|worker| {
                let (claims, sender) = (&claims, sender.clone());
                scope.spawn(move || {
                    let result = work(worker, claims, limits.deadline, &sender);
                    if result.is_err() {
                        claims.stop();
                    }
                    result
                })
            })
            .collect();
        drop(sender);
        let mut played = 0;
        for games in ended {
            played += games;
            if progress(played).is_break() {
                claims.stop();
            }
        }
        for thread in threads {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        }
        Ok(played)
    })
}

/// One worker's share of a run.
fn work<G: Game>(
    worker: &mut Worker<G>,
    claims: &Claims,
    deadline: Option<Instant>,
    ended: &mpsc::Sender<u64>,
) -> Result<()> {
    let mut pace = Pace::new(Instant::now());
    let mut queue = VecDeque::new();
    loop {
        while queue.len() < worker.queue_length() {
            let wanted = pace.next(deadline, Instant::now()).min(worker.most_games());
            let Some(games) = claims.claim(wanted) else { break };
            let count = games.end - games.start;
            pace.submitted(count);
            queue.push_back((worker.submit(games)?, count));
        }
        let Some((ticket, count)) = queue.pop_front() else { return Ok(()) };
        worker.wait(ticket)?;
        pace.ended(count, Instant::now());
        // Nobody listens any more where the run has ended with an error.
        ended.send(count).ok();
    }
}

/// The games that nobody has claimed yet.
#[derive(Debug)]
struct Claims(Mutex<Range<u64>>);

impl Claims {
    fn new(first: u64, end: u64) -> Self {
        Self(Mutex::new(first..end))
    }

    /// The next games, at most so many; none where none are left, or none wanted.
    fn claim(&self, wanted: u64) -> Option<Range<u64>> {
        let mut left = self.left();
        let end = left.end.min(left.start.saturating_add(wanted));
        let claimed = left.start..end;
        left.start = end;
        (!claimed.is_empty()).then_some(claimed)
    }

    /// Leaves nothing to claim.
    fn stop(&self) {
        let mut left = self.left();
        left.end = left.start;
    }

    fn left(&self) -> MutexGuard<'_, Range<u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Decides how many games the next submission has.
#[derive(Debug)]
struct Pace {
    /// Seconds a game, once it has been measured.
    cost: Option<f64>,
    /// Seconds that a submission should take.
    target: f64,
    /// Games of the last submission.
    last: f64,
    /// Games submitted and not ended.
    under_way: u64,
    last_end: Instant,
}

impl Pace {
    fn new(now: Instant) -> Self {
        Self { cost: None, target: TARGET, last: 0.0, under_way: 0, last_end: now }
    }

    /// Games to submit now; 0 where there is no time left, or where the first ones have not been measured yet.
    fn next(&self, deadline: Option<Instant>, now: Instant) -> u64 {
        let Some(cost) = self.cost else {
            return if self.last == 0.0 { FIRST as u64 } else { 0 };
        };
        let until_deadline = deadline.map_or(f64::INFINITY, |deadline| {
            deadline.saturating_duration_since(now).as_secs_f64() / cost - self.under_way as f64
        });
        (self.target / cost).min(GROWTH * self.last).max(1.0).min(until_deadline) as u64
    }

    fn submitted(&mut self, games: u64) {
        self.last = games as f64;
        self.under_way += games;
    }

    /// A submission has ended. Submissions follow one another without a gap, so that the time since the last end is
    /// this one's own.
    fn ended(&mut self, games: u64, now: Instant) {
        let elapsed = now.duration_since(self.last_end).as_secs_f64().max(1e-9);
        let seconds = elapsed / games as f64;
        if self.cost.is_none() {
            self.target = (GAMES_IN_TURN * elapsed).clamp(TARGET, LONGEST_TARGET);
        }
        // A submission too small to fill a device tells too high a cost: a lower one is believed at once.
        self.cost = Some(self.cost.map_or(seconds, |cost| (0.5 * (cost + seconds)).min(seconds)));
        self.under_way -= games;
        self.last_end = now;
    }
}
