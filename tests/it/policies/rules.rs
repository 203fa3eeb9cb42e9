//! The rules written out: candidates point by point, patterns neighbour by neighbour.

use super::{go, tables, wide};
use crate::support::{
    naive_go::{Board, Point, neighbours, point_of, stones_of},
    prelude::*,
};
use mcts_wgpu::internals::exact::rng::weighted_ordinal;

/// Whether a stone here captures others, or saves own ones.
fn is_urgent(board: &Board, point: Point, [own, other]: [u8; 2]) -> bool {
    let near = neighbours(point).map(|near| (near, board.at(near)));
    let has = |stone: u8, in_atari: bool| {
        near.iter().any(|&(near, found)| found == Some(stone) && (board.liberties(near) == 1) == in_atari)
    };
    let empty = near.iter().filter(|(_, found)| *found == Some(b'.')).count();
    has(other, true) || (has(own, true) && (empty >= 2 || has(own, false)))
}

/// The list of a ply of a playout: actions, and the number of entries of each.
fn listed(
    game: &Go,
    table: &PatternTable,
    (state, turn): (&<Go as Game>::State, Player),
    last: Option<u32>,
) -> Vec<(u32, u32)> {
    let rated = candidates(game, table, state, turn);
    if game.policy() != "tactical" {
        return rated;
    }
    let (board, sum) = (Board::of(game, state), rated.iter().map(|(_, rating)| rating).sum::<u32>());
    let is_answer = |action| {
        let ((row, column), last) = (point_of(game, action), last.map(|last| point_of(game, last)));
        last.is_some_and(|last| row.abs_diff(last.0).max(column.abs_diff(last.1)) == 1)
    };
    let by_ratings =
        rated.iter().map(|&(action, rating)| (action, if is_answer(action) { 5 * rating } else { rating }));
    let stones = stones_of(turn);
    let urgent = rated.iter().filter(|(action, _)| is_urgent(&board, point_of(game, *action), stones));
    by_ratings.chain(urgent.map(|&(action, _)| (action, 2 * sum))).collect()
}

/// The candidates of a position and their weights.
pub fn candidates(
    game: &Go,
    table: &PatternTable,
    state: &<Go as Game>::State,
    turn: Player,
) -> Vec<(u32, u32)> {
    let (board, stones) = (Board::of(game, state), stones_of(turn));
    let legal = (0..game.pass()).filter(|&action| game.is_action_legal(state, turn, action));
    let weight = |action: u32| {
        let point = point_of(game, action);
        let code = board.code(table.shape(), point, stones[0]);
        (!board.is_eye(point, stones)).then(|| (action, u32::from(table.rating(code))))
    };
    legal.filter_map(weight).collect()
}

/// Plays a playout beside the rules written out; its outcome.
fn play_both(game: &Go, table: &PatternTable, stream: &mut Stream) -> Outcome {
    let (mut state, mut turn) = (game.start(), Player::First);
    let mut playout = game.playout_begin(&state, turn);
    let mut last = None;
    loop {
        let candidates = listed(game, table, (&state, turn), last);
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
        last = (action != game.pass()).then_some(action);
        assert_eq!(game.playout_state(&playout), state, "after {}", game.action_name(action));
        assert_eq!(game.compute_outcome(&state, turn, Some(action)), outcome);
        if let Some(outcome) = outcome {
            return outcome;
        }
    }
}

/// Plays games on boards of many sizes, each as `policy` makes it.
fn play_on_many_boards(table: &PatternTable, seed: u64, policy: impl Fn(Go) -> Go) {
    let mut stream = Stream::seeded(seed);
    let squares = [(1, 1), (2, 20), (3, 20), (4, 10), (5, 10), (9, 6), (13, 2), (19, 1)];
    let squares = squares.map(|(size, games)| (size, size, games));
    for (rows, columns, games) in squares.into_iter().chain([(3, 8, 5), (18, 2, 2), (1, 9, 5)]) {
        let game = policy(wide(rows, columns, 0.5));
        for _ in 0..games {
            play_both(&game, table, &mut stream);
        }
    }
}

#[test]
fn playouts_draw_as_the_rules_say() {
    for (seed, table) in (0..).zip(tables()) {
        play_on_many_boards(table, seed, |game| game.with_patterns(table));
    }
    // Equal ratings: the random policy, with one entry a candidate, also up to a limit on moves; and a table.
    let [one, many] = [1, 77].map(|rating| PatternTable::new(rating, []).expect("a table"));
    play_on_many_boards(&one, 4, |game| game);
    play_on_many_boards(&one, 5, |game| game.with_max_moves(12).expect("a limit"));
    play_on_many_boards(&many, 6, |game| game.with_patterns(&many));
}

#[test]
fn tactical_playouts_draw_as_the_rules_say() {
    let mut stream = Stream::seeded(8);
    let squares = [(1, 1), (2, 20), (3, 20), (5, 10), (9, 6), (13, 2), (17, 1), (19, 1)];
    let squares = squares.map(|(size, games)| (size, size, games));
    for (rows, columns, games) in squares.into_iter().chain([(4, 18, 2), (11, 3, 2)]) {
        let game = wide(rows, columns, 0.5).with_policy("tactical").expect("Go has every policy");
        for _ in 0..games {
            play_both(&game, PatternTable::shipped(PatternShape::Square), &mut stream);
        }
    }
}

#[test]
fn a_policy_draws_by_the_table_that_comes_with_the_crate() {
    let shapes = [
        ("pattern3x3", PatternShape::Square),
        ("m2", PatternShape::Diamond),
        ("tactical", PatternShape::Square),
    ];
    for (policy, shape) in shapes {
        let game = go(9, 7.5).with_policy(policy).expect("Go has every policy");
        assert_eq!((game.policy(), game.has_weighted_playouts()), (policy.to_owned(), true));
        play_both(&game, PatternTable::shipped(shape), &mut Stream::seeded(3));
        let back = game.with_policy("random").expect("Go has every policy");
        assert_eq!((back.policy(), back.has_weighted_playouts()), ("random".to_owned(), false));
    }
}
