// PV-Split, the part on the device: workers take subtrees from a queue and search them by alpha-beta.
//
// One invocation is one worker: it has a board of its own in workgroup memory (its column of sh_board), a stack of its
// own in private memory, and takes subtrees until none is left. One iteration of its loop tries one move, whatever its
// ply, so that the lanes of a subgroup do the same work at different nodes of different subtrees. A worker that has
// used up its work (iterations of its own loops and of the board's) saves its state and continues in the next dispatch
// (saved.wgsl). Inner loops count, too, because some software adapters end all loops of an invocation after 65,535
// iterations.
//
// Where there are fewer subtrees than workers, several workers search each: they share results through the table
// (table.wgsl), the first one to end reports, and the others take another subtree. For the last plies a board may list
// the moves that can matter (board_glance); only those are tried.
//
// Reads params, base, order, subtrees; reads and writes nodes (the window), queue, saved, table; writes results.
//
// The split tree: node 0 is the position on the principal variation, where the maximising player moves; its children
// are minimising, theirs maximising, and so on. A subtree hangs under a maximising node. Values are the maximising
// player's. A node is resolved by counting, never by reading two atomics together, whose order is undefined.
//
// The board (board_* functions, sh_board's words, Try) is one of go.wgsl, othello.wgsl, connect4.wgsl.

const NO_MOVE: u32 = 0x3ffu;
const PASS: u32 = 0x3feu;
const NO_SUBTREE: u32 = 0xffffffffu;
// Of a stack's `next`, the lowest 16 bits: no move is left to try.
const EXHAUSTED: u32 = 0xffffu;
// Ten bits of it: the move that has raised alpha last, or NO_MOVE.
const BEST_SHIFT: u32 = 16u;
// Flags: the node has a legal move; a line below it was cut off before the end of the game; its value is from the
// table.
const HAS_MOVE: u32 = 1u << 26u;
const OPEN: u32 = 1u << 27u;
const KNOWN: u32 = 1u << 28u;
// Moves between two reads of the shared window, less one.
const LOOK: u32 = 15u;
// Private words of a saved worker, besides its board and its stack.
const SAVED_SCALARS: u32 = 7u;

struct SplitParams {
    subtrees: u32,
    // Loop iterations that a worker may make in a dispatch.
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
    // `saved` holds workers of this wave.
    resumed: u32,
    aux: u32,
    // Where subtrees are few, one of `spread` workers takes part: lanes of one subgroup wait for each other.
    spread: u32,
    // Subtrees of an entry of the list; where subtrees are few, workers that search each of them.
    fan: u32,
    copies: u32,
    // The number of the search, 1 to 255 and again from 1: entries of older ones in the table count as unused.
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
    // Not 0 where a line was cut off before the end of the game.
    open: atomic<u32>,
}

struct SplitQueue {
    counters: SplitCounters,
    // One bit a subtree: it is done.
    settled: array<atomic<u32>>,
}

// The result of a subtree that is one move away: its value, its best move, and whether the value is exact.
struct SplitOutcome {
    value: i32,
    best: u32,
    exact: u32,
}

// The board's data to undo a move.
alias Undo = array<u32, UNDO_WORDS>;

// A position in which only a pass is left: whether the game is over, whether a pass ends it, and its value for the side
// to move.
struct Stuck {
    over: bool,
    by_pass: bool,
    value: i32,
}

// The moves of the last plies: the leaf with the greatest gain among those known without a trial, its gain, their
// number (0: whether there is a legal move is unknown), and the next move that has to be tried, as the board's number
// of its place in their order (EXHAUSTED: none), the point in the lowest ten bits.
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
// node << 10 | move, or NO_MOVE for all moves, the k-th subtree's being the k-th of the order.
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
// The board's private word: ko, passes, heights.
var<private> board_aux: u32;

// The stack, by ply from the subtree's root; `alpha` and `score` are the view of the player to move there.
var<private> stack_alpha: array<i32, PLIES>;
var<private> stack_score: array<i32, PLIES>;
var<private> stack_next: array<u32, PLIES>;
var<private> stack_move: array<u32, PLIES>;
var<private> stack_undo: array<Undo, PLIES>;
// [ply]: the move that cut off last, which is tried first.
var<private> killers: array<u32, PLIES>;
// The moves from the split tree's root to the subtree's, last one first.
var<private> path_moves: array<u32, MAX_PATH>;

// The worker's scalars.
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
// Loop iterations so far. Every function with a loop counts its own.
var<private> work: u32;
// A line was cut off before the end of the game.
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

// Takes the next subtree of the queue, or, after the last one, the next copy of one; returns false where there is none.
// A subtree whose result is no longer needed ends at once.
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

// Whether another worker has finished this subtree.
fn worker_is_settled() -> bool {
    return (atomicLoad(&queue.settled[subtree >> 5u]) & (1u << (subtree & 31u))) != 0u;
}

// Marks the subtree as done; returns true in the first worker that does so.
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
    // Where all moves have to be tried, workers of one subtree begin with different ones, and share results in the
    // table.
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

// The same at the last plies, where the board lists the moves that matter.
fn worker_glance() -> u32 {
    let after = stack_next[ply] & EXHAUSTED;
    if after == EXHAUSTED {
        return NO_MOVE;
    }
    let left = params.depth - ply;
    // It is tried first, except at the last ply, where board_glance gives a better order.
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
        // Only the candidate of an occupied point has so small a number.
        next = 1u;
        found = killer;
    }
    worker_go_on(next);
    return found;
}

// Tries a move; returns true where that settles the node at the top. Moves of the path are known to be legal, except
// for the one that leads to the subtree: if it is illegal, it has the worst value for its player.
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

// No legal point: the game is over, or the player passes. Returns true where the node is done.
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

// Raises the top node's value by that of a move; returns true where that cuts off.
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

// Finishes the top node: its value goes to its parent, or the subtree ends.
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

// Finishes the subtree, whose value is known as far as the window requires.
fn worker_finish() {
    let value = -stack_alpha[0];
    is_open = is_open || (stack_next[0] & OPEN) != 0u;
    worker_report(value);
}

// Reports the value of the subtree to the split tree, for the maximising player.
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

// Reads the shared window, to end subtrees that are decided elsewhere.
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

// Whether a node, or one above it, is resolved.
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

// Counts a child of a maximising node that is at most alpha. The last one resolves the node, and with it the reply that
// led to it.
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

// Notes that a child of a maximising node is at least beta: the reply that led to the node is refuted. The last reply
// resolves the minimising parent.
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
