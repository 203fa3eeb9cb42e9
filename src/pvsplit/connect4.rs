//! Connect 4 (6 rows, 7 columns) for alpha-beta: two bit boards, a column of seven bits (one above the top).

use super::board::{Board, BoardShader, DeviceBoard, Move, words_of};
use crate::{
    error::{Error, Result},
    exact::rng::GOLDEN,
    games::Connect4,
    rules::{Game, Player, Position},
};

const COLUMNS: Move = 7;
const ROWS: u32 = 6;
const COLUMN_BITS: u32 = ROWS + 1;
const CELLS: u32 = ROWS * COLUMNS as u32;
const BOTTOM: u64 = 0x0408_1020_4081;

/// A position of Connect 4 on 6 rows and 7 columns.
///
/// The score of a game that is over is 22 less the number of the winner's discs, positive for the winner, as in
/// published test sets: an earlier win is better, and a later loss. A draw scores 0, and so does a leaf at which the
/// game goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connect4Board {
    /// Discs of the side to move, and of the opponent.
    own: u64,
    other: u64,
    discs: u32,
}

impl Connect4Board {
    fn drop_bit(&self, mv: Move) -> u64 {
        let column = 0x3F << (mv as u32 * COLUMN_BITS);
        ((self.own | self.other) + (1 << (mv as u32 * COLUMN_BITS))) & column
    }

    /// The score of a win by the disc with this number.
    fn win_score(discs: u32) -> i32 {
        22 - discs.div_ceil(2) as i32
    }
}

fn has_four(discs: u64) -> bool {
    [1, COLUMN_BITS - 1, COLUMN_BITS, COLUMN_BITS + 1].into_iter().any(|step| {
        let pairs = discs & (discs >> step);
        pairs & (pairs >> (2 * step)) != 0
    })
}

impl Board for Connect4Board {
    type Game = Connect4;
    type Undo = ();

    /// # Errors
    /// Bad input for a board of another size, or with discs that no game can have.
    fn from_position(position: &Position<Connect4>) -> Result<Self> {
        let game = position.game();
        if (game.rows(), game.columns()) != (ROWS, COLUMNS.into()) {
            return Err(Error::invalid(format!(
                "Connect 4 on {} rows x {} columns: alpha-beta takes {ROWS} rows x {COLUMNS} columns",
                game.rows(),
                game.columns()
            )));
        }
        let (mut own, mut other) = (0, 0);
        for (row, line) in game.board_rows(position.state()).iter().rev().enumerate() {
            for (column, symbol) in line.chars().enumerate().filter(|&(_, symbol)| symbol != '.') {
                let side = if symbol == position.turn().symbol() { &mut own } else { &mut other };
                *side |= 1u64 << (column * COLUMN_BITS as usize + row);
            }
        }
        let ahead = u32::from(position.turn() == Player::Second);
        if other.count_ones() != own.count_ones() + ahead || has_four(own) {
            return Err(Error::invalid(
                "no game leads to this board: X has as many discs as O, or one more where O is to move, and the player \
                 to move has no four in line",
            ));
        }
        Ok(Self { own, other, discs: (own | other).count_ones() })
    }

    fn move_limit(&self) -> usize {
        COLUMNS as usize
    }

    fn side(&self) -> Player {
        if self.discs.is_multiple_of(2) { Player::First } else { Player::Second }
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
        self.discs += 1;
    }

    fn unmake(&mut self, mv: Move, (): ()) {
        let column = (self.own | self.other) & (0x3F << (mv as u32 * COLUMN_BITS));
        let top = 1 << column.ilog2();
        (self.own, self.other) = (self.other ^ top, self.own);
        self.discs -= 1;
    }

    fn finished(&self) -> Option<i32> {
        if has_four(self.other) {
            return Some(-Self::win_score(self.discs));
        }
        (self.discs == CELLS).then_some(0)
    }

    fn evaluate(&self) -> i32 {
        0
    }

    fn key(&self) -> u64 {
        // Unique: the discs of the side to move, and above them in every column the height; then well mixed.
        let key = self.own + (self.own | self.other) + BOTTOM;
        (key ^ (key >> 32)).wrapping_mul(GOLDEN).rotate_left(29)
    }

    fn order_value(&self, mv: Move) -> i32 {
        let wins = has_four(self.own | self.drop_bit(mv));
        100 * i32::from(wins) - (mv as i32 - 3).abs()
    }

    fn is_last_ply(&self) -> bool {
        self.discs + 1 == CELLS
    }

    fn value_after(&mut self, mv: Move) -> i32 {
        if has_four(self.own | self.drop_bit(mv)) { Self::win_score(self.discs + 1) } else { 0 }
    }
}

impl DeviceBoard for Connect4Board {
    fn shader(&self) -> BoardShader {
        BoardShader {
            file: "shaders/pvsplit/connect4.wgsl",
            source: include_str!("../../shaders/pvsplit/connect4.wgsl"),
            constants: Vec::new(),
            board_words: 4,
            kept_words: 4,
            undo_words: 1,
            glance_plies: 0,
        }
    }

    fn device_words(&self) -> Vec<u32> {
        words_of(self.own, self.other, self.side())
    }

    fn device_aux(&self) -> u32 {
        let taken = self.own | self.other;
        let height = |column: u32| (taken >> (column * COLUMN_BITS) & 0x7F).count_ones();
        let heights = (0..COLUMNS as u32).map(|column| height(column) << (3 * column)).sum::<u32>();
        heights | self.discs << 21
    }

    fn device_move(&self, mv: Move) -> u32 {
        mv.into()
    }

    fn host_move(&self, device: u32) -> Move {
        device as Move
    }
}
