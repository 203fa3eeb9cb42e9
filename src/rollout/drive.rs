//! The loop of a run: one worker a device, each claiming as many games at a time as take it a submission's time.

use super::{RolloutConfig, gpu};
use crate::{
    error::Result,
    game::Game,
    gpu::Device,
    pace::Pace,
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
/// for the others; but no longer than so many seconds. The first submissions take as long as their longest game.
const GAMES_IN_TURN: f64 = 16.0;
const LONGEST_TARGET: f64 = 0.2;
/// Games of the first submissions.
const FIRST: u64 = 256;

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
    let mut pace = Pace::new(TARGET, FIRST, Instant::now());
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
        let seconds = pace.ended(count, Instant::now());
        if pace.submissions() <= 2 {
            pace.aim_at((GAMES_IN_TURN * seconds).clamp(TARGET, LONGEST_TARGET));
        }
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
