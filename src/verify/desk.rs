//! Where a check is carried out case by case: what it runs on, how much time is left, and what it has found.

use super::report::{Check, TIME_IS_UP};
use crate::{
    device::{Backend, Device},
    engine::Engine,
    error::Result,
    host::Instant,
};
use std::{ops::ControlFlow, time::Duration};

/// Large modules take software adapters through GL minutes to compile: no such case begins with less time left.
const SLOW_CASE: Duration = Duration::from_secs(600);

/// How far the checks are.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct VerifyProgress<'a> {
    /// The check under way.
    pub check: &'a str,
    /// The case that begins.
    pub case: &'a str,
    /// Checks that have ended.
    pub done: usize,
    /// Checks in all.
    pub of: usize,
}

/// No further check is to be made: it was interrupted, or the device is lost.
#[derive(Debug)]
pub(super) struct Stop;

/// How long it takes to compile what a case needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    /// Seconds on the slowest adapters.
    Light,
    /// Minutes on adapters that compile slowly.
    Heavy,
}

/// The desk that one check after another is made at.
pub(super) struct Desk<'a> {
    engine: &'a Engine,
    /// The end of all checks, and of the share of the one on the desk.
    until: Option<Instant>,
    share_until: Option<Instant>,
    progress: &'a mut dyn FnMut(VerifyProgress<'_>) -> ControlFlow<()>,
    done: usize,
    of: usize,
    check: Check,
    began: Instant,
    interrupted: bool,
}

impl<'a> Desk<'a> {
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

    /// Takes a new check onto the desk. Of the time that is left, it gets as much as each of those after it.
    pub fn begin(&mut self, check: Check) {
        let now = Instant::now();
        let left = self.until.map(|until| until.saturating_duration_since(now));
        let checks = self.of.saturating_sub(self.done).max(1) as u32;
        self.share_until = left.and_then(|left| now.checked_add(left / checks));
        (self.check, self.began) = (check, now);
    }

    /// The check as it is in the end.
    pub fn end(&mut self) -> Check {
        self.done += 1;
        let seconds = self.began.elapsed().as_secs_f64();
        Check { seconds, ..self.check.clone() }
    }

    /// Did the caller end it?
    pub fn is_interrupted(&self) -> bool {
        self.interrupted
    }

    pub fn engine(&self) -> &'a Engine {
        self.engine
    }

    /// The device; none for the CPU engine.
    pub fn device(&self) -> Option<&'a Device> {
        self.engine.devices().and_then(|devices| devices.first())
    }

    /// The device; the check is left out where there is none.
    pub fn need_device(&mut self) -> Option<&'a Device> {
        let device = self.device();
        if device.is_none() {
            self.leave_out("the CPU engine has no shaders");
        }
        device
    }

    /// Leaves the whole check out.
    pub fn leave_out(&mut self, reason: &str) {
        self.check.left_out("all", reason);
    }

    /// Carries out a case: `work` says how many things it has compared and which differ.
    pub async fn case(
        &mut self,
        case: &str,
        weight: Weight,
        work: impl AsyncFnOnce() -> Result<Found>,
    ) -> Result<(), Stop> {
        let (check, done, of) = (self.check.name.as_str(), self.done, self.of);
        if (self.progress)(VerifyProgress { check, case, done, of }).is_break() {
            self.interrupted = true;
            return Err(Stop);
        }
        if let Some(reason) = self.why_not(weight) {
            self.check.left_out(case, reason);
            return Ok(());
        }
        match work().await {
            Ok(found) => self.check.compared(case, found.things, found.differing),
            Err(error) => {
                self.check.failed(case, &error);
                if error.is_device_lost() {
                    return Err(Stop);
                }
            }
        }
        Ok(())
    }

    fn why_not(&self, weight: Weight) -> Option<&'static str> {
        let left =
            |until: Option<Instant>| until.map(|until| until.saturating_duration_since(Instant::now()));
        let slow = self.device().is_some_and(|device| {
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

/// What a case has compared.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Things that were compared.
    pub things: u64,
    /// How many of them differ, and the first of these, for people.
    pub differing: Option<(u64, String)>,
}

impl Found {
    /// Adds what was found elsewhere; the first difference stays the first.
    pub fn and(&mut self, other: Self) {
        self.things += other.things;
        self.differing = match (self.differing.take(), other.differing) {
            (Some((count, first)), Some((more, _))) => Some((count + more, first)),
            (one, other) => one.or(other),
        };
    }
}
