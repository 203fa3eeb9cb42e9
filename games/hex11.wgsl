//! name = "hex11"
//! max_actions = 121
//! state_words = 8
//! max_plies = 121
//! planes = 4
//! [board]
//! rows = 11
//! columns = 11
//! glyphs = ".XO"
// Hex (Piet Hein, 1942; John Nash, 1948) on 11 x 11 cells, without the swap rule. The first player connects the top
// with the bottom, the second player the left with the right. A full board has exactly one such chain, so that there
// are no draws. The first player can win (Nash), but no way to do so is known for this size.
//
// Think of each row as shifted by half a cell to the right of the row above it: the cell in row r and column c touches
// (r, c - 1), (r, c + 1), (r - 1, c), (r - 1, c + 1), (r + 1, c - 1) and (r + 1, c).
//
// Cell 11 * row + column is an action, and a bit of a board of 128 bits (vec4<u32>, lowest word first). Words 0 to 3 of
// the state are the first player's stones, words 4 to 7 the second player's. The start is all zeros.

const HEX11_SIZE: u32 = 11u;
const HEX11_TOP: vec4<u32> = vec4<u32>(0x000007ffu, 0u, 0u, 0u);
const HEX11_BOTTOM: vec4<u32> = vec4<u32>(0u, 0u, 0u, 0x01ffc000u);
const HEX11_LEFT: vec4<u32> = vec4<u32>(0x00400801u, 0x00801002u, 0x01002004u, 0x00004008u);
const HEX11_RIGHT: vec4<u32> = vec4<u32>(0x00200400u, 0x00400801u, 0x00801002u, 0x01002004u);

fn hex11_stones(state: ptr<function, State>, player: u32) -> vec4<u32> {
    let at = 4u * player;
    return vec4<u32>((*state)[at], (*state)[at + 1u], (*state)[at + 2u], (*state)[at + 3u]);
}

// 128-bit shifts, by 1 to 31.
fn hex11_later(cells: vec4<u32>, distance: u32) -> vec4<u32> {
    return (cells << vec4<u32>(distance)) | (vec4<u32>(0u, cells.xyz) >> vec4<u32>(32u - distance));
}

fn hex11_earlier(cells: vec4<u32>, distance: u32) -> vec4<u32> {
    return (cells >> vec4<u32>(distance)) | (vec4<u32>(cells.yzw, 0u) << vec4<u32>(32u - distance));
}

// Some cells, and all cells that touch them. Cells that leave a row on one side wrap around to the other, and are
// masked there.
fn hex11_grown(cells: vec4<u32>) -> vec4<u32> {
    let same_column = hex11_later(cells, HEX11_SIZE) | hex11_earlier(cells, HEX11_SIZE);
    let to_the_right = hex11_later(cells, 1u) | hex11_earlier(cells, HEX11_SIZE - 1u);
    let to_the_left = hex11_earlier(cells, 1u) | hex11_later(cells, HEX11_SIZE - 1u);
    return cells | same_column | (to_the_right & ~HEX11_LEFT) | (to_the_left & ~HEX11_RIGHT);
}

fn hex11_meet(a: vec4<u32>, b: vec4<u32>) -> bool {
    return any((a & b) != vec4<u32>(0u));
}

fn is_action_legal(state: ptr<function, State>, turn: u32, action: u32) -> bool {
    let word = (*state)[action / 32u] | (*state)[4u + action / 32u];
    return ((word >> (action % 32u)) & 1u) == 0u;
}

fn take_action(state: ptr<function, State>, turn: u32, action: u32) {
    (*state)[4u * turn + action / 32u] |= 1u << (action % 32u);
}

// Only the chain of the last stone can be new. It is traced only if both edges have stones.
fn compute_outcome(state: ptr<function, State>, turn: u32, last_action: u32) -> u32 {
    let mover = 1u - turn;
    let stones = hex11_stones(state, mover);
    let start = select(HEX11_TOP, HEX11_LEFT, mover == SECOND);
    let end = select(HEX11_BOTTOM, HEX11_RIGHT, mover == SECOND);
    if !hex11_meet(stones, start) || !hex11_meet(stones, end) {
        return ONGOING;
    }
    let is_its_word = vec4<u32>(last_action / 32u) == vec4<u32>(0u, 1u, 2u, 3u);
    var chain = select(vec4<u32>(0u), vec4<u32>(1u << (last_action % 32u)), is_its_word);
    // Every iteration but the last adds a stone.
    for (var i = 0u; i < MAX_PLIES; i++) {
        let grown = hex11_grown(chain) & stones;
        if all(grown == chain) {
            break;
        }
        chain = grown;
    }
    return select(ONGOING, wins(mover), hex11_meet(chain, start) && hex11_meet(chain, end));
}

// A column from a to k and a row from 1 to 11, from the upper left corner.
fn action_name(action: u32) -> vec4<u32> {
    let number = action / HEX11_SIZE + 1u;
    let digits = select(48u + number, (48u + number / 10u) | ((48u + number % 10u) << 8u), number > 9u);
    return vec4<u32>((97u + action % HEX11_SIZE) | (digits << 8u), 0u, 0u, 0u);
}

fn cell(state: ptr<function, State>, row: u32, column: u32) -> u32 {
    let place = HEX11_SIZE * row + column;
    let stones = vec2<u32>((*state)[place / 32u], (*state)[4u + place / 32u]) >> vec2<u32>(place % 32u);
    return (stones.x & 1u) + 2u * (stones.y & 1u);
}

fn planes(state: ptr<function, State>, turn: u32, place: u32) -> u32 {
    return stone_planes(cell(state, place / HEX11_SIZE, place % HEX11_SIZE), turn);
}
