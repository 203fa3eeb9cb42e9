// The notes that one dispatch of `relay` leaves for the next one (relay.wgsl): a step's results, and all that follows
// from the tree before the results are known. There are two such buffers, which change places after each dispatch, so
// that no workgroup reads a buffer that another workgroup of its dispatch writes.

// A node of a step's path.
struct LevelNotes {
    // Its counts and those of the best rival of its child on the path, all without the step's playouts.
    counts: vec4<u32>,
    rival_counts: vec4<u32>,
    node: u32,
    info: u32,
    // Ordinals of the path's child and of the rival.
    child: u32,
    rival: u32,
    // The rival's estimate, as in Rivals.
    approx: f32,
    // The path's child precedes the rival in the order of ties.
    is_first: u32,
}

// A leaf that the next step may have.
struct LeafNotes {
    node: u32,
    depth: u32,
    info: u32,
    state: State,
}

const NOTED_LEAVES: u32 = PATH_CAPACITY + MAX_ACTIONS;

struct TreeNotes {
    header: Tree,
    phase: u32,
    // One bit for each action: those of new children, and those of new children that do not end the game.
    listed: u32,
    open: u32,
    // The selected node's next choice where it does not depend on the results; else NO_ACTION.
    choice: u32,
    // The step proves the root.
    proves_root: u32,
    // [depth]: the path.
    levels: array<LevelNotes, PATH_CAPACITY>,
    path: array<Place, PATH_CAPACITY>,
    // [departure level], then [action], for a selection that stays on the path to its end.
    leaves: array<LeafNotes, NOTED_LEAVES>,
    // [action or 0][PARTS]
    tallies: array<vec2<u32>, MAX_ACTIONS * PARTS>,
}

// [tree]
@group(0) @binding(23) var<storage, read> notes: array<TreeNotes>;
@group(0) @binding(24) var<storage, read_write> next_notes: array<TreeNotes>;

// [departure level][depth]: the lookahead path to the next leaf.
struct LookaheadPaths {
    places: array<Place, PATH_CAPACITY * PATH_CAPACITY>,
}

// [tree]: the lookahead paths, which only the update workgroup reads and writes. One buffer, so that a path that stays
// valid needs no copy.
@group(0) @binding(25) var<storage, read_write> lookahead_paths: array<LookaheadPaths>;

// Phases of a tree. BEGUN: there is a leaf, the first after those of the levels, and no step to settle.
const BEGUN: u32 = 0u;
// A step has been played out.
const UNDER_WAY: u32 = 1u;
// The root is proven: by a step of this submission, or before the submission.
const DONE: u32 = 2u;
const DONE_BEFORE: u32 = 3u;
