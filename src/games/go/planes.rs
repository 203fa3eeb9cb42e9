//! The planes of a position ([specification](crate::documentation::specification), "Planes"): the twin of
//! `games/go/planes.wgsl`.

use super::{
    Go,
    board::{Board, Grid},
    plane::Plane,
    state::{GoState, board_of},
    width::{Width, any_width},
};
use crate::{
    games::{STONE_PLANES, stone_planes},
    rules::Player,
};

/// Planes of the liberties of one player's groups.
const LIBERTY_PLANES: u32 = 3;
/// The index of the first of the last two planes.
const EMPTY_PLANES: u32 = STONE_PLANES + 2 * LIBERTY_PLANES;

pub(super) const COUNT: u32 = EMPTY_PLANES + 2;

impl Go {
    /// The planes at a cell, counted from the top left.
    pub(super) fn planes_at(&self, state: &GoState, turn: Player, cell: u32) -> u32 {
        let row = self.rows - 1 - cell / self.columns;
        let bit = self.bit_of(row * self.columns + cell % self.columns);
        any_width!(self.narrowed(), grid => board_of(state, turn).planes_at(&grid, Plane::bit(bit), turn))
    }
}

impl<const W: usize> Board<W> {
    fn planes_at<const S: u32>(&self, grid: &Grid<W, S>, point: Plane<W>, turn: Player) -> u32 {
        if point.and(self.mine).any() {
            let liberties = self.liberties(grid, point, self.mine);
            return stone_planes(Some(turn), turn) | liberties << STONE_PLANES;
        }
        if point.and(self.theirs).any() {
            let liberties = self.liberties(grid, point, self.theirs);
            return stone_planes(Some(turn.opponent()), turn) | liberties << (STONE_PLANES + LIBERTY_PLANES);
        }
        let is_illegal = !self.is_legal(grid, point);
        let (captured, _) = self.attack(grid, point);
        let seen = u32::from(is_illegal) | u32::from(captured.any()) << 1;
        stone_planes(None, turn) | seen << EMPTY_PLANES
    }

    /// One of three bits: the group of a stone has one, two, or more liberties.
    fn liberties<const S: u32>(&self, grid: &Grid<W, S>, stone: Plane<W>, side: Plane<W>) -> u32 {
        let group = grid.flood(stone, side);
        let liberties = grid.neighbours(group).and(self.empty(grid)).count();
        1 << liberties.min(LIBERTY_PLANES) >> 1
    }
}
