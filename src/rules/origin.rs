//! The origin of a game's WGSL, which decides its run-time checks.

use super::{Game, GameShader};
use std::marker::PhantomData;

/// The origin of a text, from the least trusted to the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) enum Origin {
    /// Any author's.
    #[default]
    Foreign,
    /// A game file's, with loops that end by the crate's guards.
    LoopsEnd,
    /// The crate's own.
    Own,
}

/// The crate's guarantees for the rules, sizes and positions of the games of a type, which decide about indexes and
/// loops. Only the crate can make one that guarantees anything, and it holds for that type alone: a game that wraps one
/// of the crate's own has none.
#[derive(Debug)]
pub struct Vouch<G> {
    origin: Origin,
    of: PhantomData<fn() -> G>,
}

impl<G> Vouch<G> {
    /// Without guarantees.
    pub fn nothing() -> Self {
        Self::new(Origin::Foreign)
    }

    /// For the crate's own rules (`src/games`).
    pub(crate) fn own() -> Self {
        Self::new(Origin::Own)
    }

    /// For rules whose loops end by guards (`src/game_file/guard.rs`).
    pub(crate) fn loops_end() -> Self {
        Self::new(Origin::LoopsEnd)
    }

    /// The same for a type of the crate's that stands for the games of this one.
    pub(crate) fn passed_on<H>(&self) -> Vouch<H> {
        Vouch::new(self.origin)
    }

    fn new(origin: Origin) -> Self {
        Self { origin, of: PhantomData }
    }
}

impl GameShader {
    /// The origin of a game's rules.
    pub(crate) fn of<G: Game>(game: &G) -> Self {
        Self { origin: game.vouch().origin, ..game.shader() }
    }

    /// Whether playouts certainly end within [`Game::max_plies`], so that their plies need not be counted.
    pub(crate) fn is_known_to_end(&self) -> bool {
        self.origin == Origin::Own
    }
}

/// Whether searches and rollouts of this game run without wgpu's run-time checks: those of the crate's own games do.
pub fn is_unchecked<G: Game>(game: &G) -> bool {
    game.vouch().origin == Origin::Own
}
