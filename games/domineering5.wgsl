//! name = "domineering5"
//! max_actions = 25
//! state_words = 2
//! max_plies = 12
//! action_names = [
//!     "a1", "b1", "c1", "d1", "e1",
//!     "a2", "b2", "c2", "d2", "e2",
//!     "a3", "b3", "c3", "d3", "e3",
//!     "a4", "b4", "c4", "d4", "e4",
//!     "a5", "b5", "c5", "d5", "e5",
//! ]
//! [constants]
//! DOMINEERING_ROWS = 5
//! DOMINEERING_COLUMNS = 5
//! [board]
//! rows = 5
//! columns = 5
//! glyphs = ".VH"
// Domineering (Göran Andersson, about 1973) on 5 x 5 cells. The first player puts upright dominoes on the board, the
// second player dominoes that lie. Whoever cannot put one loses, so that there are no draws.
//
// Cell DOMINEERING_COLUMNS * row + column is a bit: state[FIRST] has the cells under upright dominoes, state[SECOND]
// those under the others. An action is a domino's upper or left cell.
//
// On 5 x 5 cells the second player wins, whoever begins (D. M. Breuker, J. W. H. M. Uiterwijk, H. J. van den Herik,
// "Solving 8 x 8 Domineering", Theoretical Computer Science 230, 2000).
//
// For another board of up to 32 cells change the constants, `rows` and `columns`, `max_actions` (the cells),
// `max_plies` (half of them), and the names. The first player wins with 4 rows and 4 or 5 columns, say, and the second
// player with 5 rows and 4 columns.

const DOMINEERING_ALL: u32 = 0xffffffffu >> (32u - DOMINEERING_ROWS * DOMINEERING_COLUMNS);
// All cells are the column on the left times the top row.
const DOMINEERING_LEFT: u32 = DOMINEERING_ALL / ((1u << DOMINEERING_COLUMNS) - 1u);
const DOMINEERING_RIGHT: u32 = DOMINEERING_LEFT << (DOMINEERING_COLUMNS - 1u);

// The distance from a domino's first cell to its second.
fn domineering_step(player: u32) -> u32 {
    return select(DOMINEERING_COLUMNS, 1u, player == SECOND);
}

// The actions of a player, as bits.
fn domineering_actions(state: ptr<function, State>, player: u32) -> u32 {
    let free = DOMINEERING_ALL & ~((*state)[FIRST] | (*state)[SECOND]);
    let first_cells = select(free, free & ~DOMINEERING_RIGHT, player == SECOND);
    return first_cells & (free >> domineering_step(player));
}

fn is_action_legal(state: ptr<function, State>, turn: u32, action: u32) -> bool {
    return ((domineering_actions(state, turn) >> action) & 1u) != 0u;
}

fn take_action(state: ptr<function, State>, turn: u32, action: u32) {
    (*state)[turn] |= (1u | (1u << domineering_step(turn))) << action;
}

fn compute_outcome(state: ptr<function, State>, turn: u32, last_action: u32) -> u32 {
    return select(ONGOING, wins(1u - turn), domineering_actions(state, turn) == 0u);
}

fn cell(state: ptr<function, State>, row: u32, column: u32) -> u32 {
    let place = DOMINEERING_COLUMNS * row + column;
    return (((*state)[FIRST] >> place) & 1u) + 2u * (((*state)[SECOND] >> place) & 1u);
}
