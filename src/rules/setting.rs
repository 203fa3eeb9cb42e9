//! The values of the rules that distinguish games of one name.

use serde::{Deserialize, Serialize};
use std::fmt::{self, Display, Formatter};

/// A size or a rule of a game, in reports.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RuleValue {
    /// A rule that is on or off.
    Flag(bool),
    /// A size.
    Count(u32),
    /// A number, such as a komi.
    Number(f32),
}

impl Display for RuleValue {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(holds) => write!(f, "{holds}"),
            Self::Count(count) => write!(f, "{count}"),
            Self::Number(number) => write!(f, "{number}"),
        }
    }
}
