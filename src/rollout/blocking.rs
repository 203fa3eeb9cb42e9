//! The blocking calls: a thin layer over the async ones. A page in a browser can't block, and has none of them.

use super::{RolloutConfig, RolloutProgress, RolloutReport, Rollouts};
use crate::{
    engine::Engine,
    error::Result,
    host::block_on,
    rules::{Game, Position},
};
use std::{ops::ControlFlow, time::Duration};

impl<G: Game> Rollouts<G> {
    /// Compiles the game for every device of the engine.
    ///
    /// # Errors
    /// Bad input for a config or a game out of range, or a mapping that the game does not have; shader; out of memory;
    /// device lost.
    pub fn new(engine: &Engine, game: G, config: RolloutConfig) -> Result<Self> {
        block_on(Self::new_async(engine, game, config))
    }

    /// Plays this many games from a position.
    ///
    /// # Errors
    /// Bad input for no games, a position where the game is over or that is of another game, or a game longer than
    /// [`Game::max_plies`]; cut short; device lost.
    pub fn run(&mut self, position: &Position<G>, games: u64) -> Result<RolloutReport> {
        self.run_with(position, games, None, |_| ControlFlow::Continue(()))
    }

    /// Plays up to this many games, and starts none after `time`; calls `progress` every few dozen milliseconds, which
    /// ends the run early by [`ControlFlow::Break`]. The report has the number of games played: always the first ones,
    /// as many as there was time for, and at least one.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_with(
        &mut self,
        position: &Position<G>,
        games: u64,
        time: Option<Duration>,
        mut progress: impl FnMut(RolloutProgress) -> ControlFlow<()>,
    ) -> Result<RolloutReport> {
        // One instance for a game, whatever the type of `progress`.
        block_on(self.report(position, (games, time), &mut progress))
    }
}
