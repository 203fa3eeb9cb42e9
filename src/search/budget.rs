//! How long a search may go on.

use crate::error::{Error, Result};
use std::time::Duration;

/// A limit of steps, of time, or of both; whichever is reached first ends the run.
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

    /// As many steps as fit into this time. At least one is made.
    pub fn time(time: Duration) -> Self {
        Self { steps: u64::MAX, time: Some(time) }
    }

    /// The same budget, ended by `time` at the latest.
    pub fn within(self, time: Duration) -> Self {
        Self { time: Some(time), ..self }
    }

    pub(crate) fn validate(&self) -> Result<()> {
        if self.steps == 0 {
            return Err(Error::bad_input("a budget of 0 steps: give at least 1"));
        }
        Ok(())
    }
}

impl Default for Budget {
    /// Five seconds, as in the original.
    fn default() -> Self {
        Self::time(Duration::from_secs(5))
    }
}
