//! The states of Go.

use super::{MAX_WORDS, board::Board, plane::Plane};
use crate::rules::Player;

/// A position of Go without the player to move: stones, ko, consecutive passes, and moves played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GoState {
    pub(super) black: Plane<MAX_WORDS>,
    pub(super) white: Plane<MAX_WORDS>,
    /// 0, or 1 + the bit of the point that may not be retaken at once.
    pub(super) ko_mark: u32,
    pub(super) passes: u32,
    pub(super) moves: u32,
}

impl GoState {
    /// Moves played, including passes; 0 in a position that was given as a board.
    pub fn moves(&self) -> u32 {
        self.moves
    }

    /// Passes since the last stone, 0 to 2.
    pub fn passes(&self) -> u32 {
        self.passes
    }
}

/// The board of a state from the view of `turn`, without the groups in atari.
pub(super) fn board_of<const W: usize>(state: &GoState, turn: Player) -> Board<W> {
    let [black, white] = [state.black.resized(), state.white.resized()];
    let ko = if state.ko_mark == 0 { Plane::EMPTY } else { Plane::bit(state.ko_mark - 1) };
    let board = Board { mine: black, theirs: white, atari: Plane::EMPTY, ko };
    if turn == Player::First { board } else { board.seen_by_opponent() }
}

/// The inverse of [`board_of`], with 0 moves played.
pub(super) fn state_of<const W: usize>(board: &Board<W>, turn: Player) -> GoState {
    let board = if turn == Player::First { *board } else { board.seen_by_opponent() };
    let ko_mark = board.ko.mark();
    GoState { black: board.mine.resized(), white: board.theirs.resized(), ko_mark, passes: 0, moves: 0 }
}
