//! Variants of the algorithm, and the schedules of its steps.

use crate::names::{by_name, named};
use serde::{Deserialize, Serialize};

/// The children of an expanded node that are played out, and the way the work is launched (Table 1 of the paper).
/// Serialized by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "&'static str", try_from = "String")]
pub struct Variant {
    /// All children (ACP) or one drawn child (OCP).
    pub all_children: bool,
    /// Launch exactly the legal children, or all B with early exits ("prodigal").
    pub thrifty: bool,
}

impl Variant {
    /// One child, exactly the legal children launched.
    pub const OCP_THRIFTY: Self = Self { all_children: false, thrifty: true };
    /// One child, B launched.
    pub const OCP_PRODIGAL: Self = Self { all_children: false, thrifty: false };
    /// All children, exactly the legal children launched.
    pub const ACP_THRIFTY: Self = Self { all_children: true, thrifty: true };
    /// All children, B launched.
    pub const ACP_PRODIGAL: Self = Self { all_children: true, thrifty: false };
    /// The four, in the order of the paper's Table 1.
    pub const ALL: [Self; 4] = [Self::OCP_THRIFTY, Self::ACP_THRIFTY, Self::OCP_PRODIGAL, Self::ACP_PRODIGAL];

    /// `ocp-thrifty` and so on.
    pub fn name(self) -> &'static str {
        match (self.all_children, self.thrifty) {
            (false, true) => "ocp-thrifty",
            (false, false) => "ocp-prodigal",
            (true, true) => "acp-thrifty",
            (true, false) => "acp-prodigal",
        }
    }
}

by_name!(Variant, "variant");

named! {
    /// The value of a draw in n_wins and q.
    #[non_exhaustive]
    #[derive(Default)]
    pub enum DrawValue: "draw value" {
        /// Half a win, to either player.
        #[default]
        Half = "half",
        /// Nothing, as in the original.
        None = "none",
    }
}

impl DrawValue {
    /// Points of a won playout in [`Stats::n_wins`](super::layout::Stats::n_wins): twice those of a draw, where draws
    /// count.
    pub fn win_points(self) -> u32 {
        match self {
            Self::Half => 2,
            Self::None => 1,
        }
    }
}

named! {
    /// The mapping of steps to dispatches. Both schedules give the same bits.
    #[non_exhaustive]
    #[derive(Default)]
    pub enum Schedule: "schedule" {
        /// Chosen by the width of a step.
        #[default]
        Auto = "auto",
        /// One kernel a stage, hundreds of steps recorded into a submission.
        Staged = "staged",
        /// One workgroup a tree makes whole steps in a loop inside one dispatch.
        Fused = "fused",
    }
}
