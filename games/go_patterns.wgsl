// Go playouts that draw candidates in proportion to the ratings of their patterns. Put behind go.wgsl; twin of
// src/games/go/policy.rs.
//
// Workgroup memory holds the rating of every empty point for either player, two points a word: word `c` of a row has
// column c in its low half and column c + GO_HALF in its high one. A move changes the patterns of the empty points near
// the stones that it places and takes, and those alone are looked up again. What other points hold is left over, or never
// written: the plane of the candidates masks it.
//
// Cost on top of go_random.wgsl, in 32-bit integer instructions counted by hand: 7 for each word of a player's ratings, to
// sum them anew before every move (9 x 9: 320, 19 x 19: 1,300); 70 to 130 for each point that is rated anew, of which a
// stone leaves five on average, but a group that is taken many.

// Words of a row, of a player's ratings.
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
    // Points to look up before the next move.
    stale: GoPlane,
    // Sums of the candidates' ratings in the first GO_BAND rows, in twice and in three times as many.
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

// Word `index` - 2 of a plane, all ones outside.
fn go_padded_word(p: GoPlane, index: u32) -> u32 {
    return select(go_word_at(p, index - 2u), 0xffffffffu, index - 2u >= GO_WORDS);
}

// The 96 bits of a plane from bit `first` - 64 on.
fn go_window(p: GoPlane, first: u32) -> vec3<u32> {
    let word = first >> 5u;
    let a = go_padded_word(p, word);
    let b = go_padded_word(p, word + 1u);
    let c = go_padded_word(p, word + 2u);
    let d = go_padded_word(p, word + 3u);
    let shift = first & 31u;
    return vec3<u32>(go_funnel(a, b, shift), go_funnel(b, c, shift), go_funnel(c, d, shift));
}

// Bits from `offset` on of a window, a constant.
fn go_field(window: vec3<u32>, offset: u32, mask: u32) -> u32 {
    let low = select(select(window.x, window.y, offset >= 32u), window.z, offset >= 64u);
    let high = select(select(window.y, window.z, offset >= 32u), 0u, offset >= 64u);
    return go_funnel(low, high, offset & 31u) & mask;
}

// --- ratings -------------------------------------------------------------------------------------------------

// Which neighbours of a point are in a set that has all that is off the board, bit by bit, row by row.
fn go_neighbour_bits(p: GoPlane, point: u32, column: u32) -> u32 {
    if GO_DIAMOND {
        let w = go_window(p, point + 64u - 2u * GO_STRIDE);
        let inner = go_field(w, 0u, 1u) | (go_field(w, GO_STRIDE - 1u, 7u) << 1u)
            | (go_field(w, 2u * GO_STRIDE - 2u, 3u) << 4u) | (go_field(w, 2u * GO_STRIDE + 1u, 3u) << 6u)
            | (go_field(w, 3u * GO_STRIDE - 1u, 7u) << 8u) | (go_field(w, 4u * GO_STRIDE, 1u) << 11u);
        // One unused column does not keep steps of two from wrapping around.
        return inner | select(0u, 1u << 4u, column == 0u) | select(0u, 1u << 7u, column == GO_SIZE - 1u);
    }
    let w = go_window(p, point + 63u - GO_STRIDE);
    return go_field(w, 0u, 7u) | (go_field(w, GO_STRIDE, 1u) << 3u)
        | (go_field(w, GO_STRIDE + 2u, 1u) << 4u) | (go_field(w, 2u * GO_STRIDE, 7u) << 5u);
}

// The first word of a row of a player's ratings.
fn go_ratings_at(player: u32, row: u32, lane: u32) -> u32 {
    return (player * GO_SIZE + row) * GO_HALF * PLAYOUT_LANES + lane;
}

fn go_store_rating(at: u32, high: bool, rating: u32) {
    let old = sh_playout[at];
    sh_playout[at] = select((old & 0xffff0000u) | rating, (old & 0xffffu) | (rating << 16u), high);
}

// Looks the ratings of some stale points up, for both players.
fn go_rate(playout: ptr<function, Playout>, most: u32, lane: u32) {
    let turn = (*playout).turn;
    let outside = GoPlane(~GO_BOARD.a, ~GO_BOARD.b, ~GO_BOARD.c);
    let mine = go_or((*playout).board.mine, outside);
    let theirs = go_or((*playout).board.theirs, outside);
    var rest = (*playout).stale;
    for (var i = 0u; i < most && go_any(rest); i++) {
        let point = go_first(rest);
        rest = go_without(rest, go_bit(point));
        let row = point / GO_STRIDE;
        let column = point - row * GO_STRIDE;
        let own = go_neighbour_bits(mine, point, column);
        let opposing = go_neighbour_bits(theirs, point, column);
        let high = column >= GO_HALF;
        let word = (column - select(0u, GO_HALF, high)) * PLAYOUT_LANES;
        go_store_rating(go_ratings_at(turn, row, lane) + word, high, go_rating(own, opposing));
        go_store_rating(go_ratings_at(1u - turn, row, lane) + word, high, go_rating(opposing, own));
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

// A row's candidates as bits of halves: columns from GO_HALF on in the high half of a word.
fn go_spread(row: u32) -> u32 {
    return (row & ((1u << GO_HALF) - 1u)) | ((row >> GO_HALF) << 16u);
}

// The ratings in a word of a row, of candidates; nothing beyond the row.
fn go_pair(at: u32, spread: u32, word: u32) -> u32 {
    if word >= GO_HALF {
        return 0u;
    }
    return sh_playout[at + word * PLAYOUT_LANES] & (((spread >> word) & 0x10001u) * 0xffffu);
}

// The sums of the candidates' ratings in the low and in the high half of a row. Neither leaves its 16 bits: ten ratings
// are below 10 * 4096.
fn go_row_sums(at: u32, spread: u32) -> u32 {
    return go_pair(at, spread, 0u) + go_pair(at, spread, 1u) + go_pair(at, spread, 2u) + go_pair(at, spread, 3u)
        + go_pair(at, spread, 4u) + go_pair(at, spread, 5u) + go_pair(at, spread, 6u) + go_pair(at, spread, 7u)
        + go_pair(at, spread, 8u) + go_pair(at, spread, 9u);
}

// What is left of a place in the list, and the words of the row that lie before it.
struct GoDraw {
    rest: u32,
    below: u32,
    words: u32,
}

// Goes past a word of the row, if the place lies behind it: sums of what was passed stay in `below`.
fn go_pass_word(draw: GoDraw, pair: u32, shift: u32) -> GoDraw {
    let below = draw.below + ((pair >> shift) & 0xffffu);
    return GoDraw(draw.rest, below, draw.words + u32(below <= draw.rest));
}

// The sums of the candidates' ratings in the halves of a row.
fn go_row_of(playout: ptr<function, Playout>, row: u32, lane: u32) -> u32 {
    let spread = go_spread(go_row((*playout).placements, row));
    return go_row_sums(go_ratings_at((*playout).turn, row, lane), spread);
}

fn go_both(halves: u32) -> u32 {
    return (halves & 0xffffu) + (halves >> 16u);
}

// The point that a place in the list of all entries belongs to.
fn go_drawn(playout: ptr<function, Playout>, place: u32, lane: u32) -> u32 {
    let bands = (*playout).bands;
    let passed = vec3<bool>(place >= bands.x, place >= bands.y, place >= bands.z);
    var row = GO_BAND * (u32(passed.x) + u32(passed.y) + u32(passed.z));
    var rest = place - select(select(select(0u, bands.x, passed.x), bands.y, passed.y), bands.z, passed.z);
    var halves = go_row_of(playout, row, lane);
    for (var i = 1u; i < GO_BAND && rest >= go_both(halves); i++) {
        rest -= go_both(halves);
        row++;
        halves = go_row_of(playout, row, lane);
    }
    let spread = go_spread(go_row((*playout).placements, row));
    let at = go_ratings_at((*playout).turn, row, lane);
    let low = halves & 0xffffu;
    let high = rest >= low;
    let shift = select(0u, 16u, high);
    var draw = GoDraw(rest - select(0u, low, high), 0u, 0u);
    draw = go_pass_word(draw, go_pair(at, spread, 0u), shift);
    draw = go_pass_word(draw, go_pair(at, spread, 1u), shift);
    draw = go_pass_word(draw, go_pair(at, spread, 2u), shift);
    draw = go_pass_word(draw, go_pair(at, spread, 3u), shift);
    draw = go_pass_word(draw, go_pair(at, spread, 4u), shift);
    draw = go_pass_word(draw, go_pair(at, spread, 5u), shift);
    draw = go_pass_word(draw, go_pair(at, spread, 6u), shift);
    draw = go_pass_word(draw, go_pair(at, spread, 7u), shift);
    draw = go_pass_word(draw, go_pair(at, spread, 8u), shift);
    return row * GO_STRIDE + draw.words + select(0u, GO_HALF, high);
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
// 0 while there are points to look up: a lane that has many does not keep its neighbours waiting.
fn legal_actions_playout(playout: ptr<function, Playout>, lane: u32) -> u32 {
    go_rate(playout, GO_LOOKUPS, lane);
    if (go_any((*playout).stale)) {
        return 0u;
    }
    var board = (*playout).board;
    (*playout).placements = go_placements(&board);
    var sum = 0u;
    var bands = vec3<u32>();
    for (var row = 0u; row < GO_SIZE; row++) {
        bands = select(bands, vec3<u32>(sum), vec3<u32>(row) == vec3<u32>(1u, 2u, 3u) * GO_BAND);
        sum += go_both(go_row_of(playout, row, lane));
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

fn take_action_playout(playout: ptr<function, Playout>, ordinal: u32, lane: u32) -> u32 {
    if (!advance_playout(playout, ordinal, lane)) {
        return ONGOING;
    }
    return go_outcome((*playout).board.mine, (*playout).board.theirs, (*playout).turn);
}

fn playout_score(playout: ptr<function, Playout>, lane: u32) -> i32 {
    return go_score((*playout).board.mine, (*playout).board.theirs, (*playout).turn);
}

fn playout_cut_off(playout: ptr<function, Playout>, lane: u32) -> bool {
    return (*playout).passes < 2u;
}
