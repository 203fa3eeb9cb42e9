// What one dispatch of `relay` hands on to the next one (relay.wgsl): what a step has done, and all that can be worked
// out before it is known who wins its games. There are two such buffers, which change places after each dispatch, so
// that no workgroup reads what another one of its dispatch writes.

// A node of a step's path.
struct LevelNotes {
    // Its counts and those of its path child's best rival, all without the step's playouts.
    counts: vec4<u32>,
    rival_counts: vec4<u32>,
    node: u32,
    info: u32,
    // Ordinals of the path's child and of the rival.
    child: u32,
    rival: u32,
    // The rival's estimate, as in Rivals.
    approx: f32,
    // Of equal bounds, does that of the path's child come first?
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
    // One bit for each action: those that lead to new children, and those of them that don't end the game.
    listed: u32,
    open: u32,
    // The action that the selected node goes on to, whoever wins; else NO_ACTION.
    choice: u32,
    // Does the step prove the root?
    proves_root: u32,
    // [depth]: the path.
    levels: array<LevelNotes, PATH_CAPACITY>,
    path: array<Place, PATH_CAPACITY>,
    // [level where the next selection leaves the path], then [action], where it stays on the path to its end.
    leaves: array<LeafNotes, NOTED_LEAVES>,
    // [action or 0][PARTS]
    tallies: array<vec2<u32>, MAX_ACTIONS * PARTS>,
}

// [tree]
@group(0) @binding(23) var<storage, read> notes: array<TreeNotes>;
@group(0) @binding(24) var<storage, read_write> next_notes: array<TreeNotes>;

// [level where the next selection leaves the path][depth]: the way down to its leaf.
struct TreeWays {
    places: array<Place, PATH_CAPACITY * PATH_CAPACITY>,
}

// [tree]: what only the clerks read and write. It is one buffer, so that a way lies there for as long as it is right.
@group(0) @binding(25) var<storage, read_write> ways: array<TreeWays>;

// Phases of a tree. There is a leaf, the first of those behind the levels', and nothing to settle.
const BEGUN: u32 = 0u;
// A step has been played out.
const UNDER_WAY: u32 = 1u;
// The root is proven, by a step of this submission, or before it.
const RESTS: u32 = 2u;
const RESTED: u32 = 3u;
