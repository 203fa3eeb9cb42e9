//! name = "hare"
//! max_actions = 121
//! state_words = 3
//! max_plies = 179
//! start = [0x2042, 0x400, 0]
//! [board]
//! rows = 3
//! columns = 5
//! glyphs = " .XO"
// Hare and Hounds, the French military game, an old game of the hunt that became known in the 19th century. Three
// hounds chase a hare over eleven points:
//
//       0---1---2
//     / | \ | / | \
//   3---4---5---6---7
//     \ | / | \ | /
//       8---9---10
//
// The hounds, which the first player has, begin at 0, 3 and 8 and have the first move. One of them moves along a line
// to an empty point, up, down or to the right, never back to the left. The hare begins at 7 and moves along any line to
// an empty point. The hounds win when the hare cannot move. The hare wins when it stands to the left of all hounds, or
// when the hounds stall: ten moves of theirs in a row, none of them to the right. Until then some hound can always
// move. With best play the hounds win, and each of their first moves does (tests/it/game_files/oracle.py).
//
// Action 11 * point + goal moves from `point` to `goal`. A point in row `row` and column `column` of the picture, both
// from 0, is bit 6 * row + column of a board. Column 5 is empty, so that no step leads from one row to the next.
// state[FIRST] has the hounds, state[SECOND] the hare, and state[2] counts the moves of hounds since the last one to
// the right.
//
// Together the hounds stand 8 columns further to the right at the most than at the start, with at most 9 other moves
// before each of these, and 10 in the end: 90 moves of hounds, and 89 of the hare between them.

const HARE_POINTS: u32 = 0x0000e7ceu;
// Points from which lines go slantwise: those whose row and column are odd and even, or even and odd.
const HARE_CROSSINGS: u32 = 0x0000a54au;
const HARE_MOST_STALLS: u32 = 10u;
// One column of a board.
const HARE_COLUMN: u32 = 0x00001041u;

fn hare_bit(point: u32) -> u32 {
    return 1u << (point + 1u + 2u * u32(point >= 3u) + 2u * u32(point >= 8u));
}

// Points at the ends of lines that begin at `points`.
fn hare_near(points: u32) -> u32 {
    let crossings = points & HARE_CROSSINGS;
    let straight = (points << 1u) | (points >> 1u) | (points << 6u) | (points >> 6u);
    let slantwise = (crossings << 5u) | (crossings >> 5u) | (crossings << 7u) | (crossings >> 7u);
    return (straight | slantwise) & HARE_POINTS;
}

// All points to the left of a column.
fn hare_left_of(column: u32) -> u32 {
    return ((1u << column) - 1u) * HARE_COLUMN;
}

// The column of a point, given as a bit.
fn hare_column(bit: u32) -> u32 {
    return firstTrailingBit(bit) % 6u;
}

// The points that a piece on `bit` can move to.
fn hare_goals(state: ptr<function, State>, turn: u32, bit: u32) -> u32 {
    let free = hare_near(bit) & ~((*state)[FIRST] | (*state)[SECOND]);
    let back = select(hare_left_of(hare_column(bit)), 0u, turn == SECOND);
    return free & ~back;
}

fn is_action_legal(state: ptr<function, State>, turn: u32, action: u32) -> bool {
    let bit = hare_bit(action / 11u);
    let is_there = ((*state)[turn] & bit) != 0u;
    return is_there && (hare_goals(state, turn, bit) & hare_bit(action % 11u)) != 0u;
}

fn take_action(state: ptr<function, State>, turn: u32, action: u32) {
    let bit = hare_bit(action / 11u);
    let goal = hare_bit(action % 11u);
    (*state)[turn] ^= bit | goal;
    if turn == FIRST {
        let is_stall = hare_column(bit) == hare_column(goal);
        (*state)[2] = select(0u, (*state)[2] + 1u, is_stall);
    }
}

fn compute_outcome(state: ptr<function, State>, turn: u32, last_action: u32) -> u32 {
    let hare = (*state)[SECOND];
    let has_escaped = ((*state)[FIRST] & hare_left_of(hare_column(hare) + 1u)) == 0u;
    if has_escaped || (*state)[2] >= HARE_MOST_STALLS {
        return SECOND_WINS;
    }
    let is_caught = turn == SECOND && hare_goals(state, SECOND, hare) == 0u;
    return select(ONGOING, FIRST_WINS, is_caught);
}

fn hare_digits(point: u32) -> u32 {
    return select(48u + point, (48u + point / 10u) | ((48u + point % 10u) << 8u), point > 9u);
}

// The numbers of both points: 3-4.
fn action_name(action: u32) -> vec4<u32> {
    let point = action / 11u;
    let goal = 45u | (hare_digits(action % 11u) << 8u);
    let shift = select(8u, 16u, point > 9u);
    return vec4<u32>(hare_digits(point) | (goal << shift), goal >> (32u - shift), 0u, 0u);
}

fn cell(state: ptr<function, State>, row: u32, column: u32) -> u32 {
    let bit = 1u << (6u * row + column);
    let hounds = u32(((*state)[FIRST] & bit) != 0u);
    let hare = u32(((*state)[SECOND] & bit) != 0u);
    return u32((HARE_POINTS & bit) != 0u) + hounds + 2u * hare;
}
