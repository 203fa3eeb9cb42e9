//! The loop of a search. Short steps are submitted many at a time, sized by measured cost, the next ones queued while the
//! last ones run. Long ones are cut into slices, so that neither a time limit nor a cancellation waits for the end of a step,
//! nor a desktop for its screen.

use super::{Budget, Trees, report::Costs};
use crate::{error::Result, game::Game, gpu::schedule::Half, pace::Pace};
use std::{
    collections::VecDeque,
    ops::ControlFlow,
    time::{Duration, Instant},
};

/// A submission should take about this many seconds: short enough for a desktop's screen, a time limit and a
/// cancellation, long enough that the host never holds the device up.
const TARGET: f64 = 0.02;
/// Steps that take so many seconds are cut, until they take no more than [`TARGET`].
const LONG: f64 = 0.05;
/// So much later than it should a first step may end: a search that has found nothing is of no use.
const GRACE: Duration = Duration::from_millis(250);
/// More steps than this are not recorded into one submission.
const MOST_STEPS: u64 = 1 << 14;

/// How far a search is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Whole steps made. Where steps take long, progress is told several times in each.
    pub steps: u64,
    /// Steps of the budget; `u64::MAX` where only time limits it.
    pub of_steps: u64,
    /// Time since the start.
    pub elapsed: Duration,
    /// Time of the budget.
    pub of_time: Option<Duration>,
}

/// Makes the steps of a budget that began at `start`.
pub(super) fn drive<G: Game>(
    trees: &mut Trees<G>,
    budget: Budget,
    start: Instant,
    progress: impl FnMut(Progress) -> ControlFlow<()>,
) -> Result<Costs> {
    let began = Instant::now();
    let deadline = budget.time.and_then(|time| start.checked_add(time));
    let pace = Pace::new(TARGET, 1, began);
    let mut run = Run { trees, budget, start, deadline, progress, pace, steps: 0, stopped: false };
    run.make_steps()?;
    let (steps, cut_short) = (run.steps, run.steps < budget.steps);
    Ok(Costs { steps, cut_short, looping: began.elapsed(), ..Costs::default() })
}

/// A run under way.
struct Run<'a, G: Game, P> {
    trees: &'a mut Trees<G>,
    budget: Budget,
    start: Instant,
    deadline: Option<Instant>,
    progress: P,
    /// In steps.
    pace: Pace,
    /// Whole steps made.
    steps: u64,
    /// Nobody wants any more of them.
    stopped: bool,
}

impl<G: Game, P: FnMut(Progress) -> ControlFlow<()>> Run<'_, G, P> {
    fn make_steps(&mut self) -> Result<()> {
        let mut cut = self.trees.begins_cut();
        while self.next_steps(0) > 0 {
            if cut {
                self.cut_step()?;
            } else {
                self.whole_steps()?;
            }
            cut = self.cuts_next(cut);
        }
        Ok(())
    }

    /// Steps to submit now, where so many are under way.
    fn next_steps(&self, under_way: u64) -> u64 {
        if self.stopped {
            return 0;
        }
        let left = self.budget.steps - self.steps - under_way;
        self.pace.next(self.deadline, Instant::now()).min(MOST_STEPS).min(left)
    }

    /// Is the next step to be cut, after one that was or wasn't?
    fn cuts_next(&self, cut: bool) -> bool {
        let longest = if cut { TARGET } else { LONG };
        self.trees.always_cuts()
            || self.trees.can_cut() && self.pace.cost().map_or(cut, |seconds| seconds > longest)
    }

    /// Submits whole steps until there are no more to make, or they have become long.
    fn whole_steps(&mut self) -> Result<()> {
        let mut queue = VecDeque::new();
        let mut under_way = 0;
        loop {
            while queue.len() < self.trees.queue_length() && !self.cuts_next(false) {
                let steps = self.next_steps(under_way);
                if steps == 0 {
                    break;
                }
                self.pace.submitted(steps);
                under_way += steps;
                queue.push_back((self.trees.submit(steps as u32)?, steps));
            }
            let Some((ticket, steps)) = queue.pop_front() else { return Ok(()) };
            self.trees.wait(ticket)?;
            self.pace.ended(steps, Instant::now());
            under_way -= steps;
            self.steps += steps;
            self.tell();
        }
    }

    /// Makes one step in slices; where the time is up in the middle of it, there has been no such step.
    fn cut_step(&mut self) -> Result<()> {
        self.pace.submitted(1);
        let can_go_back = self.trees.keep()?;
        self.trees.begin_half(Half::Play);
        if !self.slices(can_go_back)? {
            return self.trees.withdraw();
        }
        self.trees.begin_half(Half::Backup);
        self.slices(false)?;
        self.trees.end_step();
        self.pace.ended(1, Instant::now());
        self.steps += 1;
        self.tell();
        Ok(())
    }

    /// Submits the slices of half a step; false where some were left because the time is up.
    fn slices(&mut self, may_leave: bool) -> Result<bool> {
        let mut queue = VecDeque::new();
        let mut all = false;
        loop {
            while queue.len() < self.trees.queue_length() && !all && !(may_leave && self.is_over()) {
                match self.trees.submit_slice()? {
                    Some(ticket) => queue.push_back(ticket),
                    None => all = true,
                }
            }
            let Some(ticket) = queue.pop_front() else { return Ok(all) };
            self.trees.end_slice(ticket)?;
            self.tell();
        }
    }

    /// The time is up, or nobody wants any more.
    fn is_over(&self) -> bool {
        let grace = if self.steps == 0 { GRACE } else { Duration::ZERO };
        let late = self.deadline.and_then(|deadline| Instant::now().checked_duration_since(deadline));
        self.stopped || late.is_some_and(|late| late >= grace)
    }

    fn tell(&mut self) {
        let (steps, of_steps, of_time) = (self.steps, self.budget.steps, self.budget.time);
        let report = Progress { steps, of_steps, elapsed: self.start.elapsed(), of_time };
        self.stopped |= (self.progress)(report).is_break();
    }
}
