//! The rules spelt out: candidates point by point, patterns neighbour by neighbour.

use super::{go, tables};
use mcts_wgpu::{
    Game, Outcome, Player,
    games::Go,
    internals::exact::rng::{Stream, weighted_ordinal},
    patterns::{Neighbour, PatternShape, PatternTable},
};

/// Whose stone is on a point, if it is one of the board.
#[derive(Clone, Copy, PartialEq)]
enum Point {
    Off,
    Empty,
    Stone(Player),
}

/// The board of a position, point by point.
struct Picture {
    rows: Vec<Vec<char>>,
}

impl Picture {
    fn of(game: &Go, state: &<Go as Game>::State) -> Self {
        let rows = game.board_rows(state);
        Self { rows: rows.iter().rev().map(|row| row.chars().collect()).collect() }
    }

    fn at(&self, row: i32, column: i32) -> Point {
        let cell = |row: i32, column: i32| {
            let row = self.rows.get(usize::try_from(row).ok()?)?;
            row.get(usize::try_from(column).ok()?).copied()
        };
        match cell(row, column) {
            None => Point::Off,
            Some('X') => Point::Stone(Player::First),
            Some('O') => Point::Stone(Player::Second),
            Some(_) => Point::Empty,
        }
    }

    fn is_eye(&self, row: i32, column: i32, turn: Player) -> bool {
        let count = |offsets: [(i32, i32); 4], what: Point| {
            offsets.iter().filter(|(r, c)| self.at(row + r, column + c) == what).count()
        };
        let beside = [(0, 1), (1, 0), (0, -1), (-1, 0)];
        let across = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
        let hemmed = count(beside, Point::Stone(turn)) + count(beside, Point::Off) == 4;
        let most = usize::from(count(beside, Point::Off) == 0);
        hemmed && count(across, Point::Stone(turn.opponent())) <= most
    }

    fn code(&self, shape: PatternShape, row: i32, column: i32, turn: Player) -> u32 {
        shape.code(|rows, columns| match self.at(row + rows, column + columns) {
            Point::Off => Neighbour::Off,
            Point::Empty => Neighbour::Empty,
            Point::Stone(player) if player == turn => Neighbour::Own,
            Point::Stone(_) => Neighbour::Opponent,
        })
    }
}

/// The candidates of a position and their weights.
pub fn candidates(
    game: &Go,
    table: &PatternTable,
    state: &<Go as Game>::State,
    turn: Player,
) -> Vec<(u32, u32)> {
    let (size, picture) = (game.size(), Picture::of(game, state));
    let legal = (0..game.pass()).filter(|&action| game.is_action_legal(state, turn, action));
    let weight = |action: u32| {
        let (row, column) = ((action / size) as i32, (action % size) as i32);
        let code = picture.code(table.shape(), row, column, turn);
        (!picture.is_eye(row, column, turn)).then(|| (action, u32::from(table.rating(code))))
    };
    legal.filter_map(weight).collect()
}

/// Plays a playout and the rules spelt out side by side; its outcome.
fn play_both(game: &Go, table: &PatternTable, stream: &mut Stream) -> Outcome {
    let (mut state, mut turn) = (game.start(), Player::First);
    let mut playout = game.playout_begin(&state, turn);
    loop {
        let candidates = candidates(game, table, &state, turn);
        let total: u32 = candidates.iter().map(|(_, weight)| weight).sum();
        assert_eq!(game.legal_actions_playout(&mut playout), total.max(1));
        let draw = stream.next_u64();
        let place = weighted_ordinal(draw, total.max(1));
        let mut below = 0;
        let drawn = candidates.iter().find(|(_, weight)| {
            below += weight;
            below > place
        });
        let action = drawn.map_or(game.pass(), |&(action, _)| action);
        let outcome = game.take_action_playout(&mut playout, place);
        game.take_action(&mut state, turn, action);
        turn = turn.opponent();
        assert_eq!(game.playout_state(&playout), state, "after {}", game.action_name(action));
        assert_eq!(game.compute_outcome(&state, turn, Some(action)), outcome);
        if let Some(outcome) = outcome {
            return outcome;
        }
    }
}

#[test]
fn playouts_draw_as_the_rules_say() {
    for (seed, table) in (0..).zip(tables()) {
        let mut stream = Stream::seeded(seed);
        for (size, games) in [(1, 1), (2, 20), (3, 20), (4, 10), (5, 10), (9, 6), (13, 2), (19, 1)] {
            let game = go(size, 0.5).with_patterns(table);
            for _ in 0..games {
                play_both(&game, table, &mut stream);
            }
        }
    }
}

#[test]
fn a_policy_draws_by_the_table_that_comes_with_the_crate() {
    let shapes = [("pattern3x3", PatternShape::Square), ("m2", PatternShape::Diamond)];
    for (policy, shape) in shapes {
        let game = go(9, 7.5).with_policy(policy).expect("Go has every policy");
        assert_eq!((game.policy(), game.has_weighted_playouts()), (policy.to_owned(), true));
        play_both(&game, PatternTable::shipped(shape), &mut Stream::seeded(3));
        let back = game.with_policy("random").expect("Go has every policy");
        assert_eq!((back.policy(), back.has_weighted_playouts()), ("random".to_owned(), false));
    }
}
