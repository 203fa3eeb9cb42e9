//! The positions of alpha-beta, on the host and in WGSL.

use crate::{
    error::Result,
    rules::{Game, Player, Position},
};
use std::{fmt::Debug, ops::ControlFlow};

/// An action's index, as everywhere in the crate.
pub type Move = u16;

/// Greater than every score of a position.
pub const INFINITY: i32 = 1 << 28;

/// The device's number of the pass, which no board has as a move.
pub const DEVICE_PASS: u32 = 0x3fe;

/// A position on which alpha-beta makes and undoes moves. Scores are for the side to move.
pub trait Board: Clone + Debug + Send + Sync {
    /// The game. It numbers the moves as its actions, names them, and reads positions.
    type Game: Game;
    /// The data that [`unmake`](Board::unmake) needs to undo a move.
    type Undo;

    /// The position of a game, for alpha-beta.
    ///
    /// # Errors
    /// Bad input if alpha-beta has no such board.
    fn from_position(position: &Position<Self::Game>) -> Result<Self>;
    /// Moves are 0..`move_limit()`.
    fn move_limit(&self) -> usize;
    /// The player to move.
    fn side(&self) -> Player;
    /// Replaces `moves` by the legal moves, ascending: the pass alone if there is no other, none if the game is over.
    fn legal_moves(&self, moves: &mut Vec<Move>);
    /// Whether the side to move may play this move, one of 0..`move_limit()` other than the pass. Called while the game
    /// goes on.
    fn is_legal(&self, mv: Move) -> bool;
    /// Makes a legal move.
    fn make(&mut self, mv: Move) -> Self::Undo;
    /// Undoes the last move.
    fn unmake(&mut self, mv: Move, undo: Self::Undo);
    /// The score of a game that is over, `None` where it goes on.
    fn finished(&self) -> Option<i32>;
    /// The score of a leaf at which the game goes on.
    fn evaluate(&self) -> i32;
    /// The score of a position as many plies down as the search goes.
    fn leaf(&self) -> i32 {
        self.finished().unwrap_or_else(|| self.evaluate())
    }
    /// A hash of all that the value of the position at a given depth depends on: stones, side, ko, passes.
    fn key(&self) -> u64;
    /// A quick estimate of a legal move; greater is better. It orders moves, and does not change scores.
    fn order_value(&self, mv: Move) -> i32;

    /// Whether the pass is the only legal move. Called while the game goes on.
    fn is_stuck(&self) -> bool {
        !(0..self.move_limit() as Move).any(|mv| self.is_legal(mv))
    }

    /// Whether every legal move certainly ends the game. Called while the game goes on. `false` is always valid; but if
    /// all lines of a search end here, its score is then not marked as [exact](super::DepthReport::exact).
    fn is_last_ply(&self) -> bool {
        false
    }

    /// The value, for its player, of a legal move that leads to a leaf.
    fn value_after(&mut self, mv: Move) -> i32 {
        let undo = self.make(mv);
        let value = -self.leaf();
        self.unmake(mv, undo);
        value
    }

    /// The value, for its player, of a legal move that ends the game; `None` for one that does not.
    fn value_if_over(&mut self, mv: Move) -> Option<i32> {
        let undo = self.make(mv);
        let value = self.finished();
        self.unmake(mv, undo);
        value.map(|v| -v)
    }

    /// The best move if all lead to leaves, its value, and the number of moves evaluated: none after one that reaches
    /// `beta`. `moves` is scratch memory. Called while the game goes on.
    fn best_leaf(&mut self, beta: i32, moves: &mut Vec<Move>) -> (Move, i32, u64) {
        self.legal_moves(moves);
        let (mut best, mut best_value, mut leaves) = (0, -INFINITY, 0);
        for &mv in moves.iter() {
            let value = self.value_after(mv);
            leaves += 1;
            if value > best_value {
                (best, best_value) = (mv, value);
            }
            if value >= beta {
                break;
            }
        }
        (best, best_value, leaves)
    }
}

/// The rules of a board in WGSL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardShader {
    /// The path of the source.
    pub file: &'static str,
    /// The `board_*` functions that the search calls.
    pub source: &'static str,
    /// The board's own constants.
    pub constants: Vec<(&'static str, i32)>,
    /// Words of workgroup memory of a worker's board; the first `kept_words` are the position.
    pub board_words: u32,
    /// Words of a packed position.
    pub kept_words: u32,
    /// Words that undo a move.
    pub undo_words: u32,
    /// Plies above the leaves at which `board_glance` lists the moves that have to be tried: 0, 1 or 2.
    pub glance_plies: u32,
}

/// A board with a twin in WGSL.
pub trait DeviceBoard: Board {
    /// The twin.
    fn shader(&self) -> BoardShader;
    /// The position in the format of the twin: `kept_words` words. With the side to move and
    /// [`device_aux`](DeviceBoard::device_aux) they determine the value of the position at a given depth.
    fn device_words(&self) -> Vec<u32>;
    /// The twin's register: ko, passes, heights.
    fn device_aux(&self) -> u32;
    /// The twin's number of a move, below 1,022, or [`DEVICE_PASS`].
    fn device_move(&self, mv: Move) -> u32;
    /// The inverse of [`device_move`](DeviceBoard::device_move).
    fn host_move(&self, device: u32) -> Move;
}

/// Two bit boards as words, the first player's first and the low word of each first.
pub(super) fn words_of(own: u64, other: u64, side: Player) -> Vec<u32> {
    let boards = if side == Player::First { [own, other] } else { [other, own] };
    boards.into_iter().flat_map(|bits| [bits as u32, (bits >> 32) as u32]).collect()
}

/// Calls `each` with the indexes of the set bits, ascending, until it breaks.
#[inline(always)]
pub(super) fn for_each_bit(words: &[u64], mut each: impl FnMut(usize) -> ControlFlow<()>) -> ControlFlow<()> {
    for (word, &bits) in words.iter().enumerate() {
        let mut bits = bits;
        while bits != 0 {
            each(word * 64 + bits.trailing_zeros() as usize)?;
            bits &= bits - 1;
        }
    }
    ControlFlow::Continue(())
}
