//! The planes of the games.

use super::{
    conformance::{connect4_games, found, gomoku_games},
    go::{ko_mark, wide},
};
use crate::support::{
    naive_go::{Board, Point, game_with_eyes, neighbours, point_of, stones_of},
    prelude::*,
};
use mcts_wgpu::{Planes, conformance::Conformance};

/// The planes of a board, each as its rows: `1` where the bit is set.
fn planes<G: Game>(game: &G, rows: &[&str], turn: Player) -> Vec<Vec<String>> {
    let state = game.parse_board(rows).expect("a board of the game");
    let Planes { rows, columns, count } = game.planes().expect("the game has planes");
    let sign = |plane, cell| {
        if game.cell_planes(&state, turn, cell) >> plane & 1 == 1 { '1' } else { '.' }
    };
    let row = |plane, row| (0..columns).map(|column| sign(plane, row * columns + column)).collect();
    (0..count).map(|plane| (0..rows).map(|place| row(plane, place)).collect()).collect()
}

/// The first four planes of every position of some random games, against the board as text.
pub fn assert_stones_are_seen<G: Game>(game: &G, games: u64) {
    let planes = game.planes().expect("the game has planes");
    for seed in 0..games {
        let (mut position, mut stream) = (Position::start(game), Stream::seeded(seed));
        while position.outcome().is_none() {
            let turn = position.turn();
            let rows = game.board_rows(position.state());
            let [own, theirs] = if turn == Player::First { ['X', 'O'] } else { ['O', 'X'] };
            let seen = |symbol| u32::from(symbol == own) + 2 * u32::from(symbol == theirs);
            let ones = 4 + 8 * u32::from(turn == Player::First);
            let expected: Vec<_> = rows.iter().flat_map(|row| row.chars()).map(|c| seen(c) + ones).collect();
            let found = (0..planes.cells()).map(|cell| game.cell_planes(position.state(), turn, cell));
            let found: Vec<_> = found.map(|bits| bits & 15).collect();
            assert_eq!((rows.len() as u32, found), (planes.rows, expected), "at\n{position}");
            let legal = position.legal_actions();
            position.play(legal[stream.pick(legal.len() as u32) as usize]).expect("a legal action");
        }
    }
}

#[test]
fn stones_are_seen_by_the_player_to_move() {
    connect4_games().iter().for_each(|game| assert_stones_are_seen(game, 5));
    gomoku_games().iter().for_each(|game| assert_stones_are_seen(game, 2));
    assert_stones_are_seen(&Othello, 5);
    [1, 2, 5, 9, 13, 19].into_iter().for_each(|size| assert_stones_are_seen(&go_of(size, 0.5), 1));
}

#[test]
fn planes_of_connect4() {
    let game = connect4_of(4, 5);
    let rows = [".....", "O....", "XO...", "XOX.."];
    let ones = ["11111"; 4];
    let [first, second] = [[".....", ".....", "1....", "1.1.."], [".....", "1....", ".1...", ".1..."]];
    assert_eq!(planes(&game, &rows, Player::First), [first, second, ones, ones]);
    assert_eq!(planes(&game, &rows, Player::Second), [second, first, ones, ["....."; 4]]);
}

#[test]
fn planes_of_gomoku() {
    let game = gomoku_of(5);
    let rows = ["XX..O", ".....", "O....", ".....", ".X..."];
    let ones = ["11111"; 5];
    let first = ["11...", ".....", ".....", ".....", ".1..."];
    let second = ["....1", ".....", "1....", ".....", "....."];
    assert_eq!(planes(&game, &rows, Player::First), [first, second, ones, ones]);
    assert_eq!(planes(&game, &rows, Player::Second), [second, first, ones, ["....."; 5]]);
}

#[test]
fn planes_of_othello() {
    let rows =
        ["........", "........", "..O.....", "..XOX...", "...XO...", "........", "........", "........"];
    let (none, ones) = ("........", ["11111111"; 8]);
    let black = [none, none, none, "..1.1...", "...1....", none, none, none];
    let white = [none, none, "..1.....", "...1....", "....1...", none, none, none];
    let by_black = [none, "..1.....", "...1....", none, ".....1..", "....1...", none, none];
    let by_white = [none, none, "....1...", ".1...1..", "..1.....", "...1....", none, none];
    assert_eq!(planes(&Othello, &rows, Player::First), [black, white, ones, ones, by_black]);
    assert_eq!(planes(&Othello, &rows, Player::Second), [white, black, ones, [none; 8], by_white]);
}

/// Groups of one, two and more liberties, an eye of Black's, and three stones that can be captured.
#[test]
fn planes_of_go() {
    let rows = [".X..O", "XX.OX", ".....", "X....", "O...."];
    let (none, ones) = (".....", ["11111"; 5]);
    let black = [".1...", "11..1", none, "1....", none];
    let white = ["....1", "...1.", none, none, "1...."];
    let black_groups = [
        [none, "....1", none, none, none],
        [none, none, none, "1....", none],
        [".1...", "11...", none, none, none],
    ];
    let white_groups = [["....1", none, none, none, "1...."], [none; 5], [none, "...1.", none, none, none]];
    let by_black = [[none; 5], ["...1.", none, none, none, ".1..."]];
    let by_white = [["1....", none, none, none, none], [none, none, "....1", none, none]];
    let seen_by_black = [&[black, white, ones, ones], &black_groups[..], &white_groups, &by_black].concat();
    let seen_by_white =
        [&[white, black, ones, [none; 5]], &white_groups[..], &black_groups, &by_white].concat();
    assert_eq!(planes(&go_of(5, 0.5), &rows, Player::First), seen_by_black);
    assert_eq!(planes(&go_of(5, 0.5), &rows, Player::Second), seen_by_white);
}

/// The other planes of Go, in random games: groups found stone by stone, the legal actions, the ko.
#[test]
fn planes_of_go_follow_its_rules() {
    let mut kos = 0;
    let squares = [(1, 1), (2, 5), (5, 60), (9, 5), (19, 1)].map(|(size, games)| (size, size, games));
    for (height, width, games) in squares.into_iter().chain([(3, 7, 10), (12, 4, 2)]) {
        let game = wide(height, width, 0.5);
        for position in (0..games).flat_map(|seed| game_with_eyes(&game, seed)) {
            let board = Board::of(&game, position.state());
            let [own, other] = stones_of(position.turn());
            let legal = position.legal_actions();
            kos += u32::from(ko_mark(&game, position.state()) != 0);
            for action in 0..game.pass() {
                let point = point_of(&game, action);
                let is_taken = |&near: &Point| board.at(near) == Some(other) && board.liberties(near) == 1;
                let expected = match board.at(point) {
                    Some(b'.') => {
                        let takes = neighbours(point).iter().any(is_taken);
                        u32::from(!legal.contains(&action)) << 10 | u32::from(takes) << 11
                    }
                    stone => 1 << (board.liberties(point).min(3) + if stone == Some(own) { 3 } else { 6 }),
                };
                let cell = (height - 1 - action / width) * width + action % width;
                let found = game.cell_planes(position.state(), position.turn(), cell) & !15;
                assert_eq!(found, expected, "{} at\n{position}", game.action_name(action));
            }
        }
    }
    assert!(kos > 10, "{kos}");
}

#[test]
fn mistakes_in_planes_are_found() {
    fn assert_found<G: Game>(game: G, from: &str, to: &str) {
        let suite = Conformance::of(&Own::new(game).with_words(from, to)).with_games(10);
        assert_eq!(suite.run(), [], "nothing is wrong in Rust");
        let parts: Vec<_> = found(&suite).into_iter().map(|finding| finding.part).collect();
        assert_eq!(parts, [Part::Planes], "{to}");
    }
    assert_found(Connect4::default(), "CONNECT4_ROWS - 1u - row", "row");
    assert_found(gomoku_of(7), "% GOMOKU_COLUMNS), turn)", "% GOMOKU_COLUMNS), 1u - turn)");
    assert_found(Othello, "is_action_legal(state, turn, place)", "is_action_legal(state, 1u - turn, place)");
    for (from, to) in [
        ("let row = GO_ROWS - 1u - place / GO_COLUMNS;", "let row = place / GO_COLUMNS;"),
        ("go_liberties(point, board.theirs, empty) << 7u", "go_liberties(point, board.theirs, empty) << 4u"),
        ("(go_neighbours(group), empty)), 3u)", "(go_neighbours(group), empty)), 2u)"),
        ("impact.own.liberties == 0u || ", ""),
        (" || go_same(point, board.ko)", ""),
        ("u32(go_any(impact.captured))", "u32(go_any(board.atari))"),
    ] {
        assert_found(go_of(5, 0.5), from, to);
    }
    let mut few = Own::new(Connect4::default());
    few.numbers.planes = few.numbers.planes.map(|planes| Planes { count: 3, ..planes });
    assert_eq!(Conformance::of(&few).with_games(1).run()[0].part, Part::Planes);
}
