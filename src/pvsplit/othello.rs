//! Othello for alpha-beta: two bit boards, square a1 = bit 0, h8 = bit 63. A score is a difference of discs.

use super::gpu::{BoardShader, DEVICE_PASS, DeviceBoard};
use super::{Board, Move};
use crate::error::{Error, Result};
use crate::game::Player;

const PASS: Move = 64;
const NOT_A: u64 = 0xFEFE_FEFE_FEFE_FEFE;
const NOT_H: u64 = 0x7F7F_7F7F_7F7F_7F7F;

/// A position of Othello.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Othello {
    /// Discs of the side to move, and of the other one.
    own: u64,
    other: u64,
    side: Player,
}

/// One step in each of the eight directions.
const STEPS: [fn(u64) -> u64; 8] = [
    |b| (b << 1) & NOT_A,
    |b| (b >> 1) & NOT_H,
    |b| b << 8,
    |b| b >> 8,
    |b| (b << 9) & NOT_A,
    |b| (b >> 9) & NOT_H,
    |b| (b << 7) & NOT_H,
    |b| (b >> 7) & NOT_A,
];

impl Default for Othello {
    fn default() -> Self {
        Self::new()
    }
}

impl Othello {
    /// The start: Black (the first player) holds e4 and d5.
    pub fn new() -> Self {
        Self { own: 1 << 28 | 1 << 35, other: 1 << 27 | 1 << 36, side: Player::First }
    }

    /// A board as 64 letters from a1 on, row after row: `X` first player, `O` second, anything else empty.
    ///
    /// # Errors
    /// Bad input where there are not 64 letters.
    pub fn from_letters(letters: &str, side: Player) -> Result<Self> {
        if letters.chars().count() != 64 {
            return Err(Error::bad_input(format!(
                "'{letters}' is no Othello board: give 64 letters, a1 first"
            )));
        }
        let of = |letter| letters.chars().rev().fold(0, |bits, l| bits << 1 | u64::from(l == letter));
        let (first, second) = (of('X'), of('O'));
        let (own, other) = if side == Player::First { (first, second) } else { (second, first) };
        Ok(Self { own, other, side })
    }

    /// Discs of the side to move and of the other one, bit 0 = a1.
    pub fn discs(&self) -> (u64, u64) {
        (self.own, self.other)
    }

    fn difference(&self) -> i32 {
        self.own.count_ones() as i32 - self.other.count_ones() as i32
    }
}

/// The squares where `own` may play.
fn moves_of(own: u64, other: u64) -> u64 {
    let mut moves = 0;
    for step in STEPS {
        let mut run = step(own) & other;
        for _ in 0..5 {
            run |= step(run) & other;
        }
        moves |= step(run);
    }
    moves & !(own | other)
}

/// The discs that a disc of `own` on `square` turns.
fn flips_of(own: u64, other: u64, square: Move) -> u64 {
    let mut flips = 0;
    for step in STEPS {
        let mut run = 0;
        let mut at = step(1 << square);
        while at & other != 0 {
            run |= at;
            at = step(at);
        }
        if at & own != 0 {
            flips |= run;
        }
    }
    flips
}

impl Board for Othello {
    type Undo = u64;

    fn move_limit(&self) -> usize {
        65
    }

    fn side(&self) -> Player {
        self.side
    }

    fn legal_moves(&self, moves: &mut Vec<Move>) {
        moves.clear();
        let mut squares = moves_of(self.own, self.other);
        if squares == 0 && moves_of(self.other, self.own) != 0 {
            moves.push(PASS);
        }
        while squares != 0 {
            moves.push(squares.trailing_zeros() as Move);
            squares &= squares - 1;
        }
    }

    fn is_legal(&self, mv: Move) -> bool {
        mv < PASS && (self.own | self.other) >> mv & 1 == 0 && flips_of(self.own, self.other, mv) != 0
    }

    fn make(&mut self, mv: Move) -> u64 {
        let flips = if mv == PASS { 0 } else { flips_of(self.own, self.other, mv) };
        let placed = if mv == PASS { 0 } else { 1 << mv };
        (self.own, self.other) = (self.other ^ flips, self.own | flips | placed);
        self.side = self.side.opponent();
        flips
    }

    fn unmake(&mut self, mv: Move, flips: u64) {
        let placed = if mv == PASS { 0 } else { 1 << mv };
        (self.own, self.other) = (self.other & !(flips | placed), self.own | flips);
        self.side = self.side.opponent();
    }

    fn finished(&self) -> Option<i32> {
        let over = moves_of(self.own, self.other) == 0 && moves_of(self.other, self.own) == 0;
        over.then(|| self.difference())
    }

    fn evaluate(&self) -> i32 {
        self.difference()
    }

    fn key(&self) -> u64 {
        // A pass leaves the discs as they are, so the side to move is told apart by whose discs come first.
        let side = if self.side == Player::First { 0x9E37_79B9_7F4A_7C15 } else { 0 };
        mix(mix(self.own ^ side).wrapping_add(self.other))
    }

    fn promise(&self, mv: Move) -> i32 {
        // A corner is never turned back; next to the end, few replies are worth more than many discs.
        if mv == PASS {
            return 0;
        }
        let flips = flips_of(self.own, self.other, mv);
        let replies = moves_of(self.other ^ flips, self.own | flips | 1 << mv).count_ones() as i32;
        let corner = 1u64 << mv & 0x8100_0000_0000_0081 != 0;
        16 * i32::from(corner) - 2 * replies
    }

    fn move_name(&self, mv: Move) -> String {
        if mv >= PASS {
            return "pass".into();
        }
        format!("{}{}", (b'a' + (mv % 8) as u8) as char, mv / 8 + 1)
    }

    fn value_after(&mut self, mv: Move) -> i32 {
        let flips = if mv == PASS { None } else { Some(flips_of(self.own, self.other, mv)) };
        self.difference() + flips.map_or(0, |f| 1 + 2 * f.count_ones() as i32)
    }
}

impl DeviceBoard for Othello {
    fn shader(&self) -> BoardShader {
        BoardShader {
            file: "shaders/pvsplit/othello.wgsl",
            source: include_str!("../../shaders/pvsplit/othello.wgsl"),
            constants: Vec::new(),
            board_words: 4,
            kept_words: 4,
            undo_words: 3,
        }
    }

    fn device_words(&self) -> Vec<u32> {
        let (first, second) =
            if self.side() == Player::First { (self.own, self.other) } else { (self.other, self.own) };
        [first, second].into_iter().flat_map(|bits| [bits as u32, (bits >> 32) as u32]).collect()
    }

    fn device_aux(&self) -> u32 {
        // Passes do not outlive the move after: a position without moves for either side is over.
        0
    }

    fn device_move(&self, mv: Move) -> u32 {
        if mv == PASS { DEVICE_PASS } else { mv.into() }
    }

    fn host_move(&self, device: u32) -> Move {
        if device == DEVICE_PASS { PASS } else { device as Move }
    }
}

/// A bijection of 64-bit words that lets every bit of the input count (SplitMix64's output function).
fn mix(z: u64) -> u64 {
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
