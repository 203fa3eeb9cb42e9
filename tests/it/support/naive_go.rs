//! Go by the text of the board alone: groups, eyes and patterns are found stone by stone.

use mcts_wgpu::{
    Game, Player, Position,
    games::Go,
    patterns::{Neighbour, PatternShape},
};
use rand_pcg::{
    Pcg64,
    rand_core::{Rng, SeedableRng},
};

pub type Point = (i32, i32);

/// A board, its first row at the bottom.
#[derive(Clone)]
pub struct Board(Vec<Vec<u8>>);

impl Board {
    pub fn of(game: &Go, state: &<Go as Game>::State) -> Self {
        Self(game.board_rows(state).into_iter().rev().map(String::into_bytes).collect())
    }

    /// `None` off the board.
    pub fn at(&self, (row, column): Point) -> Option<u8> {
        self.0.get(usize::try_from(row).ok()?)?.get(usize::try_from(column).ok()?).copied()
    }

    pub fn put(&mut self, (row, column): Point, stone: u8) {
        self.0[row as usize][column as usize] = stone;
    }

    /// The stones of a point's group, and its liberties.
    pub fn group(&self, point: Point) -> (Vec<Point>, Vec<Point>) {
        let (mut stones, mut liberties, mut next) = (vec![point], Vec::new(), 0);
        while let Some(&stone) = stones.get(next) {
            next += 1;
            for near in neighbours(stone) {
                let list = match self.at(near) {
                    Some(b'.') => &mut liberties,
                    found if found == self.at(point) => &mut stones,
                    _ => continue,
                };
                if !list.contains(&near) {
                    list.push(near);
                }
            }
        }
        (stones, liberties)
    }

    pub fn liberties(&self, point: Point) -> usize {
        self.group(point).1.len()
    }

    /// Are all neighbours of a point stones of one player?
    pub fn is_hemmed(&self, point: Point, own: u8) -> bool {
        neighbours(point).into_iter().filter_map(|near| self.at(near)).all(|stone| stone == own)
    }

    /// Is a point hemmed in, with no stone of the opponent on its diagonals, or one where no diagonal leaves the board?
    pub fn is_eye(&self, (row, column): Point, [own, other]: [u8; 2]) -> bool {
        let diagonals = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
        let across = diagonals.map(|(up, right)| self.at((row + up, column + right)));
        let taken = across.iter().filter(|point| **point == Some(other)).count();
        let allowed = if across.contains(&None) { 0 } else { 1 };
        self.is_hemmed((row, column), own) && taken <= allowed
    }

    /// The code of a point's pattern.
    pub fn code(&self, shape: PatternShape, (row, column): Point, own: u8) -> u32 {
        shape.code(|up, right| match self.at((row + up, column + right)) {
            None => Neighbour::Off,
            Some(b'.') => Neighbour::Empty,
            Some(stone) if stone == own => Neighbour::Own,
            Some(_) => Neighbour::Opponent,
        })
    }
}

pub fn neighbours((row, column): Point) -> [Point; 4] {
    [(row + 1, column), (row, column + 1), (row - 1, column), (row, column - 1)]
}

/// The point of an action; one off the board for the pass.
pub fn point_of(game: &Go, action: u32) -> Point {
    ((action / game.columns()) as i32, (action % game.columns()) as i32)
}

/// The stones of a player and of the opponent.
pub fn stones_of(player: Player) -> [u8; 2] {
    if player == Player::First { *b"XO" } else { *b"OX" }
}

/// Is this an empty point in an eye of the player to move?
pub fn is_own_eye(position: &Position<Go>, action: u32) -> bool {
    let board = Board::of(position.game(), position.state());
    let point = point_of(position.game(), action);
    board.at(point) == Some(b'.') && board.is_eye(point, stones_of(position.turn()))
}

/// Positions of a random game in which no own eye is filled.
pub fn game_with_eyes(game: &Go, seed: u64) -> Vec<Position<Go>> {
    let mut random = Pcg64::seed_from_u64(seed);
    let (mut position, mut seen) = (Position::start(game), Vec::new());
    while position.outcome().is_none() {
        let mut actions = position.legal_actions();
        actions.retain(|&action| !is_own_eye(&position, action));
        // The pass comes last, and is taken only if it is the only action.
        let places = (actions.len() - 1).max(1);
        seen.push(position.clone());
        position.play(actions[random.next_u64() as usize % places]).expect("a legal action");
    }
    seen
}
