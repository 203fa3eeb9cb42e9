//! Random numbers of self-play. Each depends on the seed and on its purpose alone: not on other games, the engine, or
//! interruptions.

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

/// A number below `count` from one of 64 bits: probabilities differ by at most count / 2^64.
pub fn below(number: u64, count: u64) -> u64 {
    ((u128::from(number) * u128::from(count)) >> 64) as u64
}

/// SplitMix64 of G. Steele et al., "Fast splittable pseudorandom number generators" (2014).
fn mixed(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}
