//! Go on 1 x 1 to 19 x 19: the twin of `games/go.wgsl`.
//!
//! Area scoring with komi, simple ko, no suicide. A pass is always legal; two passes in a row end the game,
//! and so does reaching [`Go::max_moves`] moves (passes counted): the board is scored as it stands. Black is
//! [`Player::First`].
//!
//! Points are numbered `row * N + column` with row 0 at the bottom: action 0 is A1, action N the point above
//! it. The last action, N * N, passes. Names are GTP's (letters without I, rows from 1 at the bottom); the
//! first of a board's rows is the top one, row N.
//!
//! # How a board is held
//! A set of points is a plane of bits with one unused column to the right of each row: bit `row * (N + 1) +
//! column`. The unused column makes the neighbours of every point of a set at once four shifts, without
//! wrapping around the edge. Next to the stones, a playout keeps the plane of all stones in atari (groups
//! with one liberty). With it the legal points of a position need no search at all: an empty point is
//! playable where a neighbour is empty, or belongs to an own group with another liberty, or to an opposing
//! group in atari.
//!
//! # Playouts
//! Uniform over the legal points that are not the mover's own one-point eyes, by ascending action; the pass
//! alone where there is none. An eye: all neighbours own stones or off the board, and at most one diagonal
//! neighbour an opposing stone, none at the edge.

use crate::error::{Error, Result};
use crate::game::{Game, GameShader, Outcome, Player};
use std::array::from_fn;

/// 64-bit words of the largest plane: 19 rows of 20 bits.
const MAX_WORDS: usize = 6;

/// Bits of the last packed word: the ko mark, the passes, and from here on the moves.
const MOVES_SHIFT: u32 = 11;

/// The names of the shader's constants, one for each 32-bit word of a plane.
const BOARD_NAMES: [&str; 2 * MAX_WORDS] = [
    "GO_BOARD_0",
    "GO_BOARD_1",
    "GO_BOARD_2",
    "GO_BOARD_3",
    "GO_BOARD_4",
    "GO_BOARD_5",
    "GO_BOARD_6",
    "GO_BOARD_7",
    "GO_BOARD_8",
    "GO_BOARD_9",
    "GO_BOARD_10",
    "GO_BOARD_11",
];
const EDGE_NAMES: [&str; 2 * MAX_WORDS] = [
    "GO_EDGE_0",
    "GO_EDGE_1",
    "GO_EDGE_2",
    "GO_EDGE_3",
    "GO_EDGE_4",
    "GO_EDGE_5",
    "GO_EDGE_6",
    "GO_EDGE_7",
    "GO_EDGE_8",
    "GO_EDGE_9",
    "GO_EDGE_10",
    "GO_EDGE_11",
];

/// A set of points, as bits of `W` words, lowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Plane<const W: usize>([u64; W]);

impl<const W: usize> Plane<W> {
    const EMPTY: Self = Self([0; W]);

    #[inline(always)]
    fn bit(index: u32) -> Self {
        let bit = 1 << (index % 64);
        Self(from_fn(|i| if i == index as usize / 64 { bit } else { 0 }))
    }

    /// The same set in more or fewer words; what does not fit must be empty.
    fn resized<const V: usize>(self) -> Plane<V> {
        Plane(from_fn(|i| self.0.get(i).copied().unwrap_or(0)))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] & other.0[i]))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] | other.0[i]))
    }

    #[inline(always)]
    fn without(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] & !other.0[i]))
    }

    /// Moved to higher bits by 1 to 63.
    #[inline(always)]
    fn up(self, distance: u32) -> Self {
        let carried = |i: usize| if i == 0 { 0 } else { self.0[i - 1] >> (64 - distance) };
        Self(from_fn(|i| (self.0[i] << distance) | carried(i)))
    }

    /// Moved to lower bits by 1 to 63.
    #[inline(always)]
    fn down(self, distance: u32) -> Self {
        let carried = |i: usize| if i + 1 == W { 0 } else { self.0[i + 1] << (64 - distance) };
        Self(from_fn(|i| (self.0[i] >> distance) | carried(i)))
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) != 0
    }

    fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Equality, inlined: the derived one compares memory through a call.
    #[inline(always)]
    fn is(self, other: Self) -> bool {
        !Self(from_fn(|i| self.0[i] ^ other.0[i])).any()
    }

    /// Has the set two points or more?
    #[inline(always)]
    fn is_plural(self) -> bool {
        let (mut seen, mut plural) = (0, 0);
        for word in self.0 {
            plural |= word & word.wrapping_sub(1);
            plural |= if seen != 0 { word } else { 0 };
            seen |= word;
        }
        plural != 0
    }

    /// The lowest point as a set; empty if the set is.
    #[inline(always)]
    fn lowest(self) -> Self {
        let mut seen = 0;
        Self(from_fn(|i| {
            let first = if seen == 0 { self.0[i] & self.0[i].wrapping_neg() } else { 0 };
            seen |= self.0[i];
            first
        }))
    }

    /// 1 + the number of the only point of a set; 0 for the empty set.
    fn mark(self) -> u32 {
        let place = |i: usize| i as u32 * 64 + self.0[i].trailing_zeros() + 1;
        (0..W).find(|&i| self.0[i] != 0).map_or(0, place)
    }

    /// The number of the point with `ordinal` points below it. Free of branches, as random ordinals defeat
    /// prediction.
    #[inline(always)]
    fn nth(self, ordinal: u32) -> u32 {
        let (mut word, mut rest, mut base, mut below) = (self.0[0], ordinal, 0, 0);
        for i in 1..W {
            below += self.0[i - 1].count_ones();
            if ordinal >= below {
                (word, rest, base) = (self.0[i], ordinal - below, 64 * i as u32);
            }
        }
        base + nth_bit(word, rest)
    }
}

/// The place of the set bit with `ordinal` set bits below it, by counting the bits of all eight bytes at
/// once.
fn nth_bit(bits: u64, ordinal: u32) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let twos = bits - ((bits >> 1) & (0x55 * ONES));
    let fours = (twos & (0x33 * ONES)) + ((twos >> 2) & (0x33 * ONES));
    let sums = (((fours + (fours >> 4)) & (0x0f * ONES)).wrapping_mul(ONES)) << 8;
    // A byte's top bit stays set where no more than `ordinal` bits are below that byte.
    let reached = ((u64::from(ordinal) * ONES) | (0x80 * ONES)).wrapping_sub(sums) & (0x80 * ONES);
    let byte = ((reached >> 7).wrapping_mul(ONES) >> 56) as u32 - 1;
    let mut place = 8 * byte;
    let mut skip = u64::from(ordinal) - ((sums >> place) & 0xff);
    // The same counts again, now of the lower half of what is left.
    for (counts, width) in [(fours, 4), (twos, 2), (bits, 1)] {
        let lower = (counts >> place) & ((1 << width) - 1);
        let above = skip >= lower;
        skip -= if above { lower } else { 0 };
        place += if above { width } else { 0 };
    }
    place
}

/// The shape of a board. `S` is its bits a row where that is known when compiling, which makes shifts faster,
/// or 0.
#[derive(Debug, Clone, Copy)]
struct Grid<const W: usize, const S: u32> {
    board: Plane<W>,
    edge: Plane<W>,
    stride: u32,
}

impl<const W: usize, const S: u32> Grid<W, S> {
    #[inline(always)]
    fn stride(&self) -> u32 {
        if S == 0 { self.stride } else { S }
    }

    /// The points next to some point of the set.
    #[inline(always)]
    fn neighbours(&self, set: Plane<W>) -> Plane<W> {
        let sideways = set.up(1).or(set.down(1));
        sideways.or(set.up(self.stride())).or(set.down(self.stride())).and(self.board)
    }

    /// The points next to two points of the set or more.
    #[inline(always)]
    fn twice_beside(&self, set: Plane<W>) -> Plane<W> {
        let (a, b) = (set.up(1), set.down(1));
        let (c, d) = (set.up(self.stride()), set.down(self.stride()));
        a.and(b).or(c.and(d)).or(a.or(b).and(c.or(d)))
    }

    /// The points of `hemmed` with at most one stone of `theirs` on a diagonal, none at the edge.
    fn safe_diagonals(&self, hemmed: Plane<W>, theirs: Plane<W>) -> Plane<W> {
        let (below, above) = (theirs.up(self.stride()), theirs.down(self.stride()));
        let (a, b) = (below.up(1), below.down(1));
        let (c, d) = (above.up(1), above.down(1));
        let two = a.and(b).or(c.and(d)).or(a.or(b).and(c.or(d)));
        let one = a.or(b).or(c.or(d));
        hemmed.without(two.or(one.and(self.edge)))
    }

    /// The group of `side` that holds `seed`, and whether it has 0, 1, or (2) more liberties. The group is
    /// complete only where it has fewer than two: the search stops at the second liberty.
    fn trace(&self, seed: Plane<W>, side: Plane<W>, empty: Plane<W>) -> (Plane<W>, u32) {
        let mut group = seed;
        loop {
            let near = self.neighbours(group);
            let liberties = near.and(empty);
            if liberties.is_plural() {
                return (group, 2);
            }
            let grown = group.or(near.and(side));
            if grown.is(group) {
                return (group, u32::from(liberties.any()));
            }
            group = grown;
        }
    }

    /// `seed` and all that is connected to it through `through`.
    fn flood(&self, seed: Plane<W>, through: Plane<W>) -> Plane<W> {
        let mut reached = seed;
        loop {
            let grown = reached.or(self.neighbours(reached).and(through));
            if grown.is(reached) {
                return reached;
            }
            reached = grown;
        }
    }
}

/// A board as the player to move sees it.
#[derive(Debug, Clone, Copy)]
struct Board<const W: usize> {
    mine: Plane<W>,
    theirs: Plane<W>,
    /// The stones of both colours in groups with one liberty. Only playouts keep it.
    atari: Plane<W>,
    /// The point that may not be retaken at once, or nothing.
    ko: Plane<W>,
}

impl<const W: usize> Board<W> {
    fn empty<const S: u32>(&self, grid: &Grid<W, S>) -> Plane<W> {
        grid.board.without(self.mine.or(self.theirs))
    }

    /// The stones in atari, found group by group; `None` where a group has no liberty at all.
    fn find_atari<const S: u32>(&self, grid: &Grid<W, S>) -> Option<Plane<W>> {
        let empty = self.empty(grid);
        let mut atari = Plane::EMPTY;
        let mut rest = self.mine.or(self.theirs);
        while rest.any() {
            let seed = rest.lowest();
            let side = if seed.and(self.mine).any() { self.mine } else { self.theirs };
            match grid.trace(seed, side, empty) {
                (_, 0) => return None,
                (group, 1) => {
                    atari = atari.or(group);
                    rest = rest.without(group);
                }
                (group, _) => rest = rest.without(group),
            }
        }
        Some(atari)
    }

    /// The legal points that are not the mover's own eyes. Needs `atari`.
    fn placements<const S: u32>(&self, grid: &Grid<W, S>) -> Plane<W> {
        let empty = self.empty(grid);
        let open = empty.or(self.mine.without(self.atari)).or(self.theirs.and(self.atari));
        let legal = grid.neighbours(open).and(empty).without(self.ko);
        let hemmed = legal.without(grid.neighbours(empty.or(self.theirs)));
        if hemmed.any() { legal.without(grid.safe_diagonals(hemmed, self.theirs)) } else { legal }
    }

    /// May the mover play on the point `stone`? Needs no `atari`.
    fn is_legal<const S: u32>(&self, grid: &Grid<W, S>, stone: Plane<W>) -> bool {
        let empty = self.empty(grid);
        if !stone.and(empty).any() || stone.is(self.ko) {
            return false;
        }
        let near = grid.neighbours(stone);
        let mut rest = near.without(empty);
        let mut legal = near.and(empty).any();
        while !legal && rest.any() {
            let seed = rest.lowest();
            let own = seed.and(self.mine).any();
            let (group, liberties) = grid.trace(seed, if own { self.mine } else { self.theirs }, empty);
            // Own groups need a liberty besides this point; opposing ones are captured if they have none.
            legal = own == (liberties > 1);
            rest = rest.without(group);
        }
        legal
    }

    /// The board after a legal stone (captures, ko, and the groups in atari), as the opponent sees it.
    #[inline(always)]
    fn play<const S: u32>(self, grid: &Grid<W, S>, stone: Plane<W>) -> Self {
        let mine = self.mine.or(stone);
        let (captured, attacked) = self.attack(grid, stone);
        let theirs = self.theirs.without(captured);
        let (group, liberties) = grid.trace(stone, mine, grid.board.without(mine.or(theirs)));
        let mut ko = Plane::EMPTY;
        let mut freed = if liberties > 1 { grid.neighbours(stone) } else { Plane::EMPTY };
        if captured.any() {
            freed = freed.or(grid.neighbours(captured));
            let retakes = liberties == 1 && group.is(stone) && !captured.is_plural();
            ko = if retakes { captured } else { ko };
        }
        let threatened = mine.and(self.atari);
        let rescued = freed.and(threatened);
        let mut atari = self.atari.or(attacked).without(captured);
        if rescued.any() {
            atari = atari.without(grid.flood(rescued, threatened));
        }
        if liberties == 1 {
            atari = atari.or(group);
        }
        Self { mine: theirs, theirs: mine, atari, ko }
    }

    /// The opposing groups that a stone leaves without a liberty, and those that it leaves with one.
    #[inline(always)]
    fn attack<const S: u32>(&self, grid: &Grid<W, S>, stone: Plane<W>) -> (Plane<W>, Plane<W>) {
        let empty = self.empty(grid).without(stone);
        let (mut captured, mut attacked) = (Plane::EMPTY, Plane::EMPTY);
        // Most stones have two liberties of their own, and then their groups need no tracing.
        let mut pending = grid.neighbours(stone).and(self.theirs).without(grid.twice_beside(empty));
        while pending.any() {
            let (group, liberties) = grid.trace(pending.lowest(), self.theirs, empty);
            match liberties {
                0 => captured = captured.or(group),
                1 => attacked = attacked.or(group),
                _ => {}
            }
            pending = pending.without(group);
        }
        (captured, attacked)
    }

    /// Stones and surrounded points of the mover, less those of the opponent.
    fn area<const S: u32>(&self, grid: &Grid<W, S>) -> i32 {
        let empty = self.empty(grid);
        let mine = grid.flood(self.mine, empty);
        let theirs = grid.flood(self.theirs, empty);
        mine.without(theirs).count() as i32 - theirs.without(mine).count() as i32
    }

    fn seen_by_opponent(self) -> Self {
        Self { mine: self.theirs, theirs: self.mine, ..self }
    }
}

/// Go. `Go::new` states the ranges.
#[derive(Debug, Clone)]
pub struct Go {
    size: u32,
    twice_komi: i32,
    max_moves: u32,
    grid: Grid<MAX_WORDS, 0>,
}

/// A position of Go without the player to move: stones, ko, consecutive passes, and moves played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GoState {
    black: Plane<MAX_WORDS>,
    white: Plane<MAX_WORDS>,
    /// 0, or 1 + the bit of the point that may not be retaken at once.
    ko_mark: u32,
    passes: u32,
    moves: u32,
}

impl GoState {
    /// Moves played, passes counted; 0 in a position that was given as a board.
    pub fn moves(&self) -> u32 {
        self.moves
    }

    /// Passes since the last stone, 0 to 2.
    pub fn passes(&self) -> u32 {
        self.passes
    }
}

/// One playout with planes of `W` words.
#[derive(Debug, Clone)]
struct Lane<const W: usize, const S: u32> {
    grid: Grid<W, S>,
    board: Board<W>,
    placements: Plane<W>,
    turn: Player,
    passes: u32,
    moves: u32,
}

/// What a playout of Go carries along: small boards in fewer words, which makes them faster.
#[derive(Debug, Clone)]
pub struct GoPlayout(Width<Lane<2, 10>, Lane<2, 0>, Lane<4, 0>, Lane<6, 20>, Lane<6, 0>>);

/// Planes of as few words as a board needs; the two common boards with a fixed stride.
#[derive(Debug, Clone)]
enum Width<Nine, Two, Four, Nineteen, Six> {
    Nine(Nine),
    Two(Two),
    Four(Four),
    Nineteen(Nineteen),
    Six(Six),
}

/// Evaluates the expression with `$inner` bound to what any of the widths holds.
macro_rules! any_width {
    ($width:expr, $inner:ident => $result:expr) => {
        match $width {
            Width::Nine($inner) => $result,
            Width::Two($inner) => $result,
            Width::Four($inner) => $result,
            Width::Nineteen($inner) => $result,
            Width::Six($inner) => $result,
        }
    };
}

impl<const W: usize, const S: u32> Lane<W, S> {
    fn legal_actions(&mut self) -> u32 {
        self.placements = self.board.placements(&self.grid);
        self.placements.count().max(1)
    }

    /// Returns the score of Black's area over White's if the game is over.
    fn take_action(&mut self, ordinal: u32, max_moves: u32) -> Option<i32> {
        if self.placements.any() {
            let stone = Plane::bit(self.placements.nth(ordinal));
            self.board = self.board.play(&self.grid, stone);
            self.passes = 0;
        } else {
            self.board = Board { ko: Plane::EMPTY, ..self.board }.seen_by_opponent();
            self.passes += 1;
        }
        self.moves += 1;
        self.turn = self.turn.opponent();
        let over = self.passes >= 2 || self.moves >= max_moves;
        over.then(|| self.area())
    }

    /// Black's area less White's.
    fn area(&self) -> i32 {
        from_blacks_side(self.board.area(&self.grid), self.turn)
    }

    fn state(&self) -> GoState {
        let (passes, moves) = (self.passes, self.moves);
        GoState { passes, moves, ..state_of(&self.board, self.turn) }
    }
}

fn from_blacks_side(area: i32, turn: Player) -> i32 {
    match turn {
        Player::First => area,
        Player::Second => -area,
    }
}

/// The board of a state as `turn` sees it, without the groups in atari.
fn board_of<const W: usize>(state: &GoState, turn: Player) -> Board<W> {
    let [black, white] = [state.black.resized(), state.white.resized()];
    let ko = if state.ko_mark == 0 { Plane::EMPTY } else { Plane::bit(state.ko_mark - 1) };
    let board = Board { mine: black, theirs: white, atari: Plane::EMPTY, ko };
    if turn == Player::First { board } else { board.seen_by_opponent() }
}

/// The inverse of [`board_of`], with no move played.
fn state_of<const W: usize>(board: &Board<W>, turn: Player) -> GoState {
    let board = if turn == Player::First { *board } else { board.seen_by_opponent() };
    let ko_mark = board.ko.mark();
    GoState { black: board.mine.resized(), white: board.theirs.resized(), ko_mark, passes: 0, moves: 0 }
}

impl Go {
    /// The largest board.
    pub const MAX_SIZE: u32 = 19;

    /// The greatest komi either way.
    pub const MAX_KOMI: f32 = 1000.0;

    /// The greatest move limit.
    pub const MAX_MOVES: u32 = (1 << (32 - MOVES_SHIFT)) - 1;

    /// Go on `size` x `size` with the [default](Self::default_max_moves) limit on moves.
    ///
    /// # Errors
    /// Bad input where `size` is not 1 to 19, or `komi` not a multiple of 0.5 from -1000 to 1000.
    pub fn new(size: u32, komi: f32) -> Result<Self> {
        if !(1..=Self::MAX_SIZE).contains(&size) {
            return Err(Error::bad_input(format!("a Go board of size {size}: give a size from 1 to 19")));
        }
        if !(-Self::MAX_KOMI..=Self::MAX_KOMI).contains(&komi) || (2.0 * komi).fract() != 0.0 {
            let what = format!("a komi of {komi}: give a multiple of 0.5 from -1000 to 1000, such as 7.5");
            return Err(Error::bad_input(what));
        }
        let max_moves = Self::default_max_moves(size);
        Ok(Self { size, twice_komi: (2.0 * komi) as i32, max_moves, grid: grid(size) })
    }

    /// 3 N^2 moves, which 5 million random games on 9 x 9 did not reach, but 200 where that is more: under
    /// simple ko alone random play on the smallest boards repeats itself for long.
    pub fn default_max_moves(size: u32) -> u32 {
        (3 * size * size).max(200)
    }

    /// The same game with another limit on its moves, passes counted.
    ///
    /// # Errors
    /// Bad input where the limit is not 1 to 2^21 - 1.
    pub fn with_max_moves(self, max_moves: u32) -> Result<Self> {
        if !(1..=Self::MAX_MOVES).contains(&max_moves) {
            let what = format!("a limit of {max_moves} moves: give one from 1 to {}", Self::MAX_MOVES);
            return Err(Error::bad_input(what));
        }
        Ok(Self { max_moves, ..self })
    }

    /// N.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Points that White gets for moving second.
    pub fn komi(&self) -> f32 {
        self.twice_komi as f32 / 2.0
    }

    /// After this many moves a game ends.
    pub fn max_moves(&self) -> u32 {
        self.max_moves
    }

    /// The pass, N * N.
    pub fn pass(&self) -> u32 {
        self.size * self.size
    }

    /// Black's area less White's, without komi: stones, and empty regions that touch one colour only.
    pub fn area_score(&self, state: &GoState) -> i32 {
        board_of(state, Player::First).area(&self.grid)
    }

    /// The points that a playout of `turn` chooses from, in its order.
    pub(crate) fn playout_points(&self, state: &GoState, turn: Player) -> Vec<u32> {
        let board = board_of::<MAX_WORDS>(state, turn);
        let atari = board.find_atari(&self.grid).unwrap_or(Plane::EMPTY);
        let points = Board { atari, ..board }.placements(&self.grid);
        (0..self.pass()).filter(|&action| points.and(Plane::bit(self.bit_of(action))).any()).collect()
    }

    /// The position that a playout has come to.
    pub fn playout_state(&self, playout: &GoPlayout) -> GoState {
        any_width!(&playout.0, lane => lane.state())
    }

    fn outcome_of(&self, area_score: i32) -> Outcome {
        match (2 * area_score).cmp(&self.twice_komi) {
            std::cmp::Ordering::Greater => Outcome::FirstWins,
            std::cmp::Ordering::Equal => Outcome::Draw,
            std::cmp::Ordering::Less => Outcome::SecondWins,
        }
    }

    /// The grid in as few words as the board needs.
    fn narrowed(&self) -> Width<Grid<2, 10>, Grid<2, 0>, Grid<4, 0>, Grid<6, 20>, Grid<6, 0>> {
        fn resized<const W: usize, const S: u32>(grid: &Grid<MAX_WORDS, 0>) -> Grid<W, S> {
            Grid { board: grid.board.resized(), edge: grid.edge.resized(), stride: grid.stride }
        }
        match self.size {
            9 => Width::Nine(resized(&self.grid)),
            1..=8 | 10 => Width::Two(resized(&self.grid)),
            11..=15 => Width::Four(resized(&self.grid)),
            19 => Width::Nineteen(resized(&self.grid)),
            _ => Width::Six(resized(&self.grid)),
        }
    }

    fn lane<const W: usize, const S: u32>(
        &self,
        grid: Grid<W, S>,
        state: &GoState,
        turn: Player,
    ) -> Lane<W, S> {
        let mut board = board_of(state, turn);
        board.atari = board.find_atari(&grid).unwrap_or(Plane::EMPTY);
        let (passes, moves) = (state.passes, state.moves);
        Lane { grid, board, placements: Plane::EMPTY, turn, passes, moves }
    }

    /// The bit of a point in a plane.
    fn bit_of(&self, action: u32) -> u32 {
        action + action / self.size
    }

    /// 32-bit words of a packed plane.
    fn plane_words(&self) -> usize {
        (self.size * (self.size + 1)).div_ceil(32) as usize
    }
}

/// The points of an N x N board, and those on its edge.
fn grid(size: u32) -> Grid<MAX_WORDS, 0> {
    let stride = size + 1;
    let (mut board, mut edge) = (Plane::EMPTY, Plane::EMPTY);
    for (row, column) in (0..size).flat_map(|row| (0..size).map(move |column| (row, column))) {
        let point = Plane::bit(row * stride + column);
        board = board.or(point);
        if [row, column].iter().any(|&line| line == 0 || line == size - 1) {
            edge = edge.or(point);
        }
    }
    Grid { board, edge, stride }
}

fn word_of(plane: &Plane<MAX_WORDS>, index: usize) -> u32 {
    (plane.0[index / 2] >> (32 * (index % 2))) as u32
}

impl Game for Go {
    type State = GoState;
    type Playout = GoPlayout;

    fn name(&self) -> &'static str {
        "go"
    }

    fn max_actions(&self) -> u32 {
        self.pass() + 1
    }

    fn max_plies(&self) -> u32 {
        self.max_moves
    }

    /// Black's plane, White's plane, each in ceil(N (N + 1) / 32) words, lowest first, and one word more: 9
    /// bits 0 or 1 + the bit of the ko point, 2 bits consecutive passes, 21 bits moves played.
    fn state_words(&self) -> u32 {
        2 * self.plane_words() as u32 + 1
    }

    /// The formula of SPEC "Random streams": N * N cells, 4 bytes of extra information, B = N * N + 1.
    fn expansion_stride(&self) -> u32 {
        self.max_actions().next_power_of_two().clamp(4, 512)
    }

    fn shader(&self) -> GameShader {
        let mut constants = vec![
            ("GO_SIZE", self.size),
            ("GO_WORDS", self.plane_words() as u32),
            ("GO_MAX_MOVES", self.max_moves),
            ("GO_TWICE_KOMI", self.twice_komi as u32),
        ];
        for i in 0..2 * MAX_WORDS {
            constants.push((BOARD_NAMES[i], word_of(&self.grid.board, i)));
            constants.push((EDGE_NAMES[i], word_of(&self.grid.edge, i)));
        }
        GameShader {
            file: "games/go.wgsl".into(),
            source: include_str!("../../games/go.wgsl").into(),
            constants,
            playout_words: 0,
            trusted: true,
        }
    }

    fn start(&self) -> GoState {
        GoState { black: Plane::EMPTY, white: Plane::EMPTY, ko_mark: 0, passes: 0, moves: 0 }
    }

    fn pack(&self, state: &GoState, words: &mut [u32]) {
        let planes = self.plane_words();
        for i in 0..planes {
            words[i] = word_of(&state.black, i);
            words[planes + i] = word_of(&state.white, i);
        }
        words[2 * planes] = state.ko_mark | (state.passes << 9) | (state.moves << MOVES_SHIFT);
    }

    fn unpack(&self, words: &[u32]) -> GoState {
        let (black, rest) = words.split_at(self.plane_words());
        let (white, rest) = rest.split_at(self.plane_words());
        let plane = |words: &[u32]| {
            let word = |i: usize| u64::from(words.get(i).copied().unwrap_or(0));
            Plane(from_fn(|i| word(2 * i) | (word(2 * i + 1) << 32)))
        };
        GoState {
            black: plane(black),
            white: plane(white),
            ko_mark: rest[0] & 511,
            passes: (rest[0] >> 9) & 3,
            moves: rest[0] >> MOVES_SHIFT,
        }
    }

    fn is_action_legal(&self, state: &GoState, turn: Player, action: u32) -> bool {
        if action >= self.pass() {
            return action == self.pass();
        }
        let stone = self.bit_of(action);
        any_width!(self.narrowed(), grid => board_of(state, turn).is_legal(&grid, Plane::bit(stone)))
    }

    fn take_action(&self, state: &mut GoState, turn: Player, action: u32) {
        let moves = state.moves + 1;
        if action >= self.pass() {
            *state = GoState { ko_mark: 0, passes: state.passes + 1, moves, ..*state };
            return;
        }
        let stone = self.bit_of(action);
        any_width!(self.narrowed(), grid => {
            let board = board_of(state, turn).play(&grid, Plane::bit(stone));
            *state = GoState { moves, ..state_of(&board, turn.opponent()) };
        });
    }

    fn compute_outcome(&self, state: &GoState, _: Player, _: Option<u32>) -> Option<Outcome> {
        let over = state.passes >= 2 || state.moves >= self.max_moves;
        over.then(|| self.outcome_of(self.area_score(state)))
    }

    fn playout_begin(&self, state: &GoState, turn: Player) -> GoPlayout {
        GoPlayout(match self.narrowed() {
            Width::Nine(grid) => Width::Nine(self.lane(grid, state, turn)),
            Width::Two(grid) => Width::Two(self.lane(grid, state, turn)),
            Width::Four(grid) => Width::Four(self.lane(grid, state, turn)),
            Width::Nineteen(grid) => Width::Nineteen(self.lane(grid, state, turn)),
            Width::Six(grid) => Width::Six(self.lane(grid, state, turn)),
        })
    }

    /// Order: the points of the playout policy (see the module) by ascending action; the pass alone where
    /// there is none.
    fn legal_actions_playout(&self, playout: &mut GoPlayout) -> u32 {
        any_width!(&mut playout.0, lane => lane.legal_actions())
    }

    fn take_action_playout(&self, playout: &mut GoPlayout, ordinal: u32) -> Option<Outcome> {
        let score = any_width!(&mut playout.0, lane => lane.take_action(ordinal, self.max_moves));
        score.map(|score| self.outcome_of(score))
    }

    fn playout_score(&self, playout: &GoPlayout) -> Option<i32> {
        Some(2 * any_width!(&playout.0, lane => lane.area()) - self.twice_komi)
    }

    fn is_playout_cut_off(&self, playout: &GoPlayout) -> bool {
        any_width!(&playout.0, lane => lane.passes < 2)
    }

    /// Of about 1.4 N^2 plies.
    fn rollout_round(&self) -> u32 {
        (3 * self.size / 2).max(8)
    }

    fn action_name(&self, action: u32) -> String {
        if action >= self.pass() {
            return "pass".into();
        }
        let column = (action % self.size) as u8;
        // GTP has no column I.
        let letter = char::from(b'A' + column + u8::from(column >= 8));
        format!("{letter}{}", action / self.size + 1)
    }

    fn parse_action(&self, name: &str) -> Option<u32> {
        let name = name.to_ascii_uppercase();
        if name == "PASS" {
            return Some(self.pass());
        }
        let letter = *name.as_bytes().first()?;
        let column = match letter {
            b'A'..=b'H' => letter - b'A',
            b'J'..=b'T' => letter - b'A' - 1,
            _ => return None,
        };
        let row = &name[1..];
        let plain = !row.starts_with('0') && row.bytes().all(|digit| digit.is_ascii_digit());
        let row: u32 = row.parse().ok().filter(|_| plain)?;
        let column = u32::from(column);
        (row <= self.size && column < self.size).then(|| (row - 1) * self.size + column)
    }

    fn board_rows(&self, state: &GoState) -> Vec<String> {
        let symbol = |action: u32| {
            let point = Plane::bit(self.bit_of(action));
            match (point.and(state.black).any(), point.and(state.white).any()) {
                (true, _) => Player::First.symbol(),
                (_, true) => Player::Second.symbol(),
                _ => '.',
            }
        };
        let row = |row: u32| (0..self.size).map(|column| symbol(row * self.size + column)).collect();
        (0..self.size).rev().map(row).collect()
    }

    /// No stone has been played then, and there is no ko.
    fn parse_board(&self, rows: &[&str]) -> Result<GoState> {
        let n = self.size as usize;
        if rows.len() != n || rows.iter().any(|row| row.chars().count() != n) {
            return Err(Error::bad_input(format!(
                "this Go board has {n} rows of {n} points each, top row first"
            )));
        }
        let mut state = self.start();
        for (action, symbol) in (0..).zip(rows.iter().rev().flat_map(|row| row.chars())) {
            let point = Plane::bit(self.bit_of(action));
            match symbol {
                'X' => state.black = state.black.or(point),
                'O' => state.white = state.white.or(point),
                '.' => {}
                other => {
                    let at = self.action_name(action);
                    let what =
                        format!("'{other}' on {at}: write '.' for empty, 'X' for Black, 'O' for White");
                    return Err(Error::bad_input(what));
                }
            }
        }
        if board_of(&state, Player::First).find_atari(&self.grid).is_none() {
            return Err(Error::bad_input("a group on this Go board has no liberty: take its stones off"));
        }
        Ok(state)
    }
}
