// PV-Split's transposition table, shared by all workers: buckets of two entries, of which the first keeps the one with
// the most plies below it, and the second the latest.
//
// A leaf is scored as it stands, so that a value holds for a fixed number of plies. The key covers everything else that
// it depends on: the board's words, the side to move, and board_aux (ko, passes, heights).
//
// Writes of workers are not ordered. An entry has two words of data and, in the other two, the 64 bits of its key,
// combined with a hash of the data: an entry that two workers have written in part, or that was read too early, does
// not match its key, and is ignored.

// The second word of an entry's data: its best move, the kind of its value, whether a line was cut off, the plies below
// it, and the number of the search.
const TABLE_BOUND: u32 = 10u;
const TABLE_OPEN: u32 = 12u;
const TABLE_LEFT: u32 = 16u;
const TABLE_SEARCH: u32 = 24u;

// Kinds of values.
const UNKNOWN: u32 = 0u;
const AT_LEAST: u32 = 1u;
const AT_MOST: u32 = 2u;
const EXACT: u32 = 3u;

// An entry's content: UNKNOWN and perhaps a move that was good at another depth, or a value and its move, unless it is
// AT_MOST.
struct Known {
    bound: u32,
    value: i32,
    best: u32,
    // A line below was cut off before the end of the game.
    is_open: bool,
}

// Adds a word to a hash; one-to-one in the word for each state, and in the state for each word.
fn table_mix(state: vec2<u32>, word: u32) -> vec2<u32> {
    let x = (state.x ^ word) * 0x9e3779b1u;
    let y = (state.y ^ x ^ (x >> 15u)) * 0x85ebca77u;
    return vec2<u32>(x ^ (y >> 13u), y);
}

// The lowest bits select the bucket.
fn table_key(side: u32) -> vec2<u32> {
    // In the place of the next word, the side would cancel out with a bit of that word.
    var key = table_mix(vec2<u32>(0u, side), board_aux);
    work += KEPT_WORDS;
    for (var word = 0u; word < KEPT_WORDS; word++) {
        key = table_mix(key, sh_board[word * LANES + lane]);
    }
    return table_mix(table_mix(key, 1u), 2u);
}

// The first entry of its bucket. The table has a power of two of entries.
fn table_bucket(key: vec2<u32>) -> u32 {
    return 2u * (key.x & (arrayLength(&table) / 2u - 1u));
}

fn table_find(side: u32, left: u32) -> Known {
    let key = table_key(side);
    let bucket = table_bucket(key);
    var known = Known(UNKNOWN, 0, NO_MOVE, false);
    for (var k = 0u; k < 2u; k++) {
        let entry = table[bucket + k];
        let data = entry.zw;
        if any(entry != table_entry(key, data)) || data.y >> TABLE_SEARCH != params.search {
            continue;
        }
        known.best = data.y & NO_MOVE;
        if ((data.y >> TABLE_LEFT) & 0xffu) == left {
            let bound = (data.y >> TABLE_BOUND) & 3u;
            return Known(bound, bitcast<i32>(data.x), known.best, ((data.y >> TABLE_OPEN) & 1u) != 0u);
        }
    }
    return known;
}

fn table_keep(side: u32, left: u32, known: Known) {
    let key = table_key(side);
    let about = known.best | (known.bound << TABLE_BOUND) | (u32(known.is_open) << TABLE_OPEN) | (left << TABLE_LEFT);
    let data = vec2<u32>(bitcast<u32>(known.value), about | (params.search << TABLE_SEARCH));
    let bucket = table_bucket(key);
    // Of an older search even the deepest entry may be replaced.
    let first = table[bucket].w;
    let is_deeper = first >> TABLE_SEARCH == params.search && ((first >> TABLE_LEFT) & 0xffu) > left;
    let at = bucket + u32(is_deeper);
    table[at] = table_entry(key, data);
}

// The entry for this key and these data.
fn table_entry(key: vec2<u32>, data: vec2<u32>) -> vec4<u32> {
    return vec4<u32>(key ^ table_mix(table_mix(vec2<u32>(0u), data.x), data.y), data);
}

// Whether the node at the top of the stack uses the table: not near the leaves, where a search costs less, and not if
// the host needs the best move.
fn worker_has_table() -> bool {
    return params.depth - ply > max(GLANCE_PLIES, 1u) && (ply != 0u || params.path != 1u);
}

// Looks the node at the top of the stack up: its value as far as the window requires, or a move to try first.
fn worker_recall() {
    let known = table_find(side, params.depth - ply);
    if known.best < PASS {
        killers[ply] = known.best;
    }
    let alpha = stack_alpha[ply];
    let is_high = known.value >= worker_beta() && known.bound != AT_MOST;
    let is_low = known.value <= alpha && known.bound != AT_LEAST;
    if known.bound == UNKNOWN || !(is_high || is_low || known.bound == EXACT) {
        return;
    }
    stack_alpha[ply] = max(alpha, known.value);
    let best = select(NO_MOVE, known.best, known.value > alpha);
    stack_next[ply] = EXHAUSTED | (best << BEST_SHIFT) | HAS_MOVE | KNOWN | select(0u, OPEN, known.is_open);
}

// Stores the result of the node at the top of the stack. A node cut off because the window has closed from above has no
// value.
fn worker_remember() {
    let next = stack_next[ply];
    let best = (next >> BEST_SHIFT) & NO_MOVE;
    let is_high = stack_alpha[ply] >= worker_beta();
    if (next & KNOWN) != 0u || (is_high && best == NO_MOVE) {
        return;
    }
    let bound = select(select(EXACT, AT_MOST, best == NO_MOVE), AT_LEAST, is_high);
    table_keep(side, params.depth - ply, Known(bound, stack_alpha[ply], best, (next & OPEN) != 0u));
}
