//! Random numbers of self-play. Each depends on the seed and on its purpose alone: not on other games, the engine, or
//! interruptions.

use crate::exact::rng::{GOLDEN, mix};

/// The purpose of a number.
#[derive(Debug, Clone, Copy)]
#[repr(u64)]
pub enum Purpose {
    /// The seed of a round's searches.
    RoundSeed = 1,
    /// Whether a round is full.
    FullRound,
    /// The number of a game's random plies.
    OpeningLength,
    /// A random ply of a game.
    OpeningMove,
    /// The move of a game at a ply.
    Move,
    /// Whether a game is played without resignation.
    PlayedOut,
}

/// The number for a purpose, a round or game, and a ply in it.
pub fn number(seed: u64, purpose: Purpose, of: u64, ply: u64) -> u64 {
    [purpose as u64, of, ply].into_iter().fold(mixed(seed), |hash, part| mixed(hash ^ part))
}

/// The output of SplitMix64 after this state.
fn mixed(word: u64) -> u64 {
    mix(word.wrapping_add(GOLDEN))
}
