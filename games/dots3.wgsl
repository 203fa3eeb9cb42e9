//! name = "dots3"
//! max_actions = 25
//! state_words = 2
//! max_plies = 32
//! action_names = [
//!     "a1b1", "b1c1", "c1d1", "a2b2", "b2c2", "c2d2", "a3b3", "b3c3", "c3d3", "a4b4", "b4c4", "c4d4",
//!     "a1a2", "b1b2", "c1c2", "d1d2", "a2a3", "b2b3", "c2c3", "d2d3", "a3a4", "b3b4", "c3c4", "d3d4",
//!     "wait",
//! ]
//! [board]
//! rows = 7
//! columns = 7
//! glyphs = " +-|XO"
// Dots and boxes (Édouard Lucas, "L'arithmétique amusante", 1895) with 3 x 3 boxes. A player draws a line between two
// neighbouring dots. Whoever draws the fourth side of a box owns it, and draws again. When all 24 lines are there,
// whoever owns more of the nine boxes wins. Dots are named a1 (upper left) to d4 (lower right), lines by their ends:
// a1b1, a1a2.
//
// A game with extra turns. As turns always alternate, the opponent of a player who has closed a box has one legal
// action, "wait", which only returns the turn. At most eight moves are followed by a wait: each of them closes a box,
// and the line that closes the last box ends the game. 24 lines and 8 waits make 32 plies.
//
// state[0] has the lines: bits 0 to 11 those that lie, row by row, bits 12 to 23 those that stand, and bit 24 where the
// player to move waits. state[1] has the boxes, row by row: bits 0 to 8 the first player's, bits 16 to 24 the second
// player's. An action is the bit of a line, or 24.

const DOTS3_LINES: u32 = 0x00ffffffu;
const DOTS3_WAIT: u32 = 24u;
const DOTS3_WAITS: u32 = 1u << DOTS3_WAIT;

// The sides of a box: a line above and one below it, and those on its left and right.
fn dots3_sides(box: u32) -> u32 {
    let left = 12u + 4u * (box / 3u) + box % 3u;
    return (9u << box) | (3u << left);
}

fn is_action_legal(state: ptr<function, State>, turn: u32, action: u32) -> bool {
    let waits = ((*state)[0] & DOTS3_WAITS) != 0u;
    let is_free = (((*state)[0] >> action) & 1u) == 0u;
    return select(is_free && action != DOTS3_WAIT, action == DOTS3_WAIT, waits);
}

fn take_action(state: ptr<function, State>, turn: u32, action: u32) {
    if action == DOTS3_WAIT {
        (*state)[0] &= DOTS3_LINES;
        return;
    }
    let before = (*state)[0];
    let lines = before | (1u << action);
    var closed = 0u;
    for (var box = 0u; box < 9u; box++) {
        let sides = dots3_sides(box);
        closed |= u32((lines & sides) == sides && (before & sides) != sides) << box;
    }
    (*state)[0] = select(lines, lines | DOTS3_WAITS, closed != 0u && lines != DOTS3_LINES);
    (*state)[1] |= closed << (16u * turn);
}

// Boxes of the first player over those of the second.
fn dots3_lead(state: ptr<function, State>) -> i32 {
    return i32(countOneBits((*state)[1] & 0x1ffu)) - i32(countOneBits((*state)[1] >> 16u));
}

fn compute_outcome(state: ptr<function, State>, turn: u32, last_action: u32) -> u32 {
    if ((*state)[0] & DOTS3_LINES) != DOTS3_LINES {
        return ONGOING;
    }
    return select(SECOND_WINS, FIRST_WINS, dots3_lead(state) > 0);
}

fn compute_score(state: ptr<function, State>) -> i32 {
    return 2 * dots3_lead(state);
}

// Dots in even rows and columns, boxes in odd ones, lines between them.
fn cell(state: ptr<function, State>, row: u32, column: u32) -> u32 {
    let across = row / 2u;
    let down = column / 2u;
    switch 2u * (row % 2u) + column % 2u {
        case 0u: {
            return 1u;
        }
        case 1u: {
            return 2u * (((*state)[0] >> (3u * across + down)) & 1u);
        }
        case 2u: {
            return 3u * (((*state)[0] >> (12u + 4u * across + down)) & 1u);
        }
        default: {
            let owners = (*state)[1] >> (3u * across + down);
            return 4u * (owners & 1u) + 5u * ((owners >> 16u) & 1u);
        }
    }
}
