//! Zobrist keys of Go: outputs of SplitMix64 for every stone, ko, number of passes, and for White to move.

use super::CELLS;
use crate::exact::rng::{GOLDEN, mix};

/// The key of White to move.
pub(super) const SIDE_KEY: u64 = key(1);
/// [colour][cell]: the key of a stone.
pub(super) static STONE_KEYS: [[u64; CELLS]; 2] = [stone_keys(1 << 10), stone_keys(2 << 10)];

pub(super) fn pass_key(passes: u8) -> u64 {
    if passes == 0 { 0 } else { key(1 + u64::from(passes)) }
}

pub(super) fn ko_key(cell: u16) -> u64 {
    key((3 << 10) + u64::from(cell))
}

const fn stone_keys(first: u64) -> [u64; CELLS] {
    let mut keys = [0; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        keys[cell] = key(first + cell as u64);
        cell += 1;
    }
    keys
}

const fn key(number: u64) -> u64 {
    mix(number.wrapping_mul(GOLDEN))
}
