//! name = "gomoku"
//! max_actions = 225
//! state_words = 15
//! max_plies = 225
//! planes = 4
//!
//! [constants]
//! GOMOKU_ROWS = 15
//! GOMOKU_COLUMNS = 15
//! GOMOKU_FREESTYLE = 0
//!
//! [tuning]
//! playout_words = 121
//! playout_run = 40
//! rollout_round = 40
//! ply_iterations = 16
//!
//! [board]
//! rows = 15
//! columns = 15
//! glyphs = ".XO"

// Gomoku: exactly five in line win, and six or more as well where GOMOKU_FREESTYLE is 1.
// The Rust twin is src/games/gomoku.rs.
//
// A line of cells is a bit mask for each player. Up to 15 cells, one word has both masks: the first player's stones
// from bit 0, the second player's from bit 16; bit 15 is always empty, so that no run of ones extends over both. On
// larger boards a line has two words. A packed state has the rows: row r in word r, or in words r and GOMOKU_ROWS + r.

const GOMOKU_NARROW: bool = max(GOMOKU_ROWS, GOMOKU_COLUMNS) < 16u;
const GOMOKU_ROW: u32 = (1u << GOMOKU_COLUMNS) - 1u;
const GOMOKU_COLUMN: u32 = (1u << GOMOKU_ROWS) - 1u;

// The last bits of winning runs of ones, in each word.
fn gomoku_fives(line: vec4<u32>) -> vec4<u32> {
    let pairs = line & (line << vec4<u32>(1u));
    let fours = pairs & (pairs << vec4<u32>(2u));
    let fives = fours & (line << vec4<u32>(4u));
    if GOMOKU_FREESTYLE != 0u {
        return fives;
    }
    return fives & ~(line << vec4<u32>(5u)) & ~(line >> vec4<u32>(1u));
}

// The stones of `player` in a row.
fn gomoku_row(state: ptr<function, State>, player: u32, row: u32) -> u32 {
    if GOMOKU_NARROW {
        return ((*state)[row] >> (16u * player)) & 0xffffu;
    }
    return (*state)[row + GOMOKU_ROWS * player];
}

// All stones in a row.
fn gomoku_stones(state: ptr<function, State>, row: u32) -> u32 {
    return gomoku_row(state, FIRST, row) | gomoku_row(state, SECOND, row);
}

fn is_action_legal(state: ptr<function, State>, turn: u32, action: u32) -> bool {
    return ((gomoku_stones(state, action / GOMOKU_COLUMNS) >> (action % GOMOKU_COLUMNS)) & 1u) == 0u;
}

fn take_action(state: ptr<function, State>, turn: u32, action: u32) {
    let row = action / GOMOKU_COLUMNS;
    let column = action % GOMOKU_COLUMNS;
    if GOMOKU_NARROW {
        (*state)[row] |= 1u << (column + 16u * turn);
    } else {
        (*state)[row + GOMOKU_ROWS * turn] |= 1u << column;
    }
}

// 4: makes five. 3: blocks a five of the opponent. 2: threatens two fives, of which the opponent can block one. 1: any
// other cell with a stone at distance 1 or 2 on a line. 0: the rest.
fn action_urgency(state: ptr<function, State>, turn: u32, action: u32) -> u32 {
    let row = action / GOMOKU_COLUMNS;
    let column = action % GOMOKU_COLUMNS;
    // Every five that a stone makes or threatens has another stone near it.
    if !gomoku_has_stone_near(state, row, column) {
        return 0u;
    }
    let mine = gomoku_windows(state, turn, row, column);
    let theirs = gomoku_windows(state, 1u - turn, row, column);
    let stones = mine | theirs;
    let placed = mine | vec4<u32>(GOMOKU_CENTRE);
    if any(gomoku_fives(placed) != vec4<u32>(0u)) {
        return 4u;
    }
    if any(gomoku_fives(theirs | vec4<u32>(GOMOKU_CENTRE)) != vec4<u32>(0u)) {
        return 3u;
    }
    if all(countOneBits(mine) < vec4<u32>(3u)) {
        return 1u;
    }
    let fives = countOneBits(gomoku_next_fives(placed, gomoku_board_windows(row, column) & ~stones));
    return select(1u, 2u, fives.x + fives.y + fives.z + fives.w > 1u);
}

// The bit of the cell itself in its windows.
const GOMOKU_CENTRE: u32 = 1u << 5u;

// Whether there is a stone at distance 1 or 2 of a cell on a line.
fn gomoku_has_stone_near(state: ptr<function, State>, row: u32, column: u32) -> bool {
    var found = 0u;
    for (var i = 0u; i < 5u; i++) {
        let other = row + i - 2u;
        // Cells at distance 1 or 2 in the rows from -2 to 2; bit 0 is the column two to the left.
        let near = select(select(0x15u, 0x0eu, (i & 1u) == 1u), 0x1bu, i == 2u);
        if other < GOMOKU_ROWS {
            found |= ((gomoku_stones(state, other) << 2u) >> column) & near;
        }
    }
    return found != 0u;
}

// The bits of a cell's windows that are on the board.
fn gomoku_board_windows(row: u32, column: u32) -> vec4<u32> {
    let across = ((GOMOKU_ROW << 5u) >> column) & 0x7ffu;
    let up = ((GOMOKU_COLUMN << 5u) >> row) & 0x7ffu;
    return vec4<u32>(across, up, across & up, (reverseBits(across) >> 21u) & up);
}

// The empty cells in windows where one more stone makes a five that includes the centre.
fn gomoku_next_fives(stones: vec4<u32>, empty: vec4<u32>) -> vec4<u32> {
    var places = vec4<u32>(0u);
    for (var first = 1u; first < 6u; first++) {
        let five = vec4<u32>(31u << first);
        let missing = five & ~stones;
        var is_next = (countOneBits(missing) == vec4<u32>(1u)) & ((missing & empty) == missing);
        if GOMOKU_FREESTYLE == 0u {
            is_next = is_next & ((stones & vec4<u32>(0x41u << (first - 1u))) == vec4<u32>(0u));
        }
        places |= select(vec4<u32>(0u), missing, is_next);
    }
    return places;
}

// Only the lines through the last action can have changed.
fn compute_outcome(state: ptr<function, State>, turn: u32, last_action: u32) -> u32 {
    let windows = gomoku_windows(state, 1u - turn, last_action / GOMOKU_COLUMNS, last_action % GOMOKU_COLUMNS);
    if any(gomoku_fives(windows) != vec4<u32>(0u)) {
        return wins(1u - turn);
    }
    for (var row = 0u; row < GOMOKU_ROWS; row++) {
        if gomoku_stones(state, row) != GOMOKU_ROW {
            return ONGOING;
        }
    }
    return DRAW;
}

// The windows of a cell: the stones of `player` up to five cells in both directions along its four lines.
fn gomoku_windows(state: ptr<function, State>, player: u32, row: u32, column: u32) -> vec4<u32> {
    var windows = vec4<u32>(0u);
    for (var i = 0u; i < 11u; i++) {
        let other = row + i - 5u;
        if other < GOMOKU_ROWS {
            // With five empty cells before the row, no index in the falling line is negative.
            let stones = gomoku_row(state, player, other) << 5u;
            let places = vec4<u32>(column + i, column + 5u, column + i, column + 10u - i);
            let seen = ((vec4<u32>(stones) >> places) & vec4<u32>(1u)) << vec4<u32>(i);
            windows = windows | vec4<u32>(0u, seen.yzw);
        }
    }
    windows.x = ((gomoku_row(state, player, row) << 5u) >> column) & 0x7ffu;
    return windows;
}

// sh_playout has, for each lane, the list of empty cells, then the lines of each player: rows, columns, rising
// diagonals (row + column) and falling diagonals (row - column). Diagonals whose numbers differ by a multiple of
// GOMOKU_DIAGONALS share a mask: their cells are in different columns, with an empty one between.
//
// Up to 15 cells, two lines without a common cell share a word, so that the four lines of a stone are tested in two
// words: row i is with the rising diagonals i - 1, which meet it in column 15; column i is with the falling diagonals
// 15 - i, which meet it in row 15. Rows and columns are in the low half, whose bit 15 is always empty.
const GOMOKU_DIAGONALS: u32 = select(GOMOKU_ROWS + 1u, 16u, GOMOKU_NARROW);
const GOMOKU_LINE_WORDS: u32 =
    select(GOMOKU_ROWS + GOMOKU_COLUMNS + 2u * GOMOKU_DIAGONALS, 32u, GOMOKU_NARROW);

// An entry of the list is the row and the column, so that no division is needed.
const GOMOKU_COORDINATE_BITS: u32 = select(5u, 4u, GOMOKU_NARROW);
const GOMOKU_ENTRY_BITS: u32 = 2u * GOMOKU_COORDINATE_BITS;
const GOMOKU_COORDINATE: u32 = (1u << GOMOKU_COORDINATE_BITS) - 1u;
const GOMOKU_ENTRY: u32 = (1u << GOMOKU_ENTRY_BITS) - 1u;
const GOMOKU_ENTRIES_A_WORD: u32 = 32u / GOMOKU_ENTRY_BITS;
const GOMOKU_WORD_BITS: u32 = GOMOKU_ENTRIES_A_WORD * GOMOKU_ENTRY_BITS;
// A word of entries for neighbouring cells is the first entry times _SAME plus _NEIGHBOURS.
const GOMOKU_SAME: u32 = select(0x100401u, 0x1010101u, GOMOKU_NARROW);
const GOMOKU_NEIGHBOURS: u32 = select(0x200400u, 0x3020100u, GOMOKU_NARROW);
const GOMOKU_LIST_WORDS: u32 =
    (GOMOKU_ROWS * GOMOKU_COLUMNS + GOMOKU_ENTRIES_A_WORD - 1u) / GOMOKU_ENTRIES_A_WORD;

struct Playout {
    // Empty cells left: the length of the list.
    count: u32,
    turn: u32,
}

fn playout_begin(state: ptr<function, State>, turn: u32, lane: u32) -> Playout {
    for (var word = GOMOKU_LIST_WORDS; word < GOMOKU_LIST_WORDS + 2u * GOMOKU_LINE_WORDS; word++) {
        sh_playout[word * PLAYOUT_LANES + lane] = 0u;
    }
    for (var player = FIRST; player <= SECOND; player++) {
        for (var row = 0u; row < GOMOKU_ROWS; row++) {
            gomoku_place_row(row, gomoku_row(state, player, row), player, lane);
        }
    }
    return Playout(gomoku_list_empty(state, lane), turn);
}

fn gomoku_place_row(row: u32, stones: u32, player: u32, lane: u32) {
    var rest = stones;
    while rest != 0u {
        let stone = gomoku_stone((row << GOMOKU_COORDINATE_BITS) | firstTrailingBit(rest), player, lane);
        gomoku_store(stone);
        rest &= rest - 1u;
    }
}

// Lists the empty cells, ascending, and returns their number. Neighbouring cells, and the cells of an empty row, are
// listed together, up to a word at a time: one by one this would take a fifth of the time of a playout.
fn gomoku_list_empty(state: ptr<function, State>, lane: u32) -> u32 {
    var list = GomokuList(0u, 0u);
    for (var row = 0u; row < GOMOKU_ROWS; row++) {
        let stones = gomoku_stones(state, row);
        if stones == 0u {
            for (var column = 0u; column < GOMOKU_COLUMNS; column += GOMOKU_ENTRIES_A_WORD) {
                gomoku_append(&list, row, column, min(GOMOKU_COLUMNS - column, GOMOKU_ENTRIES_A_WORD), lane);
            }
            continue;
        }
        var rest = GOMOKU_ROW & ~stones;
        while rest != 0u {
            let column = firstTrailingBit(rest);
            let run = min(firstTrailingBit(~(rest >> column)), GOMOKU_ENTRIES_A_WORD);
            gomoku_append(&list, row, column, run, lane);
            rest &= ~(gomoku_ones(run) << column);
        }
    }
    if list.count % GOMOKU_ENTRIES_A_WORD != 0u {
        sh_playout[gomoku_entry_word(list.count, lane)] = list.pending;
    }
    return list.count;
}

// An incomplete list: its length, and its last word, if that is not full.
struct GomokuList {
    count: u32,
    pending: u32,
}

// Appends `run` neighbouring cells, at most a word of them.
fn gomoku_append(list: ptr<function, GomokuList>, row: u32, column: u32, run: u32, lane: u32) {
    let first = (row << GOMOKU_COORDINATE_BITS) | column;
    let entries = (first * GOMOKU_SAME + GOMOKU_NEIGHBOURS) & gomoku_ones(run * GOMOKU_ENTRY_BITS);
    let shift = gomoku_entry_shift((*list).count);
    (*list).pending |= entries << shift;
    if shift + run * GOMOKU_ENTRY_BITS >= GOMOKU_WORD_BITS {
        sh_playout[gomoku_entry_word((*list).count, lane)] = (*list).pending;
        // Two shifts: WGSL takes the distance modulo 32.
        (*list).pending = (entries >> 1u) >> (GOMOKU_WORD_BITS - 1u - shift);
    }
    (*list).count += run;
}

// The lowest `n` bits, 1 <= n <= 32.
fn gomoku_ones(n: u32) -> u32 {
    return 0xffffffffu >> (32u - n);
}

fn gomoku_entry_word(place: u32, lane: u32) -> u32 {
    return (place / GOMOKU_ENTRIES_A_WORD) * PLAYOUT_LANES + lane;
}

fn gomoku_entry_shift(place: u32) -> u32 {
    return (place % GOMOKU_ENTRIES_A_WORD) * GOMOKU_ENTRY_BITS;
}

fn gomoku_entry(word: u32, place: u32) -> u32 {
    return (word >> gomoku_entry_shift(place)) & GOMOKU_ENTRY;
}

fn legal_actions_playout(playout: ptr<function, Playout>, lane: u32) -> u32 {
    return (*playout).count;
}

// The last entry of the list replaces that at place `ordinal`.
fn take_action_playout(playout: ptr<function, Playout>, ordinal: u32, lane: u32) -> u32 {
    let last = (*playout).count - 1u;
    let turn = (*playout).turn;
    let at = gomoku_entry_word(ordinal, lane);
    let word = sh_playout[at];
    let chosen = gomoku_entry(word, ordinal);
    let moved = gomoku_entry(sh_playout[gomoku_entry_word(last, lane)], last);
    sh_playout[at] = word ^ ((chosen ^ moved) << gomoku_entry_shift(ordinal));
    (*playout).count = last;
    (*playout).turn = 1u - turn;
    let stone = gomoku_stone(chosen, turn, lane);
    gomoku_store(stone);
    if gomoku_has_five(stone.lines) {
        return wins(turn);
    }
    return select(ONGOING, DRAW, last == 0u);
}

// Plays two plies at a time, as long as two are left, and draws for the next two: four independent sequences of
// operations, without a branch between, so that compilers can interleave them.
fn run_playout(playout: ptr<function, Playout>, rng: ptr<function, Rng>, most: u32, lane: u32) -> PlayoutRun {
    let begin = (*playout).count;
    let turn = (*playout).turn;
    let end = begin - min(most, begin);
    var count = begin;
    var outcome = ONGOING;
    var next = gomoku_draw_two(*rng, count);
    while outcome == ONGOING && count >= end + 2u {
        var draws = next;
        if !draws.sure {
            draws.places = gomoku_draw_two_exactly(*rng, count);
        }
        next = gomoku_draw_two(draws.after, count - 2u);
        let entries = gomoku_take_two(draws.places, count, lane);
        let first = gomoku_stone(entries.chosen.x, turn, lane);
        let second = gomoku_stone(entries.chosen.y, 1u - turn, lane);
        sh_playout[entries.at.x] = entries.words.x;
        sh_playout[entries.at.y] = entries.words.y;
        gomoku_store(first);
        gomoku_store(second);
        count -= 2u;
        *rng = draws.after;
        let first_wins = gomoku_has_five(first.lines);
        if first_wins || gomoku_has_five(second.lines) {
            outcome = wins(1u - turn);
            if first_wins {
                outcome = wins(turn);
                *rng = draws.between;
                count += 1u;
            }
        } else {
            outcome = select(ONGOING, DRAW, count == 0u);
        }
    }
    (*playout).count = count;
    if outcome == ONGOING && count > end {
        outcome = take_action_playout(playout, rng_pick(rng, count), lane);
    }
    return PlayoutRun(outcome, begin - (*playout).count);
}

// Two draws: the places in the list, if they are sure, and the random stream after each draw.
struct GomokuDraws {
    places: vec2<u32>,
    sure: bool,
    between: Rng,
    after: Rng,
}

fn gomoku_draw_two(rng: Rng, count: u32) -> GomokuDraws {
    var stream = rng;
    let first = rng_next(&stream);
    let between = stream;
    let pair = rng_ordinal_pair(first, rng_next(&stream), count);
    return GomokuDraws(pair.ordinals, pair.sure, between, stream);
}

fn gomoku_draw_two_exactly(rng: Rng, count: u32) -> vec2<u32> {
    var stream = rng;
    let first = rng_pick(&stream, count);
    return vec2<u32>(first, rng_pick(&stream, count - 1u));
}

// Two entries of the list, and the words to store, in this order, so that the last entry replaces each.
struct GomokuEntries {
    chosen: vec2<u32>,
    at: vec2<u32>,
    words: vec2<u32>,
}

// All reads come first: values for the second place are corrected for the changes by the first draw.
fn gomoku_take_two(places: vec2<u32>, count: u32, lane: u32) -> GomokuEntries {
    let last = count - 1u;
    let at = vec2<u32>(gomoku_entry_word(places.x, lane), gomoku_entry_word(places.y, lane));
    let words = vec2<u32>(sh_playout[at.x], sh_playout[at.y]);
    let tail = sh_playout[gomoku_entry_word(last, lane)];
    let before_tail = sh_playout[gomoku_entry_word(last - 1u, lane)];
    let first = gomoku_entry(words.x, places.x);
    let first_moved = gomoku_entry(tail, last);
    let second = select(gomoku_entry(words.y, places.y), first_moved, places.y == places.x);
    let second_moved = select(gomoku_entry(before_tail, last - 1u), first_moved, places.x == last - 1u);
    let first_after = words.x ^ ((first ^ first_moved) << gomoku_entry_shift(places.x));
    let second_before = select(words.y, first_after, at.x == at.y);
    let second_after = second_before ^ ((second ^ second_moved) << gomoku_entry_shift(places.y));
    return GomokuEntries(vec2<u32>(first, second), at, vec2<u32>(first_after, second_after));
}

// A stone's row, column, rising and falling diagonal: their places, and their words with the stone.
struct GomokuStone {
    at: vec4<u32>,
    lines: vec4<u32>,
}

// All reads come before any write: a compiler must assume that the words are the same.
fn gomoku_stone(entry: u32, player: u32, lane: u32) -> GomokuStone {
    let row = entry >> GOMOKU_COORDINATE_BITS;
    let column = entry & GOMOKU_COORDINATE;
    var line: vec4<u32>;
    var bits: vec4<u32>;
    if GOMOKU_NARROW {
        line = vec4<u32>(row, 16u + column, (row + column + 1u) & 15u, 16u + ((column - row + 15u) & 15u));
        let across = vec2<u32>(1u << column, 1u << row);
        bits = vec4<u32>(across, across << vec2<u32>(16u));
    } else {
        line = vec4<u32>(
            row,
            GOMOKU_ROWS + column,
            GOMOKU_ROWS + GOMOKU_COLUMNS + (row + column) % GOMOKU_DIAGONALS,
            GOMOKU_ROWS + GOMOKU_COLUMNS + GOMOKU_DIAGONALS
                + (row + GOMOKU_COLUMNS * GOMOKU_DIAGONALS - column) % GOMOKU_DIAGONALS
        );
        bits = vec4<u32>(1u) << vec4<u32>(column, row, column, column);
    }
    let base = (GOMOKU_LIST_WORDS + GOMOKU_LINE_WORDS * player) * PLAYOUT_LANES + lane;
    let at = line * PLAYOUT_LANES + vec4<u32>(base);
    let before = vec4<u32>(sh_playout[at.x], sh_playout[at.y], sh_playout[at.z], sh_playout[at.w]);
    return GomokuStone(at, before | bits);
}

fn gomoku_store(stone: GomokuStone) {
    sh_playout[stone.at.x] = stone.lines.x;
    sh_playout[stone.at.y] = stone.lines.y;
    sh_playout[stone.at.z] = stone.lines.z;
    sh_playout[stone.at.w] = stone.lines.w;
}

// Whether a stone has made a winning run in an ongoing game. Whole words are tested, as they have no other run of five.
fn gomoku_has_five(lines: vec4<u32>) -> bool {
    if GOMOKU_NARROW {
        let across = lines.xy & vec2<u32>(0xffffu);
        let both = across | (lines.zw & vec2<u32>(0xffff0000u));
        let fives = gomoku_fives(vec4<u32>(both, 0u, 0u));
        return (fives.x | fives.y) != 0u;
    }
    let fives = gomoku_fives(lines);
    return ((fives.x | fives.y) | (fives.z | fives.w)) != 0u;
}

// The content of a cell, row GOMOKU_ROWS - 1 at the top: 0 empty, 1 a stone of the first player, 2 of the second.
fn cell(state: ptr<function, State>, row: u32, column: u32) -> u32 {
    let from_bottom = GOMOKU_ROWS - 1u - row;
    let first = (gomoku_row(state, FIRST, from_bottom) >> column) & 1u;
    return first + 2u * ((gomoku_row(state, SECOND, from_bottom) >> column) & 1u);
}

// Letter and number: A1 is row 0, column 0.
fn action_name(action: u32) -> vec4<u32> {
    let number = action / GOMOKU_COLUMNS + 1u;
    let digits = select(48u + number, (48u + number / 10u) | ((48u + number % 10u) << 8u), number > 9u);
    return vec4<u32>((65u + action % GOMOKU_COLUMNS) | (digits << 8u), 0u, 0u, 0u);
}

fn planes(state: ptr<function, State>, turn: u32, place: u32) -> u32 {
    return stone_planes(cell(state, place / GOMOKU_COLUMNS, place % GOMOKU_COLUMNS), turn);
}
