//! Patterns of Go moves, and their ratings.
//!
//! The pattern of a point consists of its neighbours from the view of the player to move: empty, own, the opponent's,
//! or off the board. A [`PatternTable`] rates patterns; a playout that follows it draws its moves in proportion to
//! their ratings.

mod table;

pub use table::PatternTable;

use crate::names::named;
use std::{array::from_fn, collections::BTreeSet, ops::RangeInclusive};

/// A neighbour from the view of the player to move: its two bits of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Neighbour {
    /// An empty point.
    Empty = 0,
    /// A stone of the player to move.
    Own = 1,
    /// A stone of its opponent.
    Opponent = 2,
    /// Off the board.
    Off = 3,
}

named! {
    /// The neighbours of a point that make its pattern.
    ///
    /// A pattern's code has two bits a neighbour ([`Neighbour`]), those of `offsets()[i]` from bit 2 i on.
    pub enum PatternShape: "pattern shape" {
        /// 3 x 3: the eight points around.
        Square = "3x3",
        /// M2: the twelve points within Manhattan distance 2, which include a [`Square`](Self::Square).
        Diamond = "m2",
    }
}

const SQUARE: [(i32, i32); 8] = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)];

const DIAMOND: [(i32, i32); 12] =
    [(-2, 0), (-1, -1), (-1, 0), (-1, 1), (0, -2), (0, -1), (0, 1), (0, 2), (1, -1), (1, 0), (1, 1), (2, 0)];

/// The rotations and reflections of the board, as matrices [a, b, c, d]: (row, column) becomes (a row + b column,
/// c row + d column).
const SYMMETRIES: [[i32; 4]; 8] = [
    [1, 0, 0, 1],
    [0, 1, -1, 0],
    [-1, 0, 0, -1],
    [0, -1, 1, 0],
    [1, 0, 0, -1],
    [-1, 0, 0, 1],
    [0, 1, 1, 0],
    [0, -1, -1, 0],
];

/// For each symmetry and each neighbour: the index of the neighbour that moves to its place.
const SQUARE_SOURCES: [[u32; 8]; 8] = sources(SQUARE);
const DIAMOND_SOURCES: [[u32; 12]; 8] = sources(DIAMOND);

const fn sources<const N: usize>(offsets: [(i32, i32); N]) -> [[u32; N]; 8] {
    let mut sources = [[0; N]; 8];
    let mut step = 0;
    while step < 8 * N * N {
        let (symmetry, i, source) = (step / (N * N), step / N % N, step % N);
        let ([a, b, c, d], (row, column)) = (SYMMETRIES[symmetry], offsets[i]);
        if offsets[source].0 == a * row + b * column && offsets[source].1 == c * row + d * column {
            sources[symmetry][i] = source as u32;
        }
        step += 1;
    }
    sources
}

impl PatternShape {
    /// The neighbours, as (row, column) offsets in the order of a code's bits: row by row.
    pub fn offsets(self) -> &'static [(i32, i32)] {
        match self {
            Self::Square => &SQUARE,
            Self::Diamond => &DIAMOND,
        }
    }

    /// Bits of a code: 16 or 24.
    pub fn bits(self) -> u32 {
        2 * self.offsets().len() as u32
    }

    /// The code of the point whose neighbour at a (row, column) offset is `neighbour(row, column)`.
    pub fn code(self, neighbour: impl Fn(i32, i32) -> Neighbour) -> u32 {
        let bits = |(i, &(row, column)): (usize, &(i32, i32))| (neighbour(row, column) as u32) << (2 * i);
        self.offsets().iter().enumerate().map(bits).fold(0, |code, bits| code | bits)
    }

    /// The eight rotations and reflections of a pattern, the pattern itself first; some may be equal.
    pub fn symmetries(self, code: u32) -> [u32; 8] {
        from_fn(|symmetry| {
            let sources: &[u32] = match self {
                Self::Square => &SQUARE_SOURCES[symmetry],
                Self::Diamond => &DIAMOND_SOURCES[symmetry],
            };
            let bits = |(i, source): (usize, &u32)| ((code >> (2 * source)) & 3) << (2 * i);
            sources.iter().enumerate().map(bits).fold(0, |code, bits| code | bits)
        })
    }

    /// The smallest code among a pattern's rotations and reflections, which represents all of them.
    pub fn canonical(self, code: u32) -> u32 {
        self.symmetries(code).into_iter().min().unwrap_or(code)
    }

    /// All codes that can occur on a board of any size, each once: 7,672 or 1,743,889 of the 2^bits, as points off the
    /// board lie beyond straight edges.
    pub fn codes(self) -> impl Iterator<Item = u32> {
        self.borders().into_iter().flat_map(move |border| {
            let inside: Vec<usize> =
                (0..self.offsets().len()).filter(|i| border & (3 << (2 * i)) == 0).collect();
            (0..3u32.pow(inside.len() as u32)).map(move |mut digits| {
                inside.iter().fold(border, |code, i| {
                    let digit = digits % 3;
                    digits /= 3;
                    code | (digit << (2 * i))
                })
            })
        })
    }

    /// The code with all points of the board empty.
    fn border_of(self, code: u32) -> u32 {
        let off = code & (code >> 1) & 0x55_5555;
        off | (off << 1)
    }

    /// The [`border_of`](Self::border_of) of all codes that can occur, each once, ascending.
    fn borders(self) -> Vec<u32> {
        let reach = if self == Self::Square { 1 } else { 2 };
        let spans = || (0..=reach).flat_map(|back| (0..=reach).map(move |ahead| -back..=ahead));
        let boards = spans().flat_map(|rows| spans().map(move |columns| (rows.clone(), columns)));
        let border = |(rows, columns): (RangeInclusive<i32>, RangeInclusive<i32>)| {
            self.code(|row, column| {
                let inside = rows.contains(&row) && columns.contains(&column);
                if inside { Neighbour::Empty } else { Neighbour::Off }
            })
        };
        let borders: BTreeSet<u32> = boards.map(border).collect();
        borders.into_iter().collect()
    }
}

/// The 3 x 3 pattern within an M2 pattern.
pub(crate) fn square_within(diamond: u32) -> u32 {
    let place = |offset| DIAMOND.iter().position(|&other| other == offset).unwrap_or(0);
    let bits = |(i, &offset): (usize, &(i32, i32))| ((diamond >> (2 * place(offset))) & 3) << (2 * i);
    SQUARE.iter().enumerate().map(bits).sum()
}
