// Connect 4 (6 rows, 7 columns) for alpha-beta: seven bits a column, one above the top; words 0 and 1 hold the first
// player's stones, 2 and 3 the second's. board_aux: the columns' heights, three bits each, and the stones on the
// board from bit 21 on.

struct Try {
    legal: bool,
    ends: bool,
    gain: i32,
    stone: vec2<u32>,
}

const CONNECT4_STONE: u32 = 1u << 21u;

fn connect4_stones(side: u32) -> vec2<u32> {
    return vec2<u32>(sh_board[2u * side * LANES + lane], sh_board[(2u * side + 1u) * LANES + lane]);
}

fn connect4_store(side: u32, stones: vec2<u32>) {
    sh_board[2u * side * LANES + lane] = stones.x;
    sh_board[(2u * side + 1u) * LANES + lane] = stones.y;
}

// A shift to the right by 1 to 31 bits.
fn connect4_shift(bits: vec2<u32>, by: u32) -> vec2<u32> {
    return vec2<u32>((bits.x >> by) | (bits.y << (32u - by)), bits.y >> by);
}

fn connect4_has_four(stones: vec2<u32>) -> bool {
    work += 4u;
    for (var k = 0u; k < 4u; k++) {
        let step = vec4<u32>(1u, 6u, 7u, 8u)[k];
        let pairs = stones & connect4_shift(stones, step);
        if any((pairs & connect4_shift(pairs, 2u * step)) != vec2<u32>(0u)) {
            return true;
        }
    }
    return false;
}

fn board_is_vacant(column: u32) -> bool {
    return ((board_aux >> (3u * column)) & 7u) < 6u;
}

fn board_try(column: u32, side: u32) -> Try {
    let place = 7u * column + ((board_aux >> (3u * column)) & 7u);
    let bit = 1u << (place & 31u);
    let stone = select(vec2<u32>(bit, 0u), vec2<u32>(0u, bit), place >= 32u);
    let wins = connect4_has_four(connect4_stones(side) | stone);
    let stones = (board_aux >> 21u) + 1u;
    return Try(true, wins || stones == 42u, select(0, 22 - i32((stones + 1u) / 2u), wins), stone);
}

fn board_make(column: u32, side: u32, found: Try) -> Undo {
    let undo = Undo(board_aux);
    connect4_store(side, connect4_stones(side) | found.stone);
    board_aux += (1u << (3u * column)) + CONNECT4_STONE;
    return undo;
}

fn board_unmake(column: u32, side: u32, undo: Undo) {
    board_aux = undo[0];
    let place = 7u * column + ((board_aux >> (3u * column)) & 7u);
    let bit = 1u << (place & 31u);
    let stone = select(vec2<u32>(bit, 0u), vec2<u32>(0u, bit), place >= 32u);
    connect4_store(side, connect4_stones(side) & ~stone);
}

// There is no pass in this game; a full board is a draw.
fn board_pass() -> Undo {
    return Undo(board_aux);
}

fn board_stuck(side: u32, score: i32) -> Stuck {
    return Stuck(true, false, 0);
}

// Always empty: every move is tried.
fn board_glance(side: u32, left: u32, after: u32, killer: u32, bar: i32, enough: i32) -> Glance {
    return Glance(NO_MOVE, 0, 0u, EXHAUSTED);
}
