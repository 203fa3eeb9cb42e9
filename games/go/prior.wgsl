// The prior of a move of Go. Composed after rules.wgsl and ratings.wgsl; twin of src/games/go/prior.rs, which has the
// sources.

const GO_PASS_PRIOR: u32 = 16u;
const GO_NEIGHBOUR_REACH: i32 = select(1, 2, GO_NEIGHBOURS == 12u);

// Adds a neighbour to the bits of a pattern: one bit for each player, set for a stone, both set off the board.
fn go_add_seen(bits: vec2<u32>, state: ptr<function, State>, row: i32, column: i32, neighbour: u32) -> vec2<u32> {
    if min(row, column) < 0 || row >= i32(GO_ROWS) || column >= i32(GO_COLUMNS) {
        return bits | vec2<u32>(1u << neighbour);
    }
    let bit = u32(row) * GO_STRIDE + u32(column);
    let words = vec2<u32>((*state)[bit / 32u], (*state)[GO_WORDS + bit / 32u]);
    return bits | (((words >> vec2<u32>(bit & 31u)) & vec2<u32>(1u)) << vec2<u32>(neighbour));
}

// The rating of a point's pattern for the player to move.
fn go_rating(state: ptr<function, State>, turn: u32, action: u32) -> u32 {
    let row = i32(action / GO_COLUMNS);
    let column = i32(action % GO_COLUMNS);
    var bits = vec2<u32>(0u);
    var neighbour = 0u;
    for (var up = -GO_NEIGHBOUR_REACH; up <= GO_NEIGHBOUR_REACH; up++) {
        for (var right = -GO_NEIGHBOUR_REACH; right <= GO_NEIGHBOUR_REACH; right++) {
            let near = GO_NEIGHBOURS == 8u || abs(up) + abs(right) <= 2;
            if near && (up != 0 || right != 0) {
                bits = go_add_seen(bits, state, row + up, column + right, neighbour);
                neighbour++;
            }
        }
    }
    return (go_ratings(bits.x, bits.y) >> (16u * turn)) & 0xffffu;
}

// Whether a group of the mover next to the stone is in atari.
fn go_is_in_atari_beside(stone: GoPlane, mine: GoPlane, empty: GoPlane) -> bool {
    var rest = go_and(go_neighbours(stone), mine);
    while go_any(rest) {
        let group = go_trace(go_lowest(rest), mine, empty);
        if group.liberties == 1u {
            return true;
        }
        rest = go_without(rest, group.stones);
    }
    return false;
}

// Points for the effect of a stone on groups.
fn go_tactics(state: ptr<function, State>, turn: u32, stone: GoPlane) -> i32 {
    var board = go_board_of(state, turn);
    let mine = board.mine;
    let empty = go_empty(mine, board.theirs);
    let impact = go_place(&board, stone);
    let captured = i32(go_count(impact.captured));
    var points = select(0, 4, go_any(board.atari)) + select(0, 8 + 4 * min(captured, 4), captured > 0);
    if impact.own.liberties > 1u {
        points += select(0, 12, go_is_in_atari_beside(stone, mine, empty));
    } else if captured == 0 {
        points -= 16;
    }
    return points;
}

// Points for the distance to the last move: at most 12, at least 0.
fn go_nearness(action: u32, last_action: u32) -> i32 {
    if last_action >= GO_PASS {
        return 0;
    }
    let here = vec2<i32>(i32(action / GO_COLUMNS), i32(action % GO_COLUMNS));
    let away = abs(here - vec2<i32>(i32(last_action / GO_COLUMNS), i32(last_action % GO_COLUMNS)));
    return max(12 - 2 * (away.x + away.y + max(away.x, away.y)), 0);
}

fn action_prior(state: ptr<function, State>, turn: u32, action: u32, last_action: u32) -> u32 {
    if action == GO_PASS {
        return GO_PASS_PRIOR;
    }
    let pattern = 2 * i32(firstLeadingBit(max(go_rating(state, turn, action), 1u))) - 10;
    let points = 32 + pattern + go_tactics(state, turn, go_point(action)) + go_nearness(action, last_action);
    return u32(clamp(points, 2, 62));
}
