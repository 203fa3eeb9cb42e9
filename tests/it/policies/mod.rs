//! Playouts by policies: against the rules written out, on every engine, in searches, by their distributions.

mod connect4;
mod distributions;
mod engines;
mod program;
mod rules;

use crate::support::prelude::*;
use std::sync::LazyLock;

fn hash(code: u32) -> u32 {
    let mixed = (code ^ (code >> 15)).wrapping_mul(0x2c1b_3c6d);
    (mixed ^ (mixed >> 12)).wrapping_mul(0x297a_2d39) >> 8
}

/// Unordered ratings, from 1 to the greatest: with a wrong code, another move is drawn.
fn hashed_rating(code: u32) -> u16 {
    (1 + hash(code) % u32::from(PatternTable::MAX_RATING)) as u16
}

fn canonical(shape: PatternShape) -> impl Iterator<Item = (u32, u16)> {
    let smallest = shape.codes().filter(move |&code| shape.canonical(code) == code);
    smallest.map(|code| (code, hashed_rating(code)))
}

static HASHED_SQUARES: LazyLock<PatternTable> =
    LazyLock::new(|| PatternTable::new(1, canonical(PatternShape::Square)).expect("a table"));
static HASHED_DIAMONDS: LazyLock<PatternTable> = LazyLock::new(|| {
    HASHED_SQUARES.clone().with_diamonds(canonical(PatternShape::Diamond)).expect("a table")
});

/// The tables of the crate, and tables in which mistakes show best.
fn tables() -> [&'static PatternTable; 4] {
    let [squares, diamonds] = PatternShape::ALL.map(PatternTable::shipped);
    [squares, diamonds, &HASHED_SQUARES, &HASHED_DIAMONDS]
}

fn go(size: u32, komi: f32) -> Go {
    wide(size, size, komi)
}

fn wide(rows: u32, columns: u32, komi: f32) -> Go {
    Go::rectangular(rows, columns, komi).expect("a board")
}
