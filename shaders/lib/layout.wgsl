// Buffers and records of a search. The Rust side of every line is src/forest/layout.rs; a test compares the two.
// shaders/README.md lists the kernels that write and read each buffer.

const ROOT: u32 = 0u;
const NO_CHILDREN: u32 = 0u;

// Fields of a link's info word.
const ACTION_BITS: u32 = 10u;
const COUNT_BITS: u32 = 10u;
const OUTCOME_SHIFT: u32 = 20u;
const BEST_SHIFT: u32 = 22u;
const BEST_BITS: u32 = 9u;
// Some legal actions have no children, since others are more urgent.
const LEFT_OUT: u32 = 0x80000000u;

// Flags of a tree; the bits above are faults (faults.wgsl).
const TREE_FULL: u32 = 1u;
const TREE_SECOND_MOVES: u32 = 2u;
// The root is proven; the tree makes no more steps.
const TREE_PROVEN: u32 = 256u;
// Within a step: some child that it has appended ends the game.
const TREE_ENDED: u32 = 512u;

// Of a leaf, where a step has several: an earlier leaf of the step is the same node.
const TREE_FOLLOWS: u32 = 1024u;
// Within a step that has several leaves: the visits of its selections are counted, its playouts not yet backed up.
const TREE_UNDER_WAY: u32 = 2048u;

// In the high word of a node's n: the node is proven; the plies to its outcome are in the bits below.
const PROVEN: u32 = 0x80000000u;
const PLIES_SHIFT: u32 = 21u;
const MOST_PLIES: u32 = 1023u;
// Of a node that is not proven, in the place of the plies: its player to move draws at least, or at most.
const AT_LEAST_DRAWN: u32 = 0x200000u;
const AT_MOST_DRAWN: u32 = 0x400000u;

// In searches with rapid action values: above the 37 bits that n then has, the playouts in which the node's action was
// first played later; above the 48 bits of n_wins, their points.
const AMAF_SHIFT: u32 = 5u;
const AMAF_POINTS_SHIFT: u32 = 16u;
// Playouts of a parent at which counting ends: twice as many points fit into 16 bits.
const MOST_AMAF: u32 = 0x8000u;

// Where a network evaluates the leaves: above the 37 bits of n, a node's prior; above the 48 bits of n_wins, the
// network's value of the node for its player to move; each in units of 1/65536.
const PRIOR_SHIFT: u32 = 5u;
const VALUE_SHIFT: u32 = 16u;
// In a search by Gumbel, above the root's n until the root is proven: the number of children that it considers, 8 bits.
const CONSIDERED_SHIFT: u32 = 23u;

// Words before the packed state in a root record.
const ROOT_HEADER: u32 = 2u;
// Words of a root record, and of the selected node's position (HISTORY_WORDS of each are history.wgsl's).
const ROOT_WORDS: u32 = ROOT_HEADER + STATE_WORDS + HISTORY_WORDS;
const POSITION_WORDS: u32 = STATE_WORDS + HISTORY_WORDS;
// Words with a bit for each action.
const LEGAL_WORDS: u32 = (MAX_ACTIONS + 31u) / 32u;
// Whether each leaf of a step has its own header. Then the actions that lead to its children follow its position, and
// the choices of its path's nodes follow its path (enter_later.wgsl).
const HAS_LEAVES: bool = LEAVES > 1u || RAVE > 0u || NET;
const SELECTED_WORDS: u32 = POSITION_WORDS + select(0u, LEGAL_WORDS, HAS_LEAVES);
const PATH_WORDS: u32 = select(1u, 2u, HAS_LEAVES) * PATH_CAPACITY;

// Workgroups in the x dimension of a dispatch; more go to further rows, since a dimension ends at 65,535.
const GROUP_ROW: u32 = 32768u;

struct Params {
    n_trees: u32,
    first_tree: u32,
    capacity: u32,
    trees_per_position: u32,
    stream_zero: vec2<u32>,
    ucb_c: u32,
    steps: u32,
    first_group: u32,
    padding: u32,
}

struct Tree {
    size: u32,
    flags: u32,
    selected: u32,
    path_length: u32,
    first_child: u32,
    expanded: u32,
    drawn: u32,
    max_depth: u32,
    depth_sum: vec2<u32>,
    tally: vec2<u32>,
    expansion_stream: vec4<u32>,
}

struct RootSum {
    stats: vec4<u32>,
    info: u32,
    present: u32,
    proof: u32,
    half_proofs: u32,
}

struct Best {
    ordinal: u32,
    action: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// [tree][ROOT_WORDS]: player to move, outcome code, packed state; number and keys of the positions before it
@group(0) @binding(1) var<storage, read> roots: array<u32>;
// [tree], then, where a step has several leaves, [leaf]. The index of a leaf is tree * LEAVES + its place in the step.
// Where a step has one leaf, that is the tree's index, and the leaf's header is the tree's.
@group(0) @binding(2) var<storage, read_write> trees: array<Tree>;
// [leaf][PATH_WORDS]: nodes from the root to the selected one, and their choices
@group(0) @binding(3) var<storage, read_write> paths: array<u32>;
// [tree][capacity]: n (low; high, with the mark of a proof), n_wins in points (low, high)
@group(0) @binding(4) var<storage, read_write> stats: array<vec4<u32>>;
// [tree][capacity]: first child; action, number of children, outcome code, ordinal of the best child
@group(0) @binding(5) var<storage, read_write> links: array<vec2<u32>>;
// [leaf][SELECTED_WORDS]: the selected node's position. Other nodes' positions are not stored: following a path's
// actions from the root costs less than a playout, and far less memory than a position a node.
@group(0) @binding(6) var<storage, read_write> states: array<u32>;
// [leaf][action or 0][PLAYOUTS]: xoroshiro128+ states
@group(0) @binding(7) var<storage, read_write> streams: array<vec4<u32>>;
// [leaf][ordinal or 0][PARTS]: wins of the first and of the second player
@group(0) @binding(8) var<storage, read_write> tallies: array<vec2<u32>>;
// [leaf + 1]: jobs before each leaf, and in all
@group(0) @binding(9) var<storage, read_write> jobs: array<u32>;
// [expand_2, playout][x, y, z]: workgroups that thrifty variants launch
@group(0) @binding(10) var<storage, read_write> dispatches: array<u32>;
// [position][MAX_ACTIONS + 1]: sums over trees by ordinal, the root's own last
@group(0) @binding(11) var<storage, read_write> root_sums: array<RootSum>;
// [position]
@group(0) @binding(12) var<storage, read_write> best: array<Best>;
// [tree][DIGEST_SLICES]
@group(0) @binding(13) var<storage, read_write> digests: array<vec2<u32>>;
// [log2 of the distance][bit]: columns of the matrices that advance a stream
@group(0) @binding(14) var<storage, read> jumps: array<vec4<u32>>;

// The index of a workgroup in a dispatch that is laid out in rows of GROUP_ROW, and may be a slice of a larger one.
fn flat_group(group: vec3<u32>) -> u32 {
    return params.first_group + group.y * GROUP_ROW + group.x;
}

fn link_action(info: u32) -> u32 {
    return info & ((1u << ACTION_BITS) - 1u);
}

fn link_count(info: u32) -> u32 {
    return (info >> ACTION_BITS) & ((1u << COUNT_BITS) - 1u);
}

fn link_outcome(info: u32) -> u32 {
    return (info >> OUTCOME_SHIFT) & 3u;
}

// The ordinal of the best child.
fn link_best(info: u32) -> u32 {
    return (info >> BEST_SHIFT) & ((1u << BEST_BITS) - 1u);
}

// The part of a link's info that backups do not change: all but the best child.
fn link_lasting(info: u32) -> u32 {
    return info & ~(((1u << BEST_BITS) - 1u) << BEST_SHIFT);
}

// Whether a node with these statistics is proven. Its link has the outcome.
fn is_proven(counts: vec4<u32>) -> bool {
    return PROVES && counts.y >= PROVEN;
}

// AT_LEAST_DRAWN and AT_MOST_DRAWN of a node with these statistics, which is not proven.
fn half_proofs(counts: vec4<u32>) -> u32 {
    return select(counts.y & (AT_LEAST_DRAWN | AT_MOST_DRAWN), 0u, !PROVES || is_proven(counts));
}

// The statistics of a new node: `known` is ONGOING, or an outcome with the plies to it (known_outcome).
fn new_stats(known: u32) -> vec4<u32> {
    let mark = PROVEN | (known_plies(known) << PLIES_SHIFT);
    return vec4<u32>(0u, select(0u, mark, PROVES && known != ONGOING), 0u, 0u);
}

// A new node's outcome as far as it is known: in the low bits the outcome code, above it the plies to it.
const KNOWN_PLIES_SHIFT: u32 = 2u;

fn known_outcome(known: u32) -> u32 {
    return known & 3u;
}

fn known_plies(known: u32) -> u32 {
    return known >> KNOWN_PLIES_SHIFT;
}

// Statistics reduced to n, n_wins and the marks of proofs.
fn plain(counts: vec4<u32>) -> vec4<u32> {
    if RAVE == 0u && !NET {
        return counts;
    }
    let high_n = counts.y & ~(0xffffu << AMAF_SHIFT);
    return vec4<u32>(counts.x, high_n, counts.z, counts.w & ((1u << AMAF_POINTS_SHIFT) - 1u));
}

// Statistics reduced to n and n_wins.
fn unmarked(counts: vec4<u32>) -> vec4<u32> {
    let own = plain(counts);
    return vec4<u32>(own.x, own.y & ((1u << PLIES_SHIFT) - 1u), own.zw);
}

// The statistics of a child that a choice in a node with the statistics `parent` uses: with the rapid action value as
// further playouts (specification, "Rapid action values"), and PROVEN where the child is closed (specification,
// "Proofs").
fn as_child(counts: vec4<u32>, parent: vec4<u32>) -> vec4<u32> {
    let seen = with_closed(counts, parent);
    if RAVE == 0u {
        return seen;
    }
    let n = (counts.y >> AMAF_SHIFT) & 0xffffu;
    let points = counts.w >> AMAF_POINTS_SHIFT;
    let playouts = RAVE * n / (RAVE + n);
    return sum_combine(plain(seen), vec4<u32>(playouts, 0u, playouts * points / max(n, 1u), 0u));
}

// A child's statistics without marks, except PROVEN where it is closed.
fn with_closed(counts: vec4<u32>, parent: vec4<u32>) -> vec4<u32> {
    if !PROVES {
        return counts;
    }
    let closed = (counts.y & (PROVEN | (parent.y & AT_LEAST_DRAWN))) != 0u;
    let high_n = (counts.y & ((1u << PLIES_SHIFT) - 1u)) | select(0u, PROVEN, closed);
    return vec4<u32>(counts.x, high_n, counts.zw);
}

// Whether the root of a tree with these flags is proven, so that the tree makes no more steps.
fn root_is_proven(flags: u32) -> bool {
    return PROVES && (flags & TREE_PROVEN) != 0u;
}

// The index of a leaf's header.
fn header_of(leaf: u32) -> u32 {
    return select(leaf, params.n_trees + leaf, HAS_LEAVES);
}

// The index of the first node of a leaf's tree.
fn nodes_of(leaf: u32) -> u32 {
    return leaf / LEAVES * params.capacity;
}

// The number of leaves of a step, in all trees.
fn all_leaves() -> u32 {
    return params.n_trees * LEAVES;
}

// The player to move at a node of this depth of a leaf's path.
fn turn_at(leaf: u32, depth: u32) -> u32 {
    return turn_of(trees[header_of(leaf)].flags, depth);
}

// The same, in a tree with these flags.
fn turn_of(flags: u32, depth: u32) -> u32 {
    return ((flags / TREE_SECOND_MOVES) ^ depth) & 1u;
}

fn selected_turn(leaf: u32) -> u32 {
    return turn_at(leaf, trees[header_of(leaf)].path_length - 1u);
}

fn load_root(tree: u32) -> State {
    var state: State;
    for (var word = 0u; word < STATE_WORDS; word++) {
        state[word] = roots[tree * ROOT_WORDS + ROOT_HEADER + word];
    }
    return state;
}

fn load_selected(leaf: u32) -> State {
    var state: State;
    for (var word = 0u; word < STATE_WORDS; word++) {
        state[word] = states[leaf * SELECTED_WORDS + word];
    }
    return state;
}

fn store_selected(leaf: u32, state: ptr<function, State>) {
    for (var word = 0u; word < STATE_WORDS; word++) {
        states[leaf * SELECTED_WORDS + word] = (*state)[word];
    }
}

// The faults and notes of all lanes of a workgroup, where lane 0 writes the tree's header in the end.
var<workgroup> sh_faults: atomic<u32>;
// Flags that an invocation reports besides its own faults.
var<private> own_notes: u32;

// A barrier must stand between this and gathered_faults.
fn clear_faults(lane: u32) {
    if lane == 0u {
        atomicStore(&sh_faults, 0u);
    }
}

// The faults and notes of all lanes, as flags of the tree: called last in a kernel. Has a barrier, after which every
// lane has read all its input.
fn gathered_faults() -> u32 {
    let faults = found_faults(params.n_trees) | own_notes;
    if faults != 0u {
        atomicOr(&sh_faults, faults);
    }
    workgroupBarrier();
    return atomicLoad(&sh_faults);
}

// Writes the faults of an invocation to the header of its leaf. Meanwhile only other faults may be written to the
// header's flags; of two written at the same time one may be lost.
fn note_faults(leaf: u32) {
    note_faults_in(header_of(leaf));
}

// The same for a header given by its index, such as a tree's.
fn note_faults_in(header: u32) {
    let faults = found_faults(params.n_trees);
    if faults != 0u {
        trees[header].flags |= faults;
    }
}

// Adds playouts and points to a node: two 64-bit counters.
fn add_stats(index: u32, n: u32, n_wins: u32) {
    let old = stats[index];
    let low = old.xz + vec2<u32>(n, n_wins);
    let high = old.yw + vec2<u32>(low < old.xz);
    stats[index] = vec4<u32>(low.x, high.x, low.y, high.y);
}
