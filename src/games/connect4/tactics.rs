//! The candidates of tactical playouts: the twin of `connect4_candidates` in `games/connect4.wgsl`.
//!
//! A disc that makes a line is dropped, or else one that blocks a line of the opponent (decisive and anti-decisive
//! moves; Teytaud and Teytaud, "On the Huge Benefit of Decisive Moves in Monte-Carlo Tree Search Algorithms", 2010).
//! Otherwise, if there is another column, no disc is dropped below a cell in which the opponent would make a line, nor
//! below one in which the player would. So playouts keep the threats that decide games of strong players: neither
//! player drops a disc below a winning cell as long as there are other moves (zugzwang; Allis, "A Knowledge-based
//! Approach of Connect-Four", 1988).

/// The open cells and the threats on a stand, from the view of the player to move.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chances {
    /// The cells that the next discs fall to.
    pub(super) open: u64,
    /// The cells in which the player to move would make a line.
    pub(super) mine: u64,
    /// The cells in which the opponent would.
    pub(super) theirs: u64,
}

/// The cells that a tactical playout draws from, at most one a column; none if no cell is open.
#[inline(always)]
pub(super) fn candidates(Chances { open, mine, theirs }: Chances) -> u64 {
    let safe = open & !(theirs >> 1);
    // Of two winning cells, one on top of the other, the opponent has to fill the lower one, which makes the upper one
    // playable.
    let double = safe & (mine & (mine >> 1)) >> 1;
    let saved = safe & !(mine >> 1);
    let [threats, wins] = [theirs, mine].map(|cells| cells & open);
    // From the last priority to the first.
    [safe, saved, double, threats, wins].into_iter().fold(open, or_else)
}

/// The second set if it is not empty, else the first.
#[inline(always)]
fn or_else(first: u64, second: u64) -> u64 {
    if second == 0 { first } else { second }
}

/// The lowest cell of a set after `ordinal` lower ones, with `ordinal` < `most`; `most` is a constant for the compiler
/// in code without branches.
#[inline(always)]
pub(super) fn nth(cells: u64, ordinal: u64, most: u64) -> u64 {
    let rest =
        (0..most - 1).fold(cells, |rest, i| if i < ordinal { rest & rest.wrapping_sub(1) } else { rest });
    rest & rest.wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stand of two columns of three bits.
    const OPEN: u64 = 0b_001_001;

    #[test]
    fn candidates_come_in_the_order_of_the_rules() {
        let of = |mine, theirs| candidates(Chances { open: OPEN, mine, theirs });
        assert_eq!(of(0, 0), OPEN);
        assert_eq!(of(0, 0b_010_000), 0b_000_001, "no disc below a line of the opponent");
        assert_eq!(of(0b_000_010, 0), 0b_001_000, "nor below one of the mover");
        assert_eq!(of(0b_000_010, 0b_010_000), 0b_000_001, "the opponent's line is worse");
        assert_eq!(of(0, 0b_010_010), OPEN, "where every disc loses, any");
        assert_eq!(of(0b_000_110, 0), 0b_000_001, "two lines, one on the other");
        assert_eq!(of(0b_000_110, 0b_000_010), 0b_001_000, "which the opponent's line is in the way of");
        assert_eq!(of(0b_000_110, 0b_001_000), 0b_001_000, "a line of the opponent now");
        assert_eq!(of(0b_000_001, 0b_001_001), 0b_000_001, "a line of the mover now");
    }

    #[test]
    fn cells_are_counted_from_the_lowest() {
        assert_eq!([0, 1, 2].map(|ordinal| nth(0b_1010_0100, ordinal, 3)), [0b100, 0b10_0000, 0b1000_0000]);
    }
}
