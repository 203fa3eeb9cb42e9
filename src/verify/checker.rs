//! Runs the checks case by case: on an engine, within a time limit, with the result of each.

use super::report::{Check, TIME_IS_UP};
use crate::{device::Backend, engine::Engine, error::Result, host::Instant};
use std::{ops::ControlFlow, time::Duration};

/// Time that must be left for a large module on software adapters through GL, which compile it for minutes.
const SLOW_CASE: Duration = Duration::from_secs(600);

/// The progress of the checks.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct VerifyProgress<'a> {
    /// The check in progress.
    pub check: &'a str,
    /// The next case.
    pub case: &'a str,
    /// Checks that have ended.
    pub done: usize,
    /// The number of checks.
    pub of: usize,
}

/// Ends the checks: they were interrupted, or the device is lost.
#[derive(Debug)]
pub(super) struct Stop;

/// The time to compile the kernels of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    /// Seconds on the slowest adapters.
    Light,
    /// Minutes on adapters that compile slowly.
    Heavy,
}

/// The state of the checks.
pub(super) struct Checker<'a> {
    pub engine: &'a Engine,
    /// The end of all checks, and of the share of the current one.
    until: Option<Instant>,
    share_until: Option<Instant>,
    progress: &'a mut dyn FnMut(VerifyProgress<'_>) -> ControlFlow<()>,
    done: usize,
    of: usize,
    check: Check,
    began: Instant,
    /// Whether the caller has ended the checks.
    pub interrupted: bool,
}

impl<'a> Checker<'a> {
    pub fn new(
        engine: &'a Engine,
        time: Option<Duration>,
        of: usize,
        progress: &'a mut dyn FnMut(VerifyProgress<'_>) -> ControlFlow<()>,
    ) -> Self {
        let now = Instant::now();
        let until = time.and_then(|time| now.checked_add(time));
        let check = Check::new("", "", "");
        Self {
            engine,
            until,
            share_until: until,
            progress,
            done: 0,
            of,
            check,
            began: now,
            interrupted: false,
        }
    }

    /// Begins a check. It has an equal share of the time that is left for it and those after it.
    pub fn begin(&mut self, check: Check) {
        let now = Instant::now();
        let left = self.until.map(|until| until.saturating_duration_since(now));
        let checks = self.of.saturating_sub(self.done).max(1) as u32;
        self.share_until = left.and_then(|left| now.checked_add(left / checks));
        (self.check, self.began) = (check, now);
    }

    /// Ends the check; returns its result.
    pub fn end(&mut self) -> Check {
        self.done += 1;
        let seconds = self.began.elapsed().as_secs_f64();
        Check { seconds, ..self.check.clone() }
    }

    /// Leaves the check out as a whole.
    pub fn leave_out(&mut self, reason: &str) {
        self.check.left_out("all", reason);
    }

    /// Runs a case: `work` returns the number of compared items, and the differences.
    pub async fn run_case(
        &mut self,
        case: &str,
        weight: Weight,
        work: impl AsyncFnOnce() -> Result<Compared>,
    ) -> Result<(), Stop> {
        let (check, done, of) = (self.check.name.as_str(), self.done, self.of);
        if (self.progress)(VerifyProgress { check, case, done, of }).is_break() {
            self.interrupted = true;
            return Err(Stop);
        }
        if let Some(reason) = self.skip_reason(weight) {
            self.check.left_out(case, reason);
            return Ok(());
        }
        match work().await {
            Ok(found) => self.check.compared(case, found.things, found.differing),
            Err(error) => {
                self.check.compared(case, 0, [(1, error.to_string())]);
                if error.is_device_lost() {
                    return Err(Stop);
                }
            }
        }
        Ok(())
    }

    fn skip_reason(&self, weight: Weight) -> Option<&'static str> {
        let left =
            |until: Option<Instant>| until.map(|until| until.saturating_duration_since(Instant::now()));
        let slow = self.engine.first_device().is_some_and(|device| {
            device.info().backend == Backend::Gl && device.info().is_software() && weight == Weight::Heavy
        });
        if slow && left(self.until)? < SLOW_CASE {
            return Some("this adapter compiles it for minutes");
        }
        // No check is left without a case.
        let has_begun = self.check.cases > 0;
        (has_begun && left(self.share_until)?.is_zero()).then_some(TIME_IS_UP)
    }
}

/// The comparisons of a case.
#[derive(Debug, Default)]
pub(super) struct Compared {
    /// The number of compared items.
    pub things: u64,
    /// The number of differences, and the first of them, for people.
    pub differing: Option<(u64, String)>,
}

impl Compared {
    /// The comparison of this many items. `text` describes the first of the differences.
    pub fn of<D>(
        things: u64,
        differing: impl IntoIterator<Item = D>,
        text: impl FnOnce(D) -> String,
    ) -> Self {
        let mut differing = differing.into_iter();
        let first = differing.next();
        Self { things, differing: first.map(|first| (1 + differing.count() as u64, text(first))) }
    }

    /// Adds further comparisons; the first difference stays the first.
    pub fn and(&mut self, other: Self) {
        self.things += other.things;
        self.differing = match (self.differing.take(), other.differing) {
            (Some((count, first)), Some((more, _))) => Some((count + more, first)),
            (one, other) => one.or(other),
        };
    }
}
