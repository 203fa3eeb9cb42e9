//! The values of the rules that distinguish games of one name.

use super::Game;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fmt::{self, Display, Formatter},
};

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

/// The sizes and rules of a game, by name.
pub(crate) fn rules_of<G: Game>(game: &G) -> BTreeMap<String, RuleValue> {
    game.rules().into_iter().map(|(name, value)| (name.into(), value)).collect()
}

/// A game in words: its name, sizes and rules.
pub(crate) fn in_words(name: &str, rules: impl IntoIterator<Item = (impl Display, impl Display)>) -> String {
    let rules: Vec<_> = rules.into_iter().map(|(name, value)| format!("{name} {value}")).collect();
    if rules.is_empty() { name.into() } else { format!("{name} ({})", rules.join(", ")) }
}
