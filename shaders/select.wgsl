// Goes down from the root to a leaf, always to the child of greatest UCB (SPEC, "One step", 1).
// One workgroup = one tree, one lane = some children of a level. Reads stats, links; writes paths, trees.

// Children of one lane.
const LANE_CHILDREN: u32 = (MAX_ACTIONS + TREE_LANES - 1u) / TREE_LANES;
// Up to this many values are scanned by every lane for itself: cheaper than the barriers of a tree reduction.
const SCAN_LIMIT: u32 = 16u;
const NO_ORDINAL: u32 = 0xffffffffu;

// What the children of a level are reduced by: the greater key, ties to the smaller tie word. `mixed` is or-ed.
struct Choice {
    key: u32,
    tie: u32,
    ordinal: u32,
    mixed: u32,
}

// Lanes that can have a child, to the next power of two. The fused schedule has many more, which would be in the
// way of the playouts' own workgroup memory.
const CHOICE_LANES: u32 = min(TREE_LANES, 1u << (32u - countLeadingZeros(MAX_ACTIONS - 1u)));
// Two halves in turn, so that a reduction needs no barrier before it overwrites the last one's values.
var<workgroup> sh_choice: array<Choice, 2u * CHOICE_LANES>;

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

// Reduces one value a lane; lanes from `count` on have none. Every lane gets the result.
fn reduce_choice(lane: u32, mine: Choice, count: u32, half: ptr<function, u32>) -> Choice {
    let at = *half;
    *half = CHOICE_LANES - at;
    if lane < CHOICE_LANES {
        sh_choice[at + lane] = mine;
    }
    workgroupBarrier();
    var width = min(count, CHOICE_LANES);
    if width > SCAN_LIMIT {
        width = 1u;
        for (var stride = CHOICE_LANES / 2u; stride > 0u; stride /= 2u) {
            if lane < stride {
                sh_choice[at + lane] = choice_combine(sh_choice[at + lane], sh_choice[at + lane + stride]);
            }
            workgroupBarrier();
        }
    }
    var top = sh_choice[at];
    for (var other = 1u; other < width; other++) {
        top = choice_combine(top, sh_choice[at + other]);
    }
    return top;
}

fn select_tree(tree: u32, lane: u32) {
    let base = tree * params.capacity;
    var node = ROOT;
    var depth = 0u;
    var half = 0u;
    loop {
        if lane == 0u {
            paths[tree * PATH_CAPACITY + depth] = node;
        }
        let link = links[base + node];
        if link.x == NO_CHILDREN {
            break;
        }
        node = link.x + best_child(base + link.x, stats[base + node].xy, link_count(link.y), lane, &half);
        depth++;
    }
    if lane == 0u {
        trees[tree].selected = node;
        trees[tree].path_length = depth + 1u;
    }
}

// The ordinal of the best of `count` children; the same on all lanes.
//
// Nearly always the estimates leave one child, or children of equal counts among which the action decides. Where
// children of different counts are too close to call, those alone compute their exact bounds, side by side.
fn best_child(first: u32, parent_n: vec2<u32>, count: u32, lane: u32, half: ptr<function, u32>) -> u32 {
    let ln_parent = ucb_ln_approx(parent_n);
    var counts: array<vec4<u32>, LANE_CHILDREN>;
    var approx: array<f32, LANE_CHILDREN>;
    var mine = choice_none();
    for (var i = 0u; i < LANE_CHILDREN; i++) {
        let ordinal = lane + i * TREE_LANES;
        if ordinal < count {
            counts[i] = stats[first + ordinal];
            approx[i] = ucb_approx(ln_parent, counts[i].xy, counts[i].zw);
            // Floats that are not negative order like their bits.
            mine = choice_combine(mine, Choice(bitcast<u32>(max(approx[i], 0.0)), ordinal, ordinal, 0u));
        }
    }
    let top = reduce_choice(lane, mine, count, half);
    let top_counts = stats[first + top.ordinal];
    let top_approx = ucb_approx(ln_parent, top_counts.xy, top_counts.zw);

    mine = choice_none();
    for (var i = 0u; i < LANE_CHILDREN; i++) {
        let ordinal = lane + i * TREE_LANES;
        if ordinal < count && !ucb_far(approx[i], top_approx) {
            let mixed = u32(any(counts[i] != top_counts));
            let tie = reverseBits(link_action(links[first + ordinal].y));
            mine = choice_combine(mine, Choice(0u, tie, ordinal, mixed));
        }
    }
    let close = reduce_choice(lane, mine, count, half);
    if close.mixed == 0u {
        return close.ordinal;
    }

    let ln_exact = ucb_ln(parent_n);
    mine = choice_none();
    for (var i = 0u; i < LANE_CHILDREN; i++) {
        let ordinal = lane + i * TREE_LANES;
        if ordinal < count && !ucb_far(approx[i], top_approx) {
            let key = ucb_exact(ln_exact, counts[i].xy, counts[i].zw);
            let tie = reverseBits(link_action(links[first + ordinal].y));
            mine = choice_combine(mine, Choice(key, tie, ordinal, 0u));
        }
    }
    return reduce_choice(lane, mine, count, half).ordinal;
}

@compute @workgroup_size(TREE_LANES)
fn select_leaf(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees {
        select_tree(tree, lane);
    }
}
