use crate::support::prelude::*;
use mcts_wgpu::patterns::{
    Neighbour::{self, Empty, Off, Opponent, Own},
    PatternShape::{self, Diamond, Square},
};

/// The code of every point of a board of `size` whose stones are digits of `number` in base 3.
fn codes_of(shape: PatternShape, size: i32, number: u32) -> impl Iterator<Item = u32> {
    let at = move |row: i32, column: i32| {
        if !(0..size).contains(&row) || !(0..size).contains(&column) {
            return Off;
        }
        [Empty, Own, Opponent][(number / 3u32.pow((row * size + column) as u32)) as usize % 3]
    };
    let points = (0..size).flat_map(move |row| (0..size).map(move |column| (row, column)));
    points.map(move |(row, column)| shape.code(|up, right| at(row + up, column + right)))
}

#[test]
fn codes_have_two_bits_a_neighbour_row_by_row() {
    let corner = |row: i32, column: i32| match (row, column) {
        (..=-1, _) | (_, ..=-1) => Off,
        (0, 1) => Own,
        (1, 0) => Opponent,
        _ => Empty,
    };
    assert_eq!(Square.code(corner), 0b00_10_11_01_11_11_11_11);
    assert_eq!(Diamond.code(corner), 0b00_00_10_11_00_01_11_11_11_11_11_11);
}

#[test]
fn the_codes_of_small_boards_are_listed_and_all_listed_codes_are_distinct() {
    for shape in PatternShape::ALL {
        let listed: Vec<u32> = shape.codes().collect();
        let distinct: HashSet<u32> = listed.iter().copied().collect();
        assert_eq!(listed.len(), distinct.len());
        for size in 1..=3 {
            let boards = 0..3u32.pow((size * size) as u32);
            for code in boards.flat_map(|board| codes_of(shape, size, board)) {
                assert!(distinct.contains(&code), "{shape:?}, {size}: {code:x}");
            }
        }
    }
    assert_eq!(Square.codes().count(), 7_672);
    assert_eq!(Diamond.codes().count(), 1_743_889);
}

#[test]
fn a_rotated_board_has_rotated_codes_and_the_same_canonical_ones() {
    // (row, column) becomes (a row + b column, c row + d column).
    let turns = [
        [1, 0, 0, 1],
        [0, 1, -1, 0],
        [-1, 0, 0, -1],
        [0, -1, 1, 0],
        [1, 0, 0, -1],
        [-1, 0, 0, 1],
        [0, 1, 1, 0],
        [0, -1, -1, 0],
    ];
    for shape in PatternShape::ALL {
        for code in shape.codes().step_by(23) {
            let neighbours = |row, column| {
                let place = shape.offsets().iter().position(|&offset| offset == (row, column));
                [Empty, Own, Opponent, Off][(code >> (2 * place.expect("an offset"))) as usize & 3]
            };
            let turn = |[a, b, c, d]: [i32; 4]| {
                shape.code(|row, column| neighbours(a * row + b * column, c * row + d * column))
            };
            let turned: BTreeSet<u32> = turns.into_iter().map(turn).collect();
            assert_eq!(turned, shape.symmetries(code).into_iter().collect());
            let smallest = turned.first().copied();
            assert!(turned.iter().all(|&turned| Some(shape.canonical(turned)) == smallest));
        }
    }
}

#[test]
fn neighbours_have_the_documented_bits() {
    assert_eq!([Empty, Own, Opponent, Off].map(|n: Neighbour| n as u32), [0, 1, 2, 3]);
}
