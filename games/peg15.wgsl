//! name = "peg15"
//! max_actions = 37
//! state_words = 1
//! max_plies = 25
//! start = [0x1f3c70c0]
//! action_names = [
//!     "1-4", "4-1", "1-6", "6-1", "4-6", "6-4",
//!     "2-7", "7-2", "2-9", "9-2", "7-9", "9-7",
//!     "3-8", "8-3", "3-10", "10-3", "8-10", "10-8",
//!     "4-11", "11-4", "4-13", "13-4", "11-13", "13-11",
//!     "5-12", "12-5", "5-14", "14-5", "12-14", "14-12",
//!     "6-13", "13-6", "6-15", "15-6", "13-15", "15-13",
//!     "wait",
//! ]
//! [board]
//! rows = 5
//! columns = 9
//! glyphs = " .o"
// Peg solitaire on the triangle of 15 holes, a puzzle for one player. All holes but the one at the top have a peg. A
// peg jumps over a neighbour into the hole behind it, and the neighbour is taken off. It is solved when one peg is
// left, and lost when no peg can jump before that.
//
// A puzzle as a game of two players. The first player makes all jumps; the second player has one action, "wait", which
// changes nothing. A solved puzzle is a win for the first player, a position without a jump one for the second player.
// A search that proves a win has found a solution; one that proves a loss has proven that there is none. 13 jumps leave
// one peg: with the 12 waits between them, 25 plies.
//
// The holes are numbered from 1 to 15, row by row from the top. Hole `column` of row `row`, both from 0, is bit
// PEG15_STEP * row + column, so that a neighbour is always 1, PEG15_STEP or PEG15_STEP + 1 bits away. A line of three
// holes is a side of one of six triangles that stand on their bases. Action 6 * triangle + 2 * side jumps along a side
// (0: on the left, from the top; 1: on the right, from the top; 2: the base, from the left), the action after it jumps
// back. Triangles are numbered as their topmost holes.
//
// There are 568,630 sequences of jumps until no peg can jump, and 29,760 of them solve it (Dan O'Brien, "Peg Board
// Puzzle Solution Page", pegboardgame.blogspot.com, 2014; counted again by tests/it/game_files/oracle.py).

const PEG15_STEP: u32 = 6u;
const PEG15_WAIT: u32 = 36u;
// The holes at the top of a triangle, and those at the left of a base.
const PEG15_TOPS: u32 = 0x000070c1u;
const PEG15_LEFTS: u32 = PEG15_TOPS << (2u * PEG15_STEP);

// A line of three holes: its first hole, and how far it is to the next.
struct Peg15Line {
    first: u32,
    step: u32,
}

fn peg15_line(action: u32) -> Peg15Line {
    let triangle = action / 6u;
    let side = action / 2u % 3u;
    let row = u32(triangle >= 1u) + u32(triangle >= 3u);
    let top = PEG15_STEP * row + triangle - row * (row + 1u) / 2u;
    if side == 2u {
        return Peg15Line(top + 2u * PEG15_STEP, 1u);
    }
    return Peg15Line(top, PEG15_STEP + side);
}

// The three holes of a line as bits.
fn peg15_holes(line: Peg15Line) -> u32 {
    return (1u | (1u << line.step) | (1u << (2u * line.step))) << line.first;
}

// The lines in which a peg can jump, of those with these first holes and this step: they have a peg in the middle and
// one at one end.
fn peg15_jumps(pegs: u32, firsts: u32, step: u32) -> u32 {
    return firsts & (pegs >> step) & (pegs ^ (pegs >> (2u * step)));
}

fn is_action_legal(state: ptr<function, State>, turn: u32, action: u32) -> bool {
    if turn == SECOND || action == PEG15_WAIT {
        return turn == SECOND && action == PEG15_WAIT;
    }
    let line = peg15_line(action);
    let is_back = action % 2u == 1u;
    let empty = line.first + select(2u * line.step, 0u, is_back);
    return ((*state)[0] & peg15_holes(line)) == (peg15_holes(line) & ~(1u << empty));
}

fn take_action(state: ptr<function, State>, turn: u32, action: u32) {
    if action != PEG15_WAIT {
        (*state)[0] ^= peg15_holes(peg15_line(action));
    }
}

fn compute_outcome(state: ptr<function, State>, turn: u32, last_action: u32) -> u32 {
    let pegs = (*state)[0];
    if countOneBits(pegs) == 1u {
        return FIRST_WINS;
    }
    let jumps = peg15_jumps(pegs, PEG15_TOPS, PEG15_STEP)
        | peg15_jumps(pegs, PEG15_TOPS, PEG15_STEP + 1u)
        | peg15_jumps(pegs, PEG15_LEFTS, 1u);
    return select(SECOND_WINS, ONGOING, jumps != 0u);
}

// The triangle is drawn with its top in the middle column, and a gap between two holes of a row.
fn cell(state: ptr<function, State>, row: u32, column: u32) -> u32 {
    let from_left = column + row - 4u;
    if from_left > 2u * row || from_left % 2u == 1u {
        return 0u;
    }
    return 1u + (((*state)[0] >> (PEG15_STEP * row + from_left / 2u)) & 1u);
}
