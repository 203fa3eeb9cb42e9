//! Playouts of Connect 4 side by side.

use super::{Connect4, Connect4State};
use crate::rules::{Game, Outcome, Played, Player, Plies, mask};

/// Distance of neighbouring columns on stands of 6 rows.
pub const USUAL_STEP: u32 = 7;

/// A stand. Columns are `STEP` bits apart, known to the compiler, or as many as the field says where it is 0.
///
/// A game is the discs of the player to move, all discs, the open columns (four bits each) and their number.
pub struct Stand<const STEP: u32> {
    game: Connect4,
    step: u32,
    /// The top row.
    top: u64,
    /// All bits of a line's test, for each direction; none where four in line do not fit 64 bits, so that the shift
    /// which looks for them means nothing.
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
    type Seen = ();

    fn begin(&self, state: &Connect4State, turn: Player) -> [u64; 4] {
        let playout = self.game.playout_begin(state, turn);
        [playout.mover, playout.filled, playout.open, playout.count.into()]
    }

    #[inline(always)]
    fn look(&self, &[_, _, _, count]: &[u64; 4]) -> (u64, ()) {
        (count, ())
    }

    #[inline(always)]
    fn ply(&self, [mover, filled, open, count]: [u64; 4], (): (), ordinal: u64) -> Played<4> {
        let place = (ordinal << 2) & 63;
        let column = (open >> place) & 15;
        let bottom = 1 << ((column * u64::from(self.step())) & 63);
        let landed = filled.wrapping_add(bottom) & !filled;
        let closed = mask(landed & self.top != 0);
        // The places after a closed column move up by one.
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
