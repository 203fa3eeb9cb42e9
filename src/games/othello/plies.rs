//! Playouts of Othello side by side.

use super::{INNER_FILES, OthelloState};
use crate::rules::{Outcome, Played, Player, Plies, mask};

/// The directions of ascending squares, as distances.
const STEPS: [u32; 4] = [1, 7, 8, 9];

/// The board.
///
/// A game is the discs of the player to move, those of the opponent, and 1 while a player without placements waits. The
/// wait is a pass, which takes a draw, or the end of the game. One ply later the opponent's placements decide which, so
/// that no ply needs the placements of both players.
pub struct Board;

/// The placements, and intermediate results of the fills.
#[derive(Clone, Copy)]
pub struct Listed {
    placements: u64,
    /// In each byte the number of placements on its row and the rows below.
    counts: u64,
    /// Discs of the opponent in pairs along each direction.
    pairs: [u64; 4],
    /// Discs of the opponent with a disc of the mover at the end of their run, along each direction, down and up.
    down: [u64; 4],
    up: [u64; 4],
}

/// The discs that may be bracketed along a direction.
#[inline(always)]
fn through(theirs: u64, step: u32) -> u64 {
    if step == 8 { theirs } else { theirs & INNER_FILES }
}

/// The runs of `through` that begin next to `start`, on ascending squares: one disc, then two, four and six.
#[inline(always)]
fn run_up(start: u64, through: u64, pairs: u64, step: u32) -> u64 {
    let mut run = start;
    run |= through & (run << step);
    run |= pairs & (run << (2 * step));
    run | pairs & (run << (2 * step))
}

/// The same on descending squares.
#[inline(always)]
fn run_down(start: u64, through: u64, pairs: u64, step: u32) -> u64 {
    let pairs = pairs >> step;
    let mut run = start;
    run |= through & (run >> step);
    run |= pairs & (run >> (2 * step));
    run | pairs & (run >> (2 * step))
}

/// The number of set bits in each byte and those below it.
#[inline(always)]
fn running_counts(bits: u64) -> u64 {
    let twos = bits.wrapping_sub((bits >> 1) & 0x5555_5555_5555_5555);
    let fours = (twos & 0x3333_3333_3333_3333).wrapping_add((twos >> 2) & 0x3333_3333_3333_3333);
    let bytes = fours.wrapping_add(fours >> 4) & 0x0f0f_0f0f_0f0f_0f0f;
    let two_rows = bytes.wrapping_add(bytes << 8);
    let four_rows = two_rows.wrapping_add(two_rows << 16);
    four_rows.wrapping_add(four_rows << 32)
}

/// The set bit with `ordinal` set bits below it, by halves.
#[inline(always)]
fn nth_bit(bits: u64, counts: u64, ordinal: u64) -> u64 {
    let beyond = |count: u64, ordinal: u64| mask(count as i64 <= ordinal as i64);
    let mut place = beyond((counts >> 24) & 255, ordinal) & 32;
    place += beyond((counts >> (place + 8)) & 255, ordinal) & 16;
    place += beyond((counts >> place) & 255, ordinal) & 8;
    let row = (bits >> place) & 255;
    let mut left = ordinal.wrapping_sub(((counts << 8) >> place) & 255);
    let twos = row.wrapping_sub((row >> 1) & 0x55);
    let fours = (twos & 0x33).wrapping_add((twos >> 2) & 0x33);

    let low = fours & 15;
    let upper = beyond(low, left);
    left = left.wrapping_sub(low & upper);
    let mut file = upper & 4;
    let low = (twos >> file) & 3;
    let upper = beyond(low, left);
    left = left.wrapping_sub(low & upper);
    file += upper & 2;
    file += beyond((row >> file) & 1, left) & 1;
    bits & (1 << (place + file))
}

impl Listed {
    /// The placements of `mine` against `theirs`.
    #[inline(always)]
    fn new(mine: u64, theirs: u64) -> Self {
        let (mut pairs, mut down, mut up, mut reached) = ([0; 4], [0; 4], [0; 4], 0);
        for (direction, step) in STEPS.into_iter().enumerate() {
            let through = through(theirs, step);
            let pair = through & (through << step);
            let above = run_up(through & (mine << step), through, pair, step);
            let below = run_down(through & (mine >> step), through, pair, step);
            reached |= (above << step) | (below >> step);
            (pairs[direction], down[direction], up[direction]) = (pair, above, below);
        }
        let placements = reached & !(mine | theirs);
        Self { placements, counts: running_counts(placements), pairs, down, up }
    }

    /// The discs of `theirs` that a disc on `square` brackets: runs from it that end at a disc of the mover.
    #[inline(always)]
    fn bracketed(&self, square: u64, theirs: u64) -> u64 {
        let mut flips = 0;
        for (direction, step) in STEPS.into_iter().enumerate() {
            let (through, pairs) = (through(theirs, step), self.pairs[direction]);
            flips |= run_up(self.up[direction] & (square << step), through, pairs, step);
            flips |= run_down(self.down[direction] & (square >> step), through, pairs, step);
        }
        flips
    }
}

impl Plies<OthelloState, 3> for Board {
    type Listed = Listed;

    fn begin(&self, state: &OthelloState, turn: Player) -> [u64; 3] {
        let (mine, theirs) = state.seen_by(turn);
        [mine, theirs, 0]
    }

    #[inline(always)]
    fn list_actions(&self, &[mine, theirs, _]: &[u64; 3]) -> (u64, Listed) {
        let listed = Listed::new(mine, theirs);
        let passes = mask(listed.placements == 0) & 1;
        ((listed.counts >> 56) + passes, listed)
    }

    /// | | a player waits | no player waits |
    /// | --- | --- | --- |
    /// | placements | the wait was a pass: it takes this draw | a placement |
    /// | none | it was the end | now the player waits |
    #[inline(always)]
    fn ply(&self, [mine, theirs, waits]: [u64; 3], listed: Listed, ordinal: u64) -> Played<3> {
        let can_place = mask(listed.placements != 0);
        let waited = mask(waits != 0);
        let places = can_place & !waited;
        let square = nth_bit(listed.placements, listed.counts, ordinal) & places;
        let flips = listed.bracketed(square, theirs);
        let (mine, theirs) = (mine | flips | square, theirs & !flips);
        let swapped = (mine ^ theirs) & !(can_place & waited);
        Played {
            words: [mine ^ swapped, theirs ^ swapped, !(can_place | waited) & 1],
            took: can_place,
            over: !can_place & waited,
        }
    }

    fn end(&self, &[mine, theirs, _]: &[u64; 3], turn: Player) -> (Outcome, Option<i32>) {
        let state = OthelloState::from_seen(mine, theirs, turn);
        (state.most_discs(), Some(state.half_points()))
    }
}
