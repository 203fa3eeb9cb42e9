//! name = "othello"
//! max_actions = 65
//! state_words = 4
//! max_plies = 120
//! planes = 5
//! start = [0x10000000, 0x8, 0x8000000, 0x10]
//!
//! [board]
//! rows = 8
//! columns = 8
//! glyphs = ".XO"

// Othello, 8 x 8. Twin of src/games/othello.rs, which states the numbering of squares and the rules in words.
//
// State: Black's discs, then White's, two words each; bit row * 8 + column, low word (rows 1 to 4) first.
//
// Boards are represented in both orders: in a vec4, xy has the 64 squares, and zw the same squares in reverse order.
// A shift to higher squares in zw is one to lower squares of the board, so that one shift serves both senses of a
// direction; along rows, the carry of an addition passes through a whole line of discs.
//
// Cost, in 32-bit integer instructions a ply of a playout, counted by hand (a funnel shift or a three-input
// logic operation counts one): placements 150 (rows 25; three other directions 40 each), picking the square
// 35, flips 145 (rows 30; the others 36 each), the rest 15. The ten reverseBits a ply run beside these on
// most GPUs.

const OTHELLO_PASS: u32 = 64u;
// Files b to g: discs bracketed along a row or a diagonal are on these files, so that a run within them never wraps
// around.
const OTHELLO_INNER_FILES: u32 = 0x7e7e7e7eu;

fn othello_both_ends(squares: vec2<u32>) -> vec4<u32> {
    return vec4<u32>(squares, reverseBits(squares.yx));
}

fn othello_from_both_ends(squares: vec4<u32>) -> vec2<u32> {
    return squares.xy | reverseBits(squares.wz);
}

// Both 64-bit halves shifted to higher squares by 1 to 63, except 32.
fn othello_shift(squares: vec4<u32>, distance: u32) -> vec4<u32> {
    if distance > 32u {
        let far = squares.xz << vec2<u32>(distance - 32u);
        return vec4<u32>(0u, far.x, 0u, far.y);
    }
    let low = squares.xz << vec2<u32>(distance);
    let high = (squares.yw << vec2<u32>(distance)) | (squares.xz >> vec2<u32>(32u - distance));
    return vec4<u32>(low.x, high.x, low.y, high.y);
}

// The ends of unbroken lines of discs along one direction: of one disc, of two (pairs), and of four (quads).
struct OthelloLines {
    ones: vec4<u32>,
    pairs: vec4<u32>,
    quads: vec4<u32>,
}

fn othello_lines(discs: vec4<u32>, distance: u32) -> OthelloLines {
    let pairs = discs & othello_shift(discs, distance);
    return OthelloLines(discs, pairs, pairs & othello_shift(pairs, 2u * distance));
}

// `start` and the lines that begin beside it: a Kogge-Stone fill, up to seven steps in three.
fn othello_fill(start: vec4<u32>, lines: OthelloLines, distance: u32) -> vec4<u32> {
    var filled = start | (lines.ones & othello_shift(start, distance));
    filled |= lines.pairs & othello_shift(filled, 2u * distance);
    if distance == 8u {
        // Four rows are exactly one word.
        return filled | vec4<u32>(0u, lines.quads.y & filled.x, 0u, lines.quads.w & filled.z);
    }
    return filled | (lines.quads & othello_shift(filled, 4u * distance));
}

// The board from the view of the player to move. The lines are those of `theirs`, for the placements and, one ply
// later, the flips.
struct OthelloView {
    mine: vec4<u32>,
    theirs: vec4<u32>,
    falling: OthelloLines,
    upright: OthelloLines,
    rising: OthelloLines,
}

fn othello_view(mine: vec2<u32>, theirs: vec2<u32>) -> OthelloView {
    let discs = othello_both_ends(theirs);
    let inner = discs & vec4<u32>(OTHELLO_INNER_FILES);
    return OthelloView(
        othello_both_ends(mine), discs, othello_lines(inner, 7u), othello_lines(discs, 8u), othello_lines(inner, 9u),
    );
}

fn othello_placements_along(mine: vec4<u32>, lines: OthelloLines, distance: u32) -> vec4<u32> {
    return othello_shift(othello_fill(mine, lines, distance) & ~mine, distance);
}

// The empty squares from which a disc brackets some of theirs.
fn othello_placements(view: ptr<function, OthelloView>) -> vec2<u32> {
    let mine = (*view).mine;
    let inner = (*view).theirs & vec4<u32>(OTHELLO_INNER_FILES);
    var reached = (inner + ((mine << vec4<u32>(1u)) & inner)) & ~inner;
    reached |= othello_placements_along(mine, (*view).falling, 7u);
    reached |= othello_placements_along(mine, (*view).upright, 8u);
    reached |= othello_placements_along(mine, (*view).rising, 9u);
    return othello_from_both_ends(reached) & ~(mine.xy | (*view).theirs.xy);
}

// The runs of each sense that end at a disc of `mine`.
fn othello_closed(runs: vec4<u32>, ends: vec4<u32>) -> vec4<u32> {
    let closed = select(vec2<u32>(0u), vec2<u32>(0xffffffffu), (ends.xz | ends.yw) != vec2<u32>(0u));
    return runs & closed.xxyy;
}

// A run may hold the placed disc too, which changes nothing for the mover.
fn othello_flips_along(placed: vec4<u32>, mine: vec4<u32>, lines: OthelloLines, distance: u32) -> vec4<u32> {
    let runs = othello_fill(placed, lines, distance);
    return othello_closed(runs, othello_shift(runs, distance) & mine);
}

// The discs of theirs that a disc on `square` brackets, and possibly the disc itself.
fn othello_flips(view: ptr<function, OthelloView>, square: vec2<u32>) -> vec2<u32> {
    let mine = (*view).mine;
    let placed = othello_both_ends(square);
    let inner = (*view).theirs & vec4<u32>(OTHELLO_INNER_FILES);
    let carried = inner + ((placed << vec4<u32>(1u)) & inner);
    var flips = othello_closed(inner & ~carried, carried & ~inner & mine);
    flips |= othello_flips_along(placed, mine, (*view).falling, 7u);
    flips |= othello_flips_along(placed, mine, (*view).upright, 8u);
    flips |= othello_flips_along(placed, mine, (*view).rising, 9u);
    return othello_from_both_ends(flips);
}

fn othello_square(action: u32) -> vec2<u32> {
    let bit = 1u << (action & 31u);
    return select(vec2<u32>(bit, 0u), vec2<u32>(0u, bit), action >= 32u);
}

// One halving of a search for a set bit: x the bits left, y the set bits still to skip, z the place of bit 0
// of x.
fn othello_halve(search: vec3<u32>, width: u32) -> vec3<u32> {
    let skipped = countOneBits(search.x & ((1u << width) - 1u));
    return select(search, vec3<u32>(search.x >> width, search.y - skipped, search.z + width), search.y >= skipped);
}

// The square with `ordinal` set bits below it.
fn othello_nth_square(squares: vec2<u32>, ordinal: u32) -> vec2<u32> {
    let below = countOneBits(squares.x);
    let in_high = ordinal >= below;
    let start = select(vec3<u32>(squares.x, ordinal, 0u), vec3<u32>(squares.y, ordinal - below, 0u), in_high);
    let half = othello_halve(othello_halve(start, 16u), 8u);
    let found = othello_halve(othello_halve(othello_halve(half, 4u), 2u), 1u);
    let bit = 1u << found.z;
    return select(vec2<u32>(bit, 0u), vec2<u32>(0u, bit), in_high);
}

fn othello_count(squares: vec2<u32>) -> u32 {
    return countOneBits(squares.x) + countOneBits(squares.y);
}

// The winner by discs, from the view of the player to move.
fn othello_most_discs(mine: vec2<u32>, theirs: vec2<u32>, turn: u32) -> u32 {
    let own = othello_count(mine);
    let other = othello_count(theirs);
    if own == other {
        return DRAW;
    }
    return wins(select(1u - turn, turn, own > other));
}

fn othello_discs(state: ptr<function, State>, player: u32) -> vec2<u32> {
    let black = vec2<u32>((*state)[0], (*state)[1]);
    let white = vec2<u32>((*state)[2], (*state)[3]);
    return select(white, black, player == FIRST);
}

fn othello_view_of(state: ptr<function, State>, turn: u32) -> OthelloView {
    return othello_view(othello_discs(state, turn), othello_discs(state, 1u - turn));
}

fn is_action_legal(state: ptr<function, State>, turn: u32, action: u32) -> bool {
    var view = othello_view_of(state, turn);
    let placements = othello_placements(&view);
    if action == OTHELLO_PASS {
        return all(placements == vec2<u32>(0u));
    }
    return any((placements & othello_square(action)) != vec2<u32>(0u));
}

fn take_action(state: ptr<function, State>, turn: u32, action: u32) {
    if action == OTHELLO_PASS {
        return;
    }
    var view = othello_view_of(state, turn);
    let square = othello_square(action);
    let flips = othello_flips(&view, square);
    let mine = view.mine.xy | flips | square;
    let theirs = view.theirs.xy & ~flips;
    let black = select(theirs, mine, turn == FIRST);
    let white = select(mine, theirs, turn == FIRST);
    *state = State(black.x, black.y, white.x, white.y);
}

fn compute_outcome(state: ptr<function, State>, turn: u32, last_action: u32) -> u32 {
    var mover = othello_view_of(state, turn);
    var other = othello_view_of(state, 1u - turn);
    if any((othello_placements(&mover) | othello_placements(&other)) != vec2<u32>(0u)) {
        return ONGOING;
    }
    return othello_most_discs(mover.mine.xy, mover.theirs.xy, turn);
}

struct Playout {
    view: OthelloView,
    placements: vec2<u32>,
    turn: u32,
}

fn playout_begin(state: ptr<function, State>, turn: u32, lane: u32) -> Playout {
    var view = othello_view_of(state, turn);
    let placements = othello_placements(&view);
    return Playout(view, placements, turn);
}

// Order: the placements by ascending square; only the pass if there is none.
fn legal_actions_playout(playout: ptr<function, Playout>, lane: u32) -> u32 {
    return max(othello_count((*playout).placements), 1u);
}

fn advance_playout(playout: ptr<function, Playout>, ordinal: u32, lane: u32) -> bool {
    var view = (*playout).view;
    var mine = view.mine.xy;
    var theirs = view.theirs.xy;
    if any((*playout).placements != vec2<u32>(0u)) {
        let square = othello_nth_square((*playout).placements, ordinal);
        let flips = othello_flips(&view, square);
        mine |= flips | square;
        theirs &= ~flips;
    }
    let turn = 1u - (*playout).turn;
    view = othello_view(theirs, mine);
    let placements = othello_placements(&view);
    *playout = Playout(view, placements, turn);
    if any(placements != vec2<u32>(0u)) {
        return false;
    }
    var passed = othello_view(mine, theirs);
    return all(othello_placements(&passed) == vec2<u32>(0u));
}

fn take_action_playout(playout: ptr<function, Playout>, ordinal: u32, lane: u32) -> u32 {
    if !advance_playout(playout, ordinal, lane) {
        return ONGOING;
    }
    let view = (*playout).view;
    return othello_most_discs(view.mine.xy, view.theirs.xy, (*playout).turn);
}

// Discs count two half points.
fn playout_score(playout: ptr<function, Playout>, lane: u32) -> i32 {
    let view = (*playout).view;
    let ahead = i32(othello_count(view.mine.xy)) - i32(othello_count(view.theirs.xy));
    return 2 * select(-ahead, ahead, (*playout).turn == FIRST);
}

fn playout_cut_off(playout: ptr<function, Playout>, lane: u32) -> bool {
    return false;
}

// The content of a square, row 1 at the top: 0 empty, 1 a disc of the first player, 2 of the second.
fn cell(state: ptr<function, State>, row: u32, column: u32) -> u32 {
    let bit = 8u * row + column;
    let first = ((*state)[bit / 32u] >> (bit & 31u)) & 1u;
    return first + 2u * (((*state)[2u + bit / 32u] >> (bit & 31u)) & 1u);
}

// a1 to h8, and pass.
fn action_name(action: u32) -> vec4<u32> {
    let square = (97u + action % 8u) | ((49u + action / 8u) << 8u);
    return vec4<u32>(select(square, 0x73736170u, action == 64u), 0u, 0u, 0u);
}

// Plane 4: the squares on which the mover may place a disc.
fn planes(state: ptr<function, State>, turn: u32, place: u32) -> u32 {
    let may_place = is_action_legal(state, turn, place);
    return stone_planes(cell(state, place / 8u, place % 8u), turn) | (u32(may_place) << 4u);
}
