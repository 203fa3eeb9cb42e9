//! The size of submissions, so that each takes its target time: by the cost of the last ones.
//!
//! A submission takes a fixed time, and a time for each unit. The fixed time counts as 0 unless submissions of unlike
//! sizes show it: lavapipe, for example, may compile a kernel of rollouts for each submission while two devices take
//! turns. By the time for a unit alone, submissions would then shrink to one unit.

use crate::host::Instant;
use std::time::Duration;

/// A submission has at most this many times the work of the last one: the first ones are not typical.
const GROWTH: f64 = 4.0;

/// Two submissions show the fixed time if one has at least this many times the work of the other.
const UNLIKE: f64 = 1.5;

/// The time of a submission that does not depend on its units.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FixedTime {
    /// The lesser of the times by the last two pairs of submissions of unlike sizes: a single submission may have been
    /// delayed.
    seconds: f64,
    /// The time by the last pair, if there was one.
    shown: Option<f64>,
    /// Units and seconds of the last submission.
    before: Option<(f64, f64)>,
}

impl FixedTime {
    /// Notes a submission. Returns the seconds for each of its units.
    pub fn note(&mut self, units: f64, seconds: f64) -> f64 {
        self.seconds = self.seconds.min(seconds);
        if let Some((other_units, other_seconds)) = self.before.replace((units, seconds))
            && units.max(other_units) >= UNLIKE * units.min(other_units)
        {
            let slope = ((seconds - other_seconds) / (units - other_units)).max(0.0);
            let shown = (seconds - slope * units).min(other_seconds - slope * other_units).max(0.0);
            self.seconds = self.shown.replace(shown).map_or(0.0, |last| shown.min(last));
        }
        (seconds - self.seconds).max(1e-9) / units
    }

    /// Units of a submission that should take `target` seconds, after one of `last` units: at `cost` seconds each, for
    /// at least half of its time.
    pub fn units(&self, target: f64, cost: f64, last: f64) -> f64 {
        let time = (target - self.seconds).max(self.seconds);
        (time / cost).min(GROWTH * last).max(1.0)
    }

    /// Whether a submission of more units than this last one would show the fixed time: most of its time may be fixed,
    /// or it has a single unit.
    pub fn asks_for_more(&self, units: f64, seconds: f64) -> bool {
        self.shown.map_or(units <= 1.0, |shown| shown > self.seconds.max(0.5 * seconds))
    }
}

/// Sizes the submissions of a run that follow one another without a gap. Work is counted in units: steps, or games.
#[derive(Debug)]
pub(crate) struct Pace {
    /// Seconds that a submission should take.
    target: f64,
    /// Units of the first two submissions.
    first: f64,
    /// Seconds per unit; `None` before the first measurement.
    cost: Option<f64>,
    fixed: FixedTime,
    /// Submissions that have ended.
    ended: u64,
    /// Units of the last submission.
    last: f64,
    /// Units in the queue.
    under_way: u64,
    last_end: Instant,
}

impl Pace {
    /// A pace without measurements.
    pub fn new(target: f64, first: u64, now: Instant) -> Self {
        Self {
            target,
            first: first as f64,
            cost: None,
            fixed: FixedTime::default(),
            ended: 0,
            last: 0.0,
            under_way: 0,
            last_end: now,
        }
    }

    /// Units to submit now; 0 if the time is up, or if those in the queue have to be measured first.
    pub fn next(&self, deadline: Option<Instant>, now: Instant) -> u64 {
        let left = deadline.map_or(f64::INFINITY, |end| end.saturating_duration_since(now).as_secs_f64());
        match self.cost {
            Some(cost) if self.ended > 1 => {
                let units = self.fixed.units(self.target, cost, self.last);
                units.min((left - self.fixed.seconds) / cost - self.under_way as f64) as u64
            }
            // The first submission may include one-time costs: it does not count as a measurement, and the second one
            // is as small, however long the first one took.
            _ if self.under_way > 0 || (self.ended > 0 && left == 0.0) => 0,
            _ => self.first as u64,
        }
    }

    /// Marks the queue as empty until now: that time does not count as the next submission's.
    pub fn resumed(&mut self, now: Instant) {
        self.last_end = now;
    }

    /// Excludes other work between submissions from their times.
    pub fn paused(&mut self, time: Duration) {
        self.last_end += time;
    }

    /// Notes submitted units.
    pub fn submitted(&mut self, units: u64) {
        self.last = units as f64;
        self.under_way += units;
    }

    /// Notes the end of a submission. Returns its seconds: since submissions follow one another without a gap, those
    /// since the last end.
    pub fn ended(&mut self, units: u64, now: Instant) -> f64 {
        let seconds = now.duration_since(self.last_end).as_secs_f64().max(1e-9);
        let cost = self.fixed.note(units as f64, seconds);
        // Deeper trees cost more, so that the newer half counts more. After other work, or with too little work for the
        // device, the measured cost is too high: a lower one replaces it at once.
        self.cost = Some(self.cost.map_or(cost, |known| (0.5 * (known + cost)).min(cost)));
        self.ended += 1;
        self.under_way -= units;
        self.last_end = now;
        seconds
    }

    /// Seconds per unit; `None` before the first measurement.
    pub fn cost(&self) -> Option<f64> {
        self.cost.filter(|_| self.ended > 1)
    }

    /// Submissions that have ended.
    pub fn submissions(&self) -> u64 {
        self.ended
    }

    /// Sets the target seconds of a submission.
    pub fn aim_at(&mut self, target: f64) {
        self.target = target;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    /// The result of a run.
    #[derive(Debug, Default)]
    struct Ran {
        units: u64,
        seconds: f64,
        longest: f64,
        submissions: u64,
    }

    /// Two submissions at a time on a device that takes `cost` seconds a unit, and `more` seconds for a submission by
    /// its number.
    fn run(limit: Duration, first: u64, cost: f64, more: impl Fn(u64) -> f64) -> Ran {
        let start = Instant::now();
        let deadline = Some(start + limit);
        let mut pace = Pace::new(0.02, first, start);
        let (mut now, mut ran, mut queue) = (start, Ran::default(), VecDeque::new());
        loop {
            while queue.len() < 2 {
                let units = pace.next(deadline, now);
                if units == 0 {
                    break;
                }
                pace.submitted(units);
                queue.push_back(units);
            }
            let Some(units) = queue.pop_front() else { break };
            let own = cost * units as f64;
            now += Duration::from_secs_f64(own + more(ran.submissions));
            pace.ended(units, now);
            ran.units += units;
            ran.longest = ran.longest.max(own);
            ran.submissions += 1;
        }
        ran.seconds = (now - start).as_secs_f64();
        ran
    }

    #[test]
    fn time_limits_hold_and_are_used() {
        for (cost, first) in [(1e-6, 1), (1e-5, 1), (1e-3, 1), (0.04, 1), (0.3, 1), (1e-9, 256), (1e-5, 256)]
        {
            let ran = run(Duration::from_secs(5), first, cost, |_| 0.0);
            assert!(ran.seconds <= 5.0 + 1e-6 && ran.seconds > 4.6, "{cost}: {ran:?}");
            assert!(ran.longest <= 0.03f64.max(cost), "{cost}: {ran:?}");
        }
    }

    /// A driver that compiles at the first submission, or memory that is allocated then.
    #[test]
    fn the_first_submission_is_not_taken_for_the_cost_of_a_unit() {
        for begin in [0.5, 1.5, 1.99] {
            let ran = run(Duration::from_secs(2), 1, 1e-5, |number| if number == 0 { begin } else { 0.0 });
            let possible = (2.0 - begin) / 1e-5;
            assert!(ran.units as f64 > 0.5 * possible - 100.0, "{begin}: {ran:?}");
            assert!(ran.units > 1 && ran.seconds <= 2.0 + 1e-6, "{begin}: {ran:?}");
        }
    }

    #[test]
    fn submissions_are_large_where_each_takes_a_fixed_time() {
        for begin in 0..4 {
            for (fixed, cost) in [(0.14, 1e-6), (0.3, 1e-5), (0.03, 1e-4)] {
                let more = |number| if number < begin { 0.0 } else { fixed };
                let ran = run(Duration::from_secs(10), 256, cost, more);
                let units = ran.units as f64 * cost / 10.0;
                assert!(units > 0.25, "{fixed} s and {cost} s a unit from {begin} on: {units}, {ran:?}");
                assert!(ran.longest < 2.0 * fixed && ran.seconds <= 10.0 + 2.0 * fixed, "{ran:?}");
            }
        }
    }

    /// Another program delays every so many submissions.
    #[test]
    fn single_delays_are_no_fixed_time() {
        for delay in [0.02, 0.2, 1.0] {
            for (cost, every) in [(1e-6, 3), (1e-4, 4), (5e-3, 5), (1e-6, 9)] {
                let more = |number| if number % every == every - 1 { delay } else { 0.0 };
                let ran = run(Duration::from_secs(20), 1, cost, more);
                assert!(ran.longest <= 0.021, "{delay}, {cost}: {ran:?}");
            }
        }
    }

    #[test]
    fn something_is_done_even_where_there_is_no_time() {
        let ran = run(Duration::ZERO, 1, 1.0, |_| 0.0);
        assert_eq!((ran.units, ran.submissions), (1, 1));
    }
}
