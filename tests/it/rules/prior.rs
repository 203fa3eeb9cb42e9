//! The priors of Go, against a board of text on which groups are found stone by stone.

use super::go::{rows, wide};
use crate::support::{eyes::game_with_eyes, own::Mistake, prelude::*};
use mcts_wgpu::{conformance::Conformance, patterns::Neighbour};

pub type Point = (i32, i32);

/// A board, its first row at the bottom.
#[derive(Clone)]
pub struct Board(Vec<Vec<u8>>);

impl Board {
    pub fn of(position: &Position<Go>) -> Self {
        Self(rows(position.game(), position).iter().rev().map(|row| row.bytes().collect()).collect())
    }

    pub fn at(&self, (row, column): Point) -> Option<u8> {
        self.0.get(usize::try_from(row).ok()?)?.get(usize::try_from(column).ok()?).copied()
    }

    fn put(&mut self, (row, column): Point, stone: u8) {
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
}

pub fn neighbours((row, column): Point) -> [Point; 4] {
    [(row + 1, column), (row, column + 1), (row - 1, column), (row, column - 1)]
}

/// The effects of a move on groups: stones captured, and whether it attacks one, saves one, and has one liberty itself.
fn effects(before: &Board, point: Point, [own, other]: [u8; 2]) -> (usize, bool, bool, bool) {
    let in_atari = |&near: &Point| before.at(near) == Some(own) && before.group(near).1.len() == 1;
    let was_in_atari = neighbours(point).iter().any(in_atari);
    let mut board = before.clone();
    board.put(point, own);
    let (mut taken, mut attacks) = (Vec::new(), false);
    for near in neighbours(point).into_iter().filter(|&near| before.at(near) == Some(other)) {
        let (stones, liberties) = board.group(near);
        attacks |= liberties.len() == 1;
        if liberties.is_empty() {
            taken.extend(stones);
        }
    }
    taken.iter().for_each(|&stone| board.put(stone, b'.'));
    taken.sort_unstable();
    taken.dedup();
    let alone = board.group(point).1.len() == 1;
    (taken.len(), attacks, was_in_atari && !alone, alone)
}

fn rating(board: &Board, shape: PatternShape, (row, column): Point, own: u8) -> u16 {
    let code = shape.code(|up, right| match board.at((row + up, column + right)) {
        None => Neighbour::Off,
        Some(b'.') => Neighbour::Empty,
        Some(stone) if stone == own => Neighbour::Own,
        Some(_) => Neighbour::Opponent,
    });
    PatternTable::shipped(shape).rating(code)
}

#[test]
fn priors_of_go_follow_from_the_effects_of_moves() {
    let mut seen = [0; 5];
    for (height, width, games, shape) in [
        (1, 1, 1, PatternShape::Square),
        (5, 5, 30, PatternShape::Square),
        (9, 9, 8, PatternShape::Square),
        (9, 9, 3, PatternShape::Diamond),
        (13, 13, 1, PatternShape::Square),
        (19, 19, 1, PatternShape::Square),
        (4, 18, 2, PatternShape::Square),
        (7, 3, 5, PatternShape::Diamond),
    ] {
        let policy = if shape == PatternShape::Square { "random" } else { "m2" };
        let game = wide(height, width, 7.5).with_policy(policy).expect("a policy of Go");
        for position in (0..games).flat_map(|seed| game_with_eyes(&game, seed)) {
            let board = Board::of(&position);
            let last = position.moves().last().copied();
            let sides = if position.turn() == Player::First { *b"XO" } else { *b"OX" };
            let known = |action| game.action_prior(position.state(), position.turn(), action, last);
            assert_eq!(known(game.pass()), 16);
            for action in position.legal_actions().into_iter().filter(|&action| action < game.pass()) {
                let place = |action: u32| ((action / width) as i32, (action % width) as i32);
                let (taken, attacks, saves, alone) = effects(&board, place(action), sides);
                let doubled = f64::from(rating(&board, shape, place(action), sides[0])).log2() as i32;
                let mut points = 32 + 2 * doubled - 10;
                points += if taken > 0 { 8 + 4 * taken.min(4) as i32 } else { 0 };
                points += 4 * i32::from(attacks) + 12 * i32::from(saves);
                points -= 16 * i32::from(alone && taken == 0);
                let away = last.filter(|&last| last < game.pass()).map_or(9, |last| {
                    let ((row, column), (other, another)) = (place(action), place(last));
                    let [rows, columns] = [(row - other).abs(), (column - another).abs()];
                    rows + columns + rows.max(columns)
                });
                points += (12 - 2 * away).max(0);
                let name = game.action_name(action);
                assert_eq!(known(action) as i32, points.clamp(2, 62), "{name} at\n{position}");
                let marks = [taken > 0, attacks, saves, alone && taken == 0, away == 2];
                seen.iter_mut().zip(marks).for_each(|(seen, mark)| *seen += i32::from(mark));
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 200), "{seen:?}");
}

/// The WGSL has the same priors, and the suite finds differences.
#[test]
fn other_priors_in_wgsl_are_found() {
    let found = |game: &Own<Go>| {
        let suite = Conformance::of(game).with_games(5);
        assert_eq!(suite.run(), [], "nothing is wrong in Rust");
        let found = super::conformance::found(&suite);
        found.into_iter().map(|finding| (finding.part, finding.what)).collect::<Vec<_>>()
    };
    assert_eq!(found(&Own::new(go_of(5, 0.5))), []);
    let more = found(&Own::new(go_of(5, 0.5)).with_mistake(Mistake::Knowledge));
    assert!(more[0].0 == Part::Priors && more[0].1.contains("action_prior of A1 is"), "{more:?}");
    for (right, wrong) in [
        ("points -= 16;", "points -= 15;"),
        ("up <= GO_NEIGHBOUR_REACH", "up < GO_NEIGHBOUR_REACH"),
        ("max(away.x, away.y)", "min(away.x, away.y)"),
        ("if group.liberties == 1u {", "if group.liberties == 2u {"),
    ] {
        let parts = found(&Own::new(go_of(5, 0.5)).with_words(right, wrong));
        assert_eq!(parts.first().map(|part| part.0), Some(Part::Priors), "{right}: {parts:?}");
    }
}
