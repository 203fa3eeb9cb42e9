//! The known results of the cases' fixed work, the same on every machine: `fingerprints.json`, which a test compares
//! with the CPU engine.

use super::{Case, Work};
use crate::{device::AdapterKind, names::named};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

named! {
    /// Whether a case computes its known result.
    pub enum CaseCheck: "check" {
        /// The result is as expected.
        Pass = "pass",
        /// The result differs, and the case has no figures.
        Fail = "fail",
    }
}

/// The result of a case's check, and the known one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The work, such as `32 steps`.
    pub work: String,
    /// The known result.
    pub expected: String,
    /// The result: a fingerprint of trees or of numbers, counts of games, or a score.
    pub found: String,
}

impl Evidence {
    /// Whether the result is the known one.
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
    /// For a default search, the kind of engine whose settings it has: `discrete` (GPUs), `cpu` or `software`; `None`
    /// for other cases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<AdapterKind>,
    /// Steps, games, streams, plies or rounds.
    pub amount: u64,
    /// The result.
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

/// The line of a case on an engine of this kind; `None` for games of files.
pub(super) fn known(case: &Case, kind: AdapterKind) -> Option<&'static Known> {
    table().iter().find(|known| known.case == case.name && known.kind.is_none_or(|of| of == kind))
}
