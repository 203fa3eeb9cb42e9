//! The rules of movement: groups, captures, ko, legal points, area.

use super::{MAX_WORDS, plane::Plane};
use crate::rules::Player;

/// The shape of a board. `S` is its bits a row if the compiler knows them, which makes shifts faster, or 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid<const W: usize, const S: u32> {
    pub(super) board: Plane<W>,
    pub(super) edge: Plane<W>,
    pub(super) stride: u32,
}

impl<const W: usize, const S: u32> Grid<W, S> {
    #[inline(always)]
    pub(super) fn stride(&self) -> u32 {
        if S == 0 { self.stride } else { S }
    }

    /// The points next to some point of the set.
    #[inline(always)]
    pub(super) fn neighbours(&self, set: Plane<W>) -> Plane<W> {
        let sideways = set.up(1).or(set.down(1));
        sideways.or(set.up(self.stride())).or(set.down(self.stride())).and(self.board)
    }

    /// The points next to two points of the set or more.
    #[inline(always)]
    pub(super) fn twice_beside(&self, set: Plane<W>) -> Plane<W> {
        let (a, b) = (set.up(1), set.down(1));
        let (c, d) = (set.up(self.stride()), set.down(self.stride()));
        a.and(b).or(c.and(d)).or(a.or(b).and(c.or(d)))
    }

    /// The points of `hemmed` with at most one stone of `theirs` on a diagonal, none at the edge.
    pub(super) fn safe_diagonals(&self, hemmed: Plane<W>, theirs: Plane<W>) -> Plane<W> {
        let (below, above) = (theirs.up(self.stride()), theirs.down(self.stride()));
        let (a, b) = (below.up(1), below.down(1));
        let (c, d) = (above.up(1), above.down(1));
        let two = a.and(b).or(c.and(d)).or(a.or(b).and(c.or(d)));
        let one = a.or(b).or(c.or(d));
        hemmed.without(two.or(one.and(self.edge)))
    }

    /// The group of `side` with `seed`, and 0, 1, or, for more, 2 liberties. The group is complete only if it has fewer
    /// than two: the search stops at the second liberty.
    pub(super) fn trace(&self, seed: Plane<W>, side: Plane<W>, empty: Plane<W>) -> (Plane<W>, u32) {
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

    /// `seed` and all points connected to it through `through`.
    pub(super) fn flood(&self, seed: Plane<W>, through: Plane<W>) -> Plane<W> {
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

/// A board from the view of the player to move.
#[derive(Debug, Clone, Copy)]
pub(super) struct Board<const W: usize> {
    pub(super) mine: Plane<W>,
    pub(super) theirs: Plane<W>,
    /// The stones of both colours in groups with one liberty. Only playouts update it.
    pub(super) atari: Plane<W>,
    /// The point that may not be retaken at once, or no point.
    pub(super) ko: Plane<W>,
}

impl<const W: usize> Board<W> {
    pub(super) fn empty<const S: u32>(&self, grid: &Grid<W, S>) -> Plane<W> {
        grid.board.without(self.mine.or(self.theirs))
    }

    /// The groups of both colours, by their lowest points. The board is from the view of the first player.
    pub(super) fn chains<const S: u32>(self, grid: &Grid<W, S>) -> impl Iterator<Item = (Player, Plane<W>)> {
        let (grid, [mine, theirs]) = (*grid, [self.mine, self.theirs]);
        let mut rest = mine.or(theirs);
        std::iter::from_fn(move || {
            let seed = Some(rest.lowest()).filter(|seed| seed.any())?;
            let (player, side) =
                if seed.and(mine).any() { (Player::First, mine) } else { (Player::Second, theirs) };
            let group = grid.flood(seed, side);
            rest = rest.without(group);
            Some((player, group))
        })
    }

    /// A stone of a group without liberties.
    pub(super) fn find_without_liberties<const S: u32>(&self, grid: &Grid<W, S>) -> Option<Plane<W>> {
        let empty = self.empty(grid);
        let mut rest = self.mine.or(self.theirs);
        while rest.any() {
            let seed = rest.lowest();
            let side = if seed.and(self.mine).any() { self.mine } else { self.theirs };
            match grid.trace(seed, side, empty) {
                (_, 0) => return Some(seed),
                (group, _) => rest = rest.without(group),
            }
        }
        None
    }

    /// The legal points that are not the mover's own eyes. Needs `atari`.
    #[inline(always)]
    pub(super) fn placements<const S: u32>(&self, grid: &Grid<W, S>) -> Plane<W> {
        let empty = self.empty(grid);
        let open = empty.or(self.mine.without(self.atari)).or(self.theirs.and(self.atari));
        let legal = grid.neighbours(open).and(empty).without(self.ko);
        let hemmed = legal.without(grid.neighbours(empty.or(self.theirs)));
        if hemmed.any() { legal.without(grid.safe_diagonals(hemmed, self.theirs)) } else { legal }
    }

    /// Whether an empty point is an eye of the mover's, which no placement is.
    pub(super) fn is_own_eye<const S: u32>(&self, grid: &Grid<W, S>, point: Plane<W>) -> bool {
        let hemmed = !grid.neighbours(point).without(self.mine).any();
        hemmed && grid.safe_diagonals(point, self.theirs).any()
    }

    /// Whether the mover may play on the point `stone`. Needs no `atari`.
    pub(super) fn is_legal<const S: u32>(&self, grid: &Grid<W, S>, stone: Plane<W>) -> bool {
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
            // Own groups need a liberty besides this point; the opponent's are captured if they have none.
            legal = own == (liberties > 1);
            rest = rest.without(group);
        }
        legal
    }

    /// The board after a legal stone (captures, ko, and the groups in atari), from the opponent's view.
    #[inline(always)]
    pub(super) fn play<const S: u32>(self, grid: &Grid<W, S>, stone: Plane<W>) -> Self {
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

    /// The opponent's groups that a stone leaves without a liberty, and those that it leaves with one.
    #[inline(always)]
    pub(super) fn attack<const S: u32>(&self, grid: &Grid<W, S>, stone: Plane<W>) -> (Plane<W>, Plane<W>) {
        let empty = self.empty(grid).without(stone);
        let (mut captured, mut attacked) = (Plane::EMPTY, Plane::EMPTY);
        // Most stones have two liberties of their own, so that their groups need no tracing.
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
    pub(super) fn area<const S: u32>(&self, grid: &Grid<W, S>) -> i32 {
        let [mine, theirs] = self.areas(grid);
        mine as i32 - theirs as i32
    }

    /// Stones and surrounded points of the mover, and of the opponent.
    pub(super) fn areas<const S: u32>(&self, grid: &Grid<W, S>) -> [u32; 2] {
        self.owned(grid).map(Plane::count)
    }

    /// The points of these areas.
    pub(super) fn owned<const S: u32>(&self, grid: &Grid<W, S>) -> [Plane<W>; 2] {
        let empty = self.empty(grid);
        let mine = grid.flood(self.mine, empty);
        let theirs = grid.flood(self.theirs, empty);
        [mine.without(theirs), theirs.without(mine)]
    }

    pub(super) fn seen_by_opponent(self) -> Self {
        Self { mine: self.theirs, theirs: self.mine, ..self }
    }
}

/// The points of a board, and those on its edge.
pub(super) fn grid(rows: u32, columns: u32) -> Grid<MAX_WORDS, 0> {
    let stride = columns + 1;
    let (mut board, mut edge) = (Plane::EMPTY, Plane::EMPTY);
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
        let point = Plane::bit(row * stride + column);
        board = board.or(point);
        if row.min(column) == 0 || row == rows - 1 || column == columns - 1 {
            edge = edge.or(point);
        }
    }
    Grid { board, edge, stride }
}
