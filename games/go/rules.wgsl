// Go on 1 x 1 to 19 x 19. Twin of src/games/go, which states the rules, the numbering and the playout
// policy.
//
// State: Black's plane, White's plane (GO_WORDS words each), then one word: 9 bits 0 or 1 + the bit of the ko
// point, 2 bits consecutive passes, 21 bits moves played.
//
// A plane is a set of points, bit row * (GO_COLUMNS + 1) + column. With the unused column at the end of each row,
// shifts by one point don't wrap around.
//
// Cost, in 32-bit integer instructions counted by hand: the neighbours of a set 7 a word (one funnel shift a direction,
// three logic operations of three inputs); the placements of a position 30 a word, as the groups in atari are carried
// along; a step of tracing a group 35 a word; the rest of a move 30 a word. A ply needs 1.7 traces of one or two steps
// each, but 32 lanes that run together need five steps until the last of them is done: 1,000 instructions on 9 x 9
// (3 words).

const GO_STRIDE: u32 = GO_COLUMNS + 1u;
const GO_PASS: u32 = GO_ROWS * GO_COLUMNS;

struct GoPlane {
    a: vec4<u32>,
    b: vec4<u32>,
    c: vec4<u32>,
}

const GO_BOARD = GoPlane(
    vec4<u32>(GO_BOARD_0, GO_BOARD_1, GO_BOARD_2, GO_BOARD_3),
    vec4<u32>(GO_BOARD_4, GO_BOARD_5, GO_BOARD_6, GO_BOARD_7),
    vec4<u32>(GO_BOARD_8, GO_BOARD_9, GO_BOARD_10, GO_BOARD_11),
);
const GO_EDGE = GoPlane(
    vec4<u32>(GO_EDGE_0, GO_EDGE_1, GO_EDGE_2, GO_EDGE_3),
    vec4<u32>(GO_EDGE_4, GO_EDGE_5, GO_EDGE_6, GO_EDGE_7),
    vec4<u32>(GO_EDGE_8, GO_EDGE_9, GO_EDGE_10, GO_EDGE_11),
);

// All bits of the words that the board uses, none of the others.
const GO_USED_A = select(vec4<u32>(0u), vec4<u32>(0xffffffffu), vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(GO_WORDS));
const GO_USED_B = select(vec4<u32>(0u), vec4<u32>(0xffffffffu), vec4<u32>(4u, 5u, 6u, 7u) < vec4<u32>(GO_WORDS));
const GO_USED_C = select(vec4<u32>(0u), vec4<u32>(0xffffffffu), vec4<u32>(8u, 9u, 10u, 11u) < vec4<u32>(GO_WORDS));

// The plane of these words. The words that a board does not use are cleared by every operation, so that compilers
// remove them: in loops they do not find out that these words are always 0.
fn go_plane(a: vec4<u32>, b: vec4<u32>, c: vec4<u32>) -> GoPlane {
    return GoPlane(a & GO_USED_A, b & GO_USED_B, c & GO_USED_C);
}

fn go_and(p: GoPlane, q: GoPlane) -> GoPlane {
    return go_plane(p.a & q.a, p.b & q.b, p.c & q.c);
}

fn go_or(p: GoPlane, q: GoPlane) -> GoPlane {
    return go_plane(p.a | q.a, p.b | q.b, p.c | q.c);
}

fn go_without(p: GoPlane, q: GoPlane) -> GoPlane {
    return go_plane(p.a & ~q.a, p.b & ~q.b, p.c & ~q.c);
}

// The points that are in exactly one of the two sets.
fn go_differences(p: GoPlane, q: GoPlane) -> GoPlane {
    return go_plane(p.a ^ q.a, p.b ^ q.b, p.c ^ q.c);
}

fn go_any(p: GoPlane) -> bool {
    let used = go_plane(p.a, p.b, p.c);
    return any((used.a | used.b | used.c) != vec4<u32>(0u));
}

fn go_same(p: GoPlane, q: GoPlane) -> bool {
    return !go_any(go_differences(p, q));
}

fn go_select(no: GoPlane, yes: GoPlane, condition: bool) -> GoPlane {
    return go_plane(select(no.a, yes.a, condition), select(no.b, yes.b, condition), select(no.c, yes.c, condition));
}

fn go_sum(v: vec4<u32>) -> u32 {
    return v.x + v.y + v.z + v.w;
}

fn go_count(p: GoPlane) -> u32 {
    let used = go_plane(p.a, p.b, p.c);
    return go_sum(countOneBits(used.a) + countOneBits(used.b) + countOneBits(used.c));
}

// Moved to higher bits by 1 to 31.
fn go_up(p: GoPlane, distance: u32) -> GoPlane {
    let left = vec4<u32>(distance);
    let right = vec4<u32>(32u - distance);
    return go_plane(
        (p.a << left) | (vec4<u32>(0u, p.a.xyz) >> right),
        (p.b << left) | (vec4<u32>(p.a.w, p.b.xyz) >> right),
        (p.c << left) | (vec4<u32>(p.b.w, p.c.xyz) >> right),
    );
}

// Moved to lower bits by 1 to 31.
fn go_down(p: GoPlane, distance: u32) -> GoPlane {
    let right = vec4<u32>(distance);
    let left = vec4<u32>(32u - distance);
    return go_plane(
        (p.a >> right) | (vec4<u32>(p.a.yzw, p.b.x) << left),
        (p.b >> right) | (vec4<u32>(p.b.yzw, p.c.x) << left),
        (p.c >> right) | (vec4<u32>(p.c.yzw, 0u) << left),
    );
}

// The points next to some point of the set.
fn go_neighbours(p: GoPlane) -> GoPlane {
    let sideways = go_or(go_up(p, 1u), go_down(p, 1u));
    return go_and(go_or(go_or(sideways, go_up(p, GO_STRIDE)), go_down(p, GO_STRIDE)), GO_BOARD);
}

// A set and the points of `side` beside it: those in its rows, then those in the columns of all of these. So it also
// grows around corners.
fn go_grow(p: GoPlane, side: GoPlane) -> GoPlane {
    let wide = go_or(p, go_and(go_or(go_up(p, 1u), go_down(p, 1u)), side));
    return go_or(wide, go_and(go_or(go_up(wide, GO_STRIDE), go_down(wide, GO_STRIDE)), side));
}

// The points next to two points of the set or more.
fn go_twice_beside(p: GoPlane) -> GoPlane {
    let a = go_up(p, 1u);
    let b = go_down(p, 1u);
    let c = go_up(p, GO_STRIDE);
    let d = go_down(p, GO_STRIDE);
    return go_or(go_or(go_and(a, b), go_and(c, d)), go_and(go_or(a, b), go_or(c, d)));
}

// The set of one point.
fn go_bit(index: u32) -> GoPlane {
    let none = vec4<u32>(0u);
    let bit = vec4<u32>(1u << (index & 31u));
    let word = vec4<u32>(index >> 5u);
    let one = GoPlane(
        select(none, bit, word == vec4<u32>(0u, 1u, 2u, 3u)),
        select(none, bit, word == vec4<u32>(4u, 5u, 6u, 7u)),
        select(none, bit, word == vec4<u32>(8u, 9u, 10u, 11u)),
    );
    return go_and(one, GO_BOARD);
}

// 1 + the bit of a set of one point, 0 for the empty set.
fn go_mark(p: GoPlane) -> u32 {
    let none = vec4<u32>(0u);
    let first = vec4<u32>(1u, 33u, 65u, 97u);
    let a = select(none, first + firstTrailingBit(p.a), p.a != none);
    let b = select(none, first + 128u + firstTrailingBit(p.b), p.b != none);
    let c = select(none, first + 256u + firstTrailingBit(p.c), p.c != none);
    return go_sum(a | b | c);
}

// The inverse of go_mark.
fn go_marked(mark: u32) -> GoPlane {
    return go_select(GoPlane(), go_bit(mark - 1u), mark != 0u);
}

// The lowest bit of the first word that is not zero.
fn go_lowest_of_four(v: vec4<u32>) -> vec4<u32> {
    let earlier = vec4<u32>(0u, v.x, v.x | v.y, v.x | v.y | v.z);
    return select(vec4<u32>(0u), v & (~v + 1u), earlier == vec4<u32>(0u));
}

// The lowest point of a set, as a set; empty if it is.
fn go_lowest(p: GoPlane) -> GoPlane {
    let none = vec4<u32>(0u);
    return GoPlane(
        go_lowest_of_four(p.a),
        select(go_lowest_of_four(p.b), none, any(p.a != none)),
        select(go_lowest_of_four(p.c), none, any((p.a | p.b) != none)),
    );
}

// One halving of a search for a set bit: x the bits left, y the set bits still to skip, z the place of bit 0
// of x.
fn go_halve(search: vec3<u32>, width: u32) -> vec3<u32> {
    let skipped = countOneBits(search.x & ((1u << width) - 1u));
    return select(search, vec3<u32>(search.x >> width, search.y - skipped, search.z + width), search.y >= skipped);
}

// The point with `ordinal` points of the set below it.
fn go_nth(p: GoPlane, ordinal: u32) -> GoPlane {
    var words = p.a & GO_USED_A;
    var rest = ordinal;
    var place = 0u;
    let in_a = go_sum(countOneBits(p.a));
    if GO_WORDS > 4u && rest >= in_a {
        words = p.b;
        rest -= in_a;
        place = 128u;
        let in_b = go_sum(countOneBits(p.b));
        if GO_WORDS > 8u && rest >= in_b {
            words = p.c;
            rest -= in_b;
            place = 256u;
        }
    }
    let counts = countOneBits(words);
    var search = vec3<u32>(words.x, rest, place);
    search = select(search, vec3<u32>(words.y, rest - counts.x, place + 32u), rest >= counts.x);
    let two = counts.x + counts.y;
    search = select(search, vec3<u32>(words.z, rest - two, place + 64u), rest >= two);
    let three = two + counts.z;
    search = select(search, vec3<u32>(words.w, rest - three, place + 96u), rest >= three);
    let byte = go_halve(go_halve(search, 16u), 8u);
    return go_bit(go_halve(go_halve(go_halve(byte, 4u), 2u), 1u).z);
}

// A group of stones and its liberties: 0, 1, or more. It is complete only where there are fewer than two.
struct GoGroup {
    stones: GoPlane,
    liberties: u32,
}

fn go_trace(seed: GoPlane, side: GoPlane, empty: GoPlane) -> GoGroup {
    var group = seed;
    var liberties = 0u;
    loop {
        group = go_grow(group, side);
        let near = go_neighbours(group);
        liberties = go_count(go_and(near, empty));
        let grown = go_or(group, go_and(near, side));
        if liberties > 1u || go_same(grown, group) {
            break;
        }
        group = grown;
    }
    return GoGroup(group, liberties);
}

// `seed` and all that is connected to it through `through`.
fn go_flood(seed: GoPlane, through: GoPlane) -> GoPlane {
    var reached = seed;
    loop {
        let grown = go_grow(reached, through);
        if go_same(grown, reached) {
            break;
        }
        reached = grown;
    }
    return reached;
}

// A board as the player to move sees it. Only playouts keep `atari`: of the stones beside an empty point, those of both
// colours whose group has one liberty. Stones without an empty point beside them may be in it, too, and have no effect:
// a stone at the last liberty of its own group leaves the group's stones in it, until a capture beside them.
struct GoBoard {
    mine: GoPlane,
    theirs: GoPlane,
    atari: GoPlane,
    ko: GoPlane,
}

fn go_empty(mine: GoPlane, theirs: GoPlane) -> GoPlane {
    return go_without(GO_BOARD, go_or(mine, theirs));
}

fn go_find_atari(mine: GoPlane, theirs: GoPlane) -> GoPlane {
    let empty = go_empty(mine, theirs);
    var atari = GoPlane();
    var rest = go_or(mine, theirs);
    while go_any(rest) {
        let seed = go_lowest(rest);
        let group = go_trace(seed, go_select(theirs, mine, go_any(go_and(seed, mine))), empty);
        atari = go_select(atari, go_or(atari, group.stones), group.liberties == 1u);
        rest = go_without(rest, group.stones);
    }
    return atari;
}

// The points of `hemmed` with at most one stone of `theirs` on a diagonal, none at the edge.
fn go_safe_diagonals(hemmed: GoPlane, theirs: GoPlane) -> GoPlane {
    let a = go_up(theirs, GO_STRIDE + 1u);
    let b = go_up(theirs, GO_STRIDE - 1u);
    let c = go_down(theirs, GO_STRIDE + 1u);
    let d = go_down(theirs, GO_STRIDE - 1u);
    let two = go_or(go_or(go_and(a, b), go_and(c, d)), go_and(go_or(a, b), go_or(c, d)));
    let one = go_or(go_or(a, b), go_or(c, d));
    return go_without(hemmed, go_or(two, go_and(one, GO_EDGE)));
}

// The legal points that are not the mover's own eyes. Needs `atari`.
fn go_placements(board: ptr<function, GoBoard>) -> GoPlane {
    let mine = (*board).mine;
    let theirs = (*board).theirs;
    let atari = (*board).atari;
    let empty = go_empty(mine, theirs);
    let open = go_or(empty, go_or(go_without(mine, atari), go_and(theirs, atari)));
    let legal = go_without(go_and(go_neighbours(open), empty), (*board).ko);
    let hemmed = go_without(legal, go_neighbours(go_or(empty, theirs)));
    if !go_any(hemmed) {
        return legal;
    }
    return go_without(legal, go_safe_diagonals(hemmed, theirs));
}

// Whether the mover may play on the point `stone`. Needs no `atari`.
fn go_is_legal(board: ptr<function, GoBoard>, stone: GoPlane) -> bool {
    let mine = (*board).mine;
    let theirs = (*board).theirs;
    let empty = go_empty(mine, theirs);
    if !go_any(go_and(stone, empty)) || go_same(stone, (*board).ko) {
        return false;
    }
    let near = go_neighbours(stone);
    var rest = go_without(near, empty);
    var legal = go_any(go_and(near, empty));
    while !legal && go_any(rest) {
        let seed = go_lowest(rest);
        let own = go_any(go_and(seed, mine));
        let group = go_trace(seed, go_select(theirs, mine, own), empty);
        // Own groups need a liberty besides this point; opposing ones are captured if they have none.
        legal = own == (group.liberties > 1u);
        rest = go_without(rest, group.stones);
    }
    return legal;
}

// The effect of a stone: the opposing stones that it captures; its own group (see GoGroup).
struct GoImpact {
    captured: GoPlane,
    own: GoGroup,
}

// Places a stone and takes the stones that it captures; adds to `atari` the opposing groups that are left with one
// liberty. Groups of opposing stones that have two liberties of their own, as most have, need no tracing. The others
// are traced in one loop, so that neighbouring lanes with different groups do not wait for each other. A step of it
// grows a group several times, as the tests and the change to the next group take longer than that.
fn go_place(board: ptr<function, GoBoard>, stone: GoPlane) -> GoImpact {
    let mine = go_or((*board).mine, stone);
    var theirs = (*board).theirs;
    var atari = (*board).atari;
    var captured = GoPlane();
    var pending = go_without(go_and(go_neighbours(stone), theirs), go_twice_beside(go_empty(mine, theirs)));
    var own = !go_any(pending);
    var group = go_select(go_lowest(pending), stone, own);
    var liberties = 0u;
    loop {
        let side = go_select(theirs, mine, own);
        group = go_grow(go_grow(group, side), side);
        let near = go_neighbours(group);
        liberties = go_count(go_and(near, go_empty(mine, theirs)));
        let grown = go_or(group, go_and(near, side));
        if liberties < 2u && !go_same(grown, group) {
            group = grown;
            continue;
        }
        if own {
            break;
        }
        let taken = go_select(GoPlane(), group, liberties == 0u);
        atari = go_without(go_select(atari, go_or(atari, group), liberties == 1u), taken);
        theirs = go_without(theirs, taken);
        captured = go_or(captured, taken);
        pending = go_without(pending, group);
        own = !go_any(pending);
        group = go_select(go_lowest(pending), stone, own);
    }
    *board = GoBoard(mine, theirs, atari, (*board).ko);
    return GoImpact(captured, GoGroup(group, liberties));
}

// Plays a legal stone: captures, ko, and the groups in atari. The view stays that of the player who moved.
fn go_play(board: ptr<function, GoBoard>, stone: GoPlane) {
    let impact = go_place(board, stone);
    let captured = impact.captured;
    let group = impact.own.stones;
    let alone = impact.own.liberties == 1u;
    var atari = (*board).atari;
    (*board).ko = GoPlane();
    if go_any(captured) {
        let threatened = go_and((*board).mine, atari);
        let saved = go_flood(go_and(go_neighbours(captured), threatened), threatened);
        atari = go_without(atari, saved);
        let retakes = alone && go_same(group, stone) && go_count(captured) == 1u;
        (*board).ko = go_select(GoPlane(), captured, retakes);
    }
    (*board).atari = go_select(atari, go_or(atari, group), alone);
}

// Stones and surrounded points of the mover, less those of the opponent.
fn go_area(mine: GoPlane, theirs: GoPlane) -> i32 {
    let empty = go_empty(mine, theirs);
    let reached = go_flood(mine, empty);
    let reached_by_them = go_flood(theirs, empty);
    return i32(go_count(go_without(reached, reached_by_them))) - i32(go_count(go_without(reached_by_them, reached)));
}

// Black's score in half points, from the view of the player to move.
fn go_score(mine: GoPlane, theirs: GoPlane, turn: u32) -> i32 {
    let area = go_area(mine, theirs);
    return 2 * select(-area, area, turn == FIRST) - bitcast<i32>(GO_TWICE_KOMI);
}

// The outcome of a finished game, from the view of the player to move.
fn go_outcome(mine: GoPlane, theirs: GoPlane, turn: u32) -> u32 {
    let score = go_score(mine, theirs, turn);
    if score == 0 {
        return DRAW;
    }
    return wins(select(SECOND, FIRST, score > 0));
}

fn go_word(state: ptr<function, State>, first: u32, index: u32) -> u32 {
    if index < GO_WORDS {
        return (*state)[first + index];
    }
    return 0u;
}

fn go_load_four(state: ptr<function, State>, first: u32, index: u32) -> vec4<u32> {
    return vec4<u32>(
        go_word(state, first, index), go_word(state, first, index + 1u),
        go_word(state, first, index + 2u), go_word(state, first, index + 3u),
    );
}

fn go_load_from(state: ptr<function, State>, first: u32) -> GoPlane {
    return GoPlane(go_load_four(state, first, 0u), go_load_four(state, first, 4u), go_load_four(state, first, 8u));
}

// Both planes are loaded, so that the indexes are constants and a compiler can keep the state in registers.
fn go_load(state: ptr<function, State>, player: u32) -> GoPlane {
    return go_select(go_load_from(state, 0u), go_load_from(state, GO_WORDS), player == SECOND);
}

fn go_store_four(state: ptr<function, State>, first: u32, index: u32, words: vec4<u32>) {
    if index < GO_WORDS {
        (*state)[first + index] = words.x;
    }
    if index + 1u < GO_WORDS {
        (*state)[first + index + 1u] = words.y;
    }
    if index + 2u < GO_WORDS {
        (*state)[first + index + 2u] = words.z;
    }
    if index + 3u < GO_WORDS {
        (*state)[first + index + 3u] = words.w;
    }
}

fn go_store(state: ptr<function, State>, first: u32, plane: GoPlane) {
    go_store_four(state, first, 0u, plane.a);
    go_store_four(state, first, 4u, plane.b);
    go_store_four(state, first, 8u, plane.c);
}

fn go_ko_mark(word: u32) -> u32 {
    return word & 511u;
}

fn go_passes(word: u32) -> u32 {
    return (word >> 9u) & 3u;
}

fn go_moves(word: u32) -> u32 {
    return word >> 11u;
}

fn go_is_over(passes: u32, moves: u32) -> bool {
    return passes >= 2u || moves >= GO_MAX_MOVES;
}

// The board without its groups in atari.
fn go_board_of(state: ptr<function, State>, turn: u32) -> GoBoard {
    let ko = go_marked(go_ko_mark((*state)[2u * GO_WORDS]));
    return GoBoard(go_load(state, turn), go_load(state, 1u - turn), GoPlane(), ko);
}

fn go_point(action: u32) -> GoPlane {
    return go_bit(action + action / GO_COLUMNS);
}

fn is_action_legal(state: ptr<function, State>, turn: u32, action: u32) -> bool {
    if action == GO_PASS {
        return true;
    }
    var board = go_board_of(state, turn);
    return go_is_legal(&board, go_point(action));
}

// 0 for the mover's own eyes, which are not candidates of playouts either; 1 for all other moves.
fn action_urgency(state: ptr<function, State>, turn: u32, action: u32) -> u32 {
    if action == GO_PASS {
        return 1u;
    }
    let point = go_point(action);
    let hemmed = !go_any(go_without(go_neighbours(point), go_load(state, turn)));
    return u32(!(hemmed && go_any(go_safe_diagonals(point, go_load(state, 1u - turn)))));
}

fn take_action(state: ptr<function, State>, turn: u32, action: u32) {
    let word = (*state)[2u * GO_WORDS];
    let moves = (go_moves(word) + 1u) << 11u;
    if action == GO_PASS {
        (*state)[2u * GO_WORDS] = ((go_passes(word) + 1u) << 9u) | moves;
        return;
    }
    var board = go_board_of(state, turn);
    go_play(&board, go_point(action));
    go_store(state, 0u, go_select(board.mine, board.theirs, turn == SECOND));
    go_store(state, GO_WORDS, go_select(board.theirs, board.mine, turn == SECOND));
    (*state)[2u * GO_WORDS] = go_mark(board.ko) | moves;
}

// Two hashes of the stones, each a chain of steps that are one-to-one in each word.
fn position_key(state: ptr<function, State>) -> vec2<u32> {
    var key = vec2<u32>(0x243f6a88u, 0x85a308d3u);
    for (var i = 0u; i < 2u * GO_WORDS; i++) {
        let word = (*state)[i];
        key = (key ^ vec2<u32>(word, (word << 16u) | (word >> 16u))) * vec2<u32>(0x9e3779b1u, 0x85ebca77u);
        key ^= key >> vec2<u32>(15u, 13u);
    }
    return key;
}

fn may_repeat(action: u32) -> bool {
    return action == GO_PASS;
}

fn compute_outcome(state: ptr<function, State>, turn: u32, last_action: u32) -> u32 {
    let word = (*state)[2u * GO_WORDS];
    if !go_is_over(go_passes(word), go_moves(word)) {
        return ONGOING;
    }
    return go_outcome(go_load(state, turn), go_load(state, 1u - turn), turn);
}
