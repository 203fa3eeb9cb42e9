// PV-Split, the part on the device: subtrees are taken from a queue and searched by alpha-beta.
//
// One invocation is one worker: it has a board of its own in workgroup memory (its column of sh_board), a stack of its
// own in private memory, and takes subtrees until none is left. One turn of the loop tries one move, whatever its ply,
// so that the lanes of a subgroup do the same thing though they stand at different places of different subtrees.
// A worker that has used up its work (turns of loops, its own and the board's) puts its state into `saved` and goes on
// in the next dispatch (saved.wgsl). Work and not turns of the outer loop alone, because some software adapters end all
// loops of an invocation after 65,535 turns.
//
// Where there are fewer subtrees than workers, several workers search each: they share what they find through the table
// (table.wgsl), the first one to end reports, and the others take something else. Of the last plies a board may tell at
// a glance which moves can matter (board_glance); only those are tried.
//
// Reads params, base, order, subtrees; reads and writes nodes (the window), queue, saved, table; writes results.
//
// The split tree: node 0 is the position on the principal variation, where the maximising player moves; its children
// are minimising, theirs maximising, and so on. A subtree hangs under a maximising node. Values are the maximising
// player's. A node is resolved by counting, never by reading two atomics together, since nothing orders them.
//
// The board (board_* functions, sh_board's words, Try) is one of go.wgsl, othello.wgsl, connect4.wgsl.

const NO_MOVE: u32 = 0x3ffu;
const PASS: u32 = 0x3feu;
const NO_SUBTREE: u32 = 0xffffffffu;
// Of a stack's `next`, the lowest 16 bits: no move is left to try.
const EXHAUSTED: u32 = 0xffffu;
// Ten bits of it: the move that has raised alpha last, or NO_MOVE.
const BEST_SHIFT: u32 = 16u;
// The node has a legal move; below it a line was cut off where the game goes on; its value is one of the table.
const HAS_MOVE: u32 = 1u << 26u;
const OPEN: u32 = 1u << 27u;
const KNOWN: u32 = 1u << 28u;
// Moves between two looks at the shared window, less one.
const LOOK: u32 = 15u;
// Private words that a saved worker keeps beside its board and its stack.
const SAVED_SCALARS: u32 = 7u;

struct SplitParams {
    subtrees: u32,
    // Turns of loops that a worker may take.
    work: u32,
    // Plies from the split tree's root to a subtree's root, and from there to the leaves.
    path: u32,
    depth: u32,
    // Window of the whole wave, for the maximising player.
    alpha: i32,
    beta: i32,
    // Side to move at the root, and its evaluation.
    side: u32,
    score: i32,
    workers: u32,
    // Whether `saved` holds workers of this wave.
    resumed: u32,
    aux: u32,
    // Only one of so many workers takes part where subtrees are few: lanes of one subgroup wait for each other.
    spread: u32,
    // Subtrees of an entry of the list, and workers that search each of them where subtrees are few.
    fan: u32,
    copies: u32,
    // The number of the search, 1 to 255 and again from 1: of older ones the table's entries are out of use.
    search: u32,
}

struct SplitNode {
    parent: u32,
    move_in: u32,
    // Maximising: at least this. Minimising: at most this.
    value: atomic<i32>,
    // Maximising: children not yet shown to be at most alpha. Minimising: replies not yet refuted, and one more
    // while there are replies that have not been tried.
    pending: atomic<u32>,
}

struct SplitCounters {
    next: atomic<u32>,
    done: atomic<u32>,
    nodes: atomic<u32>,
    work: atomic<u32>,
    longest: atomic<u32>,
    // Not 0 where a line was cut off where the game goes on.
    open: atomic<u32>,
}

struct SplitQueue {
    counters: SplitCounters,
    // A bit a subtree: it is done.
    settled: array<atomic<u32>>,
}

// What became of a subtree that is one move away: its value, its best move, and whether the value is exact.
struct SplitOutcome {
    value: i32,
    best: u32,
    exact: u32,
}

// What takes a move back, as the board has it.
alias Undo = array<u32, UNDO_WORDS>;

// A position in which no move but a pass is left: whether the game is over, whether it takes a pass to end it, and what
// the position is worth to the side to move.
struct Stuck {
    over: bool,
    by_pass: bool,
    value: i32,
}

// The last plies of a position at a glance: a leaf of the greatest gain among those that can be told so, its gain, how
// many they are (0: whether there is a legal move is not known), and the next move that has to be tried to know the
// rest, by the board's own number for where it stands in their order (EXHAUSTED: there is none), the point in its
// lowest ten bits.
struct Glance {
    leaf: u32,
    gain: i32,
    count: u32,
    next: u32,
}

@group(0) @binding(0) var<uniform> params: SplitParams;
@group(0) @binding(1) var<storage, read> base: array<u32>;
// Candidates of either side, the most promising first: ORDER_LENGTH each.
@group(0) @binding(2) var<storage, read> order: array<u32>;
// node << 10 | move, or NO_MOVE for all moves, the k-th subtree's being the k-th of the order
@group(0) @binding(3) var<storage, read> subtrees: array<u32>;
@group(0) @binding(4) var<storage, read_write> nodes: array<SplitNode>;
@group(0) @binding(5) var<storage, read_write> results: array<SplitOutcome>;
@group(0) @binding(6) var<storage, read_write> queue: SplitQueue;
// Word k of worker w: saved[k * workers + w].
@group(0) @binding(7) var<storage, read_write> saved: array<u32>;
// Buckets of two entries (table.wgsl).
@group(0) @binding(8) var<storage, read_write> table: array<vec4<u32>>;

// Word w of lane l: sh_board[w * LANES + l], so that neighbouring lanes touch neighbouring banks.
var<workgroup> sh_board: array<u32, BOARD_WORDS * LANES>;
// What a board keeps beside its words: ko, passes, heights.
var<private> board_aux: u32;

// The stack, by ply from the subtree's root; `alpha` and `score` are those of the player to move there.
var<private> stack_alpha: array<i32, PLIES>;
var<private> stack_score: array<i32, PLIES>;
var<private> stack_next: array<u32, PLIES>;
var<private> stack_move: array<u32, PLIES>;
var<private> stack_undo: array<Undo, PLIES>;
// By ply, the move that cut off last: it is tried first.
var<private> killers: array<u32, PLIES>;
// The moves from the split tree's root to the subtree's, last one first.
var<private> path_moves: array<u32, MAX_PATH>;

// The worker itself.
var<private> lane: u32;
var<private> subtree: u32;
var<private> copy: u32;
var<private> ply: u32;
var<private> replay: u32;
var<private> side: u32;
var<private> score: i32;
// The bound at which the subtree's root is cut off.
var<private> root_beta: i32;
var<private> nodes_seen: u32;
// Turns of loops. Every function with a loop counts its own.
var<private> work: u32;
// A line was cut off where the game goes on.
var<private> is_open: bool;

@compute @workgroup_size(LANES)
fn pvsplit(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    if id.x % params.spread != 0u {
        return;
    }
    lane = index;
    subtree = NO_SUBTREE;
    for (var k = 0u; k < PLIES; k++) {
        killers[k] = NO_MOVE;
    }
    if params.resumed != 0u {
        worker_resume(id.x);
    }
    for (var step = 0u; work < params.work; step++) {
        work += 1u;
        if subtree == NO_SUBTREE && !worker_take() {
            break;
        }
        if subtree != NO_SUBTREE {
            worker_step();
        }
        if subtree != NO_SUBTREE && (step & LOOK) == LOOK {
            worker_look();
        }
    }
    worker_save(id.x);
    atomicAdd(&queue.counters.nodes, nodes_seen);
    atomicAdd(&queue.counters.work, work);
    atomicMax(&queue.counters.longest, work);
    if is_open {
        atomicMax(&queue.counters.open, 1u);
    }
}

// Takes the next subtree of the queue, when all have been taken the next copy of one; false where there is none. One
// that is not needed any more ends at once.
fn worker_take() -> bool {
    let taken = atomicAdd(&queue.counters.next, 1u);
    if taken >= params.subtrees * params.copies {
        return false;
    }
    subtree = taken % params.subtrees;
    copy = taken / params.subtrees;
    let entry = subtrees[subtree / params.fan];
    let node = entry >> 10u;
    let k = subtree % params.fan;
    var move_in = entry & NO_MOVE;
    let is_none = move_in != NO_MOVE && k != 0u;
    if is_none || worker_is_settled() || split_is_closed(node) {
        _ = worker_settle();
        return true;
    }
    if move_in == NO_MOVE {
        move_in = order[params.side * ORDER_LENGTH + k];
    }
    path_moves[0] = move_in;
    work += KEPT_WORDS;
    var above = node;
    for (var k = 1u; k < params.path; k++) {
        path_moves[k] = nodes[above].move_in;
        above = nodes[above].parent;
    }
    for (var w = 0u; w < KEPT_WORDS; w++) {
        sh_board[w * LANES + lane] = base[w];
    }
    board_aux = params.aux;
    side = params.side;
    score = params.score;
    replay = params.path;
    ply = 0u;
    return true;
}

// Has another worker done this subtree?
fn worker_is_settled() -> bool {
    return (atomicLoad(&queue.settled[subtree >> 5u]) & (1u << (subtree & 31u))) != 0u;
}

// Leaves the subtree, which is done; true where this worker is the first to say so.
fn worker_settle() -> bool {
    let bit = 1u << (subtree & 31u);
    let is_first = (atomicOr(&queue.settled[subtree >> 5u], bit) & bit) == 0u;
    atomicAdd(&queue.counters.done, u32(is_first));
    subtree = NO_SUBTREE;
    return is_first;
}

fn worker_node() -> u32 {
    return subtrees[subtree / params.fan] >> 10u;
}

// One move: of the path to the subtree, or at the top of the stack. There is one call of each board function for both,
// so that lanes that replay and lanes that search stay together.
fn worker_step() {
    var tried = NO_MOVE;
    if replay != 0u {
        tried = path_moves[replay - 1u];
        if replay == 1u && tried != PASS && !board_is_vacant(tried) {
            worker_report(params.alpha);
            return;
        }
    } else {
        tried = worker_next_move();
    }
    var leave = tried == NO_MOVE;
    if tried == PASS {
        worker_play(PASS, score, board_pass());
    } else if !leave {
        leave = worker_try(tried);
    } else if (stack_next[ply] & HAS_MOVE) == 0u {
        leave = worker_stuck();
    }
    if leave {
        worker_leave();
    }
}

// Plays a move that is on the path, or that leads to a node of the subtree.
fn worker_play(played: u32, gained_score: i32, undo: Undo) {
    score = -gained_score;
    side = 1u - side;
    if replay == 0u {
        let alpha = -worker_beta();
        stack_move[ply] = played;
        stack_undo[ply] = undo;
        ply += 1u;
        worker_enter(alpha);
        return;
    }
    replay -= 1u;
    if replay == 0u {
        nodes_seen += 1u;
        root_beta = -max(params.alpha, atomicLoad(&nodes[0].value));
        worker_enter(-params.beta);
    }
}

// Opens the node at the top of the stack.
fn worker_enter(alpha: i32) {
    stack_alpha[ply] = alpha;
    stack_score[ply] = score;
    stack_next[ply] = NO_MOVE << BEST_SHIFT;
    if worker_has_table() {
        worker_recall();
    }
}

// Sets the lowest 16 bits of `next`.
fn worker_go_on(next: u32) {
    stack_next[ply] = (stack_next[ply] & ~EXHAUSTED) | next;
}

fn worker_beta() -> i32 {
    if ply == 0u {
        return root_beta;
    }
    return -stack_alpha[ply - 1u];
}

// The next candidate that is not occupied: the killer, then the others in the common order.
fn worker_next_move() -> u32 {
    if params.depth - ply <= GLANCE_PLIES {
        return worker_glance();
    }
    let killer = killers[ply];
    // Where all moves have to be tried, workers of one subtree begin with different ones, and meet in the table.
    let shift = (ply & 1u) * (copy * ORDER_LENGTH / params.copies);
    var next = stack_next[ply] & EXHAUSTED;
    var found = NO_MOVE;
    if next == 0u {
        next = 1u;
        if killer != NO_MOVE && board_is_vacant(killer) {
            found = killer;
        }
    }
    while found == NO_MOVE && next <= ORDER_LENGTH {
        let candidate = order[side * ORDER_LENGTH + (next - 1u + shift) % ORDER_LENGTH];
        next += 1u;
        work += 1u;
        if candidate != killer && board_is_vacant(candidate) {
            found = candidate;
        }
    }
    worker_go_on(next);
    return found;
}

// The same at the last plies, where the board sees at a glance what most moves are worth.
fn worker_glance() -> u32 {
    let after = stack_next[ply] & EXHAUSTED;
    if after == EXHAUSTED {
        return NO_MOVE;
    }
    let left = params.depth - ply;
    // It is tried first, but not at the last ply, where trying it tells less than a glance.
    let killer = select(NO_MOVE, killers[ply], left > 1u);
    let bar = stack_alpha[ply] - score;
    let glance = board_glance(side, left, after, select(killer, NO_MOVE, after == 0u), bar, worker_beta() - score);
    var next = glance.next;
    var found = next & NO_MOVE;
    if after == 0u && glance.count != 0u {
        stack_next[ply] |= HAS_MOVE | OPEN;
        if glance.leaf != NO_MOVE {
            // One leaf is enough to cut a node off.
            let cut = worker_raise(glance.leaf, score + glance.gain);
            nodes_seen += select(glance.count, 1u, cut);
        }
    }
    if after == 0u && next != EXHAUSTED && killer != NO_MOVE && board_is_vacant(killer) {
        // No candidate's number is so small but that of an occupied point.
        next = 1u;
        found = killer;
    }
    worker_go_on(next);
    return found;
}

// Tries a move; true where that settles the node at the top. Moves of the path are known to be legal, but for the one
// that leads to the subtree: a move that cannot be played is worth nothing to the player who has to find one.
fn worker_try(tried: u32) -> bool {
    let found = board_try(tried, side);
    if replay == 1u && (!found.legal || found.ends) {
        nodes_seen += u32(found.legal);
        worker_report(select(params.alpha, score + found.gain, found.legal));
        return false;
    }
    if !found.legal {
        return false;
    }
    if replay == 0u {
        nodes_seen += 1u;
        stack_next[ply] |= HAS_MOVE;
        if found.ends || ply + 1u == params.depth {
            stack_next[ply] |= select(OPEN, 0u, found.ends);
            return worker_raise(tried, score + found.gain);
        }
    }
    worker_play(tried, score + found.gain, board_make(tried, side, found));
    return false;
}

// No legal point: the game is over, or the player passes. True where the node is done.
fn worker_stuck() -> bool {
    let stuck = board_stuck(side, score);
    stack_next[ply] |= HAS_MOVE;
    nodes_seen += u32(!stuck.over || stuck.by_pass);
    if stuck.over || ply + 1u == params.depth {
        stack_next[ply] |= select(OPEN, 0u, stuck.over);
        _ = worker_raise(PASS, stuck.value);
        return true;
    }
    worker_play(PASS, score, board_pass());
    return false;
}

// A move of the top node is worth so much; true where that cuts off.
fn worker_raise(tried: u32, value: i32) -> bool {
    if value > stack_alpha[ply] {
        stack_alpha[ply] = value;
        stack_next[ply] = (stack_next[ply] & ~(NO_MOVE << BEST_SHIFT)) | (tried << BEST_SHIFT);
    }
    let cut = stack_alpha[ply] >= worker_beta();
    if cut && tried != PASS {
        killers[ply] = tried;
    }
    return cut;
}

// The top node is done: its value goes to the node above, or the subtree ends.
fn worker_leave() {
    if worker_has_table() {
        worker_remember();
    }
    if ply == 0u {
        worker_finish();
        return;
    }
    let value = -stack_alpha[ply];
    let open = stack_next[ply] & OPEN;
    ply -= 1u;
    stack_next[ply] |= open;
    side = 1u - side;
    score = stack_score[ply];
    let played = stack_move[ply];
    board_unmake(played, side, stack_undo[ply]);
    if worker_raise(played, value) {
        worker_go_on(EXHAUSTED);
    }
}

// The subtree's value is known, as far as the window asks.
fn worker_finish() {
    let value = -stack_alpha[0];
    is_open = is_open || (stack_next[0] & OPEN) != 0u;
    worker_report(value);
}

// Tells the split tree the value of the subtree, for the maximising player.
fn worker_report(value: i32) {
    let reported = subtree;
    let node = worker_node();
    if !worker_settle() {
        return;
    }
    if params.path == 1u {
        let best = (stack_next[0] >> BEST_SHIFT) & NO_MOVE;
        let exact = best != NO_MOVE && stack_alpha[0] < root_beta;
        results[reported] = SplitOutcome(value, best, u32(exact));
    }
    if value >= params.beta {
        split_child_is_high(node);
    } else if value <= params.alpha {
        split_child_is_low(node);
    } else {
        atomicMax(&nodes[node].value, value);
    }
}

// Looks at the shared window: what has been decided elsewhere need not be searched here.
fn worker_look() {
    let node = worker_node();
    if worker_is_settled() || split_is_closed(node) {
        _ = worker_settle();
        return;
    }
    if replay == 0u {
        root_beta = min(root_beta, -atomicLoad(&nodes[0].value));
        if stack_alpha[0] >= root_beta {
            worker_finish();
        }
    }
}

// Is a node, or one above it, resolved?
fn split_is_closed(start: u32) -> bool {
    var node = start;
    for (var k = 0u; k <= MAX_PATH; k++) {
        if atomicLoad(&nodes[node].value) >= params.beta {
            return true;
        }
        if node == 0u {
            return false;
        }
        node = nodes[node].parent;
        if atomicLoad(&nodes[node].value) <= params.alpha {
            return true;
        }
        node = nodes[node].parent;
    }
    return false;
}

// A child of a maximising node is at most alpha. The last one resolves the node, and with it the reply that led to it.
fn split_child_is_low(start: u32) {
    var node = start;
    for (var k = 0u; k <= MAX_PATH; k++) {
        if atomicSub(&nodes[node].pending, 1u) != 1u || node == 0u {
            return;
        }
        let above = nodes[node].parent;
        if atomicMin(&nodes[above].value, params.alpha) <= params.alpha {
            return;
        }
        node = nodes[above].parent;
    }
}

// A child of a maximising node is at least beta: the reply that led to the node is refuted. The last reply resolves
// the minimising node above.
fn split_child_is_high(start: u32) {
    var node = start;
    for (var k = 0u; k <= MAX_PATH; k++) {
        if atomicMax(&nodes[node].value, params.beta) >= params.beta || node == 0u {
            return;
        }
        let above = nodes[node].parent;
        if atomicSub(&nodes[above].pending, 1u) != 1u {
            return;
        }
        node = nodes[above].parent;
    }
}
