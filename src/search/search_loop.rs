//! The loop of a search. Short steps are submitted many at a time, as many as their measured cost suggests, and the
//! next ones are queued while the last ones run. Long steps are cut into slices, so that a time limit, a cancellation
//! or the desktop's display does not wait for the end of a step.
//!
//! A run ends early if the outcome of every position is proven. That is checked after fixed numbers of steps, so that
//! the result is the same on every engine; a run with a time limit also checks at intervals.
//!
//! Ranks that search together make the same steps: each proposes a number of steps to submit next, and all submit the
//! least of these numbers, so that every rank has time for all steps. Every decision that the order of these agreements
//! depends on is itself an agreement, and an error of one rank is an error of all.

use super::{
    Budget, Submitted,
    clock::Finish,
    report::{Costs, Reused},
    trees::{HeaderCheck, Trees},
};
use crate::{
    device::AdapterKind, device::loads::Half, device::pace::Pace, error::Result, host::Instant, ranks::Ranks,
};
use std::{collections::VecDeque, ops::ControlFlow, time::Duration};

/// Seconds that a submission should take: short enough for a desktop's display, a time limit and a cancellation, long
/// enough that the device never waits for the host.
const TARGET: f64 = 0.02;
/// The same on the CPU engine, which blocks the calling thread meanwhile.
const CPU_TARGET: f64 = 0.005;
/// Steps that take this many seconds are cut into slices, until they take no more than [`TARGET`].
const LONG: f64 = 0.05;
/// The first step may end this much after the time limit: a search without a step has no result.
const GRACE: Duration = Duration::from_millis(250);
/// The greatest number of steps of one submission.
const MOST_STEPS: u64 = 1 << 14;

/// Steps before the first check for proofs; then twice as many, and so on.
const FIRST_CHECK: u64 = 32;
/// The interval of further checks for proofs in a run with a time limit.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// The progress of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Whole steps made. Progress is reported several times in a long step.
    pub steps: u64,
    /// Steps of the budget; `u64::MAX` where only time limits it.
    pub of_steps: u64,
    /// Time since the start.
    pub elapsed: Duration,
    /// Time of the budget.
    pub of_time: Option<Duration>,
}

/// Called with the progress; breaks to end the search.
pub(super) type OnProgress<'a> = &'a mut dyn FnMut(Progress) -> ControlFlow<()>;

/// Makes the steps of a budget, for `positions` positions: `start` is the start of the run, `kept` the totals of reused
/// trees, and `finish` the time that the result will take.
pub(super) async fn run_loop(
    trees: &mut dyn Trees,
    ranks: &Ranks,
    (positions, budget, start): (usize, Budget, Instant),
    (kept, finish): (Reused, Finish),
    progress: OnProgress<'_>,
) -> Result<Costs> {
    let began = Instant::now();
    let deadline = budget.time.and_then(|time| start.checked_add(time));
    let is_cpu = ranks.any(Ok(trees.kind() == AdapterKind::Cpu))?;
    // A device starts the next submission while the host handles the last. The CPU makes steps when they are submitted.
    let (target, queue_length) = if is_cpu { (CPU_TARGET, 1) } else { (TARGET, 2) };
    let can_cut = ranks.all(Ok(trees.can_cut()))?;
    let proof_checks = ProofChecks {
        proves: trees.shape().config.solver,
        // Some reused trees may be proven while others are new: one step gives the new ones children, for the report.
        next: if kept.nodes > 0 { 1 } else { FIRST_CHECK },
        last: began,
        timed: deadline.is_some(),
        promising: false,
    };
    let mut run = Run {
        trees,
        ranks,
        can_cut,
        queue_length,
        positions,
        budget,
        start,
        deadline,
        finish,
        progress,
        pace: Pace::new(target, 1, began),
        proof_checks,
        steps: 0,
        stopped: false,
        decided: false,
    };
    run.make_steps().await?;
    let (steps, cut_short) = (run.steps, run.steps < budget.steps && !run.decided);
    Ok(Costs { steps, cut_short, looping: began.elapsed(), ..Costs::default() })
}

/// The schedule of the checks for proofs.
struct ProofChecks {
    proves: bool,
    /// The number of steps at the next check.
    next: u64,
    last: Instant,
    /// Whether there are also checks at intervals.
    timed: bool,
    /// By the headers read so far, the next check will succeed.
    promising: bool,
}

impl ProofChecks {
    fn is_due(&self, steps: u64) -> bool {
        steps > 0 && (self.is_due_now(steps) || self.is_due_in_passing())
    }

    /// Whether a check is due that does not wait for the queue.
    fn is_due_in_passing(&self) -> bool {
        self.proves && self.timed && self.last.elapsed() >= CHECK_INTERVAL
    }

    /// Whether a check is due for which the queue has to be empty.
    fn is_due_now(&self, steps: u64) -> bool {
        self.proves && (steps >= self.next || self.promising)
    }

    fn headers_checked(&mut self, ended: bool) {
        self.last = Instant::now();
        self.promising |= ended;
    }

    /// The number of steps before the next check.
    fn next(&self) -> u64 {
        if self.proves { self.next } else { u64::MAX }
    }

    fn checked(&mut self, steps: u64) {
        self.last = Instant::now();
        self.promising = false;
        while self.next <= steps {
            self.next = (2 * self.next).max(FIRST_CHECK);
        }
    }
}

/// The state of a run.
struct Run<'a> {
    trees: &'a mut dyn Trees,
    ranks: &'a Ranks,
    /// Whether steps can be cut into slices.
    can_cut: bool,
    /// The greatest number of submissions in the queue.
    queue_length: usize,
    positions: usize,
    budget: Budget,
    start: Instant,
    deadline: Option<Instant>,
    finish: Finish,
    progress: OnProgress<'a>,
    /// The pace of submissions, with a step as the unit.
    pace: Pace,
    proof_checks: ProofChecks,
    /// Whole steps made.
    steps: u64,
    /// The caller has ended the run.
    stopped: bool,
    /// The outcome of every position is proven.
    decided: bool,
}

impl Run<'_> {
    async fn make_steps(&mut self) -> Result<()> {
        let mut cut = self.ranks.any(Ok(self.begins_cut()))?;
        while !self.is_decided().await? && self.ranks.least(Ok(self.next_steps(0)))? > 0 {
            if cut {
                self.cut_step().await?;
            } else {
                self.whole_steps().await?;
            }
            cut = self.ranks.any(Ok(self.cuts_next(cut)))?;
        }
        Ok(())
    }

    /// Checks for proofs, if a check is due on any rank. The trees of a single position may be on all ranks; of several
    /// positions, each has all its trees on one rank.
    async fn is_decided(&mut self) -> Result<bool> {
        if self.ranks.any(Ok(self.proof_checks.is_due(self.steps)))? {
            let own = self.trees.is_decided().await;
            self.decided = match self.positions {
                1 => self.ranks.any(own.map(|decided| decided == Some(true)))?,
                _ => self.ranks.all(own.map(|decided| decided != Some(false)))?,
            };
            self.proof_checks.checked(self.steps);
        }
        Ok(self.decided)
    }

    /// Steps to submit now, given the number of steps in the queue.
    fn next_steps(&self, under_way: u64) -> u64 {
        if self.stopped {
            return 0;
        }
        let left = self.budget.steps.min(self.proof_checks.next()) - self.steps - under_way;
        self.pace.next(self.end(), Instant::now()).min(MOST_STEPS).min(left)
    }

    /// The time by which the last step has to end.
    fn end(&self) -> Option<Instant> {
        self.deadline.map(|deadline| self.finish.before(self.start, deadline, self.trees.most_nodes()))
    }

    /// Lets the trees grow for this many steps, if there is time for that. The time does not count as a submission's.
    async fn grow(&mut self, steps: u64) -> Result<()> {
        let end = self.end();
        let moving = self.trees.grow(steps as u32, end).await?;
        self.pace.paused(moving);
        Ok(())
    }

    async fn submit(&mut self, steps: u64) -> Result<Submitted> {
        self.grow(steps).await?;
        self.trees.submit(steps as u32).await
    }

    /// Whether the next step is cut into slices, given whether the last one was.
    fn cuts_next(&self, cut: bool) -> bool {
        let longest = if cut { TARGET } else { LONG };
        self.can_cut && (self.always_cuts() || self.pace.cost().map_or(cut, |seconds| seconds > longest))
    }

    /// Whether the first step is cut into slices, before its cost is known.
    fn begins_cut(&self) -> bool {
        self.can_cut && (self.always_cuts() || !self.trees.has_short_steps())
    }

    /// Whether all steps are cut, even short ones.
    fn always_cuts(&self) -> bool {
        self.trees.has_fixed_slices()
    }

    /// Submits whole steps until the run ends, or steps have become long.
    async fn whole_steps(&mut self) -> Result<()> {
        let mut queue = VecDeque::new();
        let (mut under_way, mut last) = (0, Ok(()));
        let mut header_check = None;
        loop {
            while queue.len() < self.queue_length {
                // A proof check waits for the queue.
                let waits = self.cuts_next(false) || self.proof_checks.is_due_now(self.steps);
                let wanted = if waits { 0 } else { self.next_steps(under_way) };
                let steps = self.ranks.least(last.map(|()| wanted))?;
                last = Ok(());
                if steps == 0 {
                    break;
                }
                self.pace.submitted(steps);
                under_way += steps;
                queue.push_back((self.submit(steps).await, steps));
            }
            let Some((submitted, steps)) = queue.pop_front() else { return Ok(()) };
            last = match submitted {
                Ok(submitted) => self.trees.wait(submitted).await,
                Err(error) => Err(error),
            };
            self.pace.ended(steps, Instant::now());
            under_way -= steps;
            self.steps += steps;
            self.report_progress();
            if last.is_ok() {
                last = self.header_check(&mut header_check, !queue.is_empty()).await;
            }
        }
    }

    /// At intervals, copies headers after the submission in progress, and reads them when it has ended and the next one
    /// runs: the device never waits for the host. With an empty queue a check needs no such copy.
    async fn header_check(&mut self, header_check: &mut Option<HeaderCheck>, under_way: bool) -> Result<()> {
        if let Some(header_check) = header_check.take() {
            self.proof_checks.headers_checked(header_check.ended().await?);
        } else if self.proof_checks.is_due_in_passing() {
            *header_check = if under_way { self.trees.header_check().await? } else { None };
            self.proof_checks.promising |= header_check.is_none();
        }
        Ok(())
    }

    /// Makes one step in slices; an abandoned step has no effect.
    async fn cut_step(&mut self) -> Result<()> {
        self.pace.submitted(1);
        let can_go_back = self.save().await;
        let can_go_back = self.ranks.all(can_go_back)?;
        self.trees.begin_half(Half::Play);
        let played = self.slices(can_go_back).await;
        if !self.ranks.all(played)? {
            return self.ranks.settle(self.trees.withdraw().await);
        }
        self.trees.begin_half(Half::Backup);
        let backed_up = self.slices(false).await;
        self.ranks.all(backed_up)?;
        self.trees.end_step();
        self.pace.ended(1, Instant::now());
        self.steps += 1;
        self.report_progress();
        Ok(())
    }

    /// Lets the trees grow for a step, and saves the state that it can be undone to; returns false where there is no
    /// memory for that.
    async fn save(&mut self) -> Result<bool> {
        self.grow(1).await?;
        self.trees.save().await
    }

    /// Submits the slices of half a step; returns false if the time was up before the last one.
    async fn slices(&mut self, may_leave: bool) -> Result<bool> {
        let mut queue = VecDeque::new();
        let mut all = false;
        loop {
            while queue.len() < self.queue_length && !all && !(may_leave && self.is_over()) {
                match self.trees.submit_slice()? {
                    Some(submitted) => queue.push_back(submitted),
                    None => all = true,
                }
            }
            let Some(submitted) = queue.pop_front() else { return Ok(all) };
            self.trees.end_slice(submitted).await?;
            self.report_progress();
        }
    }

    /// Whether the time is up, or the caller has ended the run.
    fn is_over(&self) -> bool {
        let grace = if self.steps == 0 { GRACE } else { Duration::ZERO };
        let late = self.end().and_then(|deadline| Instant::now().checked_duration_since(deadline));
        self.stopped || late.is_some_and(|late| late >= grace)
    }

    fn report_progress(&mut self) {
        let (steps, of_steps, of_time) = (self.steps, self.budget.steps, self.budget.time);
        let report = Progress { steps, of_steps, elapsed: self.start.elapsed(), of_time };
        self.stopped |= (self.progress)(report).is_break();
    }
}
