// Go playouts that draw candidates in proportion to the ratings of their patterns. Composed after rules.wgsl and
// ratings.wgsl; twin of src/games/go/policy.rs.
//
// Ratings are not stored: for many playouts, looking them up in a table that fits the caches is faster. sh_playout has
// sums over spans. A span is a row, or half a row on boards so wide that the ratings of a row may sum up to 2^16. The
// low half of its word is the first player's sum, the high half the second player's: over the points that were
// candidates of that player at its last move and are still empty. A move changes the patterns near the stones that it
// places and takes, and the set of candidates: the ratings of these points are looked up before and after the move.
// After the sums come the mover's candidates of two moves ago.

// Spans of a row: 16 ratings of at most 4095 sum up to less than 2^16.
const GO_ROW_SPANS: u32 = select(1u, 2u, GO_COLUMNS > 16u);
// Columns of a span; the last one of a row may have fewer.
const GO_SPAN: u32 = (GO_COLUMNS + GO_ROW_SPANS - 1u) / GO_ROW_SPANS;
const GO_SPANS: u32 = GO_ROWS * GO_ROW_SPANS;
const GO_DIAMOND: bool = GO_NEIGHBOURS == 12u;
// Bits from the lowest neighbour of a point to the point.
const GO_LIFT: u32 = select(GO_STRIDE + 1u, 2u * GO_STRIDE, GO_DIAMOND);

struct Playout {
    board: GoBoard,
    // Candidates of the last player who moved, and then of the next one.
    placements: GoPlane,
    turn: u32,
    passes: u32,
    moves: u32,
    // Points that the last move placed a stone on or took one from.
    changed: GoPlane,
    // Sums of all spans: the mover's, the opponent's.
    sums: vec2<u32>,
    // Sums over the mover's candidates next to the last stone, by rows (tactics.wgsl).
    answers: vec3<u32>,
}

// --- planes as words -----------------------------------------------------------------------------------------

// The words `index` and `index` + 1.
fn go_two_words_at(p: GoPlane, index: u32) -> vec2<u32> {
    var four = p.a;
    var next = p.b.x;
    if GO_WORDS > 4u {
        four = select(four, p.b, index >= 4u);
        next = select(next, p.c.x, index >= 4u);
    }
    if GO_WORDS > 8u {
        four = select(four, p.c, index >= 8u);
        next = select(next, 0u, index >= 8u);
    }
    let three = select(four.xyz, vec3<u32>(four.zw, next), (index & 2u) != 0u);
    return select(three.xy, three.yz, (index & 1u) != 0u);
}

// Bits `shift` to `shift` + 31 of two words.
fn go_funnel(low: u32, high: u32, shift: u32) -> u32 {
    return (low >> shift) | ((high << 1u) << (31u - shift));
}

// The 32 bits of a plane from `bit` on.
fn go_bits_from(p: GoPlane, bit: u32) -> u32 {
    let words = go_two_words_at(p, bit >> 5u);
    return go_funnel(words.x, words.y, bit & 31u);
}

fn go_has(p: GoPlane, bit: u32) -> bool {
    return ((go_two_words_at(p, bit >> 5u).x >> (bit & 31u)) & 1u) != 0u;
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

// --- windows -------------------------------------------------------------------------------------------------

// A plane moved up by GO_LIFT bits; d has the bits beyond its end.
struct GoLifted {
    a: vec4<u32>,
    b: vec4<u32>,
    c: vec4<u32>,
    d: vec4<u32>,
}

fn go_lift_four(below: vec4<u32>, four: vec4<u32>) -> vec4<u32> {
    const up = vec4<u32>(GO_LIFT & 31u);
    const down = vec4<u32>(31u - (GO_LIFT & 31u));
    if GO_LIFT >= 32u {
        return (vec4<u32>(below.w, four.xyz) << up) | ((vec4<u32>(below.zw, four.xy) >> vec4<u32>(1u)) >> down);
    }
    return (four << up) | ((vec4<u32>(below.w, four.xyz) >> vec4<u32>(1u)) >> down);
}

// `outside`: the value of all words below and beyond the plane.
fn go_lift(p: GoPlane, outside: u32) -> GoLifted {
    let none = vec4<u32>(outside);
    return GoLifted(go_lift_four(none, p.a), go_lift_four(p.a, p.b), go_lift_four(p.b, p.c), go_lift_four(p.c, none));
}

// 96 bits around a point: GO_LIFT bits below it, and more above.
fn go_window(p: GoLifted, bit: u32) -> vec3<u32> {
    var low = p.a;
    var high = p.b.xyz;
    if GO_WORDS > 4u {
        low = select(low, p.b, bit >= 128u);
        high = select(high, p.c.xyz, bit >= 128u);
    }
    if GO_WORDS > 8u {
        low = select(low, p.c, bit >= 256u);
        high = select(high, p.d.xyz, bit >= 256u);
    }
    let upper = (bit & 64u) != 0u;
    let four = select(low, vec4<u32>(low.zw, high.xy), upper);
    let odd = select(four, vec4<u32>(four.yzw, select(high.x, high.z, upper)), (bit & 32u) != 0u);
    let shift = vec3<u32>(bit & 31u);
    return (odd.xyz >> shift) | ((odd.yzw << vec3<u32>(1u)) << (vec3<u32>(31u) - shift));
}

// `count` bits of a window from `first` on.
fn go_window_bits(w: vec3<u32>, first: u32, count: u32) -> u32 {
    let mask = (1u << count) - 1u;
    if first >= 64u {
        return (w.z >> (first - 64u)) & mask;
    }
    if first >= 32u {
        return go_funnel(w.y, w.z, first - 32u) & mask;
    }
    return go_funnel(w.x, w.y, first) & mask;
}

// Both players' stones around a point. Points off the board are set in both.
struct GoNear {
    mine: vec3<u32>,
    theirs: vec3<u32>,
}

struct GoSight {
    mine: GoLifted,
    theirs: GoLifted,
}

// A set and all points off the board, also those of unused words.
fn go_with_off_board(p: GoPlane) -> GoPlane {
    return GoPlane(p.a | ~GO_BOARD.a, p.b | ~GO_BOARD.b, p.c | ~GO_BOARD.c);
}

fn go_sight(mine: GoPlane, theirs: GoPlane) -> GoSight {
    return GoSight(go_lift(go_with_off_board(mine), 0xffffffffu), go_lift(go_with_off_board(theirs), 0xffffffffu));
}

fn go_near(sight: GoSight, bit: u32) -> GoNear {
    return GoNear(go_window(sight.mine, bit), go_window(sight.theirs, bit));
}

fn go_window_along(w: vec3<u32>, columns: u32) -> vec3<u32> {
    return (w >> vec3<u32>(columns)) | ((vec3<u32>(w.yz, 0u) << vec3<u32>(1u)) << vec3<u32>(31u - columns));
}

// The stones around the point some columns to the right.
fn go_along(near: GoNear, columns: u32) -> GoNear {
    return GoNear(go_window_along(near.mine, columns), go_window_along(near.theirs, columns));
}

// --- ratings -------------------------------------------------------------------------------------------------

// The neighbours of a window's point, one bit each, row by row.
fn go_neighbour_bits(w: vec3<u32>) -> u32 {
    const S = GO_STRIDE;
    if GO_DIAMOND {
        return go_window_bits(w, 0u, 1u) | (go_window_bits(w, S - 1u, 3u) << 1u)
            | (go_window_bits(w, 2u * S - 2u, 2u) << 4u) | (go_window_bits(w, 2u * S + 1u, 2u) << 6u)
            | (go_window_bits(w, 3u * S - 1u, 3u) << 8u) | (go_window_bits(w, 4u * S, 1u) << 11u);
    }
    return go_window_bits(w, 0u, 3u) | (go_window_bits(w, S, 1u) << 3u)
        | (go_window_bits(w, S + 2u, 1u) << 4u) | (go_window_bits(w, 2u * S, 3u) << 5u);
}

// The neighbours two columns away that are beyond a point off the board: with a single column between rows, their bits
// are those of another row.
fn go_beyond_edge(off: vec3<u32>) -> u32 {
    if GO_DIAMOND {
        return (go_window_bits(off, GO_LIFT - 1u, 1u) << 4u) | (go_window_bits(off, GO_LIFT + 1u, 1u) << 7u);
    }
    return 0u;
}

// The ratings of a point, the mover's in the low half. The table takes the players in either order.
fn go_rated(near: GoNear) -> u32 {
    let beyond = go_beyond_edge(near.mine & near.theirs);
    return go_ratings(go_neighbour_bits(near.mine) | beyond, go_neighbour_bits(near.theirs) | beyond);
}

// The points of a set, and those whose patterns contain one of them.
fn go_surroundings(p: GoPlane) -> GoPlane {
    if GO_DIAMOND {
        let near = go_or(p, go_neighbours(p));
        return go_or(near, go_neighbours(near));
    }
    let wide = go_or(p, go_or(go_up(p, 1u), go_down(p, 1u)));
    return go_or(wide, go_or(go_up(wide, GO_STRIDE), go_down(wide, GO_STRIDE)));
}

// --- memory --------------------------------------------------------------------------------------------------

fn go_kept_word(index: u32, lane: u32) -> u32 {
    if index >= GO_WORDS {
        return 0u;
    }
    return sh_playout[(GO_SPANS + index) * PLAYOUT_LANES + lane];
}

fn go_kept_four(index: u32, lane: u32) -> vec4<u32> {
    return vec4<u32>(
        go_kept_word(index, lane), go_kept_word(index + 1u, lane),
        go_kept_word(index + 2u, lane), go_kept_word(index + 3u, lane),
    );
}

fn go_kept(lane: u32) -> GoPlane {
    return GoPlane(go_kept_four(0u, lane), go_kept_four(4u, lane), go_kept_four(8u, lane));
}

fn go_keep_word(index: u32, word: u32, lane: u32) {
    if index < GO_WORDS {
        sh_playout[(GO_SPANS + index) * PLAYOUT_LANES + lane] = word;
    }
}

fn go_keep_four(index: u32, words: vec4<u32>, lane: u32) {
    go_keep_word(index, words.x, lane);
    go_keep_word(index + 1u, words.y, lane);
    go_keep_word(index + 2u, words.z, lane);
    go_keep_word(index + 3u, words.w, lane);
}

fn go_keep(p: GoPlane, lane: u32) {
    go_keep_four(0u, p.a, lane);
    go_keep_four(4u, p.b, lane);
    go_keep_four(8u, p.c, lane);
}

// The index of the word of a point's span.
fn go_span_at(bit: u32, lane: u32) -> u32 {
    let row = bit / GO_STRIDE;
    let half = u32(bit - row * GO_STRIDE >= GO_SPAN);
    return (row * GO_ROW_SPANS + half) * PLAYOUT_LANES + lane;
}

// --- sums ----------------------------------------------------------------------------------------------------

// A word with its halves exchanged.
fn go_exchanged(word: u32) -> u32 {
    return (word << 16u) | (word >> 16u);
}

fn go_halves(word: u32) -> vec2<u32> {
    return vec2<u32>(word & 0xffffu, word >> 16u);
}

// Adds `more`, the mover's part in the low half, to the word of a span, and to the sums of all spans.
fn go_add_to_span(playout: ptr<function, Playout>, at: u32, more: u32) {
    let second = (*playout).turn != FIRST;
    let word = sh_playout[at];
    let before = select(word, go_exchanged(word), second);
    let after = before + more;
    sh_playout[at] = select(after, go_exchanged(after), second);
    (*playout).sums += go_halves(after) - go_halves(before);
}

// A mask of the halves of a word that count.
fn go_counted(mine: bool, theirs: bool) -> u32 {
    return select(0u, 0xffffu, mine) | select(0u, 0xffff0000u, theirs);
}

// Updates all sums to the board and the mover's candidates.
fn go_rate(playout: ptr<function, Playout>, candidates: GoPlane, lane: u32) {
    let board = (*playout).board;
    let empty = go_empty(board.mine, board.theirs);
    let changed = (*playout).changed;
    // Without the points that the mover itself has captured since then.
    let mine_before = go_and(go_kept(lane), go_differences(empty, changed));
    let theirs_before = (*playout).placements;
    go_keep(theirs_before, lane);
    (*playout).placements = candidates;
    let stale = go_and(go_surroundings(changed), go_or(candidates, go_or(mine_before, theirs_before)));
    var rest = go_or(stale, go_differences(mine_before, candidates));
    let sight = go_sight(board.mine, board.theirs);
    let lifted = go_lift(changed, 0u);
    let last = go_last_stone(playout);
    let around = go_surroundings(last);
    var answers = vec3<u32>(0u);
    while go_any(rest) {
        let bit = go_first(rest);
        rest = go_without(rest, go_bit(bit));
        let near = go_near(sight, bit);
        // The stone that was placed is the opponent's, those that were taken were the mover's.
        let stones = go_window(lifted, bit);
        let near_before = GoNear(near.mine | (stones & ~near.theirs), near.theirs & ~stones);
        let is_empty = go_window_bits(near.mine | near.theirs, GO_LIFT, 1u) == 0u;
        let theirs = go_has(theirs_before, bit);
        let after = go_rated(near) & go_counted(go_has(candidates, bit), theirs && is_empty);
        let before = go_rated(near_before) & go_counted(go_has(mine_before, bit), theirs);
        go_add_to_span(playout, go_span_at(bit, lane), after - before);
        if GO_TACTICAL && go_has(around, bit) {
            answers = go_add_answer(answers, bit, go_first(last) / GO_STRIDE, after & 0xffffu);
        }
    }
    (*playout).answers = answers;
}

// --- draws ---------------------------------------------------------------------------------------------------

// A span, and the rest of a place in the list after the entries of the spans before it.
struct GoDraw {
    span: u32,
    rest: u32,
}

fn go_drawn_span(place: u32, turn: u32, answers: vec3<u32>, last_row: u32, lane: u32) -> GoDraw {
    var sum = 0u;
    var below = 0u;
    var passed = 0u;
    for (var span = 0u; span < GO_SPANS; span++) {
        sum += (sh_playout[span * PLAYOUT_LANES + lane] >> (16u * turn)) & 0xffffu;
        if GO_TACTICAL {
            sum += GO_MORE_ANSWERS * go_answers_in(answers, span, last_row);
        }
        let behind = sum <= place;
        passed += u32(behind);
        below = select(below, sum, behind);
    }
    return GoDraw(passed, place - below);
}

// The first points of a span: the sum of the candidates' ratings, and the number of points before a place.
struct GoPassed {
    sum: u32,
    points: u32,
}

fn go_pass_point(passed: GoPassed, rest: u32, ratings: u32, candidate: u32, answer: u32) -> GoPassed {
    let times = 1u + (answer & 1u) * GO_MORE_ANSWERS;
    let sum = passed.sum + (ratings & ((candidate & 1u) * 0xffffu)) * times;
    return GoPassed(sum, passed.points + u32(sum <= rest));
}

// Five points at a time, so that their ratings are loaded at the same time.
fn go_pass_five(passed: GoPassed, rest: u32, near: GoNear, candidates: u32, answers: u32) -> GoPassed {
    let a = go_rated(near);
    let b = go_rated(go_along(near, 1u));
    let c = go_rated(go_along(near, 2u));
    let d = go_rated(go_along(near, 3u));
    let e = go_rated(go_along(near, 4u));
    var next = go_pass_point(passed, rest, a, candidates, answers);
    next = go_pass_point(next, rest, b, candidates >> 1u, answers >> 1u);
    next = go_pass_point(next, rest, c, candidates >> 2u, answers >> 2u);
    next = go_pass_point(next, rest, d, candidates >> 3u, answers >> 3u);
    return go_pass_point(next, rest, e, candidates >> 4u, answers >> 4u);
}

// The bit of the point that has a place in the list of the candidates' entries. The points after it have no effect on
// the result.
fn go_drawn(playout: ptr<function, Playout>, place: u32, lane: u32) -> u32 {
    let board = (*playout).board;
    let last = go_last_stone(playout);
    let draw = go_drawn_span(place, (*playout).turn, (*playout).answers, go_first(last) / GO_STRIDE, lane);
    let first = (draw.span / GO_ROW_SPANS) * GO_STRIDE + (draw.span % GO_ROW_SPANS) * GO_SPAN;
    var candidates = go_bits_from((*playout).placements, first);
    var answers = 0u;
    if GO_TACTICAL {
        answers = go_bits_from(go_surroundings(last), first);
    }
    var near = go_near(go_sight(board.mine, board.theirs), first);
    var passed = GoPassed();
    for (var i = 0u; i < GO_SPAN; i += 5u) {
        passed = go_pass_five(passed, draw.rest, near, candidates, answers);
        near = go_along(near, 5u);
        candidates >>= 5u;
        answers >>= 5u;
    }
    return first + passed.points;
}

// --- the contract --------------------------------------------------------------------------------------------

// The sums over all empty points, which count as candidates of both players at first.
fn go_first_sums(playout: ptr<function, Playout>, lane: u32) {
    let board = (*playout).board;
    let empty = go_empty(board.mine, board.theirs);
    let sight = go_sight(board.mine, board.theirs);
    go_keep(empty, lane);
    (*playout).placements = empty;
    for (var span = 0u; span < GO_SPANS; span++) {
        sh_playout[span * PLAYOUT_LANES + lane] = 0u;
    }
    for (var bit = 0u; bit < GO_ROWS * GO_STRIDE; bit++) {
        if go_has(empty, bit) {
            go_add_to_span(playout, go_span_at(bit, lane), go_rated(go_near(sight, bit)));
        }
    }
}

fn playout_begin(state: ptr<function, State>, turn: u32, lane: u32) -> Playout {
    let word = (*state)[2u * GO_WORDS];
    var board = go_board_of(state, turn);
    board.atari = go_find_atari(board.mine, board.theirs);
    var playout = Playout(board, GoPlane(), turn, go_passes(word), go_moves(word), GoPlane(), vec2<u32>(), vec3<u32>());
    go_first_sums(&playout, lane);
    return playout;
}

// Order: the candidates by ascending action, each with as many entries as its rating (several times that next to the
// last stone); then the urgent ones; only the pass if there is no candidate.
fn legal_actions_playout(playout: ptr<function, Playout>, lane: u32) -> u32 {
    var board = (*playout).board;
    go_rate(playout, go_placements(&board), lane);
    return max(go_rated_entries(playout) + go_all_urgent_entries(playout), 1u);
}

fn advance_playout(playout: ptr<function, Playout>, ordinal: u32, lane: u32) -> bool {
    var board = (*playout).board;
    var passes = (*playout).passes + 1u;
    var changed = GoPlane();
    if go_any((*playout).placements) {
        let stone = go_drawn_point(playout, ordinal, lane);
        let theirs = board.theirs;
        if NOTES_FIRSTS {
            go_note_first(stone, (*playout).turn);
        }
        go_play(&board, stone);
        changed = go_or(stone, go_without(theirs, board.theirs));
        passes = 0u;
    } else {
        board.ko = GoPlane();
    }
    (*playout).board = GoBoard(board.theirs, board.mine, board.atari, board.ko);
    (*playout).changed = changed;
    (*playout).turn = 1u - (*playout).turn;
    (*playout).sums = (*playout).sums.yx;
    (*playout).passes = passes;
    (*playout).moves += 1u;
    return go_is_over(passes, (*playout).moves);
}
