//! name = "connect4"
//! max_actions = 7
//! state_words = 2
//! max_plies = 42
//! planes = 4
//! start = [0x10204081, 0x408]
//!
//! [constants]
//! CONNECT4_ROWS = 6
//! CONNECT4_COLUMNS = 7
//! CONNECT4_BOTTOM_LOW = 0x10204081
//! CONNECT4_BOTTOM_HIGH = 0x408
//! CONNECT4_TOP_LOW = 0x4081020
//! CONNECT4_TOP_HIGH = 0x8102
//! CONNECT4_LID_LOW = 0x8102040
//! CONNECT4_LID_HIGH = 0x10204
//! CONNECT4_CELLS_LOW = 0xf7efdfbf
//! CONNECT4_CELLS_HIGH = 0xfdfb
//! CONNECT4_UPPER_LOW = 0xa54a952a
//! CONNECT4_UPPER_HIGH = 0xa952
//! CONNECT4_TACTICAL = 0
//!
//! [tuning]
//! expansion_stride = 64
//!
//! [board]
//! rows = 6
//! columns = 7
//! glyphs = ".XO"

// Connect 4 on a board of CONNECT4_ROWS x CONNECT4_COLUMNS. The Rust twin is src/games/connect4.rs.
//
// 64-bit boards are vec2<u32> (x = low word). The cell in row r (0 = bottom) of column c is bit
// c * CONNECT4_STEP + r; row CONNECT4_ROWS of a board is always empty, so that no line runs on into the next column.
// A packed state is one such board: 1 for the first player's discs, and above the discs of each column one more 1,
// which marks its height. CONNECT4_BOTTOM, _TOP and _LID hold row 0, the last row, and the row above it.

const CONNECT4_STEP: u32 = CONNECT4_ROWS + 1u;
const CONNECT4_BOTTOM: vec2<u32> = vec2<u32>(CONNECT4_BOTTOM_LOW, CONNECT4_BOTTOM_HIGH);
const CONNECT4_TOP: vec2<u32> = vec2<u32>(CONNECT4_TOP_LOW, CONNECT4_TOP_HIGH);
const CONNECT4_LID: vec2<u32> = vec2<u32>(CONNECT4_LID_LOW, CONNECT4_LID_HIGH);
const CONNECT4_FIELD: u32 = 0xffffffffu >> (32u - CONNECT4_STEP);

// Lines that are not upright start in columns 0 to CONNECT4_COLUMNS - 4. If these fit a word, and columns 0 to 2 do,
// too, half of the operations on lines are those of single words.
const CONNECT4_ONE_WORD: bool =
    CONNECT4_COLUMNS > 3u && CONNECT4_COLUMNS * CONNECT4_STEP <= 32u + 3u * CONNECT4_STEP && CONNECT4_STEP <= 10u;

// 64-bit a >> distance.
fn connect4_down(a: vec2<u32>, distance: u32) -> vec2<u32> {
    if distance >= 64u {
        return vec2<u32>(0u);
    }
    if distance >= 32u {
        return vec2<u32>(a.y >> (distance - 32u), 0u);
    }
    // Two shifts: WGSL takes the distance modulo 32.
    return vec2<u32>((a.x >> distance) | ((a.y << 1u) << (31u - distance)), a.y >> distance);
}

// 64-bit a + b.
fn connect4_add(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2<u32>(low, a.y + b.y + u32(low < a.x));
}

// 64-bit 1 << place, place < 64.
fn connect4_bit(place: u32) -> vec2<u32> {
    let bit = 1u << (place & 31u);
    let high = place >= 32u;
    return vec2<u32>(select(bit, 0u, high), select(0u, bit, high));
}

fn connect4_key(state: ptr<function, State>) -> vec2<u32> {
    return vec2<u32>((*state)[0], (*state)[1]);
}

// All discs of a packed state: the cells below each column's highest 1.
fn connect4_filled(key: vec2<u32>) -> vec2<u32> {
    var below = key;
    var blocked = CONNECT4_LID;
    for (var rows = 1u; rows <= CONNECT4_ROWS; rows *= 2u) {
        below |= connect4_down(below, rows) & ~blocked;
        blocked |= connect4_down(blocked, rows);
    }
    return connect4_down(below, 1u) & ~CONNECT4_LID;
}

// The discs of `player`, given the first player's and all discs.
fn connect4_discs(first: vec2<u32>, filled: vec2<u32>, player: u32) -> vec2<u32> {
    return select(first, filled ^ first, player == SECOND);
}

// Pairs of discs `step` apart, then pairs of such pairs.
fn connect4_fours(discs: vec2<u32>, step: u32) -> vec2<u32> {
    let pairs = discs & connect4_down(discs, step);
    return pairs & connect4_down(pairs, 2u * step);
}

// Whether there are four or more in a line.
fn connect4_has_line(discs: vec2<u32>) -> bool {
    if CONNECT4_ONE_WORD {
        return connect4_has_line_in_word(discs);
    }
    let fours = connect4_fours(discs, 1u)
        | connect4_fours(discs, CONNECT4_STEP - 1u)
        | connect4_fours(discs, CONNECT4_STEP)
        | connect4_fours(discs, CONNECT4_STEP + 1u);
    return (fours.x | fours.y) != 0u;
}

// connect4_has_line in single words: on boards moved down by 0 to 3 columns, the four cells of a line have the same
// place, up to a shift by rows. Only left shifts, which NVIDIA GPUs can execute as multiplications beside the logic: 3
// funnel shifts, 10 left shifts and 10 three-input operations, instead of 32 shifts and operations.
fn connect4_has_line_in_word(discs: vec2<u32>) -> bool {
    let a = discs.x;
    let b = connect4_down(discs, CONNECT4_STEP).x;
    let c = connect4_down(discs, 2u * CONNECT4_STEP).x;
    let d = connect4_down(discs, 3u * CONNECT4_STEP).x;
    let level = a & b & c & d;
    let rising = (a << 3u) & (b << 2u) & (c << 1u) & d;
    let falling = a & (b << 1u) & (c << 2u) & (d << 3u);
    let pairs_left = a & (a << 1u);
    let pairs_right = d & (d << 1u);
    let upright = (pairs_left & (pairs_left << 2u)) | (pairs_right & (pairs_right << 2u));
    return (level | rising | falling | upright) != 0u;
}

fn is_action_legal(state: ptr<function, State>, turn: u32, action: u32) -> bool {
    let lid = connect4_down(connect4_key(state), action * CONNECT4_STEP + CONNECT4_ROWS).x;
    return (lid & 1u) == 0u;
}

// Discs in a column.
fn connect4_height(key: vec2<u32>, action: u32) -> u32 {
    return firstLeadingBit(connect4_down(key, action * CONNECT4_STEP).x & CONNECT4_FIELD);
}

// The height mark moves up by one: adding it to the state leaves a 0 behind (second player), adding its double a 1.
fn take_action(state: ptr<function, State>, turn: u32, action: u32) {
    let key = connect4_key(state);
    let mark = action * CONNECT4_STEP + connect4_height(key, action);
    let sum = connect4_add(key, connect4_bit(mark + 1u - turn));
    (*state)[0] = sum.x;
    (*state)[1] = sum.y;
}

// 4: makes a line. 3: blocks a line of the opponent. 1: lets the opponent make a line on top of it. 2: the rest.
fn action_urgency(state: ptr<function, State>, turn: u32, action: u32) -> u32 {
    let key = connect4_key(state);
    let filled = connect4_filled(key);
    let first = key & filled;
    let height = connect4_height(key, action);
    let mark = action * CONNECT4_STEP + height;
    let cell = connect4_bit(mark);
    if connect4_has_line(connect4_discs(first, filled, turn) | cell) {
        return 4u;
    }
    let theirs = connect4_discs(first, filled, 1u - turn);
    if connect4_has_line(theirs | cell) {
        return 3u;
    }
    let is_open = height + 1u < CONNECT4_ROWS;
    return select(2u, 1u, is_open && connect4_has_line(theirs | connect4_bit(mark + 1u)));
}

// Only the last mover can have made a line.
fn compute_outcome(state: ptr<function, State>, turn: u32, last_action: u32) -> u32 {
    let key = connect4_key(state);
    let filled = connect4_filled(key);
    if connect4_has_line(connect4_discs(key & filled, filled, 1u - turn)) {
        return wins(1u - turn);
    }
    return select(ONGOING, DRAW, all((key & CONNECT4_LID) == CONNECT4_LID));
}

// --- solved outcomes: src/games/connect4/solved.rs has the rules -----------------------------------------------------

// All cells, and the upper cells of the pairs of cells of a column, counted from the top.
const CONNECT4_CELLS: vec2<u32> = vec2<u32>(CONNECT4_CELLS_LOW, CONNECT4_CELLS_HIGH);
const CONNECT4_UPPER: vec2<u32> = vec2<u32>(CONNECT4_UPPER_LOW, CONNECT4_UPPER_HIGH);

// 64-bit a << distance.
fn connect4_up(a: vec2<u32>, distance: u32) -> vec2<u32> {
    if distance >= 64u {
        return vec2<u32>(0u);
    }
    if distance >= 32u {
        return vec2<u32>(0u, a.x << (distance - 32u));
    }
    return vec2<u32>(a.x << distance, (a.y << distance) | ((a.x >> 1u) >> (31u - distance)));
}

fn connect4_any(cells: vec2<u32>) -> bool {
    return (cells.x | cells.y) != 0u;
}

fn connect4_count(cells: vec2<u32>) -> u32 {
    return countOneBits(cells.x) + countOneBits(cells.y);
}

// Whether a set has at most one cell.
fn connect4_is_single(cells: vec2<u32>) -> bool {
    return connect4_count(cells) <= 1u;
}

// The cells that make a line of discs `step` apart: below and above three of them, and between two and one.
fn connect4_completed(discs: vec2<u32>, step: u32) -> vec2<u32> {
    let next = connect4_down(discs, step);
    let pairs = discs & next;
    let threes = pairs & connect4_down(discs, 2u * step);
    return connect4_down(threes, step) | connect4_up(threes, 3u * step) | (connect4_up(pairs, 2u * step) & next)
        | (connect4_down(pairs, step) & connect4_up(discs, step));
}

// The cells that complete a line of discs on three others.
fn connect4_completions(discs: vec2<u32>) -> vec2<u32> {
    if CONNECT4_ONE_WORD {
        return connect4_completions_in_word(discs);
    }
    return CONNECT4_CELLS & (connect4_completed(discs, 1u) | connect4_completed(discs, CONNECT4_STEP - 1u)
        | connect4_completed(discs, CONNECT4_STEP) | connect4_completed(discs, CONNECT4_STEP + 1u));
}

// connect4_completions in single words, by half of the operations. As in connect4_has_line_in_word, a rising line has
// the place of its upper end, and a falling one that of its left end.
fn connect4_completions_in_word(discs: vec2<u32>) -> vec2<u32> {
    let a = discs.x;
    let b = connect4_down(discs, CONNECT4_STEP).x;
    let c = connect4_down(discs, 2u * CONNECT4_STEP).x;
    let d = connect4_down(discs, 3u * CONNECT4_STEP).x;
    let rising = vec4<u32>(a << 3u, b << 2u, c << 1u, d);
    let falling = vec4<u32>(a, b << 1u, c << 2u, d << 3u);
    let left = vec3<u32>(a & b, rising.x & rising.y, falling.x & falling.y);
    let right = vec3<u32>(c & d, rising.z & rising.w, falling.z & falling.w);
    // The cells that are missing in the first column of a line, in the second, and so on.
    let first = (b & right.x) | ((rising.y & right.y) >> 3u) | (falling.y & right.z);
    let second = (a & right.x) | ((rising.x & right.y) >> 2u) | ((falling.x & right.z) >> 1u);
    let third = (d & left.x) | ((rising.w & left.y) >> 1u) | ((falling.w & left.z) >> 2u);
    let fourth = (c & left.x) | (rising.z & left.y) | ((falling.z & left.z) >> 3u);
    let upright = connect4_up(discs & connect4_up(discs, 1u) & connect4_up(discs, 2u), 1u);
    let left_half = vec2<u32>(first, 0u) | connect4_up(vec2<u32>(second, 0u), CONNECT4_STEP);
    let right_half = vec2<u32>(third, 0u) | connect4_up(vec2<u32>(fourth, 0u), CONNECT4_STEP);
    return CONNECT4_CELLS & (upright | left_half | connect4_up(right_half, 2u * CONNECT4_STEP));
}

// The cells where the next disc of each open column lands.
fn connect4_landings(filled: vec2<u32>) -> vec2<u32> {
    return connect4_add(filled, CONNECT4_BOTTOM) & CONNECT4_CELLS;
}

fn connect4_column_mask(column: u32) -> vec2<u32> {
    return connect4_up(vec2<u32>(CONNECT4_FIELD >> 1u, 0u), column * CONNECT4_STEP);
}

fn connect4_foreseen(outcome: u32, plies: u32) -> u32 {
    return outcome | (plies << 2u);
}

fn solved_outcome(state: ptr<function, State>, turn: u32) -> u32 {
    let key = connect4_key(state);
    let filled = connect4_filled(key);
    var mover = connect4_discs(key & filled, filled, turn);
    var other = filled ^ mover;
    var player = turn;
    // The forced line. It ends at the latest when the board is full.
    for (var plies = 0u; plies <= CONNECT4_ROWS * CONNECT4_COLUMNS; plies++) {
        let open = connect4_landings(mover | other);
        if !connect4_any(open) {
            return connect4_foreseen(DRAW, plies);
        }
        if connect4_any(connect4_completions(mover) & open) {
            return connect4_foreseen(wins(player), plies + 1u);
        }
        let theirs = connect4_completions(other);
        let threats = theirs & open;
        // Without a threat, a disc must not be below a winning cell of the opponent.
        let safe = select(open & ~connect4_down(theirs, 1u), threats, connect4_any(threats));
        if !connect4_any(safe) || !connect4_is_single(threats) {
            return connect4_foreseen(wins(1u - player), plies + 2u);
        }
        if !connect4_is_single(safe) {
            let settled = connect4_settled(mover, other, open, theirs, player);
            return select(settled + (plies << 2u), ONGOING, settled == ONGOING);
        }
        let dropped = mover | safe;
        mover = other;
        other = dropped;
        player = 1u - player;
    }
    return ONGOING;
}

// The outcome if the mover has no forced move, and the opponent would complete lines in the cells `theirs`.
fn connect4_settled(mover: vec2<u32>, other: vec2<u32>, open: vec2<u32>, theirs: vec2<u32>, player: u32) -> u32 {
    let empty = CONNECT4_CELLS & ~(mover | other);
    let upper = empty & CONNECT4_UPPER;
    let lower = empty & ~CONNECT4_UPPER;
    let plies = connect4_count(empty);
    // Columns with an odd number of empty cells.
    let odd = open & upper;
    let other_cannot = !connect4_has_line(other | empty);
    if other_cannot && !connect4_has_line(mover | empty) {
        return connect4_foreseen(DRAW, plies);
    }
    if !connect4_any(odd) && !connect4_has_line(mover | lower) {
        if connect4_has_line(other | upper) {
            return connect4_foreseen(wins(1u - player), plies);
        }
        if other_cannot {
            return connect4_foreseen(DRAW, plies);
        }
    }
    // Columns in which, in the end, the mover has to drop a disc below a winning cell of the opponent.
    let traps = open & connect4_down(theirs, 1u);
    if connect4_any(traps) {
        for (var column = 0u; column < CONNECT4_COLUMNS; column++) {
            let mask = connect4_column_mask(column);
            let trap = traps & mask;
            let reached = (lower & ~mask) | trap;
            if connect4_any(trap) && !connect4_any(odd & ~trap) && !connect4_has_line(mover | reached) {
                return connect4_foreseen(wins(1u - player), connect4_count(empty & ~mask) + 2u);
            }
        }
    }
    return ONGOING;
}

// --- playouts ------------------------------------------------------------------------------------------------

// Whether the policy of the playouts is `tactical`.
const CONNECT4_IS_TACTICAL: bool = CONNECT4_TACTICAL == 1u;

struct Playout {
    // Discs of the player to move, and of both.
    mover: vec2<u32>,
    filled: vec2<u32>,
    // The columns that are not full, ascending, four bits each. In tactical playouts the candidate cells, one bit each,
    // once the list is up to date.
    open: vec2<u32>,
    count: u32,
    // The outcome in which the player to move wins.
    win: u32,
}

fn playout_begin(state: ptr<function, State>, turn: u32, lane: u32) -> Playout {
    let key = connect4_key(state);
    let filled = connect4_filled(key);
    var open = vec2<u32>(0u);
    var count = 0u;
    for (var column = 0u; column < CONNECT4_COLUMNS; column++) {
        if is_action_legal(state, turn, column) {
            if count < 8u {
                open.x |= column << (4u * count);
            } else {
                open.y |= column << (4u * count - 32u);
            }
            count++;
        }
    }
    return Playout(connect4_discs(key & filled, filled, turn), filled, open, count, wins(turn));
}

fn legal_actions_playout(playout: ptr<function, Playout>, lane: u32) -> u32 {
    if CONNECT4_IS_TACTICAL {
        let chances = connect4_chances((*playout).mover, (*playout).filled);
        (*playout).open = connect4_candidates(chances);
        (*playout).count = connect4_count((*playout).open);
    }
    return (*playout).count;
}

// About 45 integer operations. The boards are those of the mover and of both players, which one exclusive or updates
// for the next mover, so that only the code of a win depends on the player to move.
fn take_action_playout(playout: ptr<function, Playout>, ordinal: u32, lane: u32) -> u32 {
    if CONNECT4_IS_TACTICAL {
        return connect4_drop_tactical(playout, ordinal);
    }
    let mover = (*playout).mover;
    let filled = (*playout).filled;
    let win = (*playout).win;
    let column = connect4_open_column((*playout).open, ordinal);
    let grown = connect4_add(filled, connect4_bit(column * CONNECT4_STEP));
    let landed = grown & ~filled;
    (*playout).mover = filled ^ mover;
    (*playout).filled = filled | grown;
    (*playout).win = win ^ (FIRST_WINS ^ SECOND_WINS);
    if any((landed & CONNECT4_TOP) != vec2<u32>(0u)) {
        (*playout).open = connect4_close_column((*playout).open, ordinal);
        (*playout).count -= 1u;
    }
    if connect4_has_line(mover | landed) {
        return win;
    }
    return select(ONGOING, DRAW, (*playout).count == 0u);
}

// Several plies at a time. The loop is shorter if it always plays to the end.
fn run_playout(playout: ptr<function, Playout>, rng: ptr<function, Rng>, most: u32, lane: u32) -> PlayoutRun {
    if CONNECT4_IS_TACTICAL {
        return connect4_run_tactical(playout, rng, most);
    }
    if most < CONNECT4_ROWS * CONNECT4_COLUMNS {
        return connect4_run_ahead(playout, rng, most, true, lane);
    }
    return connect4_run_ahead(playout, rng, most, false, lane);
}

// Each operation of a playout depends on the one before it. So an iteration has independent operations: it places a
// disc, tests the lines of the disc before it, and draws the next place. At the end, one move and two draws are undone.
// The only branch is the loop's: after a draw that is not sure, which is rare, the run is repeated ply by ply.
fn connect4_run_ahead(
    playout: ptr<function, Playout>, rng: ptr<function, Rng>, most: u32, limited: bool, lane: u32,
) -> PlayoutRun {
    let begun = *playout;
    let first_draw = *rng;
    var now = begun;
    var last = vec2<u32>(0u);
    var left = most;
    var unsure = false;
    var draw = rng_next(rng).y >> 9u;
    loop {
        let over = connect4_has_line(last) | (now.count == 0u) | (limited & (left == 0u));
        let t = draw * now.count;
        unsure |= rng_unsure(t, now.count);
        draw = rng_next(rng).y >> 9u;
        let ordinal = t >> 23u;
        let grown = connect4_add(now.filled, connect4_bit(connect4_open_column(now.open, ordinal) * CONNECT4_STEP));
        let landed = grown & ~now.filled;
        if over {
            break;
        }
        last = now.mover | landed;
        now.mover ^= now.filled;
        now.filled |= grown;
        let full = any((landed & CONNECT4_TOP) != vec2<u32>(0u));
        now.open = select(now.open, connect4_close_column(now.open, ordinal), full);
        now.count -= u32(full);
        left--;
    }
    rng_back(rng);
    rng_back(rng);
    if unsure {
        *playout = begun;
        *rng = first_draw;
        return connect4_run_by_ply(playout, rng, most, lane);
    }
    let discs = countOneBits(now.filled) - countOneBits(begun.filled);
    let plies = discs.x + discs.y;
    now.win = select(begun.win, begun.win ^ (FIRST_WINS ^ SECOND_WINS), (plies & 1u) == 1u);
    *playout = now;
    let full_board = select(ONGOING, DRAW, now.count == 0u);
    return PlayoutRun(select(full_board, now.win ^ (FIRST_WINS ^ SECOND_WINS), connect4_has_line(last)), plies);
}

fn connect4_run_by_ply(playout: ptr<function, Playout>, rng: ptr<function, Rng>, most: u32, lane: u32) -> PlayoutRun {
    var run = PlayoutRun(ONGOING, 0u);
    while run.outcome == ONGOING && run.plies < most {
        run.outcome = take_action_playout(playout, rng_pick(rng, (*playout).count), lane);
        run.plies++;
    }
    return run;
}

// The column at a place of the list; places from 8 on are in the second word.
fn connect4_open_column(open: vec2<u32>, ordinal: u32) -> u32 {
    let second = (CONNECT4_COLUMNS > 8u) & (ordinal >= 8u);
    return (select(open.x, open.y, second) >> ((4u * ordinal) & 31u)) & 15u;
}

// The list without the column at place `ordinal`.
fn connect4_close_column(open: vec2<u32>, ordinal: u32) -> vec2<u32> {
    if CONNECT4_COLUMNS <= 8u {
        return vec2<u32>(connect4_close_nibble(open.x, 4u * ordinal), 0u);
    }
    if ordinal >= 8u {
        return vec2<u32>(open.x, connect4_close_nibble(open.y, 4u * ordinal - 32u));
    }
    return vec2<u32>(connect4_close_nibble(open.x, 4u * ordinal) | (open.y << 28u), open.y >> 4u);
}

fn connect4_close_nibble(list: u32, place: u32) -> u32 {
    let rest = list >> place;
    return list - ((rest - (rest >> 4u)) << place);
}

// --- tactical playouts: src/games/connect4/tactics.rs has the rules --------------------------------------------------

// The greatest number of candidate cells in a word.
const CONNECT4_WORD_COLUMNS: u32 = min(CONNECT4_COLUMNS, 30u / CONNECT4_STEP + 2u);

// The tactics of a board, for the player to move.
struct Connect4Chances {
    // The cells where the next discs land.
    open: vec2<u32>,
    // The cells in which the player to move would make a line, and those of the other player.
    mine: vec2<u32>,
    theirs: vec2<u32>,
}

fn connect4_chances(mover: vec2<u32>, filled: vec2<u32>) -> Connect4Chances {
    let theirs = connect4_completions(mover ^ filled);
    return Connect4Chances(connect4_landings(filled), connect4_completions(mover), theirs);
}

// The second set if it is not empty, else the first one.
fn connect4_or_else(first: vec2<u32>, second: vec2<u32>) -> vec2<u32> {
    return select(first, second, connect4_any(second));
}

// The cells from which a playout draws, at most one per column; none if no cell is open.
fn connect4_candidates(chances: Connect4Chances) -> vec2<u32> {
    let mine = chances.mine;
    let safe = chances.open & ~connect4_down(chances.theirs, 1u);
    // Of two winning cells, one on top of the other, the opponent has to fill the lower one, which makes the upper one
    // playable.
    let double = safe & connect4_down(mine & connect4_down(mine, 1u), 1u);
    let saved = safe & ~connect4_down(mine, 1u);
    // From the last choice to the first.
    let quiet = connect4_or_else(connect4_or_else(connect4_or_else(chances.open, safe), saved), double);
    return connect4_or_else(connect4_or_else(quiet, chances.theirs & chances.open), mine & chances.open);
}

// The cell of a set with `ordinal` cells below it.
fn connect4_nth(cells: vec2<u32>, ordinal: u32) -> vec2<u32> {
    let below = countOneBits(cells.x);
    let is_high = ordinal >= below;
    var word = select(cells.x, cells.y, is_high);
    let rank = select(ordinal, ordinal - below, is_high);
    for (var i = 0u; i + 1u < CONNECT4_WORD_COLUMNS; i++) {
        word = select(word, word & (word - 1u), i < rank);
    }
    let cell = word & (0u - word);
    return vec2<u32>(select(cell, 0u, is_high), select(0u, cell, is_high));
}

fn connect4_drop_tactical(playout: ptr<function, Playout>, ordinal: u32) -> u32 {
    let mover = (*playout).mover;
    let win = (*playout).win;
    let landed = connect4_nth((*playout).open, ordinal);
    (*playout).mover = mover ^ (*playout).filled;
    (*playout).filled |= landed;
    (*playout).win = win ^ (FIRST_WINS ^ SECOND_WINS);
    if connect4_has_line(mover | landed) {
        return win;
    }
    return select(ONGOING, DRAW, all((*playout).filled == CONNECT4_CELLS));
}

// Several plies at a time. A disc changes the winning cells of its player only: those of the opponent stay, as those
// of the next player to move.
fn connect4_run_tactical(playout: ptr<function, Playout>, rng: ptr<function, Rng>, most: u32) -> PlayoutRun {
    var now = *playout;
    var run = PlayoutRun(ONGOING, 0u);
    var chances = connect4_chances(now.mover, now.filled);
    while run.outcome == ONGOING && run.plies < most {
        let cells = connect4_candidates(chances);
        let landed = connect4_nth(cells, rng_pick(rng, connect4_count(cells)));
        let discs = now.mover | landed;
        now.mover ^= now.filled;
        now.filled |= landed;
        let full_board = select(ONGOING, DRAW, all(now.filled == CONNECT4_CELLS));
        run.outcome = select(full_board, now.win, connect4_any(chances.mine & landed));
        run.plies++;
        now.win ^= (FIRST_WINS ^ SECOND_WINS);
        chances = Connect4Chances(connect4_landings(now.filled), chances.theirs, connect4_completions(discs));
    }
    *playout = now;
    return run;
}

// The content of a cell, row 0 at the top: 0 empty, 1 a disc of the first player, 2 of the second.
fn cell(state: ptr<function, State>, row: u32, column: u32) -> u32 {
    let key = connect4_key(state);
    let filled = connect4_filled(key);
    let place = column * CONNECT4_STEP + CONNECT4_ROWS - 1u - row;
    let taken = connect4_down(filled, place).x & 1u;
    return taken * (2u - (connect4_down(key, place).x & 1u));
}

fn planes(state: ptr<function, State>, turn: u32, place: u32) -> u32 {
    return stone_planes(cell(state, place / CONNECT4_COLUMNS, place % CONNECT4_COLUMNS), turn);
}
