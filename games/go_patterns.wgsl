// Go playouts that draw candidates in proportion to the ratings of their patterns. Put behind go.wgsl and go_ratings.wgsl;
// twin of src/games/go/policy.rs.
//
// sh_playout holds a word for every point: its rating for the first player in the low half, for the second in the high
// one. A move changes the patterns of the empty points near the stones that it places and takes, and those alone are
// looked up again. What other points hold is left over, or never written: the plane of the candidates masks it.

// Columns of the left half of the board, whose ratings sum up to less than 2^16: 10 * 4096.
const GO_HALF: u32 = (GO_SIZE + 1u) / 2u;
// Rows of a quarter of the board.
const GO_BAND: u32 = (GO_SIZE + 3u) / 4u;
const GO_DIAMOND: bool = GO_NEIGHBOURS == 12u;

struct Playout {
    board: GoBoard,
    placements: GoPlane,
    turn: u32,
    passes: u32,
    moves: u32,
    // Points whose patterns the last move changed.
    stale: GoPlane,
    // Sums of the candidates' ratings in the first GO_BAND rows, in the first two and the first three bands.
    bands: vec3<u32>,
}

// --- planes as words -----------------------------------------------------------------------------------------

fn go_word_at(p: GoPlane, index: u32) -> u32 {
    var four = p.a;
    if GO_WORDS > 4u {
        four = select(four, p.b, index >= 4u);
    }
    if GO_WORDS > 8u {
        four = select(four, p.c, index >= 8u);
    }
    let two = select(four.xy, four.zw, (index & 2u) != 0u);
    return select(two.x, two.y, (index & 1u) != 0u);
}

// Bits `shift` to `shift` + 31 of two words.
fn go_funnel(low: u32, high: u32, shift: u32) -> u32 {
    return (low >> shift) | ((high << 1u) << (31u - shift));
}

// The points of a row: bit `column`.
fn go_row(p: GoPlane, row: u32) -> u32 {
    let first = row * GO_STRIDE;
    let word = first >> 5u;
    let bits = go_funnel(go_word_at(p, word), go_word_at(p, min(word + 1u, GO_WORDS - 1u)), first & 31u);
    return bits & ((1u << GO_SIZE) - 1u);
}

// The lowest bit of a set that is not empty.
fn go_first(p: GoPlane) -> u32 {
    let none = vec4<u32>(0u);
    var four = p.a;
    var first = 0u;
    if GO_WORDS > 4u && !any(p.a != none) {
        four = p.b;
        first = 128u;
        if GO_WORDS > 8u && !any(p.b != none) {
            four = p.c;
            first = 256u;
        }
    }
    let lower = any(four.xy != none.xy);
    let two = select(four.zw, four.xy, lower);
    let one = select(two.y, two.x, two.x != 0u);
    return first + select(64u, 0u, lower) + select(32u, 0u, two.x != 0u) + firstTrailingBit(one);
}

// The set of these points of a row.
fn go_in_row(row: u32, columns: u32) -> GoPlane {
    let first = row * GO_STRIDE;
    let low = vec4<u32>(columns << (first & 31u));
    let high = vec4<u32>((columns >> 1u) >> (31u - (first & 31u)));
    let word = vec4<u32>(first >> 5u);
    let none = vec4<u32>(0u);
    let a = vec4<u32>(0u, 1u, 2u, 3u);
    return GoPlane(
        select(none, low, word == a) | select(none, high, word + 1u == a),
        select(none, low, word == a + 4u) | select(none, high, word + 1u == a + 4u),
        select(none, low, word == a + 8u) | select(none, high, word + 1u == a + 8u),
    );
}

// --- ratings -------------------------------------------------------------------------------------------------

// Rows around a point, with all that is off the board: bit `column` + 2 of each.
struct GoRows {
    two_below: u32,
    below: u32,
    here: u32,
    above: u32,
    two_above: u32,
}

fn go_wide_row(p: GoPlane, row: u32) -> u32 {
    // Row -1 is greater than any.
    let bits = select(go_row(p, row), 0xffffffffu, row >= GO_SIZE);
    return ((bits | ~((1u << GO_SIZE) - 1u)) << 2u) | 3u;
}

fn go_rows_around(p: GoPlane, row: u32) -> GoRows {
    var rows = GoRows(0u, go_wide_row(p, row - 1u), go_wide_row(p, row), go_wide_row(p, row + 1u), 0u);
    if GO_DIAMOND {
        rows.two_below = go_wide_row(p, row - 2u);
        rows.two_above = go_wide_row(p, row + 2u);
    }
    return rows;
}

// Which neighbours of a point are in a set, bit by bit, row by row.
fn go_neighbour_bits(rows: GoRows, column: u32) -> u32 {
    let below = (rows.below >> (column + 1u)) & 7u;
    let above = (rows.above >> (column + 1u)) & 7u;
    let here = rows.here >> column;
    if GO_DIAMOND {
        return ((rows.two_below >> (column + 2u)) & 1u) | (below << 1u) | ((here & 3u) << 4u)
            | (((here >> 3u) & 3u) << 6u) | (above << 8u) | (((rows.two_above >> (column + 2u)) & 1u) << 11u);
    }
    return below | (((here >> 1u) & 1u) << 3u) | (((here >> 3u) & 1u) << 4u) | (above << 5u);
}

// The first word of a row.
fn go_row_at(row: u32, lane: u32) -> u32 {
    return row * GO_SIZE * PLAYOUT_LANES + lane;
}

// Looks the ratings of all stale points up, for both players, row by row.
fn go_rate(playout: ptr<function, Playout>, lane: u32) {
    let mine = (*playout).board.mine;
    let theirs = (*playout).board.theirs;
    let first = go_select(theirs, mine, (*playout).turn == FIRST);
    let second = go_select(mine, theirs, (*playout).turn == FIRST);
    var rest = (*playout).stale;
    while go_any(rest) {
        let row = go_first(rest) / GO_STRIDE;
        var columns = go_row(rest, row);
        rest = go_without(rest, go_in_row(row, columns));
        let firsts = go_rows_around(first, row);
        let seconds = go_rows_around(second, row);
        let at = go_row_at(row, lane);
        while columns != 0u {
            let column = firstTrailingBit(columns);
            columns &= columns - 1u;
            let ratings = go_ratings(go_neighbour_bits(firsts, column), go_neighbour_bits(seconds, column));
            sh_playout[at + column * PLAYOUT_LANES] = ratings;
        }
    }
    (*playout).stale = rest;
}

// The points whose patterns some point of a set is in, and that set.
fn go_surroundings(p: GoPlane) -> GoPlane {
    if GO_DIAMOND {
        let near = go_or(p, go_neighbours(p));
        return go_or(near, go_neighbours(near));
    }
    let wide = go_or(p, go_or(go_up(p, 1u), go_down(p, 1u)));
    return go_or(wide, go_or(go_up(wide, GO_STRIDE), go_down(wide, GO_STRIDE)));
}

// --- draws ---------------------------------------------------------------------------------------------------

// The word of a point `column` places on, if it is a candidate: bit `column` of `row`.
fn go_entry(at: u32, row: u32, column: u32) -> u32 {
    if column >= GO_HALF {
        return 0u;
    }
    return sh_playout[at + column * PLAYOUT_LANES] * ((row >> column) & 1u);
}

// The sums of both players' ratings over the candidates of half a row.
fn go_half_sums(at: u32, row: u32) -> u32 {
    return go_entry(at, row, 0u) + go_entry(at, row, 1u) + go_entry(at, row, 2u) + go_entry(at, row, 3u)
        + go_entry(at, row, 4u) + go_entry(at, row, 5u) + go_entry(at, row, 6u) + go_entry(at, row, 7u)
        + go_entry(at, row, 8u) + go_entry(at, row, 9u);
}

// The sums of the mover's ratings over the candidates of the left and of the right half of a row. Where the number of
// columns is odd, the right half ends one word behind the row; it counts for nothing.
fn go_row_sums(playout: ptr<function, Playout>, row: u32, lane: u32) -> vec2<u32> {
    let at = go_row_at(row, lane);
    let candidates = go_row((*playout).placements, row);
    let left = go_half_sums(at, candidates);
    let right = go_half_sums(at + GO_HALF * PLAYOUT_LANES, candidates >> GO_HALF);
    return (vec2<u32>(left, right) >> vec2<u32>(16u * (*playout).turn)) & vec2<u32>(0xffffu);
}

// A place in the list behind the first points of half a row.
struct GoDraw {
    rest: u32,
    below: u32,
    points: u32,
}

// Goes past a point, if the place lies behind it: sums of what was passed stay in `below`.
fn go_pass_point(draw: GoDraw, entry: u32, shift: u32) -> GoDraw {
    let below = draw.below + ((entry >> shift) & 0xffffu);
    return GoDraw(draw.rest, below, draw.points + u32(below <= draw.rest));
}

// The point that a place in the list of all entries belongs to.
fn go_drawn(playout: ptr<function, Playout>, place: u32, lane: u32) -> u32 {
    let bands = (*playout).bands;
    let passed = vec3<bool>(place >= bands.x, place >= bands.y, place >= bands.z);
    var row = GO_BAND * (u32(passed.x) + u32(passed.y) + u32(passed.z));
    var rest = place - select(select(select(0u, bands.x, passed.x), bands.y, passed.y), bands.z, passed.z);
    var sums = go_row_sums(playout, row, lane);
    for (var i = 1u; i < GO_BAND && rest >= sums.x + sums.y; i++) {
        rest -= sums.x + sums.y;
        row++;
        sums = go_row_sums(playout, row, lane);
    }
    let right = rest >= sums.x;
    let column = select(0u, GO_HALF, right);
    let candidates = go_row((*playout).placements, row) >> column;
    let at = go_row_at(row, lane) + column * PLAYOUT_LANES;
    let shift = 16u * (*playout).turn;
    var draw = GoDraw(rest - select(0u, sums.x, right), 0u, 0u);
    draw = go_pass_point(draw, go_entry(at, candidates, 0u), shift);
    draw = go_pass_point(draw, go_entry(at, candidates, 1u), shift);
    draw = go_pass_point(draw, go_entry(at, candidates, 2u), shift);
    draw = go_pass_point(draw, go_entry(at, candidates, 3u), shift);
    draw = go_pass_point(draw, go_entry(at, candidates, 4u), shift);
    draw = go_pass_point(draw, go_entry(at, candidates, 5u), shift);
    draw = go_pass_point(draw, go_entry(at, candidates, 6u), shift);
    draw = go_pass_point(draw, go_entry(at, candidates, 7u), shift);
    draw = go_pass_point(draw, go_entry(at, candidates, 8u), shift);
    return row * GO_STRIDE + column + draw.points;
}

// --- the contract --------------------------------------------------------------------------------------------

fn playout_begin(state: ptr<function, State>, turn: u32, lane: u32) -> Playout {
    let word = (*state)[2u * GO_WORDS];
    var board = go_board_of(state, turn);
    board.atari = go_find_atari(board.mine, board.theirs);
    let empty = go_empty(board.mine, board.theirs);
    return Playout(board, GoPlane(), turn, go_passes(word), go_moves(word), empty, vec3<u32>());
}

// Order: the candidates by ascending action, each as often as its rating says; the pass alone where there is none.
fn legal_actions_playout(playout: ptr<function, Playout>, lane: u32) -> u32 {
    go_rate(playout, lane);
    var board = (*playout).board;
    (*playout).placements = go_placements(&board);
    var sum = 0u;
    var bands = vec3<u32>();
    for (var row = 0u; row < GO_SIZE; row++) {
        bands = select(bands, vec3<u32>(sum), vec3<u32>(row) == vec3<u32>(1u, 2u, 3u) * GO_BAND);
        let sums = go_row_sums(playout, row, lane);
        sum += sums.x + sums.y;
    }
    // A quarter that a small board does not have begins behind all entries.
    let missing = vec3<u32>(1u, 2u, 3u) * GO_BAND >= vec3<u32>(GO_SIZE);
    (*playout).bands = select(bands, vec3<u32>(0xffffffffu), missing);
    return max(sum, 1u);
}

fn advance_playout(playout: ptr<function, Playout>, ordinal: u32, lane: u32) -> bool {
    var board = (*playout).board;
    var passes = (*playout).passes + 1u;
    if (go_any((*playout).placements)) {
        let stone = go_bit(go_drawn(playout, ordinal, lane));
        let theirs = board.theirs;
        go_play(&board, stone);
        let changed = go_or(stone, go_without(theirs, board.theirs));
        (*playout).stale = go_and(go_surroundings(changed), go_empty(board.mine, board.theirs));
        passes = 0u;
    } else {
        board.ko = GoPlane();
    }
    (*playout).board = GoBoard(board.theirs, board.mine, board.atari, board.ko);
    (*playout).turn = 1u - (*playout).turn;
    (*playout).passes = passes;
    (*playout).moves += 1u;
    return go_is_over(passes, (*playout).moves);
}
