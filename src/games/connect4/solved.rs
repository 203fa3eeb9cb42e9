//! Positions with a known outcome: the twin of `solved_outcome` in `games/connect4.wgsl`.
//!
//! First the forced line is followed: as long as one column only does not lose at once, the disc is dropped there. Two
//! of Allis's rules ("A Knowledge-based Approach of Connect-Four", 1988) may then give the outcome: neither player can
//! complete a line; or a player can answer each disc with one on top of it, and so gets the upper cell of every pair of
//! cells (follow-up, claimeven).

use super::{Connect4, Connect4State};
use crate::rules::{Outcome, Player};

/// A position from the view of the player to move.
struct View {
    mover: u64,
    other: u64,
    /// The cells that the next discs fall to.
    open: u64,
}

impl Connect4 {
    /// [`Game::solved_outcome`](crate::Game::solved_outcome).
    pub(super) fn foresee(&self, state: &Connect4State, turn: Player) -> Option<(Outcome, u32)> {
        let (mut mover, mut other) = (state.discs(turn), state.discs(turn.opponent()));
        let mut player = turn;
        for plies in 0.. {
            let view = View { mover, other, open: self.landings(mover | other) };
            if view.open == 0 {
                return Some((Outcome::Draw, plies));
            }
            if self.completions(mover) & view.open != 0 {
                return Some((player.wins(), plies + 1));
            }
            let theirs = self.completions(other);
            let threats = theirs & view.open;
            // Without a threat, a disc must not be below a winning cell of the opponent.
            let safe = if threats != 0 { threats } else { view.open & !(theirs >> 1) };
            if safe == 0 || !is_single(threats) {
                return Some((player.opponent().wins(), plies + 2));
            }
            if !is_single(safe) {
                return self.settled(&view, theirs, player).map(|(outcome, more)| (outcome, plies + more));
            }
            (mover, other) = (other, mover | safe);
            player = player.opponent();
        }
        None
    }

    /// The outcome where the mover has no forced move, and the opponent would complete lines in the cells `theirs`.
    fn settled(&self, view: &View, theirs: u64, player: Player) -> Option<(Outcome, u32)> {
        let &View { mover, other, open } = view;
        let empty = self.cells() & !(mover | other);
        let (upper, lower) = (empty & self.upper_cells(), empty & !self.upper_cells());
        let plies = empty.count_ones();
        // Columns with an odd number of empty cells.
        let odd = open & upper;
        let other_cannot = !self.has_line(other | empty);
        if other_cannot && !self.has_line(mover | empty) {
            return Some((Outcome::Draw, plies));
        }
        if odd == 0 && !self.has_line(mover | lower) {
            if self.has_line(other | upper) {
                return Some((player.opponent().wins(), plies));
            }
            if other_cannot {
                return Some((Outcome::Draw, plies));
            }
        }
        // In the end, the mover has to drop a disc below a winning cell of the opponent.
        let traps = (0..self.columns).map(|column| (column, open & theirs >> 1 & self.column_mask(column)));
        let mut deciding = traps.filter(|&(column, trap)| {
            let reached = lower & !self.column_mask(column) | trap;
            trap != 0 && odd & !trap == 0 && !self.has_line(mover | reached)
        });
        deciding.next().map(|(column, _)| {
            let elsewhere = empty & !self.column_mask(column);
            (player.opponent().wins(), elsewhere.count_ones() + 2)
        })
    }

    pub(super) fn cells(&self) -> u64 {
        // The rows side by side.
        self.bottom * self.column_mask(0)
    }

    /// The upper cells of the pairs of cells of a column, counted from the top.
    pub(super) fn upper_cells(&self) -> u64 {
        (0..self.rows).rev().step_by(2).map(|row| self.row_mask(row)).sum()
    }

    fn column_mask(&self, column: u32) -> u64 {
        (u64::MAX >> (64 - self.rows)) << (column * self.step())
    }

    /// The cell that the next disc of each open column falls to.
    pub(super) fn landings(&self, filled: u64) -> u64 {
        self.marks(filled) & self.cells()
    }

    /// The cells that make a line together with discs on three others.
    pub(super) fn completions(&self, discs: u64) -> u64 {
        let directions = [1, self.step() - 1, self.step(), self.step() + 1];
        directions.into_iter().fold(0, |all, step| all | completed(discs, step)) & self.cells()
    }
}

/// The cells that complete lines of discs `step` apart: below and above three of them, and between two and one.
fn completed(discs: u64, step: u32) -> u64 {
    let up = |board: u64, steps: u32| board.checked_shl(steps * step).unwrap_or(0);
    let down = |board: u64, steps: u32| board.checked_shr(steps * step).unwrap_or(0);
    let pairs = discs & down(discs, 1);
    let threes = pairs & down(discs, 2);
    down(threes, 1) | up(threes, 3) | up(pairs, 2) & down(discs, 1) | down(pairs, 1) & up(discs, 1)
}

/// Whether a set has at most one cell.
fn is_single(cells: u64) -> bool {
    cells & cells.wrapping_sub(1) == 0
}
