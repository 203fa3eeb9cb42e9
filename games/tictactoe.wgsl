//! name = "tictactoe"
//! max_actions = 9
//! state_words = 2
//! max_plies = 9
//! planes = 4
//! action_names = ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"]
//! [board]
//! rows = 3
//! columns = 3
//! glyphs = ".XO"
// Tic-tac-toe: three in a line win, a full board without a line is a draw. With best play it is one.
//
// Square 3 * row + column is an action, and a bit of two words: state[FIRST] has the first player's marks,
// state[SECOND] the second player's. The start is all zeros.

fn is_action_legal(state: ptr<function, State>, turn: u32, action: u32) -> bool {
    return ((((*state)[FIRST] | (*state)[SECOND]) >> action) & 1u) == 0u;
}

fn take_action(state: ptr<function, State>, turn: u32, action: u32) {
    (*state)[turn] |= 1u << action;
}

fn compute_outcome(state: ptr<function, State>, turn: u32, last_action: u32) -> u32 {
    let marks = (*state)[1u - turn];
    let row = marks & (marks >> 1u) & (marks >> 2u) & 0x49u;
    let column = marks & (marks >> 3u) & (marks >> 6u);
    if row != 0u || column != 0u || (marks & 0x111u) == 0x111u || (marks & 0x54u) == 0x54u {
        return wins(1u - turn);
    }
    let is_full = (marks | (*state)[turn]) == 0x1ffu;
    return select(ONGOING, DRAW, is_full);
}

fn cell(state: ptr<function, State>, row: u32, column: u32) -> u32 {
    let square = 3u * row + column;
    return (((*state)[FIRST] >> square) & 1u) + 2u * (((*state)[SECOND] >> square) & 1u);
}

fn planes(state: ptr<function, State>, turn: u32, place: u32) -> u32 {
    return stone_planes(cell(state, place / 3u, place % 3u), turn);
}
