//! name = "clobber"
//! max_actions = 120
//! state_words = 2
//! max_plies = 29
//! start = [0x15a95a95, 0x2a56a56a]
//! [constants]
//! CLOBBER_ROWS = 5
//! CLOBBER_COLUMNS = 6
//! [board]
//! rows = 5
//! columns = 6
//! glyphs = ".XO"
// Clobber (Michael Albert, J. P. Grossman, Richard Nowakowski, 2001) on 5 x 6 cells. The board begins full, stones of
// the two players alternating, the first player's in the top left corner. A stone moves up, down, left or right onto an
// enemy's cell and takes that stone's place. Whoever cannot move loses, so that there are no draws. Every ply takes a
// stone away.
//
// Cell CLOBBER_COLUMNS * row + column is a bit: state[FIRST] has the first player's stones, state[SECOND] the second
// player's. Action 4 * cell + direction moves the stone on `cell` up (0), to the right (1), down (2), or left (3).
//
// For another board of up to 32 cells change the constants, `rows` and `columns`, `start`, `max_actions` (four times
// the cells) and `max_plies` (one less than the cells).

const CLOBBER_ALL: u32 = 0xffffffffu >> (32u - CLOBBER_ROWS * CLOBBER_COLUMNS);
// All cells are the column on the left times the top row.
const CLOBBER_LEFT: u32 = CLOBBER_ALL / ((1u << CLOBBER_COLUMNS) - 1u);
const CLOBBER_RIGHT: u32 = CLOBBER_LEFT << (CLOBBER_COLUMNS - 1u);

// Cells moved one step: up, to the right, down, left. Cells that leave the board are dropped; below it, they have no
// stones.
fn clobber_moved(cells: u32) -> vec4<u32> {
    return vec4<u32>(
        cells >> CLOBBER_COLUMNS,
        (cells & ~CLOBBER_RIGHT) << 1u,
        cells << CLOBBER_COLUMNS,
        (cells & ~CLOBBER_LEFT) >> 1u,
    );
}

fn is_action_legal(state: ptr<function, State>, turn: u32, action: u32) -> bool {
    let stone = (*state)[turn] & (1u << (action / 4u));
    return (clobber_moved(stone)[action % 4u] & (*state)[1u - turn]) != 0u;
}

fn take_action(state: ptr<function, State>, turn: u32, action: u32) {
    let stone = 1u << (action / 4u);
    let goal = clobber_moved(stone)[action % 4u];
    (*state)[turn] ^= stone | goal;
    (*state)[1u - turn] ^= goal;
}

fn compute_outcome(state: ptr<function, State>, turn: u32, last_action: u32) -> u32 {
    let attacked = clobber_moved((*state)[turn]) & vec4<u32>((*state)[1u - turn]);
    return select(wins(1u - turn), ONGOING, any(attacked != vec4<u32>(0u)));
}

// The cell that a stone leaves and the one that it moves to, a1 being the upper left one.
fn action_name(action: u32) -> vec4<u32> {
    let place = action / 4u;
    let direction = action % 4u;
    let row = 49u + place / CLOBBER_COLUMNS;
    let column = 97u + place % CLOBBER_COLUMNS;
    let goal_row = row + u32(direction == 2u) - u32(direction == 0u);
    let goal_column = column + u32(direction == 1u) - u32(direction == 3u);
    return vec4<u32>(column | (row << 8u) | (goal_column << 16u) | (goal_row << 24u), 0u, 0u, 0u);
}

fn cell(state: ptr<function, State>, row: u32, column: u32) -> u32 {
    let place = CLOBBER_COLUMNS * row + column;
    return (((*state)[FIRST] >> place) & 1u) + 2u * (((*state)[SECOND] >> place) & 1u);
}
