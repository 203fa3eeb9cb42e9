//! The loop of a run: one worker a device, each of which claims games for one submission at a time.

use super::{RolloutConfig, gpu};
use crate::{
    device::{Device, Submission, pace::Pace},
    error::Result,
    host::{Instant, give_way, locked},
    reference::rollout::{self, Rules, Tally},
    rules::Game,
};
use futures_util::future::try_join_all;
use std::{
    collections::VecDeque,
    ops::{ControlFlow, Range},
    sync::{Mutex, MutexGuard},
};

/// Seconds that a submission should take: short enough for a desktop's screen, a time limit and a cancellation, long
/// enough that its start and its end have little weight.
const TARGET: f64 = 0.02;
/// Where games are long, a submission should take as long as this many of them in turn, or a lane would play one or two
/// and then wait for the others; but at most `LONGEST_TARGET` seconds. The first submissions take as long as their
/// longest game.
const GAMES_IN_TURN: f64 = 16.0;
const LONGEST_TARGET: f64 = 0.2;
/// Games of the first submissions.
pub(super) const FIRST: u64 = 256;

/// The limits of a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// The greatest number of games.
    pub games: u64,
    /// The time after which no game starts.
    pub deadline: Option<Instant>,
}

/// An engine that plays games.
#[derive(Debug)]
pub(super) enum Worker<G: Game> {
    Cpu { rules: Option<Rules<G>>, tally: Tally },
    Gpu(Box<gpu::Player>),
}

impl<G: Game> Worker<G> {
    pub fn cpu() -> Self {
        Worker::Cpu { rules: None, tally: Tally::default() }
    }

    pub async fn gpu(device: &Device, game: &G, config: &RolloutConfig) -> Result<Self> {
        Ok(Worker::Gpu(Box::new(gpu::Player::new(device, game, config).await?)))
    }

    /// Sets the position of the games, and clears the sums.
    pub fn begin(&mut self, new: &Rules<G>) -> Result<()> {
        match self {
            Worker::Cpu { rules, tally } => {
                (*rules, *tally) = (Some(new.clone()), Tally::default());
                Ok(())
            }
            Worker::Gpu(player) => player.begin(new),
        }
    }

    /// The sums of the games since.
    pub async fn tally(&self) -> Result<Tally> {
        match self {
            Worker::Cpu { tally, .. } => Ok(tally.clone()),
            Worker::Gpu(player) => player.tally().await,
        }
    }

    /// The greatest number of submissions in the queue, and of games in one: a device starts the next one while the
    /// host handles the last.
    fn room(&self) -> (usize, u64) {
        match self {
            Worker::Cpu { .. } => (1, u64::MAX),
            Worker::Gpu(player) => (2, player.most_games()),
        }
    }

    /// Submits games. The CPU plays them at once.
    fn submit(&mut self, games: Range<u64>) -> Result<Option<Submission>> {
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

    async fn wait(&self, submission: Option<Submission>) -> Result<()> {
        match (self, submission) {
            (Worker::Gpu(player), Some(submission)) => player.wait(submission).await,
            _ => {
                give_way().await;
                Ok(())
            }
        }
    }
}

/// Called with the number of games played; breaks to end the run.
pub(super) type OnGames<'a> = &'a mut dyn FnMut(u64) -> ControlFlow<()>;

/// Plays games from number `first` on until a limit, or until `progress` breaks, which gets the number of games played
/// so far; returns how many were played.
pub(super) async fn run_loop<G: Game>(
    workers: &mut [Worker<G>],
    first: u64,
    limits: Limits,
    progress: OnGames<'_>,
) -> Result<u64> {
    let run = Run(Mutex::new(Games { left: first..first + limits.games, played: 0, progress }));
    try_join_all(workers.iter_mut().map(|worker| work(worker, &run, limits.deadline))).await?;
    Ok(run.games().played)
}

/// One worker's share of a run.
async fn work<G: Game>(worker: &mut Worker<G>, run: &Run<'_>, deadline: Option<Instant>) -> Result<()> {
    let mut pace = Pace::new(TARGET, FIRST, Instant::now());
    let mut queue = VecDeque::new();
    let (queue_length, most_games) = worker.room();
    loop {
        while queue.len() < queue_length {
            let wanted = pace.next(deadline, Instant::now()).min(most_games);
            let Some(games) = run.games().claim(wanted) else { break };
            let count = games.end - games.start;
            pace.submitted(count);
            queue.push_back((worker.submit(games)?, count));
        }
        let Some((submission, count)) = queue.pop_front() else { return Ok(()) };
        worker.wait(submission).await?;
        let seconds = pace.ended(count, Instant::now());
        if pace.submissions() <= 2 {
            pace.aim_at((GAMES_IN_TURN * seconds).clamp(TARGET, LONGEST_TARGET));
        }
        run.games().ended(count);
    }
}

/// The state that a run's workers share.
struct Run<'a>(Mutex<Games<'a>>);

impl<'a> Run<'a> {
    fn games(&self) -> MutexGuard<'_, Games<'a>> {
        locked(&self.0)
    }
}

/// The games of a run.
struct Games<'a> {
    /// Unclaimed games.
    left: Range<u64>,
    played: u64,
    progress: OnGames<'a>,
}

impl Games<'_> {
    /// The next games, at most `wanted`; `None` if none are left or wanted.
    fn claim(&mut self, wanted: u64) -> Option<Range<u64>> {
        let claimed = self.left.start..self.left.end.min(self.left.start.saturating_add(wanted));
        self.left.start = claimed.end;
        (!claimed.is_empty()).then_some(claimed)
    }

    /// Counts played games. Ends the claims if the caller stops the run.
    fn ended(&mut self, games: u64) {
        self.played += games;
        if (self.progress)(self.played).is_break() {
            self.left.start = self.left.end;
        }
    }
}
