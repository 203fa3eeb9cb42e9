//! What tells two games of a name apart.

use serde::{Deserialize, Serialize};
use std::fmt::{self, Display, Formatter};

/// A size or a rule of a game, as reports tell it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RuleValue {
    /// A rule that holds or does not.
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
