//! The config of rollouts.

use crate::{
    error::{Error, Result},
    names::named,
    rules::Game,
};

named! {
    /// The mapping of games to a device.
    #[non_exhaustive]
    #[derive(Default)]
    pub enum Mapping: "mapping" {
        /// A game an invocation.
        #[default]
        Thread = "thread",
        /// A game a workgroup, for games with such a kernel: Go, with a point an invocation if there are enough
        /// invocations.
        Group = "group",
    }
}

/// All settings of rollouts.
///
/// `max_moves` is 1 to 2^21, counted from the position; without it, games end at their own limit, if they have one.
/// [`owners`](super::RolloutReport::owners) are counted in Go, with the mapping `thread`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct RolloutConfig {
    /// Mapping of games to the device: thread (a game per invocation) or, for go, group (a game per workgroup)
    ///
    /// The results are the same. The CPU engine ignores it.
    #[cfg_attr(feature = "cli", arg(long, default_value = "thread"))]
    pub mapping: Mapping,
    /// End games after M moves, including passes, and count them as unfinished
    #[cfg_attr(feature = "cli", arg(long, value_name = "M"))]
    pub max_moves: Option<u32>,
    /// Count the owners of each point at the end of games (go)
    #[cfg_attr(feature = "cli", arg(long))]
    pub owners: bool,
    /// Seed of the random numbers
    #[cfg_attr(feature = "cli", arg(long, default_value_t = 0))]
    pub seed: u64,
    /// Plies after which lanes of a device start new games together, at least 1. `None`:
    /// [`Game::rollout_round`](crate::Game::rollout_round). It affects speed alone.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub round: Option<u32>,
}

/// Greatest [`RolloutConfig::max_moves`].
pub const MAX_MOVES: u32 = 1 << 21;

impl RolloutConfig {
    /// Checks every field.
    ///
    /// # Errors
    /// Bad input, naming the field and its range.
    pub fn validate(&self) -> Result<()> {
        if let Some(moves) = self.max_moves.filter(|moves| !(1..=MAX_MOVES).contains(moves)) {
            return Err(Error::invalid(format!("a limit of {moves} moves: give one from 1 to {MAX_MOVES}")));
        }
        if self.round == Some(0) {
            return Err(Error::invalid("rounds of 0 plies: give at least 1"));
        }
        Ok(())
    }

    /// [`validate`](Self::validate), and whether the game has the mapping and, if they are counted, owners: all checks
    /// that need no engine.
    ///
    /// # Errors
    /// Bad input.
    pub fn validate_for<G: Game>(&self, game: &G) -> Result<()> {
        self.validate()?;
        if self.mapping == Mapping::Group && game.shader().group.is_none() {
            return Err(Error::invalid(format!("{} has no group mapping: choose thread", game.name())));
        }
        if self.owners && game.owned_points() == 0 {
            return Err(Error::invalid(format!("{} has no owners of points: go alone has", game.name())));
        }
        if self.owners && self.mapping != Mapping::Thread {
            return Err(Error::invalid("owners of points are counted with the mapping thread alone"));
        }
        Ok(())
    }

    /// Points whose owners are counted.
    pub(super) fn owned_points<G: Game>(&self, game: &G) -> u32 {
        if self.owners { game.owned_points() } else { 0 }
    }
}
