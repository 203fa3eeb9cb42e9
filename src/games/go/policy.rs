//! Playouts that draw points in proportion to the ratings of their patterns. Twin of `games/go/patterns.wgsl`.
//!
//! The sum of the candidates' ratings follows from the sums of whole rows, less the few empty points that are no
//! candidates. A move changes only the patterns next to the stones that it places and captures.

use super::{
    plane::{Counted, Plane},
    tactics,
};
use crate::{
    error::{Error, Result},
    games::go::patterns::{PatternShape, PatternTable},
    rules::Player,
};
use std::{
    array::from_fn,
    fmt,
    sync::{Arc, LazyLock},
};

/// The greatest distance of a neighbour, in rows or columns.
const REACH: usize = 2;
/// Cells of the largest board with a margin of two rows above and below, and of two columns between rows.
const CELLS: usize = (19 + 2 * REACH) * (19 + REACH) + REACH;
/// Rows of the largest board, and words of its planes.
const ROWS: usize = 19;
const WORDS: usize = super::MAX_WORDS;

/// Draws all candidates with equal probability.
const RANDOM_POLICY: &str = "random";
/// Draws by the rating of a point's eight neighbours.
const SQUARE_POLICY: &str = "pattern3x3";
/// Draws by the rating of the twelve points within Manhattan distance 2.
const DIAMOND_POLICY: &str = "m2";

/// Draws by the rating of a point's eight neighbours, with higher weights for stones that capture or save others or
/// answer the last.
pub(super) const TACTICAL_POLICY: &str = "tactical";

/// The names of the policies.
pub(super) const POLICIES: &[&str] = &[RANDOM_POLICY, SQUARE_POLICY, DIAMOND_POLICY, TACTICAL_POLICY];

/// A policy that rates its candidates.
#[derive(Debug, Clone)]
pub(super) struct Policy {
    pub(super) ratings: Arc<Ratings>,
    /// With the weights of `tactics.rs`.
    pub(super) is_tactical: bool,
}

impl Policy {
    /// A policy that draws by the ratings alone.
    pub(super) fn of_ratings(ratings: Arc<Ratings>) -> Self {
        Self { ratings, is_tactical: false }
    }

    /// A policy by its name, with the tables of the crate; `None` for uniform draws.
    ///
    /// # Errors
    /// Bad input if there is no such policy.
    pub(super) fn named(name: &str) -> Result<Option<Self>> {
        let of_shape = |shape| Some(Self::of_ratings(Ratings::of_shape(shape)));
        match name {
            RANDOM_POLICY => Ok(None),
            SQUARE_POLICY => Ok(of_shape(PatternShape::Square)),
            DIAMOND_POLICY => Ok(of_shape(PatternShape::Diamond)),
            TACTICAL_POLICY => {
                Ok(Some(Self { ratings: Ratings::of_shape(PatternShape::Square), is_tactical: true }))
            }
            _ => Err(Error::invalid(format!("go has no policy '{name}': choose {}", POLICIES.join(", ")))),
        }
    }

    /// A user's table is identified by its digest.
    fn name(&self) -> String {
        if self.is_tactical { TACTICAL_POLICY.into() } else { self.ratings.name() }
    }
}

/// The name of a policy; for `None`, that of uniform draws.
pub(super) fn name_of(policy: Option<&Policy>) -> String {
    policy.map_or(RANDOM_POLICY.into(), Policy::name)
}

/// The ratings of a policy, in the layout of the shaders.
pub(super) struct Ratings {
    shape: PatternShape,
    /// The digest of a user's table.
    digest: Option<u64>,
    /// A word for every pattern: its rating for the first player in the low half, for the second in the high one. The
    /// index of a pattern of K neighbours: bit k is set if neighbour k is a stone of the first player, bit K + k if it
    /// is one of the second, both if it is off the board.
    words: Arc<[u32]>,
}

impl fmt::Debug for Ratings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ratings").field("shape", &self.shape).finish_non_exhaustive()
    }
}

static SQUARE: LazyLock<Arc<Ratings>> = LazyLock::new(|| Ratings::shipped(PatternShape::Square));
static DIAMOND: LazyLock<Arc<Ratings>> = LazyLock::new(|| Ratings::shipped(PatternShape::Diamond));

impl Ratings {
    /// The ratings of a table.
    pub(super) fn of_table(table: &PatternTable) -> Arc<Self> {
        if table == PatternTable::shipped(table.shape()) {
            return Self::of_shape(table.shape());
        }
        Arc::new(Self { digest: Some(table.digest()), ..Self::new(table) })
    }

    fn new(table: &PatternTable) -> Self {
        let (shape, dense) = (table.shape(), table.dense());
        let neighbours = shape.bits() / 2;
        let mut words = vec![0; dense.len()];
        for code in shape.codes() {
            let index = every_other_bit(code) | (every_other_bit(code >> 1) << neighbours);
            let [first, second] = [code, seen_by_opponent(code)].map(|code| u32::from(dense[code as usize]));
            words[index as usize] = first | (second << 16);
        }
        Self { shape, digest: None, words: words.into() }
    }

    fn shipped(shape: PatternShape) -> Arc<Self> {
        Arc::new(Self::new(PatternTable::shipped(shape)))
    }

    /// The ratings of the crate's table of this shape.
    fn of_shape(shape: PatternShape) -> Arc<Self> {
        match shape {
            PatternShape::Square => SQUARE.clone(),
            PatternShape::Diamond => DIAMOND.clone(),
        }
    }

    /// The name of the policy, with the digest of a user's table.
    fn name(&self) -> String {
        let policy = match self.shape {
            PatternShape::Square => SQUARE_POLICY,
            PatternShape::Diamond => DIAMOND_POLICY,
        };
        self.digest.map_or(policy.into(), |digest| format!("{policy}:{digest:016x}"))
    }

    /// The ratings of the crate's table of 3 x 3 points.
    pub(super) fn square() -> &'static Self {
        &SQUARE
    }

    pub(super) fn shape(&self) -> PatternShape {
        self.shape
    }

    pub(super) fn words(&self) -> &Arc<[u32]> {
        &self.words
    }
}

/// Compacts bits 0, 2, 4, ...
fn every_other_bit(bits: u32) -> u32 {
    (0..16).fold(0, |sum, i| sum | ((bits >> (2 * i)) & 1) << i)
}

/// A code from the opponent's view: own and opposing stones change places.
fn seen_by_opponent(code: u32) -> u32 {
    ((code & 0x55_5555) << 1) | ((code >> 1) & 0x55_5555)
}

/// Data that are constant in a playout.
#[derive(Debug)]
pub(super) struct Geometry {
    policy: Policy,
    rows: usize,
    columns: usize,
    /// The offsets from a cell to its neighbours, in rows and in cells.
    offsets: Vec<(isize, isize)>,
    /// Row and cell of every bit of a plane.
    places: [(u16, u16); 64 * WORDS],
    /// [cell]: the indexes of the patterns of the empty board.
    patterns: [u32; CELLS],
    on_board: [bool; CELLS],
}

impl Geometry {
    pub(super) fn new(rows: u32, columns: u32, policy: Policy) -> Self {
        let (rows, columns) = (rows as usize, columns as usize);
        let stride = (columns + REACH) as isize;
        let offsets =
            policy.ratings.shape.offsets().iter().map(|&(row, column)| (row as isize, column as isize));
        let offsets: Vec<_> = offsets.map(|(row, column)| (row, row * stride + column)).collect();
        let mut on_board = [false; CELLS];
        for (row, column) in points(rows, columns) {
            on_board[cell(columns, row, column)] = true;
        }
        let is_on_board = |cell: Option<usize>| cell.and_then(|cell| on_board.get(cell)) == Some(&true);
        let patterns = from_fn(|cell| {
            let off = offsets.iter().map(|&(_, offset)| !is_on_board(cell.checked_add_signed(offset)));
            let mask = (0..).zip(off).fold(0, |mask, (i, off)| mask | u32::from(off) << i);
            mask | (mask << offsets.len())
        });
        let places = from_fn(|bit| {
            let (row, column) = (bit / (columns + 1), bit % (columns + 1));
            (row as u16, cell(columns, row, column) as u16)
        });
        Self { policy, rows, columns, offsets, places, patterns, on_board }
    }

    pub(super) fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Row and cell of a plane's bit.
    fn place(&self, bit: usize) -> (usize, usize) {
        let (row, cell) = self.places[bit];
        (row.into(), cell.into())
    }
}

/// Row and column of all points.
fn points(rows: usize, columns: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..rows).flat_map(move |row| (0..columns).map(move |column| (row, column)))
}

fn cell(columns: usize, row: usize, column: usize) -> usize {
    (row + REACH) * (columns + REACH) + column
}

/// The weights of a playout's points, for both players.
#[derive(Debug, Clone)]
pub(super) struct Weights {
    geometry: Arc<Geometry>,
    /// [cell]: the indexes of the patterns.
    patterns: [u32; CELLS],
    is_empty: [bool; CELLS],
    /// [player][cell]: the weights of empty cells, 0 for others.
    weights: [[u16; CELLS]; 2],
    /// [player][row]: sums of the weights of a row.
    rows: [[u32; ROWS]; 2],
    /// Black's and White's stones.
    stones: [[u64; WORDS]; 2],
    /// [row]: entries of the candidates of the player to move: their weights, several times for answers.
    open: [u32; ROWS],
    /// The points next to the last stone, under the tactical policy.
    answers: [u64; WORDS],
    /// The sum of the candidates' weights, and the number of all entries.
    sum: u32,
    entries: u32,
}

impl Weights {
    pub(super) fn new<const W: usize>(geometry: &Arc<Geometry>, stones: [Plane<W>; 2]) -> Self {
        let mut weights = Self {
            geometry: geometry.clone(),
            patterns: geometry.patterns,
            is_empty: geometry.on_board,
            weights: [[0; CELLS]; 2],
            rows: [[0; ROWS]; 2],
            stones: [[0; WORDS]; 2],
            open: [0; ROWS],
            answers: [0; WORDS],
            sum: 0,
            entries: 0,
        };
        for (player, stones) in stones.iter().enumerate() {
            bits(stones.0).for_each(|bit| weights.flip(player, bit));
        }
        for (row, column) in points(geometry.rows, geometry.columns) {
            weights.refresh(row, cell(geometry.columns, row, column));
        }
        weights
    }

    /// Updates the stones after a move.
    pub(super) fn follow<const W: usize>(&mut self, stones: [Plane<W>; 2]) {
        let changed: [[u64; W]; 2] =
            from_fn(|player| from_fn(|i| self.stones[player][i] ^ stones[player].0[i]));
        for (player, changed) in changed.into_iter().enumerate() {
            bits(changed).for_each(|bit| self.flip(player, bit));
        }
        for bit in bits(from_fn::<_, W, _>(|i| changed[0][i] | changed[1][i])) {
            let (row, centre) = self.geometry.place(bit);
            self.refresh(row, centre);
            for i in 0..self.geometry.offsets.len() {
                let (rows, offset) = self.geometry.offsets[i];
                let cell = centre.wrapping_add_signed(offset);
                if self.is_empty[cell] {
                    self.refresh(row.wrapping_add_signed(rows), cell);
                }
            }
        }
    }

    /// Places a stone on a point, or removes it.
    fn flip(&mut self, player: usize, bit: usize) {
        self.stones[player][bit / 64] ^= 1 << (bit % 64);
        let (_, cell) = self.geometry.place(bit);
        self.is_empty[cell] ^= true;
        let last = self.geometry.offsets.len() - 1;
        for (i, &(_, offset)) in self.geometry.offsets.iter().enumerate() {
            // This point is the neighbour's neighbour in the opposite direction.
            self.patterns[cell.wrapping_add_signed(offset)] ^= 1 << (last - i + player * (last + 1));
        }
    }

    /// Updates the weights of a point.
    fn refresh(&mut self, row: usize, cell: usize) {
        let words = &self.geometry.policy.ratings.words;
        let word = if self.is_empty[cell] { words[self.patterns[cell] as usize] } else { 0 };
        let new = [word as u16, (word >> 16) as u16];
        for (player, new) in new.into_iter().enumerate() {
            let old = std::mem::replace(&mut self.weights[player][cell], new);
            self.rows[player][row] = self.rows[player][row] + u32::from(new) - u32::from(old);
        }
    }

    /// The number of entries of the candidates in the list of a ply: each candidate has as many as its weight, and an
    /// answer [several times](tactics::ANSWER_TIMES) that.
    pub(super) fn list<const W: usize>(
        &mut self,
        candidates: Plane<W>,
        answers: Plane<W>,
        board: Plane<W>,
        turn: Player,
    ) -> u32 {
        let weights = &self.weights[turn.index()];
        let place = |bit| (self.geometry.place(bit).0, u32::from(weights[self.geometry.place(bit).1]));
        self.open = self.rows[turn.index()];
        let taken = |i: usize| self.stones[0][i] | self.stones[1][i] | candidates.0[i];
        for bit in bits(from_fn::<_, W, _>(|i| board.0[i] & !taken(i))) {
            let (row, weight) = place(bit);
            self.open[row] -= weight;
        }
        self.sum = self.open[..self.geometry.rows].iter().sum();
        self.entries = self.sum;
        self.answers = [0; WORDS];
        self.answers[..W].copy_from_slice(&answers.0);
        for (row, weight) in bits(answers.and(candidates).0).map(place) {
            self.open[row] += (tactics::ANSWER_TIMES - 1) * weight;
            self.entries += (tactics::ANSWER_TIMES - 1) * weight;
        }
        self.entries
    }

    /// The number of further entries of an urgent candidate, after those of all.
    pub(super) fn urgent_entries(&self) -> u32 {
        tactics::URGENT_TIMES * self.sum
    }

    pub(super) fn is_tactical(&self) -> bool {
        self.geometry.policy.is_tactical
    }

    /// The candidate of a place in the list, or, for places after its end, the urgent candidate. Needs
    /// [`list`](Self::list).
    pub(super) fn point<const W: usize>(
        &self,
        candidates: Plane<W>,
        urgent: Plane<W>,
        turn: Player,
        place: u32,
    ) -> usize {
        if place >= self.entries {
            return Counted::new(urgent).nth((place - self.entries) / self.urgent_entries());
        }
        let (mut rest, mut row) = (place, 0);
        while row < self.geometry.rows && rest >= self.open[row] {
            rest -= self.open[row];
            row += 1;
        }
        let first = row * (self.geometry.columns + 1);
        let weights = &self.weights[turn.index()];
        let mut point = first;
        for bit in bits(from_fn::<_, W, _>(|i| candidates.0[i] & !below_bit(first, i))) {
            point = bit;
            let times = if self.answers[bit / 64] >> (bit % 64) & 1 == 1 { tactics::ANSWER_TIMES } else { 1 };
            let entries = times * u32::from(weights[self.geometry.place(bit).1]);
            if rest < entries {
                break;
            }
            rest -= entries;
        }
        point
    }
}

/// Word `i` of the set of all bits below `bit`.
fn below_bit(bit: usize, i: usize) -> u64 {
    match bit.saturating_sub(64 * i) {
        0 => 0,
        n @ 1..64 => (1 << n) - 1,
        _ => u64::MAX,
    }
}

/// The indexes of the set bits, ascending.
fn bits<const W: usize>(words: [u64; W]) -> impl Iterator<Item = usize> {
    (0..W).flat_map(move |i| {
        let mut rest = words[i];
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| 64 * i + rest.trailing_zeros() as usize);
            rest &= rest.wrapping_sub(1);
            bit
        })
    })
}
