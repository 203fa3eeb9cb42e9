//! Playouts, in planes as narrow as the board allows.

use super::{
    board::{Board, Grid},
    chains::{Chains, Content},
    plane::{Counted, Plane},
    policy::Weights,
    state::{GoState, state_of},
    width::{Width, any_width},
};
use crate::rules::Player;

/// One playout with planes of `W` words.
#[derive(Debug, Clone)]
pub(super) struct Lane<const W: usize, const S: u32> {
    pub(super) grid: Grid<W, S>,
    pub(super) board: Board<W>,
    pub(super) chains: Chains<W>,
    pub(super) placements: Counted<W>,
    pub(super) turn: Player,
    pub(super) passes: u32,
    pub(super) moves: u32,
}

/// What a playout of Go carries along: small boards in fewer words, which makes them faster.
#[derive(Debug, Clone)]
pub struct GoPlayout {
    pub(super) lane: Width<Lane<2, 10>, Lane<2, 0>, Lane<4, 0>, Lane<6, 20>, Lane<6, 0>>,
    /// Of a policy that has any.
    pub(super) weights: Option<Box<Weights>>,
}

impl GoPlayout {
    pub(super) fn legal_actions(&mut self) -> u32 {
        any_width!(&mut self.lane, lane => {
            let count = lane.legal_actions();
            match &mut self.weights {
                Some(weights) => weights.total(lane.placements.set, lane.grid.board, lane.turn),
                None => count,
            }
        })
    }

    /// Returns the score of Black's area over White's if the game is over.
    pub(super) fn take_action(&mut self, ordinal: u32, max_moves: u32) -> Option<i32> {
        any_width!(&mut self.lane, lane => {
            let Some(weights) = &mut self.weights else { return lane.take_action(ordinal, max_moves) };
            let candidate = weights.candidate(lane.placements.set, lane.turn, ordinal);
            let score = lane.take_action(candidate, max_moves);
            weights.follow(lane.stones());
            score
        })
    }
}

impl<const W: usize, const S: u32> Lane<W, S> {
    pub(super) fn legal_actions(&mut self) -> u32 {
        self.placements = Counted::new(self.board.placements(&self.grid));
        self.placements.count().max(1)
    }

    /// Returns the score of Black's area over White's if the game is over.
    pub(super) fn take_action(&mut self, ordinal: u32, max_moves: u32) -> Option<i32> {
        if self.placements.set.any() {
            let bit = self.placements.nth(ordinal);
            self.chains.play(&self.grid, &mut self.board, bit, stones_of(self.turn));
            self.passes = 0;
        } else {
            self.board.ko = Plane::EMPTY;
            self.passes += 1;
        }
        std::mem::swap(&mut self.board.mine, &mut self.board.theirs);
        self.moves += 1;
        self.turn = self.turn.opponent();
        let over = self.passes >= 2 || self.moves >= max_moves;
        over.then(|| self.area())
    }

    /// Black's area less White's.
    pub(super) fn area(&self) -> i32 {
        from_blacks_side(self.board.area(&self.grid), self.turn)
    }

    /// Black's and White's.
    fn stones(&self) -> [Plane<W>; 2] {
        let Board { mine, theirs, .. } = self.board;
        if self.turn == Player::First { [mine, theirs] } else { [theirs, mine] }
    }

    pub(super) fn state(&self) -> GoState {
        let (passes, moves) = (self.passes, self.moves);
        GoState { passes, moves, ..state_of(&self.board, self.turn) }
    }
}

/// The stones of the player to move, and those of the opponent.
pub(super) fn stones_of(turn: Player) -> [Content; 2] {
    match turn {
        Player::First => [Content::Black, Content::White],
        Player::Second => [Content::White, Content::Black],
    }
}

fn from_blacks_side(area: i32, turn: Player) -> i32 {
    match turn {
        Player::First => area,
        Player::Second => -area,
    }
}
