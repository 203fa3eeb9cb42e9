//! Othello for alpha-beta: two bit boards, square a1 = bit 0, h8 = bit 63.

use super::board::{Board, BoardShader, DEVICE_PASS, DeviceBoard, Move, for_each_bit, words_of};
use crate::{
    error::Result,
    exact::rng::{GOLDEN, mix},
    games::{
        Othello,
        othello::{bracketed, placements, tournament_score},
    },
    rules::{Player, Position},
};
use std::ops::ControlFlow;

const PASS: Move = Othello::PASS as Move;

/// A position of Othello.
///
/// The score of a game that is over is the mover's discs less the opponent's, where the winner has the squares that are
/// still empty, as in tournaments. A leaf, as many plies down as the search goes, is worth the discs as they lie:
/// whether the game is over there is seen one ply deeper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OthelloBoard {
    /// Discs of the side to move, and of the other one.
    own: u64,
    other: u64,
    side: Player,
}

impl OthelloBoard {
    /// The mover's discs less the opponent's, as they lie.
    pub fn difference(&self) -> i32 {
        self.own.count_ones() as i32 - self.other.count_ones() as i32
    }

    /// The square of a move, as a bit, and the discs that it turns; nothing of a pass.
    fn change(&self, mv: Move) -> (u64, u64) {
        if mv == PASS {
            return (0, 0);
        }
        (1 << mv, bracketed(1 << mv, self.own, self.other))
    }
}

impl Board for OthelloBoard {
    type Game = Othello;
    /// The discs that were turned.
    type Undo = u64;

    fn from_position(position: &Position<Othello>) -> Result<Self> {
        let (state, side) = (position.state(), position.turn());
        let (own, other) = state.seen_by(side);
        Ok(Self { own, other, side })
    }

    fn move_limit(&self) -> usize {
        PASS as usize + 1
    }

    fn side(&self) -> Player {
        self.side
    }

    fn legal_moves(&self, moves: &mut Vec<Move>) {
        moves.clear();
        let squares = placements(self.own, self.other);
        if squares == 0 && placements(self.other, self.own) != 0 {
            moves.push(PASS);
        }
        _ = for_each_bit(&[squares], |square| {
            moves.push(square as Move);
            ControlFlow::Continue(())
        });
    }

    fn is_legal(&self, mv: Move) -> bool {
        mv < PASS && (self.own | self.other) >> mv & 1 == 0 && self.change(mv).1 != 0
    }

    fn make(&mut self, mv: Move) -> u64 {
        let (placed, flips) = self.change(mv);
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
        let over = placements(self.own, self.other) == 0 && placements(self.other, self.own) == 0;
        over.then(|| tournament_score(self.own, self.other))
    }

    fn evaluate(&self) -> i32 {
        self.difference()
    }

    fn leaf(&self) -> i32 {
        self.difference()
    }

    fn key(&self) -> u64 {
        // A pass changes only the side to move, so that the key includes it.
        let side = if self.side == Player::First { GOLDEN } else { 0 };
        mix(mix(self.own ^ side).wrapping_add(self.other))
    }

    fn order_value(&self, mv: Move) -> i32 {
        // A corner is never turned back; elsewhere, a move that leaves few replies is worth more than one that turns
        // many discs.
        if mv == PASS {
            return 0;
        }
        let (placed, flips) = self.change(mv);
        let replies = placements(self.other ^ flips, self.own | flips | placed).count_ones() as i32;
        let corner = placed & 0x8100_0000_0000_0081 != 0;
        16 * i32::from(corner) - 2 * replies
    }

    fn is_last_ply(&self) -> bool {
        (self.own | self.other).count_zeros() == 1 && placements(self.own, self.other) != 0
    }

    fn value_after(&mut self, mv: Move) -> i32 {
        let (placed, flips) = self.change(mv);
        self.difference() + (placed.count_ones() + 2 * flips.count_ones()) as i32
    }
}

impl DeviceBoard for OthelloBoard {
    fn shader(&self) -> BoardShader {
        BoardShader {
            file: "shaders/pvsplit/othello.wgsl",
            source: include_str!("../../shaders/pvsplit/othello.wgsl"),
            constants: Vec::new(),
            board_words: 4,
            kept_words: 4,
            undo_words: 3,
            glance_plies: 0,
        }
    }

    fn device_words(&self) -> Vec<u32> {
        words_of(self.own, self.other, self.side)
    }

    fn device_aux(&self) -> u32 {
        (self.own | self.other).count_ones()
    }

    fn device_move(&self, mv: Move) -> u32 {
        if mv == PASS { DEVICE_PASS } else { mv.into() }
    }

    fn host_move(&self, device: u32) -> Move {
        if device == DEVICE_PASS { PASS } else { device as Move }
    }
}
