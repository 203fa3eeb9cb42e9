//! Connect 4 (6 rows, 7 columns) for alpha-beta: two bit boards, a column of seven bits (one above the top).
//!
//! A finished game scores 22 minus the stones that the winner has played, positive for the winner, as published
//! test sets do; a draw, and a leaf where the game goes on, score 0.

use super::gpu::{BoardShader, DeviceBoard};
use super::{Board, Move};
use crate::error::{Error, Result};
use crate::game::Player;

const COLUMNS: Move = 7;
const ROWS: u32 = 6;
const COLUMN_BITS: u32 = ROWS + 1;
const BOTTOM: u64 = 0x0408_1020_4081;

/// A position of Connect 4.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connect4 {
    /// Stones of the side to move, and of the other one.
    own: u64,
    other: u64,
    stones: u32,
}

impl Default for Connect4 {
    fn default() -> Self {
        Self::new()
    }
}

impl Connect4 {
    /// The empty board.
    pub fn new() -> Self {
        Self { own: 0, other: 0, stones: 0 }
    }

    /// The position after moves given as digits, columns counted from 1.
    ///
    /// # Errors
    /// Bad input where a move is no column, its column is full, or the game is over.
    pub fn from_digits(digits: &str) -> Result<Self> {
        let mut board = Self::new();
        for (i, digit) in digits.chars().enumerate() {
            let column = digit.to_digit(10).filter(|d| (1..=COLUMNS as u32).contains(d));
            let mv =
                column.map(|d| d as Move - 1).filter(|&mv| board.finished().is_none() && board.is_legal(mv));
            let Some(mv) = mv else {
                let message =
                    format!("move {} of '{digits}' is not a column from 1 to 7 that can be played", i + 1);
                return Err(Error::bad_input(message));
            };
            board.make(mv);
        }
        Ok(board)
    }

    /// Stones of the side to move and of the other one: bit `7 * column + row`.
    pub fn stones(&self) -> (u64, u64) {
        (self.own, self.other)
    }

    fn drop_bit(&self, mv: Move) -> u64 {
        let column = 0x3F << (mv as u32 * COLUMN_BITS);
        ((self.own | self.other) + (1 << (mv as u32 * COLUMN_BITS))) & column
    }

    /// The score of a win by the stone with this number.
    fn win_score(stones: u32) -> i32 {
        22 - stones.div_ceil(2) as i32
    }
}

fn has_four(stones: u64) -> bool {
    [1, COLUMN_BITS - 1, COLUMN_BITS, COLUMN_BITS + 1].into_iter().any(|step| {
        let pairs = stones & (stones >> step);
        pairs & (pairs >> (2 * step)) != 0
    })
}

impl Board for Connect4 {
    type Undo = ();

    fn move_limit(&self) -> usize {
        COLUMNS as usize
    }

    fn side(&self) -> Player {
        if self.stones.is_multiple_of(2) { Player::First } else { Player::Second }
    }

    fn legal_moves(&self, moves: &mut Vec<Move>) {
        moves.clear();
        if !has_four(self.other) {
            moves.extend((0..COLUMNS).filter(|&mv| self.is_legal(mv)));
        }
    }

    fn is_legal(&self, mv: Move) -> bool {
        mv < COLUMNS && self.drop_bit(mv) != 0
    }

    fn make(&mut self, mv: Move) {
        (self.own, self.other) = (self.other, self.own | self.drop_bit(mv));
        self.stones += 1;
    }

    fn unmake(&mut self, mv: Move, (): ()) {
        let column = (self.own | self.other) & (0x3F << (mv as u32 * COLUMN_BITS));
        let top = 1 << column.ilog2();
        (self.own, self.other) = (self.other ^ top, self.own);
        self.stones -= 1;
    }

    fn finished(&self) -> Option<i32> {
        if has_four(self.other) {
            return Some(-Self::win_score(self.stones));
        }
        (self.stones == ROWS * COLUMNS as u32).then_some(0)
    }

    fn evaluate(&self) -> i32 {
        0
    }

    fn key(&self) -> u64 {
        // Unique: the stones of the side to move, and above them in every column the height; then well mixed.
        let key = self.own + (self.own | self.other) + BOTTOM;
        (key ^ (key >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
    }

    fn promise(&self, mv: Move) -> i32 {
        let wins = has_four(self.own | self.drop_bit(mv));
        100 * i32::from(wins) - (mv as i32 - 3).abs()
    }

    fn move_name(&self, mv: Move) -> String {
        mv.to_string()
    }

    fn value_after(&mut self, mv: Move) -> i32 {
        if has_four(self.own | self.drop_bit(mv)) { Self::win_score(self.stones + 1) } else { 0 }
    }
}

impl DeviceBoard for Connect4 {
    fn shader(&self) -> BoardShader {
        BoardShader {
            file: "shaders/pvsplit/connect4.wgsl",
            source: include_str!("../../shaders/pvsplit/connect4.wgsl"),
            constants: Vec::new(),
            board_words: 4,
            kept_words: 4,
            undo_words: 1,
        }
    }

    fn device_words(&self) -> Vec<u32> {
        let (first, second) =
            if self.side() == Player::First { (self.own, self.other) } else { (self.other, self.own) };
        [first, second].into_iter().flat_map(|bits| [bits as u32, (bits >> 32) as u32]).collect()
    }

    fn device_aux(&self) -> u32 {
        let taken = self.own | self.other;
        let height = |column: u32| (taken >> (column * COLUMN_BITS) & 0x7F).count_ones();
        let heights = (0..COLUMNS as u32).map(|column| height(column) << (3 * column)).sum::<u32>();
        heights | self.stones << 21
    }

    fn device_move(&self, mv: Move) -> u32 {
        mv.into()
    }

    fn host_move(&self, device: u32) -> Move {
        device as Move
    }
}
