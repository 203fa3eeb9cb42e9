//! The weights that the policy `tactical` adds to the ratings of patterns. Twin of `games/go/tactics.wgsl`.
//!
//! Ratings of patterns ignore captures, rescues, and the opponent's last move. Random games then leave groups in atari,
//! and misjudge fights. The program MoGo plays such moves first (Gelly, Wang, Munos and Teytaud, "Modification of UCT
//! with Patterns in Monte-Carlo Go", 2006); here they are only more likely, as in Coulom's "Computing Elo Ratings of
//! Move Patterns in the Game of Go" (2007).

use super::{plane::Plane, playout::Lane};

/// The factor of a candidate's rating next to the last stone, or diagonal to it.
pub(super) const ANSWER_TIMES: u32 = 5;

/// Further entries of an urgent candidate, as a multiple of the sum of all candidates' ratings.
pub(super) const URGENT_TIMES: u32 = 2;

impl<const W: usize, const S: u32> Lane<W, S> {
    /// The points around the last stone, and itself; none after a pass, and at the start of a playout.
    pub(super) fn answers(&self) -> Plane<W> {
        let column = self.last.or(self.last.up(self.grid.stride())).or(self.last.down(self.grid.stride()));
        column.or(column.up(1)).or(column.down(1)).and(self.grid.board)
    }

    /// The candidates that capture stones, or that save own ones: their group is in atari, and the new stone either has
    /// two liberties of its own or joins a group that is not in atari.
    pub(super) fn urgent(&self) -> Plane<W> {
        let (board, grid) = (&self.board, &self.grid);
        let takes = grid.neighbours(board.theirs.and(board.atari));
        let safe = grid.twice_beside(board.empty(grid)).or(grid.neighbours(board.mine.without(board.atari)));
        let saves = grid.neighbours(board.mine.and(board.atari)).and(safe);
        takes.or(saves).and(self.placements.set)
    }
}
