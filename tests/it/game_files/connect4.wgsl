//! name = "plain-connect4"
//! max_actions = 7
//! state_words = 4
//! max_plies = 42
//!
//! [tuning]
//! expansion_stride = 64
//!
//! [board]
//! rows = 6
//! columns = 7
//! glyphs = ".XO"

// Connect 4 the plain way. Cell (row, column), row 0 at the bottom, is bit 7 * column + row of a board of 49 bits:
// words 0 and 1 are the first player's discs, words 2 and 3 the second's.

// The discs of a player.
fn plain_discs(state: ptr<function, State>, player: u32) -> vec2<u32> {
    if player == FIRST {
        return vec2<u32>((*state)[0], (*state)[1]);
    }
    return vec2<u32>((*state)[2], (*state)[3]);
}

fn plain_has(discs: vec2<u32>, row: u32, column: u32) -> bool {
    let bit = 7u * column + row;
    return ((select(discs.x, discs.y, bit >= 32u) >> (bit & 31u)) & 1u) == 1u;
}

fn plain_height(state: ptr<function, State>, column: u32) -> u32 {
    let low = (*state)[0] | (*state)[2];
    let high = (*state)[1] | (*state)[3];
    let start = 7u * column;
    var discs = high >> (start & 31u);
    if start < 32u {
        discs = (low >> start) | ((high << 1u) << (31u - start));
    }
    return countOneBits(discs & 63u);
}

fn is_action_legal(state: ptr<function, State>, turn: u32, action: u32) -> bool {
    return plain_height(state, action) < 6u;
}

fn take_action(state: ptr<function, State>, turn: u32, action: u32) {
    let bit = 7u * action + plain_height(state, action);
    let disc = vec2<u32>(select(1u << (bit & 31u), 0u, bit >= 32u), select(0u, 1u << (bit & 31u), bit >= 32u));
    if turn == FIRST {
        (*state)[0] |= disc.x;
        (*state)[1] |= disc.y;
    } else {
        (*state)[2] |= disc.x;
        (*state)[3] |= disc.y;
    }
}

// How many discs of a player follow a cell in a direction.
fn plain_run(discs: vec2<u32>, row: i32, column: i32, up: i32, right: i32) -> i32 {
    var run = 0;
    for (var step = 1; step < 4; step++) {
        let r = row + step * up;
        let c = column + step * right;
        if r < 0 || r > 5 || c < 0 || c > 6 || !plain_has(discs, u32(r), u32(c)) {
            break;
        }
        run++;
    }
    return run;
}

fn compute_outcome(state: ptr<function, State>, turn: u32, last_action: u32) -> u32 {
    let mover = 1u - turn;
    let discs = plain_discs(state, mover);
    let column = i32(last_action);
    let row = i32(plain_height(state, last_action)) - 1;
    let level = plain_run(discs, row, column, 0, 1) + plain_run(discs, row, column, 0, -1);
    let rising = plain_run(discs, row, column, 1, 1) + plain_run(discs, row, column, -1, -1);
    let falling = plain_run(discs, row, column, 1, -1) + plain_run(discs, row, column, -1, 1);
    let upright = plain_run(discs, row, column, -1, 0);
    if max(max(level, rising), max(falling, upright)) >= 3 {
        return wins(mover);
    }
    let filled = countOneBits((*state)[0]) + countOneBits((*state)[1]) + countOneBits((*state)[2]) + countOneBits((*state)[3]);
    return select(ONGOING, DRAW, filled == 42u);
}

fn cell(state: ptr<function, State>, row: u32, column: u32) -> u32 {
    return u32(plain_has(plain_discs(state, FIRST), 5u - row, column))
        + 2u * u32(plain_has(plain_discs(state, SECOND), 5u - row, column));
}
