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
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RolloutConfig {
    /// Seed of the games' random streams.
    pub seed: u64,
    /// The mapping of games to a device.
    pub mapping: Mapping,
    /// Moves, including passes, after which a game is cut off, counted from the position: 1 to 2^21. `None`: the game's
    /// own limit, if it has one.
    pub max_moves: Option<u32>,
    /// Plies after which lanes of a device start new games together, at least 1. `None`:
    /// [`Game::rollout_round`](crate::Game::rollout_round). It affects speed alone.
    pub round: Option<u32>,
    /// Count who owns each point at the end of games ([`RolloutReport::owners`](super::RolloutReport::owners)): in Go,
    /// with the mapping `thread`.
    pub owners: bool,
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
