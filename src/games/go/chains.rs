//! Chains of stones, updated move by move, so that a playout on the CPU traces no group. Alpha-beta
//! (`src/pvsplit/go.rs`), which undoes moves, counts edges as well, on the same cells.
//!
//! The liberties of a chain are stored as its *edges*, the pairs of one of its stones and an empty neighbour: their
//! number, the sum of their cells, and the sum of those cells' squares. The chain is in atari if all edges lead to the
//! same cell, that is, if number * squares = sum^2 (Cauchy and Schwarz). A stone that is placed or removed changes the
//! edges of its neighbours by one addition each.

use super::{
    board::{Board, Grid},
    plane::Plane,
};
use std::ops::{AddAssign, SubAssign};

/// The chain of a cell without a stone. Cell 0 belongs to the wall, so that no chain has this name.
const NO_CHAIN: u16 = 0;

/// The content of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    Black,
    White,
    Empty,
    Wall,
}

/// Edges to empty cells, such as those of a chain: in bits 0 to 10 their number (at most 4 * 361), from bit 11 on 20
/// bits of the sum of their cells, from bit 31 on the sum of those cells' squares.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Edges(u64);

const SUM_SHIFT: u32 = 11;
const SQUARES_SHIFT: u32 = 31;

impl Edges {
    pub(crate) const NONE: Self = Self(0);

    /// One edge that leads to a cell.
    #[inline(always)]
    pub(crate) fn to(cell: usize) -> Self {
        let cell = cell as u64;
        Self(1 | (cell << SUM_SHIFT) | ((cell * cell) << SQUARES_SHIFT))
    }

    #[inline(always)]
    pub(crate) fn count(self) -> u64 {
        self.0 & ((1 << SUM_SHIFT) - 1)
    }

    /// Whether all edges lead to this cell.
    #[inline(always)]
    pub(crate) fn lead_to(self, cell: usize) -> bool {
        self.0 == self.count().wrapping_mul(Self::to(cell).0)
    }

    /// Whether they lead to at most one cell.
    #[inline(always)]
    fn are_critical(self) -> bool {
        let sum = (self.0 >> SUM_SHIFT) & ((1 << (SQUARES_SHIFT - SUM_SHIFT)) - 1);
        self.count().wrapping_mul(self.0 >> SQUARES_SHIFT) == sum.wrapping_mul(sum)
    }
}

/// Differences below zero, the edges of cells without a chain, are never read.
impl AddAssign for Edges {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        self.0 = self.0.wrapping_add(other.0);
    }
}

impl SubAssign for Edges {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        self.0 = self.0.wrapping_sub(other.0);
    }
}

/// A point, or a cell of the wall around the board: the plane's bit b is cell b + stride.
#[derive(Debug, Clone, Copy)]
struct Cell {
    /// For an empty point the edge to it, for others none: the edges of a new stone are a sum.
    open: Edges,
    chain: u16,
    content: Content,
}

/// A chain; its name is the cell of one of its stones.
#[derive(Debug, Clone, Copy)]
struct Chain<const W: usize> {
    edges: Edges,
    size: u32,
    stones: Plane<W>,
}

impl<const W: usize> Chain<W> {
    const NONE: Self = Self { edges: Edges::NONE, size: 0, stones: Plane::EMPTY };

    /// Whether it has at most one liberty.
    #[inline(always)]
    fn is_critical(&self) -> bool {
        self.edges.are_critical()
    }
}

/// The neighbours of a cell.
#[inline(always)]
pub(crate) fn neighbours(cell: usize, stride: usize) -> [usize; 4] {
    [cell - stride, cell - 1, cell + 1, cell + stride]
}

/// The chains of a board. On the heap, since a playout is moved before it is played.
#[derive(Debug, Clone)]
pub(super) struct Chains<const W: usize> {
    cells: Box<[Cell]>,
    chains: Box<[Chain<W>]>,
    stride: usize,
}

impl<const W: usize> Chains<W> {
    /// The chains of a board; marks the stones in atari on it.
    pub(super) fn new<const S: u32>(
        grid: &Grid<W, S>,
        board: &mut Board<W>,
        [mine, theirs]: [Content; 2],
    ) -> Self {
        let wall = Cell { open: Edges::NONE, chain: NO_CHAIN, content: Content::Wall };
        let stride = grid.stride() as usize;
        // The points' rows, and a row of wall above and below.
        let rows = grid.board.count() as usize / (stride - 1);
        let cells = stride * (rows + 2);
        let mut chains = Self {
            cells: vec![wall; cells].into_boxed_slice(),
            chains: vec![Chain::NONE; cells].into_boxed_slice(),
            stride,
        };
        grid.board.for_each(|bit| {
            chains.cells[bit + stride] =
                Cell { open: Edges::to(bit + stride), content: Content::Empty, ..wall };
        });
        for (stones, colours) in [(board.mine, [mine, theirs]), (board.theirs, [theirs, mine])] {
            stones.for_each(|bit| {
                chains.put(bit, stride, colours);
            });
        }
        board.atari = chains.find_atari(board.mine.or(board.theirs));
        chains
    }

    /// The stones of chains with one liberty.
    fn find_atari(&self, stones: Plane<W>) -> Plane<W> {
        let (mut atari, mut rest) = (Plane::EMPTY, stones);
        while rest.any() {
            let chain = &self.chains[self.chain_at(rest.lowest_bit() + self.stride)];
            if chain.is_critical() && chain.edges != Edges::NONE {
                atari = atari.or(chain.stones);
            }
            rest = rest.without(chain.stones);
        }
        atari
    }

    #[inline(always)]
    fn chain_at(&self, cell: usize) -> usize {
        usize::from(self.cells[cell].chain)
    }

    /// Plays a legal stone of the mover: captures, ko, and the stones in atari. The view does not change sides.
    #[inline(always)]
    pub(super) fn play<const S: u32>(
        &mut self,
        grid: &Grid<W, S>,
        board: &mut Board<W>,
        bit: usize,
        [mine, theirs]: [Content; 2],
    ) {
        let stride = grid.stride() as usize;
        let threatened = self.put(bit, stride, [mine, theirs]);
        board.mine.insert(bit);
        board.ko = Plane::EMPTY;
        let captured = if threatened == 0 {
            Plane::EMPTY
        } else {
            self.attack(board, neighbours(bit + stride, stride), threatened)
        };
        let own = self.chains[self.chain_at(bit + stride)];
        let others = board.atari.without(own.stones);
        board.atari = if own.is_critical() { others.or(own.stones) } else { others };
        if captured.any() {
            let retakes = own.is_critical() && own.size == 1 && !captured.is_plural();
            board.ko = if retakes { captured } else { Plane::EMPTY };
            self.rescue(grid.neighbours(captured), board);
        }
    }

    /// Removes the opponent's chains without liberties on the cells `near`, and marks those with one; only the cells
    /// whose bits are set in `threatened` have such chains. Returns the captured stones.
    fn attack(&mut self, board: &mut Board<W>, near: [usize; 4], mut threatened: u32) -> Plane<W> {
        let mut captured = Plane::EMPTY;
        while threatened != 0 {
            let name = self.chain_at(near[threatened.trailing_zeros() as usize & 3]);
            threatened &= threatened - 1;
            let chain = &self.chains[name];
            if chain.edges == Edges::NONE {
                captured = captured.or(chain.stones);
                self.take_off(name);
            } else if chain.is_critical() {
                board.atari = board.atari.or(chain.stones);
            }
        }
        board.theirs = board.theirs.without(captured);
        board.atari = board.atari.without(captured);
        captured
    }

    /// Places a stone on an empty cell and joins it to the chains of its colour. Returns a bit for each neighbour of
    /// the other colour that may now be in atari or without liberties. Mostly there is none: testing all of them
    /// together avoids unpredictable branches.
    #[inline(always)]
    fn put(&mut self, bit: usize, stride: usize, [colour, other]: [Content; 2]) -> u32 {
        let cell = bit + stride;
        let lost = Edges::to(cell);
        let mut gained = Edges::NONE;
        let mut to = cell as u16;
        self.chains[cell] = Chain::NONE;
        let near = neighbours(cell, stride);
        let mut names = [0; 4];
        let mut is_own = [false; 4];
        let mut threatened = 0;
        for i in 0..4 {
            let Cell { open, chain: name, content } = self.cells[near[i]];
            let chain = &mut self.chains[usize::from(name)];
            chain.edges -= lost;
            threatened |= u32::from((content == other) & chain.is_critical()) << i;
            gained += open;
            names[i] = name;
            is_own[i] = content == colour;
            to = if is_own[i] { name } else { to };
        }
        self.cells[cell] = Cell { open: Edges::NONE, chain: to, content: colour };
        let chain = &mut self.chains[usize::from(to)];
        chain.edges += gained;
        chain.size += 1;
        chain.stones.insert(bit);
        let mut several = false;
        for i in 0..4 {
            several |= is_own[i] & (names[i] != to);
        }
        if several {
            self.join_all(near, cell);
        }
        threatened
    }

    /// Joins the chain of a new stone with those of its colour on the cells `near`.
    fn join_all(&mut self, near: [usize; 4], cell: usize) {
        let colour = self.cells[cell].content;
        for near in near {
            let (own, name) = (self.chain_at(cell), self.chain_at(near));
            if self.cells[near].content == colour && name != own {
                self.join(own, name);
            }
        }
    }

    /// Joins two chains: the smaller one takes the larger one's name.
    fn join(&mut self, a: usize, b: usize) {
        let (from, to) = if self.chains[a].size < self.chains[b].size { (a, b) } else { (b, a) };
        let Chain { edges, size, stones } = self.chains[from];
        let chain = &mut self.chains[to];
        chain.edges += edges;
        chain.size += size;
        chain.stones = chain.stones.or(stones);
        stones.for_each(|bit| self.cells[bit + self.stride].chain = to as u16);
    }

    /// Removes a chain from the board.
    fn take_off(&mut self, chain: usize) {
        self.chains[chain].stones.for_each(|bit| {
            let cell = bit + self.stride;
            let gained = Edges::to(cell);
            self.cells[cell] = Cell { open: gained, chain: NO_CHAIN, content: Content::Empty };
            for near in neighbours(cell, self.stride) {
                self.chains[usize::from(self.cells[near].chain)].edges += gained;
            }
        });
    }

    /// Unmarks the mover's chains in atari next to `freed`, the new liberties.
    fn rescue(&self, freed: Plane<W>, board: &mut Board<W>) {
        let mut rest = freed.and(board.mine).and(board.atari);
        while rest.any() {
            let chain = &self.chains[self.chain_at(rest.lowest_bit() + self.stride)];
            if !chain.is_critical() {
                board.atari = board.atari.without(chain.stones);
            }
            rest = rest.without(chain.stones);
        }
    }
}
