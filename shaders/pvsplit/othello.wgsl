// Othello for alpha-beta: square a1 = bit 0; words 0 and 1 hold the first player's discs, 2 and 3 the second's.
// board_aux counts the discs. An undo is the turned discs (two words) and board_aux before the move.

struct Try {
    legal: bool,
    ends: bool,
    gain: i32,
    flips: vec2<u32>,
}

fn othello_discs(side: u32) -> vec2<u32> {
    return vec2<u32>(sh_board[2u * side * LANES + lane], sh_board[(2u * side + 1u) * LANES + lane]);
}

fn othello_store(side: u32, discs: vec2<u32>) {
    sh_board[2u * side * LANES + lane] = discs.x;
    sh_board[(2u * side + 1u) * LANES + lane] = discs.y;
}

fn othello_bit(square: u32) -> vec2<u32> {
    let bit = 1u << (square & 31u);
    return select(vec2<u32>(bit, 0u), vec2<u32>(0u, bit), square >= 32u);
}

fn othello_has(discs: vec2<u32>, square: u32) -> bool {
    return ((select(discs.x, discs.y, square >= 32u) >> (square & 31u)) & 1u) != 0u;
}

// The opponent's discs between a square and the next own disc, in one direction.
fn othello_line(square: u32, step: vec2<i32>, own: vec2<u32>, other: vec2<u32>) -> vec2<u32> {
    var at = vec2<i32>(i32(square & 7u), i32(square >> 3u)) + step;
    var run = vec2<u32>(0u);
    for (var k = 0u; k < 7u; k++) {
        work += 1u;
        if any(at < vec2<i32>(0)) || any(at > vec2<i32>(7)) {
            break;
        }
        let here = u32(at.y * 8 + at.x);
        if othello_has(own, here) {
            return run;
        }
        if !othello_has(other, here) {
            break;
        }
        run |= othello_bit(here);
        at += step;
    }
    return vec2<u32>(0u);
}

fn board_is_vacant(square: u32) -> bool {
    return !othello_has(othello_discs(0u) | othello_discs(1u), square);
}

fn board_try(square: u32, side: u32) -> Try {
    let own = othello_discs(side);
    let other = othello_discs(1u - side);
    var flips = vec2<u32>(0u);
    for (var k = 0u; k < 9u; k++) {
        let step = vec2<i32>(i32(k % 3u), i32(k / 3u)) - 1;
        if k != 4u {
            flips |= othello_line(square, step, own, other);
        }
    }
    let turned = i32(countOneBits(flips.x) + countOneBits(flips.y));
    // A full board ends the game.
    return Try(turned != 0, board_aux == 63u, 1 + 2 * turned, flips);
}

fn board_make(square: u32, side: u32, found: Try) -> Undo {
    othello_store(side, othello_discs(side) | found.flips | othello_bit(square));
    othello_store(1u - side, othello_discs(1u - side) & ~found.flips);
    let undo = Undo(found.flips.x, found.flips.y, board_aux);
    board_aux += 1u;
    return undo;
}

fn board_unmake(square: u32, side: u32, undo: Undo) {
    board_aux = undo[2];
    if square == PASS {
        return;
    }
    let flips = vec2<u32>(undo[0], undo[1]);
    othello_store(side, othello_discs(side) & ~(flips | othello_bit(square)));
    othello_store(1u - side, othello_discs(1u - side) | flips);
}

fn board_pass() -> Undo {
    return Undo(0u, 0u, board_aux);
}

fn othello_left(discs: vec2<u32>, by: u32) -> vec2<u32> {
    return vec2<u32>(discs.x << by, (discs.y << by) | (discs.x >> (32u - by)));
}

fn othello_right(discs: vec2<u32>, by: u32) -> vec2<u32> {
    return vec2<u32>((discs.x >> by) | (discs.y << (32u - by)), discs.y >> by);
}

// Whether there is a legal square: all squares at once, by direction.
fn othello_can_move(own: vec2<u32>, other: vec2<u32>) -> bool {
    work += 24u;
    let vacant = ~(own | other);
    var squares = vec2<u32>(0u);
    for (var k = 0u; k < 4u; k++) {
        let by = vec4<u32>(1u, 7u, 8u, 9u)[k];
        // Lines within a row or along a diagonal do not continue from one edge to the other.
        let inner = other & vec2<u32>(select(0x7e7e7e7eu, 0xffffffffu, by == 8u));
        var up = othello_left(own, by) & inner;
        var down = othello_right(own, by) & inner;
        for (var turned = 1u; turned < 6u; turned++) {
            up |= othello_left(up, by) & inner;
            down |= othello_right(down, by) & inner;
        }
        squares |= (othello_left(up, by) | othello_right(down, by)) & vacant;
    }
    return any(squares != vec2<u32>(0u));
}

// No square to play on: the game is over where the other side has none either. Then the winner has the empty squares.
fn board_stuck(side: u32, score: i32) -> Stuck {
    let own = othello_discs(side);
    let other = othello_discs(1u - side);
    if othello_can_move(other, own) {
        return Stuck(false, false, score);
    }
    return Stuck(true, false, score + sign(score) * (64 - i32(board_aux)));
}

// Always empty: every move is tried.
fn board_glance(side: u32, left: u32, after: u32, killer: u32, bar: i32, enough: i32) -> Glance {
    return Glance(NO_MOVE, 0, 0u, EXHAUSTED);
}
