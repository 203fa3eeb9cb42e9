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
    /// The candidates that capture or save stones, under the tactical policy.
    pub(super) urgent: Plane<W>,
    /// The stone of the last ply; none after a pass, and at the start.
    pub(super) last: Plane<W>,
    pub(super) turn: Player,
    pub(super) passes: u32,
    pub(super) moves: u32,
    pub(super) firsts: Firsts<W>,
}

/// The points where stones were played, and those where Black was the first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Firsts<const W: usize> {
    played: Plane<W>,
    black: Plane<W>,
}

impl<const W: usize> Firsts<W> {
    pub(super) const NONE: Self = Self { played: Plane::EMPTY, black: Plane::EMPTY };

    /// One word at a time, as every ply of every playout does this.
    #[inline(always)]
    fn note(&mut self, bit: usize, turn: Player) {
        let (word, point) = (bit / 64, 1 << (bit % 64));
        let of_black = if turn == Player::First { u64::MAX } else { 0 };
        self.black.0[word] |= point & of_black & !self.played.0[word];
        self.played.0[word] |= point;
    }

    /// The points where Black was the first, and those where White was.
    pub(super) fn planes(&self) -> [Plane<W>; 2] {
        [self.black, self.played.without(self.black)]
    }
}

/// A playout of Go: small boards take fewer words, which makes them faster.
#[derive(Debug, Clone)]
pub struct GoPlayout {
    pub(super) lane: Width<Lane<2, 10>, Lane<2, 0>, Lane<4, 0>, Lane<6, 20>, Lane<6, 0>>,
    /// The weights of a policy with ratings.
    pub(super) weights: Option<Box<Weights>>,
}

impl GoPlayout {
    pub(super) fn legal_actions(&mut self) -> u32 {
        any_width!(&mut self.lane, lane => {
            let count = lane.legal_actions();
            self.weights.as_mut().map_or(count, |weights| lane.weighted_actions(weights))
        })
    }

    /// Returns the difference of Black's and White's area if the game is over.
    pub(super) fn take_action(&mut self, ordinal: u32, max_moves: u32) -> Option<i32> {
        any_width!(&mut self.lane, lane => {
            let candidates = lane.placements.set;
            let point = candidates.any().then(|| match &self.weights {
                Some(weights) => weights.point(candidates, lane.urgent, lane.turn, ordinal),
                None => lane.placements.nth(ordinal),
            });
            let score = lane.play(point, max_moves);
            if let Some(weights) = &mut self.weights {
                weights.follow(lane.stones());
            }
            score
        })
    }
}

impl<const W: usize, const S: u32> Lane<W, S> {
    pub(super) fn legal_actions(&mut self) -> u32 {
        self.placements = Counted::new(self.board.placements(&self.grid));
        self.placements.count().max(1)
    }

    /// The length of the list of a policy with ratings; 1, for the pass, if there is no candidate.
    fn weighted_actions(&mut self, weights: &mut Weights) -> u32 {
        let (candidates, tactical) = (self.placements.set, weights.is_tactical());
        let answers = if tactical { self.answers() } else { Plane::EMPTY };
        self.urgent = if tactical { self.urgent() } else { Plane::EMPTY };
        let rated = weights.list(candidates, answers, self.grid.board, self.turn);
        (rated + self.urgent.count() * weights.urgent_entries()).max(1)
    }

    /// Plays a stone on a point, or passes. Returns the difference of Black's and White's area if the game is over.
    fn play(&mut self, point: Option<usize>, max_moves: u32) -> Option<i32> {
        if let Some(bit) = point {
            self.chains.play(&self.grid, &mut self.board, bit, stones_of(self.turn));
            self.last = Plane::bit(bit as u32);
            self.firsts.note(bit, self.turn);
            self.passes = 0;
        } else {
            self.last = Plane::EMPTY;
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

    /// The points of Black's area, and of White's.
    pub(super) fn owned(&self) -> [Plane<W>; 2] {
        let [mine, theirs] = self.board.owned(&self.grid);
        if self.turn == Player::First { [mine, theirs] } else { [theirs, mine] }
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
