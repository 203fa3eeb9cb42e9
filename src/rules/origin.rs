//! Whose the WGSL of a game is, which decides about the run-time checks that it runs with.

use super::{Game, GameShader};
use std::marker::PhantomData;

/// Whose a text is, from the least known to the best known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) enum Origin {
    /// Anybody's.
    #[default]
    Foreign,
    /// A game file's, each of whose loops the crate has made to end.
    LoopsEnd,
    /// The crate's own.
    Own,
}

/// What the crate knows of the rules, sizes and positions of the games of a type, all of which decide about indexes and
/// loops. Only the crate can make one that says more than nothing, and that of one type is none of another's: a game
/// that wraps one of the crate's own has nothing to hand on.
#[derive(Debug)]
pub struct Vouch<G> {
    origin: Origin,
    of: PhantomData<fn() -> G>,
}

impl<G> Vouch<G> {
    /// Nothing is known of them.
    pub fn nothing() -> Self {
        Self::new(Origin::Foreign)
    }

    /// They are the crate's own (`src/games`).
    pub(crate) fn own() -> Self {
        Self::new(Origin::Own)
    }

    /// Their loops have been made to end (`src/game_file/guard.rs`).
    pub(crate) fn loops_end() -> Self {
        Self::new(Origin::LoopsEnd)
    }

    fn new(origin: Origin) -> Self {
        Self { origin, of: PhantomData }
    }
}

impl GameShader {
    /// The rules of a game, with what the crate knows of them.
    pub(crate) fn of<G: Game>(game: &G) -> Self {
        Self { origin: game.vouch().origin, ..game.shader() }
    }

    /// Playouts are certain to end within [`Game::max_plies`], so that their plies need not be counted.
    pub(crate) fn is_known_to_end(&self) -> bool {
        self.origin == Origin::Own
    }
}

/// Do searches and rollouts of this game run without wgpu's run-time checks? Those of the crate's own games do, and no
/// others.
pub fn is_unchecked<G: Game>(game: &G) -> bool {
    game.vouch().origin == Origin::Own
}
