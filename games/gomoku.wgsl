// Gomoku on GOMOKU_SIZE x GOMOKU_SIZE: exactly five in line win. The Rust twin is src/games/gomoku.rs.
//
// A line of cells is a bit mask for each player. Up to 15 cells, one word holds both: the first player's stones from
// bit 0, the second's from bit 16, and bit 15 is always empty, so that no run goes on from one to the other. On
// larger boards there are two words for a line. A packed state holds the rows: word r, or words r and
// GOMOKU_SIZE + r.

const GOMOKU_NARROW: bool = GOMOKU_SIZE < 16u;
const GOMOKU_ROW: u32 = (1u << GOMOKU_SIZE) - 1u;

// Ends of the runs of exactly five ones in each word.
fn gomoku_fives(line: vec4<u32>) -> vec4<u32> {
    let pairs = line & (line << vec4<u32>(1u));
    let fours = pairs & (pairs << vec4<u32>(2u));
    return fours & (line << vec4<u32>(4u)) & ~(line << vec4<u32>(5u)) & ~(line >> vec4<u32>(1u));
}

// The stones of `player` in a row.
fn gomoku_row(state: ptr<function, State>, player: u32, row: u32) -> u32 {
    if GOMOKU_NARROW {
        return ((*state)[row] >> (16u * player)) & 0xffffu;
    }
    return (*state)[row + GOMOKU_SIZE * player];
}

// All stones in a row.
fn gomoku_stones(state: ptr<function, State>, row: u32) -> u32 {
    return gomoku_row(state, FIRST, row) | gomoku_row(state, SECOND, row);
}

fn is_action_legal(state: ptr<function, State>, turn: u32, action: u32) -> bool {
    return ((gomoku_stones(state, action / GOMOKU_SIZE) >> (action % GOMOKU_SIZE)) & 1u) == 0u;
}

fn take_action(state: ptr<function, State>, turn: u32, action: u32) {
    let row = action / GOMOKU_SIZE;
    let column = action % GOMOKU_SIZE;
    if GOMOKU_NARROW {
        (*state)[row] |= 1u << (column + 16u * turn);
    } else {
        (*state)[row + GOMOKU_SIZE * turn] |= 1u << column;
    }
}

// Only the lines through the last action can have changed.
fn compute_outcome(state: ptr<function, State>, turn: u32, last_action: u32) -> u32 {
    let windows = gomoku_windows(state, 1u - turn, last_action / GOMOKU_SIZE, last_action % GOMOKU_SIZE);
    if any(gomoku_fives(windows) != vec4<u32>(0u)) {
        return wins(1u - turn);
    }
    for (var row = 0u; row < GOMOKU_SIZE; row++) {
        if gomoku_stones(state, row) != GOMOKU_ROW {
            return ONGOING;
        }
    }
    return DRAW;
}

// The stones of `player` up to five cells either way from a cell, along its four lines.
fn gomoku_windows(state: ptr<function, State>, player: u32, row: u32, column: u32) -> vec4<u32> {
    var windows = vec4<u32>(0u);
    for (var i = 0u; i < 11u; i++) {
        let other = row + i - 5u;
        if other < GOMOKU_SIZE {
            // Five empty cells in front keep the places of the falling line from becoming negative.
            let stones = gomoku_row(state, player, other) << 5u;
            let places = vec4<u32>(column + i, column + 5u, column + i, column + 10u - i);
            let seen = ((vec4<u32>(stones) >> places) & vec4<u32>(1u)) << vec4<u32>(i);
            windows = windows | vec4<u32>(0u, seen.yzw);
        }
    }
    windows.x = ((gomoku_row(state, player, row) << 5u) >> column) & 0x7ffu;
    return windows;
}

// A playout keeps in sh_playout, for each lane, first the list of empty cells, then the lines: rows, columns, rising
// diagonals (row + column) and falling diagonals (row - column). Two diagonals whose numbers differ by
// GOMOKU_SIZE + 1 have together at most GOMOKU_SIZE - 1 cells in different columns with an empty one between: they
// share a mask.
const GOMOKU_DIAGONALS: u32 = GOMOKU_SIZE + 1u;
const GOMOKU_COLUMN_LINES: u32 = GOMOKU_SIZE;
const GOMOKU_RISING_LINES: u32 = GOMOKU_COLUMN_LINES + GOMOKU_SIZE;
const GOMOKU_FALLING_LINES: u32 = GOMOKU_RISING_LINES + GOMOKU_DIAGONALS;
const GOMOKU_LINES: u32 = GOMOKU_FALLING_LINES + GOMOKU_DIAGONALS;
const GOMOKU_LINE_WORDS: u32 = select(2u, 1u, GOMOKU_NARROW) * GOMOKU_LINES;

// An entry of the list is the row and the column, so that no division is needed.
const GOMOKU_COORDINATE_BITS: u32 = select(5u, 4u, GOMOKU_NARROW);
const GOMOKU_ENTRY_BITS: u32 = 2u * GOMOKU_COORDINATE_BITS;
const GOMOKU_ENTRIES_A_WORD: u32 = 32u / GOMOKU_ENTRY_BITS;
const GOMOKU_WORD_BITS: u32 = GOMOKU_ENTRIES_A_WORD * GOMOKU_ENTRY_BITS;
// A word of entries for neighbouring cells is the first entry times _SAME plus _NEIGHBOURS.
const GOMOKU_SAME: u32 = select(0x100401u, 0x1010101u, GOMOKU_NARROW);
const GOMOKU_NEIGHBOURS: u32 = select(0x200400u, 0x3020100u, GOMOKU_NARROW);
const GOMOKU_LIST_WORDS: u32 =
    (GOMOKU_SIZE * GOMOKU_SIZE + GOMOKU_ENTRIES_A_WORD - 1u) / GOMOKU_ENTRIES_A_WORD;

struct Playout {
    // Empty cells left: the length of the list.
    count: u32,
    turn: u32,
}

fn playout_begin(state: ptr<function, State>, turn: u32, lane: u32) -> Playout {
    for (var word = GOMOKU_LIST_WORDS; word < GOMOKU_LIST_WORDS + GOMOKU_LINE_WORDS; word++) {
        sh_playout[word * PLAYOUT_LANES + lane] = 0u;
    }
    for (var player = FIRST; player <= SECOND; player++) {
        for (var row = 0u; row < GOMOKU_SIZE; row++) {
            gomoku_place_row(row, gomoku_row(state, player, row), player, lane);
        }
    }
    return Playout(gomoku_list_empty(state, lane), turn);
}

fn gomoku_place_row(row: u32, stones: u32, player: u32, lane: u32) {
    var rest = stones;
    while rest != 0u {
        gomoku_place(row, firstTrailingBit(rest), player, lane);
        rest &= rest - 1u;
    }
}

// Lists the empty cells, ascending, and returns how many there are. Neighbouring cells are listed together, up to a
// word of them at a time: one by one this would take a fifth of the time of a playout.
fn gomoku_list_empty(state: ptr<function, State>, lane: u32) -> u32 {
    var count = 0u;
    var pending = 0u;
    for (var row = 0u; row < GOMOKU_SIZE; row++) {
        var rest = GOMOKU_ROW & ~gomoku_stones(state, row);
        while rest != 0u {
            let column = firstTrailingBit(rest);
            let run = min(firstTrailingBit(~(rest >> column)), GOMOKU_ENTRIES_A_WORD);
            let first = (row << GOMOKU_COORDINATE_BITS) | column;
            let entries = (first * GOMOKU_SAME + GOMOKU_NEIGHBOURS) & gomoku_ones(run * GOMOKU_ENTRY_BITS);
            let shift = gomoku_entry_shift(count);
            pending |= entries << shift;
            sh_playout[gomoku_entry_word(count, lane)] = pending;
            if shift + run * GOMOKU_ENTRY_BITS >= GOMOKU_WORD_BITS {
                // Two shifts, since one by 32 would be one by 0.
                pending = (entries >> 1u) >> (GOMOKU_WORD_BITS - 1u - shift);
            }
            count += run;
            rest &= ~(gomoku_ones(run) << column);
        }
    }
    if count % GOMOKU_ENTRIES_A_WORD != 0u {
        sh_playout[gomoku_entry_word(count, lane)] = pending;
    }
    return count;
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

fn legal_actions_playout(playout: ptr<function, Playout>, lane: u32) -> u32 {
    return (*playout).count;
}

// About 70 integer operations, 6 reads and 5 writes of workgroup memory. The last entry moves to place `ordinal`.
fn take_action_playout(playout: ptr<function, Playout>, ordinal: u32, lane: u32) -> u32 {
    let last = (*playout).count - 1u;
    let turn = (*playout).turn;
    let at = gomoku_entry_word(ordinal, lane);
    let shift = gomoku_entry_shift(ordinal);
    let word = sh_playout[at];
    let chosen = (word >> shift) & ((1u << GOMOKU_ENTRY_BITS) - 1u);
    let tail = sh_playout[gomoku_entry_word(last, lane)] >> gomoku_entry_shift(last);
    let moved = tail & ((1u << GOMOKU_ENTRY_BITS) - 1u);
    sh_playout[at] = word ^ ((chosen ^ moved) << shift);
    (*playout).count = last;
    (*playout).turn = 1u - turn;
    let row = chosen >> GOMOKU_COORDINATE_BITS;
    let column = chosen & ((1u << GOMOKU_COORDINATE_BITS) - 1u);
    if gomoku_place(row, column, turn, lane) {
        return wins(turn);
    }
    return select(ONGOING, DRAW, last == 0u);
}

// Puts a stone on its four lines; does it end a game that was going on with exactly five in one of them?
// Whole masks are looked at, both players' where they share a word: no other run of five can be in them.
fn gomoku_place(row: u32, column: u32, player: u32, lane: u32) -> bool {
    let line = vec4<u32>(
        row,
        GOMOKU_COLUMN_LINES + column,
        GOMOKU_RISING_LINES + (row + column) % GOMOKU_DIAGONALS,
        GOMOKU_FALLING_LINES + (row + GOMOKU_DIAGONALS - column) % GOMOKU_DIAGONALS
    );
    var place = vec4<u32>(column, row, column, column);
    var words = line;
    if GOMOKU_NARROW {
        place = place + vec4<u32>(16u * player);
    } else {
        words = words + vec4<u32>(GOMOKU_LINES * player);
    }
    // All reads come before all writes: the four words differ, but no compiler can know it.
    let at = (words + vec4<u32>(GOMOKU_LIST_WORDS)) * PLAYOUT_LANES + vec4<u32>(lane);
    let before = vec4<u32>(sh_playout[at.x], sh_playout[at.y], sh_playout[at.z], sh_playout[at.w]);
    let after = before | (vec4<u32>(1u) << place);
    sh_playout[at.x] = after.x;
    sh_playout[at.y] = after.y;
    sh_playout[at.z] = after.z;
    sh_playout[at.w] = after.w;
    let fives = gomoku_fives(after);
    return ((fives.x | fives.y) | (fives.z | fives.w)) != 0u;
}
