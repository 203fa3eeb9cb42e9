// Descends from the root to a leaf, at each node to the child of greatest UCB, and computes the position there
// (specification, "One step", 1). Every node stores its best child (choose.wgsl), so that a level takes one load.
//
// One workgroup = one tree.
// Reads roots, trees, links; writes trees, paths, states.

// Where a selection ended.
struct Leaf {
    node: u32,
    depth: u32,
    turn: u32,
    link: vec2<u32>,
}

// Nodes of a path that workgroup memory holds; deeper ones are in `paths` alone.
const NEAR_PATH: u32 = min(PATH_CAPACITY, 256u);

// Trees of a workgroup: one, except in packed.wgsl.
const TREES: u32 = TREE_LANES / TEAM;

// [tree of the workgroup][depth]: the path.
var<workgroup> sh_path: array<u32, TREES * NEAR_PATH>;
// Whether this module looks ahead (ahead.wgsl).
const HAS_LOOKAHEAD: bool = AHEAD > 1u;
// [depth]: the actions into these nodes, where it does.
var<workgroup> sh_actions: array<u32, select(1u, NEAR_PATH, HAS_LOOKAHEAD)>;

// The index in sh_path of the first node of a leaf's tree.
fn near_path(leaf: u32) -> u32 {
    return (leaf % TREES) * NEAR_PATH;
}

// The node at a depth, as lane 0 has noted it. Needs a barrier before it, and where the path is longer than NEAR_PATH a
// storage barrier, too.
fn path_node(leaf: u32, depth: u32) -> u32 {
    if depth < NEAR_PATH {
        return sh_path[near_path(leaf) + depth];
    }
    return paths[leaf * PATH_WORDS + depth];
}

// Reads a node of a path that an earlier dispatch has stored, and notes it for path_node.
fn note_path_node(leaf: u32, depth: u32) -> u32 {
    let node = paths[leaf * PATH_WORDS + depth];
    if depth < NEAR_PATH {
        sh_path[near_path(leaf) + depth] = node;
    }
    return node;
}

fn note_path(leaf: u32, lane: u32, reached: Leaf) {
    if lane == 0u {
        if reached.depth < NEAR_PATH {
            sh_path[near_path(leaf) + reached.depth] = reached.node;
        } else {
            paths[leaf * PATH_WORDS + reached.depth] = reached.node;
        }
    }
}

// Every lane follows the path: that takes as long as in one lane alone, and the result needs no broadcast.
fn select_tree(tree: u32, lane: u32, state: ptr<function, State>) -> Leaf {
    let base = tree * params.capacity;
    var leaf = Leaf(ROOT, 0u, turn_at(tree, 0u), links[base + ROOT]);
    *state = load_root(tree);
    note_path(tree, lane, leaf);
    record_position(tree, 0u, lane, state);
    while leaf.link.x != NO_CHILDREN {
        leaf.node = leaf.link.x + link_best(leaf.link.y);
        // Loaded early: the position is computed meanwhile.
        let next = links[base + leaf.node];
        if leaf.depth > 0u {
            follow(tree, lane, &leaf, state);
        }
        leaf.link = next;
        leaf.depth++;
        note_path(tree, lane, leaf);
    }
    if leaf.depth > 0u {
        follow(tree, lane, &leaf, state);
    }
    return leaf;
}

// Moves the position to the node of `leaf.link`.
fn follow(tree: u32, lane: u32, leaf: ptr<function, Leaf>, state: ptr<function, State>) {
    let action = link_action((*leaf).link.y);
    if HAS_LOOKAHEAD && lane == 0u && (*leaf).depth < NEAR_PATH {
        sh_actions[(*leaf).depth] = action;
    }
    take_action(state, (*leaf).turn, action);
    (*leaf).turn = 1u - (*leaf).turn;
    record_position(tree, (*leaf).depth, lane, state);
}

// Stores the path for a later dispatch.
fn store_path(leaf: u32, lane: u32, length: u32) {
    workgroupBarrier();
    for (var depth = lane; depth < min(length, NEAR_PATH); depth += TEAM) {
        paths[leaf * PATH_WORDS + depth] = sh_path[near_path(leaf) + depth];
    }
}

@compute @workgroup_size(TREE_LANES)
fn select_leaf(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees {
        var state: State;
        let leaf = select_tree(tree, lane, &state);
        let is_done = root_is_proven(trees[tree].flags);
        store_path(tree, lane, select(leaf.depth + 1u, 0u, is_done));
        if lane == 0u && !is_done {
            trees[tree].selected = leaf.node;
            trees[tree].path_length = leaf.depth + 1u;
            store_selected(tree, &state);
        }
        note_faults(tree);
    }
}
