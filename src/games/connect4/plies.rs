//! Playouts of Connect 4 side by side.

use super::{Chances, Connect4, Connect4State, tactics};
use crate::rules::{Game, Outcome, Played, Player, Plies, mask};

/// Bits from a column to the next on stands of 6 rows.
pub const USUAL_STEP: u32 = 7;

/// A stand. Columns are `STEP` bits apart, a constant for the compiler, or, where it is 0, as many as the field says.
///
/// A game is the discs of the player to move, all discs, the open columns (four bits each) and their number.
pub struct Stand<const STEP: u32> {
    game: Connect4,
    step: u32,
    /// The top row.
    top: u64,
    /// A mask for the line test in each direction: all bits, or none where four in line exceed 64 bits, so that the
    /// test's shift is meaningless.
    lines: [u64; 4],
}

impl<const STEP: u32> Stand<STEP> {
    pub fn new(game: &Connect4) -> Self {
        let step = game.step();
        let lines = [1, step - 1, step, step + 1].map(|step| mask(2 * step < 64));
        Self { game: game.clone(), step, top: game.row_mask(game.rows - 1), lines }
    }

    #[inline(always)]
    fn step(&self) -> u32 {
        if STEP == 0 { self.step } else { STEP }
    }

    /// Some bits where four or more are in line.
    #[inline(always)]
    fn lines(&self, discs: u64) -> u64 {
        let lines = |direction: usize, step: u32| {
            let pairs = discs & (discs >> step);
            let fours = pairs & (pairs >> ((2 * step) & 63));
            if STEP == 0 { fours & self.lines[direction] } else { fours }
        };
        let step = self.step();
        lines(0, 1) | lines(1, step - 1) | lines(2, step) | lines(3, step + 1)
    }
}

impl<const STEP: u32> Plies<Connect4State, 4> for Stand<STEP> {
    type Listed = ();

    fn begin(&self, state: &Connect4State, turn: Player) -> [u64; 4] {
        let playout = self.game.playout_begin(state, turn);
        [playout.mover, playout.filled, playout.open, playout.count.into()]
    }

    #[inline(always)]
    fn list_actions(&self, &[_, _, _, count]: &[u64; 4]) -> (u64, ()) {
        (count, ())
    }

    #[inline(always)]
    fn ply(&self, [mover, filled, open, count]: [u64; 4], (): (), ordinal: u64) -> Played<4> {
        let place = (ordinal << 2) & 63;
        let column = (open >> place) & 15;
        let bottom = 1 << ((column * u64::from(self.step())) & 63);
        let landed = filled.wrapping_add(bottom) & !filled;
        let closed = mask(landed & self.top != 0);
        // The columns after a closed one move up by one place.
        let open = open ^ (open ^ (open >> 4)) & (closed << place);
        let count = count.wrapping_add(closed);
        Played {
            words: [mover ^ filled, filled | landed, open, count],
            took: u64::MAX,
            over: mask(self.lines(mover | landed) != 0) | mask(count == 0),
        }
    }

    fn end(&self, &[mover, filled, _, _]: &[u64; 4], turn: Player) -> (Outcome, Option<i32>) {
        let won = self.lines(mover ^ filled) != 0;
        (if won { turn.opponent().wins() } else { Outcome::Draw }, None)
    }
}

/// Tactical playouts on a stand of 6 rows.
///
/// A game is the discs of the player to move, all discs, and the cells in which either player would make a line.
pub struct Tactical {
    game: Connect4,
    cells: u64,
    bottom: u64,
}

/// Columns of the widest stand.
const MOST_COLUMNS: u64 = 64 / USUAL_STEP as u64;

impl Tactical {
    pub fn new(game: &Connect4) -> Self {
        Self { game: game.clone(), cells: game.cells(), bottom: game.row_mask(0) }
    }

    #[inline(always)]
    fn open(&self, filled: u64) -> u64 {
        filled.wrapping_add(self.bottom) & self.cells
    }

    /// The cells that make a line together with discs on three others.
    #[inline(always)]
    fn completions(&self, discs: u64) -> u64 {
        let completed = |step: u32| {
            let (below, above) = (discs >> step, discs << step);
            let pairs = discs & below;
            let threes = pairs & (discs >> (2 * step));
            threes >> step | threes << (3 * step) | pairs << (2 * step) & below | pairs >> step & above
        };
        let step = USUAL_STEP;
        (completed(1) | completed(step - 1) | completed(step) | completed(step + 1)) & self.cells
    }
}

impl Plies<Connect4State, 4> for Tactical {
    type Listed = u64;

    fn begin(&self, state: &Connect4State, turn: Player) -> [u64; 4] {
        let (mover, filled) = (state.discs(turn), state.filled);
        let Chances { mine, theirs, .. } = self.game.chances(mover, filled);
        [mover, filled, mine, theirs]
    }

    #[inline(always)]
    fn list_actions(&self, &[_, filled, mine, theirs]: &[u64; 4]) -> (u64, u64) {
        let cells = tactics::candidates(Chances { open: self.open(filled), mine, theirs });
        (cells.count_ones().into(), cells)
    }

    #[inline(always)]
    fn ply(&self, [mover, filled, mine, theirs]: [u64; 4], cells: u64, ordinal: u64) -> Played<4> {
        let landed = tactics::nth(cells, ordinal, MOST_COLUMNS);
        let grown = filled | landed;
        Played {
            words: [mover ^ filled, grown, theirs, self.completions(mover | landed)],
            took: u64::MAX,
            over: mask(landed & mine != 0) | mask(grown == self.cells),
        }
    }

    fn end(&self, &[mover, filled, _, _]: &[u64; 4], turn: Player) -> (Outcome, Option<i32>) {
        let won = self.game.has_line(mover ^ filled);
        (if won { turn.opponent().wins() } else { Outcome::Draw }, None)
    }
}
