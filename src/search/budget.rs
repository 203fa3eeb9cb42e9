//! The budget of a search: steps, time, or both.

use super::BudgetReport;
use crate::{
    error::{Error, Result},
    names::counted,
};
use std::{fmt, time::Duration};

/// A limit of steps, of time, or of both; whichever is reached first ends the run.
///
/// ```
/// use mcts_wgpu::Budget;
/// use std::time::Duration;
///
/// let budget = Budget::steps(1000).within(Duration::from_secs(5));
/// assert_eq!(budget.to_string(), "1000 steps or 5 s");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    pub(crate) steps: u64,
    pub(crate) time: Option<Duration>,
}

impl Budget {
    /// Exactly this many steps: the result is reproducible.
    pub fn steps(steps: u64) -> Self {
        Self { steps, time: None }
    }

    /// As many steps as fit into this time, from the call of `run` on. A long step is abandoned in its middle when the
    /// time is up, and does not count. The first step may end up to 250 ms late; if it does not, the result has no
    /// steps.
    pub fn time(time: Duration) -> Self {
        Self { steps: u64::MAX, time: Some(time) }
    }

    /// The limits that are given; the default budget if none is.
    pub(crate) fn of(steps: Option<u64>, time: Option<Duration>) -> Self {
        match (steps, time) {
            (None, None) => Self::default(),
            _ => Self { steps: steps.unwrap_or(u64::MAX), time },
        }
    }

    /// The same budget, ended by `time` at the latest.
    pub fn within(self, time: Duration) -> Self {
        Self { time: Some(time), ..self }
    }

    /// The same budget, ended by `time` at the latest, where there is one.
    pub(crate) fn at_most(self, time: Option<Duration>) -> Self {
        Self { time: self.time.into_iter().chain(time).min(), ..self }
    }

    pub(super) fn report(self) -> BudgetReport {
        BudgetReport {
            steps: Some(self.steps).filter(|&steps| steps < u64::MAX),
            seconds: self.time.map(|time| time.as_secs_f64()),
        }
    }

    pub(crate) fn validate(&self) -> Result<()> {
        if self.steps == 0 {
            return Err(Error::invalid("a budget of 0 steps: give at least 1"));
        }
        Ok(())
    }
}

/// A limit of time in seconds; `None` unless it is positive.
pub(crate) fn time_of(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero())
}

impl fmt::Display for Budget {
    /// `1000 steps`, `5 s`, or `1000 steps or 5 s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.time.map(|time| time.as_secs_f64());
        let steps = counted(self.steps, "step");
        match seconds {
            None => f.write_str(&steps),
            Some(seconds) if self.steps == u64::MAX => write!(f, "{seconds} s"),
            Some(seconds) => write!(f, "{steps} or {seconds} s"),
        }
    }
}

impl Default for Budget {
    /// Five seconds, as in the original.
    fn default() -> Self {
        Self::time(Duration::from_secs(5))
    }
}
