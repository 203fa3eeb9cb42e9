//! What fixed work of each case comes to, on every machine: the table of this version (`fingerprints.json`), which a
//! test holds to the CPU engine.

use super::{Case, Work};
use crate::names::named;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

named! {
    /// Was what a case computed what this version's table has for it?
    pub enum CaseCheck: "check" {
        /// It was.
        Pass = "pass",
        /// It was not: the case has no figures.
        Fail = "fail",
    }
}

/// What a case computed before it was measured, and what it should have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The work: `32 steps`.
    pub work: String,
    /// What this version's table has for it.
    pub expected: String,
    /// What came of it: a fingerprint of trees or of numbers, counts of games, or a score.
    pub found: String,
}

impl Evidence {
    /// Are they the same?
    pub fn check(&self) -> CaseCheck {
        if self.found == self.expected { CaseCheck::Pass } else { CaseCheck::Fail }
    }
}

/// A line of the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Known {
    /// The case's name.
    pub case: String,
    /// Whether a default search has the settings that suit GPUs, or cores; no other case has this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_on_gpus: Option<bool>,
    /// Steps, games, streams, plies or rounds.
    pub amount: u64,
    /// What they come to.
    pub result: String,
}

impl Known {
    pub fn evidence(&self, work: &Work, found: String) -> Evidence {
        let work = format!("{} {}", self.amount, work.unit());
        Evidence { work, expected: self.result.clone(), found }
    }
}

/// All lines of the table.
pub(super) fn table() -> &'static [Known] {
    static TABLE: OnceLock<Vec<Known>> = OnceLock::new();
    TABLE.get_or_init(|| {
        serde_json::from_str(include_str!("fingerprints.json"))
            .expect("a test reads the table of this version")
    })
}

/// The line of a case, on GPUs or on cores; games of files have none.
pub(super) fn known(case: &Case, on_gpus: bool) -> Option<&'static Known> {
    table()
        .iter()
        .find(|known| known.case == case.name && known.as_on_gpus.is_none_or(|gpus| gpus == on_gpus))
}
