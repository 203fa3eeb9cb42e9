//! The priors of Go, against a board of text on which groups are found stone by stone.

use super::go::wide;
use crate::support::{
    naive_go::{Board, Point, game_with_eyes, neighbours, point_of, stones_of},
    own::Mistake,
    prelude::*,
};
use mcts_wgpu::conformance::Conformance;

/// The effects of a move on groups: stones captured, and whether it attacks one, saves one, and has one liberty itself.
fn effects(before: &Board, point: Point, [own, other]: [u8; 2]) -> (usize, bool, bool, bool) {
    let in_atari = |&near: &Point| before.at(near) == Some(own) && before.liberties(near) == 1;
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
    let alone = board.liberties(point) == 1;
    (taken.len(), attacks, was_in_atari && !alone, alone)
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
            let board = Board::of(&game, position.state());
            let last = position.moves().last().copied();
            let stones = stones_of(position.turn());
            let known = |action| game.action_prior(position.state(), position.turn(), action, last);
            assert_eq!(known(game.pass()), 16);
            for action in position.legal_actions().into_iter().filter(|&action| action < game.pass()) {
                let point = point_of(&game, action);
                let (taken, attacks, saves, alone) = effects(&board, point, stones);
                let rating = PatternTable::shipped(shape).rating(board.code(shape, point, stones[0]));
                let doubled = f64::from(rating).log2() as i32;
                let mut points = 32 + 2 * doubled - 10;
                points += if taken > 0 { 8 + 4 * taken.min(4) as i32 } else { 0 };
                points += 4 * i32::from(attacks) + 12 * i32::from(saves);
                points -= 16 * i32::from(alone && taken == 0);
                let away = last.filter(|&last| last < game.pass()).map_or(9, |last| {
                    let ((row, column), (other, another)) = (point, point_of(&game, last));
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
