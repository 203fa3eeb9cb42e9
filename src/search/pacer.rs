//! The loop of a search: submissions sized by measured cost, the next one queued while the last one runs.

use super::{Budget, Trees, report::Costs};
use crate::{error::Result, game::Game};
use std::{
    collections::VecDeque,
    ops::ControlFlow,
    time::{Duration, Instant},
};

/// A submission should take about this long: short enough for a desktop's screen, a time limit and a cancellation,
/// long enough that the host never holds the device up.
const TARGET: f64 = 0.02;
/// A submission grows by at most this factor over the last one: the first ones are not typical.
const GROWTH: u32 = 4;
/// More steps than this are not recorded into one submission.
const MOST_STEPS: u32 = 1 << 14;

/// How far a search is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Steps made.
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
    mut progress: impl FnMut(Progress) -> ControlFlow<()>,
) -> Result<Costs> {
    let began = Instant::now();
    let mut pacer = Pacer::new(budget, start, began);
    let mut queue = VecDeque::new();
    let mut done = 0;
    loop {
        while queue.len() < trees.queue_length()
            && let Some(steps) = pacer.next(Instant::now())
        {
            queue.push_back((trees.submit(steps)?, steps));
        }
        let Some((ticket, steps)) = queue.pop_front() else { break };
        trees.wait(ticket)?;
        pacer.ended(steps, Instant::now());
        done += u64::from(steps);
        let elapsed = start.elapsed();
        let report = Progress { steps: done, of_steps: budget.steps, elapsed, of_time: budget.time };
        if progress(report).is_break() {
            pacer.stop();
        }
    }
    Ok(Costs { steps: done, looping: began.elapsed(), ..Costs::default() })
}

/// Decides how many steps the next submission has.
#[derive(Debug)]
struct Pacer {
    left: u64,
    deadline: Option<Instant>,
    /// Seconds a step, once one has been measured.
    cost: Option<f64>,
    /// Steps submitted and not ended.
    under_way: u32,
    last: u32,
    last_end: Instant,
}

impl Pacer {
    fn new(budget: Budget, start: Instant, now: Instant) -> Self {
        Self {
            left: budget.steps,
            deadline: budget.time.and_then(|time| start.checked_add(time)),
            cost: None,
            under_way: 0,
            last: 0,
            last_end: now,
        }
    }

    /// Steps to submit now; none where the budget is used up, or nothing is known yet of the first step's cost.
    fn next(&mut self, now: Instant) -> Option<u32> {
        let most = match self.cost {
            _ if self.left == 0 => return None,
            None if self.last > 0 => return None,
            None => 1,
            Some(cost) => {
                let target = TARGET / cost;
                let growth = f64::from(self.last) * f64::from(GROWTH);
                let steps = target.min(growth).min(f64::from(MOST_STEPS)).max(1.0);
                steps.min(self.steps_until_deadline(cost, now)) as u32
            }
        };
        let steps = u64::from(most).min(self.left) as u32;
        if steps == 0 {
            return None;
        }
        self.left -= u64::from(steps);
        self.under_way += steps;
        self.last = steps;
        Some(steps)
    }

    fn steps_until_deadline(&self, cost: f64, now: Instant) -> f64 {
        self.deadline.map_or(f64::INFINITY, |deadline| {
            let left = deadline.saturating_duration_since(now).as_secs_f64();
            left / cost - f64::from(self.under_way)
        })
    }

    /// A submission has ended. Submissions follow one another without a gap, so that the time since the last end is
    /// this one's own.
    fn ended(&mut self, steps: u32, now: Instant) {
        let seconds = now.duration_since(self.last_end).as_secs_f64() / f64::from(steps);
        let seconds = seconds.max(1e-9);
        // Deeper trees cost more: trust the newer half.
        self.cost = Some(self.cost.map_or(seconds, |cost| 0.5 * (cost + seconds)));
        self.under_way -= steps;
        self.last_end = now;
    }

    fn stop(&mut self) {
        self.left = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a pacer against a device that takes `cost` seconds a step; (steps, seconds, longest submission).
    fn simulate(budget: Budget, cost: f64) -> (u64, f64, f64) {
        let start = Instant::now();
        let mut pacer = Pacer::new(budget, start, start);
        let (mut now, mut done, mut longest) = (start, 0, 0.0f64);
        let mut queue = VecDeque::new();
        loop {
            while queue.len() < 2
                && let Some(steps) = pacer.next(now)
            {
                queue.push_back(steps);
            }
            let Some(steps) = queue.pop_front() else { break };
            let seconds = cost * f64::from(steps);
            now += Duration::from_secs_f64(seconds);
            longest = longest.max(seconds);
            done += u64::from(steps);
            pacer.ended(steps, now);
        }
        (done, (now - start).as_secs_f64(), longest)
    }

    #[test]
    fn steps_are_exact() {
        for steps in [1, 2, 3, 1000, 123_457] {
            assert_eq!(simulate(Budget::steps(steps), 1e-5).0, steps);
        }
    }

    #[test]
    fn time_limits_hold_and_are_used() {
        for cost in [1e-6, 1e-5, 1e-3, 0.04, 0.3] {
            let (_, seconds, longest) = simulate(Budget::time(Duration::from_secs(5)), cost);
            assert!(seconds <= 5.0 + 1e-9 && seconds > 4.6, "{cost}: {seconds}");
            assert!(longest <= 0.05f64.max(cost), "{cost}: {longest}");
        }
        let (steps, ..) = simulate(Budget::time(Duration::from_millis(1)), 1.0);
        assert_eq!(steps, 1);
        let (steps, seconds, _) = simulate(Budget::steps(10).within(Duration::from_secs(1)), 0.15);
        assert!((5..10).contains(&steps) && seconds <= 1.0);
    }
}
