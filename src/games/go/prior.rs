//! The priors of Go moves: the twin of `games/go/prior.wgsl`.
//!
//! The mover's chance to win, in 64ths: one half, plus points for and against the move. They follow the heuristics of
//! MoGo's prior knowledge (Gelly and Silver, "Combining Online and Offline Knowledge in UCT", 2007, section 6) and of
//! Coulom's features of moves ("Computing Elo Ratings of Move Patterns in the Game of Go", 2007): the rating of the
//! pattern around the point, the effect of the stone on the groups next to it, the distance to the last move.

use super::{Board, Go, GoState, Grid, Width, any_width, board_of, plane::Plane, policy::Ratings};
use crate::rules::{MAX_PRIOR, Player};

/// The prior of a pass, which is seldom good before the end.
const PASS_PRIOR: u32 = 16;

impl Go {
    /// The twin of `action_prior`.
    pub(super) fn prior(&self, state: &GoState, turn: Player, action: u32, last: Option<u32>) -> u32 {
        if action >= self.pass() {
            return PASS_PRIOR;
        }
        let stone = self.bit_of(action);
        let tactics = any_width!(self.narrowed(), grid => {
            tactics(&board_of(state, turn), &grid, Plane::bit(stone))
        });
        // Ratings are 1 to 4,095, on a logarithmic scale: that of the empty board's inner points is in the middle.
        let pattern = 2 * self.rating(state, turn, action).max(1).ilog2() as i32 - 10;
        let points = MAX_PRIOR as i32 / 2 + pattern + tactics + self.nearness(action, last);
        points.clamp(2, MAX_PRIOR as i32 - 2) as u32
    }

    /// The ratings of the playouts' patterns, or, if they have none, of 3 x 3 points.
    pub(super) fn known_ratings(&self) -> &Ratings {
        self.policy_of_patterns().map_or(Ratings::square(), |policy| &policy.ratings)
    }

    /// The rating of a point's pattern for the player to move.
    fn rating(&self, state: &GoState, turn: Player, action: u32) -> u32 {
        let ratings = self.known_ratings();
        let offsets = ratings.shape().offsets();
        let (rows, columns) = (self.rows as i32, self.columns as i32);
        let (row, column) = (action as i32 / columns, action as i32 % columns);
        let mut index = 0;
        for (k, &(up, right)) in offsets.iter().enumerate() {
            let (row, column) = (row + up, column + right);
            let is_off = row.min(column) < 0 || row >= rows || column >= columns;
            let bit = if is_off { 0 } else { (row * (columns + 1) + column) as usize };
            for (player, stones) in [state.black, state.white].iter().enumerate() {
                let is_set = is_off || stones.0[bit / 64] >> (bit % 64) & 1 == 1;
                index |= usize::from(is_set) << (k + player * offsets.len());
            }
        }
        ratings.words()[index] >> (16 * turn.index()) & 0xffff
    }

    /// Points for a move near the last one: most replies are near it.
    fn nearness(&self, action: u32, last: Option<u32>) -> i32 {
        let Some(last) = last.filter(|&last| last < self.pass()) else { return 0 };
        let rows = (action / self.columns).abs_diff(last / self.columns);
        let columns = (action % self.columns).abs_diff(last % self.columns);
        (12 - 2 * (rows + columns + rows.max(columns)) as i32).max(0)
    }
}

/// Points for the effect of a stone on groups: it captures some, or leaves them one liberty; it saves an own one in
/// atari; or it has only one liberty itself, and may be captured at once.
fn tactics<const W: usize, const S: u32>(board: &Board<W>, grid: &Grid<W, S>, stone: Plane<W>) -> i32 {
    let (captured, attacked) = board.attack(grid, stone);
    let mine = board.mine.or(stone);
    let theirs = board.theirs.without(captured);
    let (_, liberties) = grid.trace(stone, mine, grid.board.without(mine.or(theirs)));
    let count = captured.count() as i32;
    let mut points = if attacked.any() { 4 } else { 0 } + if count > 0 { 8 + 4 * count.min(4) } else { 0 };
    if liberties > 1 {
        points += if is_in_atari_beside(board, grid, stone) { 12 } else { 0 };
    } else if count == 0 {
        points -= 16;
    }
    points
}

/// Whether a group of the mover next to the stone is in atari.
fn is_in_atari_beside<const W: usize, const S: u32>(
    board: &Board<W>,
    grid: &Grid<W, S>,
    stone: Plane<W>,
) -> bool {
    let empty = board.empty(grid);
    let mut rest = grid.neighbours(stone).and(board.mine);
    while rest.any() {
        let (group, liberties) = grid.trace(rest.lowest(), board.mine, empty);
        if liberties == 1 {
            return true;
        }
        rest = rest.without(group);
    }
    false
}
