// Goes down from the root to a leaf, always to the child of greatest UCB, and follows the position
// (SPEC, "One step", 1). One workgroup = one tree, one lane = some children of a level.
// Reads roots, stats, links; writes paths, trees, states.
//
// Nearly always the float32 estimates leave one child, or children of equal counts among which the action decides.
// Where children of different counts are too close to call, those alone compute their exact bounds, side by side.

// Where a selection ended.
struct Leaf {
    node: u32,
    depth: u32,
    turn: u32,
    link: vec4<u32>,
}

// Lanes that can have a child, to the next power of two, and the children of each.
const CHILD_LANES: u32 = min(CHILD_LANES_LIMIT, 1u << (32u - countLeadingZeros((MAX_ACTIONS - 1u) | 3u)));
const LANE_CHILDREN: u32 = (MAX_ACTIONS + CHILD_LANES - 1u) / CHILD_LANES;
// Up to this many children are looked at by every lane for itself, which takes one barrier a level; more are reduced.
const NARROW: bool = CHILD_LANES <= 16u && LANE_CHILDREN == 1u;
const NARROW_LANES: u32 = select(1u, CHILD_LANES, NARROW);
const WIDE_LANES: u32 = select(CHILD_LANES, 1u, NARROW);

// Nodes of a path that workgroup memory holds; those of longer paths go to `paths` at once.
const NEAR_PATH: u32 = min(PATH_CAPACITY, 256u);

var<workgroup> sh_path: array<u32, NEAR_PATH>;

// The node of a depth, as lane 0 has noted it: after a barrier, and a storage barrier where the path is longer than
// NEAR_PATH.
fn path_node(tree: u32, depth: u32) -> u32 {
    if depth < NEAR_PATH {
        return sh_path[depth];
    }
    return paths[tree * PATH_CAPACITY + depth];
}

fn note_path(tree: u32, lane: u32, leaf: Leaf) {
    if lane == 0u {
        if leaf.depth < NEAR_PATH {
            sh_path[leaf.depth] = leaf.node;
        } else {
            paths[tree * PATH_CAPACITY + leaf.depth] = leaf.node;
        }
    }
}

// Every lane follows the path; that costs no more than one lane's doing so, and nobody has to be told.
fn select_tree(tree: u32, lane: u32, state: ptr<function, State>) -> Leaf {
    let base = tree * params.capacity;
    var leaf = Leaf(ROOT, 0u, turn_at(tree, 0u), links[base + ROOT]);
    *state = load_root(tree);
    note_path(tree, lane, leaf);
    record_position(tree, 0u, lane, state);
    var child = load_child(base, leaf.link, lane);
    while leaf.link.x != NO_CHILDREN {
        let first = leaf.link.x;
        if NARROW {
            let best = best_of_few(leaf.link, child, lane, leaf.depth & 1u);
            leaf.node = first + best.ordinal;
            leaf.link = best.link;
            // The next level's values are under way while the position follows.
            child = load_child(base, leaf.link, lane);
        } else {
            leaf.node = first + best_child_wide(base + first, leaf.link, lane);
            leaf.link = links[base + leaf.node];
        }
        take_action(state, leaf.turn, link_action(leaf.link.y));
        leaf.turn = 1u - leaf.turn;
        leaf.depth++;
        note_path(tree, lane, leaf);
        record_position(tree, leaf.depth, lane, state);
    }
    return leaf;
}

// --- many children ---------------------------------------------------------------------------------------------

const NO_ORDINAL: u32 = 0xffffffffu;

// What children are reduced by: the greater key, ties to the smaller tie word. `mixed` is or-ed.
struct Choice {
    key: u32,
    tie: u32,
    ordinal: u32,
    mixed: u32,
}

var<workgroup> sh_choice: array<Choice, WIDE_LANES>;

fn choice_none() -> Choice {
    return Choice(0u, 0xffffffffu, NO_ORDINAL, 0u);
}

// Max monoid with choice_none as its identity.
fn choice_combine(a: Choice, b: Choice) -> Choice {
    let mixed = a.mixed | b.mixed;
    let b_wins = b.key > a.key || (b.key == a.key && b.tie < a.tie);
    if a.ordinal == NO_ORDINAL || (b_wins && b.ordinal != NO_ORDINAL) {
        return Choice(b.key, b.tie, b.ordinal, mixed);
    }
    return Choice(a.key, a.tie, a.ordinal, mixed);
}

// Reduces one value a lane; lanes from CHILD_LANES on have none. Every lane gets the result.
fn reduce_choice(lane: u32, mine: Choice) -> Choice {
    if lane < WIDE_LANES {
        sh_choice[lane] = mine;
    }
    workgroupBarrier();
    for (var stride = WIDE_LANES / 2u; stride > 0u; stride /= 2u) {
        if lane < stride {
            sh_choice[lane] = choice_combine(sh_choice[lane], sh_choice[lane + stride]);
        }
        workgroupBarrier();
    }
    let top = sh_choice[0];
    workgroupBarrier();
    return top;
}

// The ordinal of the best child; the same on all lanes.
fn best_child_wide(first: u32, link: vec4<u32>, lane: u32) -> u32 {
    let parent = ucb_parent(link.zw);
    let count = select(0u, link_count(link.y), lane < CHILD_LANES);
    var counts: array<vec4<u32>, LANE_CHILDREN>;
    var approx: array<f32, LANE_CHILDREN>;
    var mine = choice_none();
    for (var i = 0u; i < LANE_CHILDREN; i++) {
        let ordinal = lane + i * CHILD_LANES;
        if ordinal < count {
            counts[i] = stats[first + ordinal];
            approx[i] = ucb_approx(parent, counts[i].xy, counts[i].zw);
            // Floats that are not negative order like their bits.
            mine = choice_combine(mine, Choice(bitcast<u32>(max(approx[i], 0.0)), ordinal, ordinal, 0u));
        }
    }
    let top = reduce_choice(lane, mine);
    let top_counts = stats[first + top.ordinal];
    let threshold = ucb_floor(ucb_approx(parent, top_counts.xy, top_counts.zw));

    mine = choice_none();
    for (var i = 0u; i < LANE_CHILDREN; i++) {
        let ordinal = lane + i * CHILD_LANES;
        if ordinal < count && approx[i] >= threshold {
            let mixed = u32(any(counts[i] != top_counts));
            mine = choice_combine(mine, Choice(0u, tie_of(first + ordinal), ordinal, mixed));
        }
    }
    let close = reduce_choice(lane, mine);
    if close.mixed == 0u {
        return close.ordinal;
    }

    let ln_exact = soft64_from_bits(link.zw);
    mine = choice_none();
    for (var i = 0u; i < LANE_CHILDREN; i++) {
        let ordinal = lane + i * CHILD_LANES;
        if ordinal < count && approx[i] >= threshold {
            let key = ucb_exact(ln_exact, counts[i].xy, counts[i].zw);
            mine = choice_combine(mine, Choice(key, tie_of(first + ordinal), ordinal, 0u));
        }
    }
    return reduce_choice(lane, mine).ordinal;
}

fn tie_of(child: u32) -> u32 {
    return reverseBits(link_action(links[child].y));
}

// Hands the path on to another dispatch.
fn store_path(tree: u32, lane: u32, length: u32) {
    workgroupBarrier();
    for (var depth = lane; depth < min(length, NEAR_PATH); depth += TREE_LANES) {
        paths[tree * PATH_CAPACITY + depth] = sh_path[depth];
    }
}

@compute @workgroup_size(TREE_LANES)
fn select_leaf(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees {
        var state: State;
        let leaf = select_tree(tree, lane, &state);
        store_path(tree, lane, leaf.depth + 1u);
        if lane == 0u {
            trees[tree].selected = leaf.node;
            trees[tree].path_length = leaf.depth + 1u;
            store_selected(tree, &state);
        }
    }
}
