// Goes down from the root to a leaf, always to the child of greatest UCB (SPEC, "One step", 1).
// One workgroup = one tree, one lane = some children of a level. Reads stats, links; writes paths, trees.

// A child in the reduction over the children of a level.
struct Rank {
    // ucb_approx of the child
    approx: f32,
    // its ordinal among the children; NO_ORDINAL is the identity of the reduction
    ordinal: u32,
}

const NO_ORDINAL: u32 = 0xffffffffu;
// Up to this many values are scanned by every lane for itself: cheaper than the barriers of a tree reduction.
const SCAN_LIMIT: u32 = 16u;

var<workgroup> sh_rank: array<Rank, 2u * TREE_LANES>;

fn select_tree(tree: u32, lane: u32) {
    let base = tree * params.capacity;
    var node = ROOT;
    var depth = 0u;
    loop {
        if lane == 0u {
            paths[tree * PATH_CAPACITY + depth] = node;
        }
        let link = links[base + node];
        if link.x == NO_CHILDREN {
            break;
        }
        // Two halves in turn, so that a level needs no barrier before it overwrites the last one's values.
        let half = (depth & 1u) * TREE_LANES;
        node = link.x + best_child(base, stats[base + node].xy, link, lane, half);
        depth++;
    }
    if lane == 0u {
        trees[tree].selected = node;
        trees[tree].path_length = depth + 1u;
    }
}

// The ordinal of the best child; the same on all lanes.
fn best_child(base: u32, parent_n: vec2<u32>, link: vec2<u32>, lane: u32, half: u32) -> u32 {
    let count = link_count(link.y);
    let children = base + link.x;
    let ln_parent = ucb_ln_approx(parent_n);
    var mine = Rank(0.0, NO_ORDINAL);
    for (var ordinal = lane; ordinal < count; ordinal += TREE_LANES) {
        let child = stats[children + ordinal];
        mine = rank_combine(mine, Rank(ucb_approx(ln_parent, child.xy, child.zw), ordinal), children, parent_n);
    }
    sh_rank[half + lane] = mine;
    workgroupBarrier();
    var width = min(count, TREE_LANES);
    if width > SCAN_LIMIT {
        width = 1u;
        for (var stride = TREE_LANES / 2u; stride > 0u; stride /= 2u) {
            if lane < stride {
                sh_rank[half + lane] =
                    rank_combine(sh_rank[half + lane], sh_rank[half + lane + stride], children, parent_n);
            }
            workgroupBarrier();
        }
    }
    var top = sh_rank[half];
    for (var other = 1u; other < width; other++) {
        top = rank_combine(top, sh_rank[half + other], children, parent_n);
    }
    return top.ordinal;
}

// Max monoid over children: the greater exact UCB, ties to the smaller bit-reversed action.
fn rank_combine(a: Rank, b: Rank, children: u32, parent_n: vec2<u32>) -> Rank {
    if b.ordinal == NO_ORDINAL {
        return a;
    }
    if a.ordinal == NO_ORDINAL {
        return b;
    }
    if ucb_far(a.approx, b.approx) {
        if a.approx > b.approx {
            return a;
        }
        return b;
    }
    if ucb_better(parent_n, rank_child(a, children), rank_child(b, children)) {
        return a;
    }
    return b;
}

fn rank_child(rank: Rank, children: u32) -> UcbChild {
    let counts = stats[children + rank.ordinal];
    let action = link_action(links[children + rank.ordinal].y);
    return UcbChild(counts.xy, counts.zw, action, rank.approx);
}

@compute @workgroup_size(TREE_LANES)
fn select_leaf(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees {
        select_tree(tree, lane);
    }
}
