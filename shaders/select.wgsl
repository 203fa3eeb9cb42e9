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

fn select_tree(tree: u32, lane: u32, state: ptr<function, State>) -> Leaf {
    let base = tree * params.capacity;
    *state = load_root(tree);
    var leaf = Leaf(ROOT, 0u, turn_at(tree, 0u), links[base + ROOT]);
    loop {
        if lane == 0u {
            paths[tree * PATH_CAPACITY + leaf.depth] = leaf.node;
        }
        record_position(tree, leaf.depth, lane, state);
        if leaf.link.x == NO_CHILDREN {
            break;
        }
        let first = leaf.link.x;
        if NARROW {
            let ordinal = best_child_narrow(base + first, leaf.link, lane, leaf.depth & 1u);
            leaf.link = sh_link[(leaf.depth & 1u) * NARROW_LANES + ordinal];
            leaf.node = first + ordinal;
        } else {
            leaf.node = first + best_child_wide(base + first, leaf.link, lane);
            leaf.link = links[base + leaf.node];
        }
        take_action(state, leaf.turn, link_action(leaf.link.y));
        leaf.turn = 1u - leaf.turn;
        leaf.depth++;
    }
    return leaf;
}

// --- few children ----------------------------------------------------------------------------------------------

// Two halves in turn, so that a level needs no barrier before it overwrites the last one's values.
var<workgroup> sh_approx: array<f32, 2u * NARROW_LANES>;
var<workgroup> sh_counts: array<vec4<u32>, 2u * NARROW_LANES>;
var<workgroup> sh_link: array<vec4<u32>, 2u * NARROW_LANES>;
// One half will do: between two uses lies the next level's barrier.
var<workgroup> sh_exact: array<u32, NARROW_LANES>;

// The ordinal of the best child; the same on all lanes.
fn best_child_narrow(first: u32, link: vec4<u32>, lane: u32, parity: u32) -> u32 {
    let count = link_count(link.y);
    let half = parity * NARROW_LANES;
    var counts = vec4<u32>(0u);
    if lane < count {
        counts = stats[first + lane];
        sh_approx[half + lane] = ucb_approx(ucb_ln_f32(link.zw), counts.xy, counts.zw);
        sh_counts[half + lane] = counts;
        sh_link[half + lane] = links[first + lane];
    } else if lane < NARROW_LANES {
        sh_approx[half + lane] = NO_CHILD;
    }
    workgroupBarrier();
    let close = close_children(half);
    if (close & (close - 1u)) == 0u {
        return firstTrailingBit(close);
    }
    if same_counts(half, close) {
        return first_action(half, close);
    }
    if lane < count && ((close >> lane) & 1u) == 1u {
        sh_exact[lane] = ucb_exact(soft64_from_bits(link.zw), counts.xy, counts.zw);
    }
    workgroupBarrier();
    var top = 0u;
    for (var rest = close; rest != 0u; rest &= rest - 1u) {
        top = max(top, sh_exact[firstTrailingBit(rest)]);
    }
    var best = 0u;
    for (var rest = close; rest != 0u; rest &= rest - 1u) {
        let ordinal = firstTrailingBit(rest);
        best |= u32(sh_exact[ordinal] == top) << ordinal;
    }
    return first_action(half, best);
}

// The estimate of a lane without a child: far below every child's, UCB_UNKNOWN included.
const NO_CHILD: f32 = -1e30;

fn approx_quad(at: u32) -> vec4<f32> {
    return vec4<f32>(sh_approx[at], sh_approx[at + 1u], sh_approx[at + 2u], sh_approx[at + 3u]);
}

fn close_bit(approx: f32, top: f32) -> u32 {
    return u32(approx != NO_CHILD && !ucb_far(approx, top));
}

// One bit for each child that may be the best. Four at a time and without a look at their number: the loads of
// workgroup memory overlap.
fn close_children(half: u32) -> u32 {
    var tops = approx_quad(half);
    for (var at = 4u; at < NARROW_LANES; at += 4u) {
        tops = max(tops, approx_quad(half + at));
    }
    let top = max(max(tops.x, tops.y), max(tops.z, tops.w));
    var close = 0u;
    for (var at = 0u; at < NARROW_LANES; at += 4u) {
        let approx = approx_quad(half + at);
        close |= (close_bit(approx.x, top) | (close_bit(approx.y, top) << 1u)
            | (close_bit(approx.z, top) << 2u) | (close_bit(approx.w, top) << 3u)) << at;
    }
    return close;
}

fn same_counts(half: u32, children: u32) -> bool {
    let counts = sh_counts[half + firstTrailingBit(children)];
    var same = true;
    for (var rest = children & (children - 1u); rest != 0u; rest &= rest - 1u) {
        same = same && all(sh_counts[half + firstTrailingBit(rest)] == counts);
    }
    return same;
}

// Of some children, the one with the smallest bit-reversed action.
fn first_action(half: u32, children: u32) -> u32 {
    var best = 0u;
    var least = 0xffffffffu;
    for (var rest = children; rest != 0u; rest &= rest - 1u) {
        let ordinal = firstTrailingBit(rest);
        let tie = reverseBits(link_action(sh_link[half + ordinal].y));
        if tie < least {
            least = tie;
            best = ordinal;
        }
    }
    return best;
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
    let ln_parent = ucb_ln_f32(link.zw);
    let count = select(0u, link_count(link.y), lane < CHILD_LANES);
    var counts: array<vec4<u32>, LANE_CHILDREN>;
    var approx: array<f32, LANE_CHILDREN>;
    var mine = choice_none();
    for (var i = 0u; i < LANE_CHILDREN; i++) {
        let ordinal = lane + i * CHILD_LANES;
        if ordinal < count {
            counts[i] = stats[first + ordinal];
            approx[i] = ucb_approx(ln_parent, counts[i].xy, counts[i].zw);
            // Floats that are not negative order like their bits.
            mine = choice_combine(mine, Choice(bitcast<u32>(max(approx[i], 0.0)), ordinal, ordinal, 0u));
        }
    }
    let top = reduce_choice(lane, mine);
    let top_counts = stats[first + top.ordinal];
    let top_approx = ucb_approx(ln_parent, top_counts.xy, top_counts.zw);

    mine = choice_none();
    for (var i = 0u; i < LANE_CHILDREN; i++) {
        let ordinal = lane + i * CHILD_LANES;
        if ordinal < count && !ucb_far(approx[i], top_approx) {
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
        if ordinal < count && !ucb_far(approx[i], top_approx) {
            let key = ucb_exact(ln_exact, counts[i].xy, counts[i].zw);
            mine = choice_combine(mine, Choice(key, tie_of(first + ordinal), ordinal, 0u));
        }
    }
    return reduce_choice(lane, mine).ordinal;
}

fn tie_of(child: u32) -> u32 {
    return reverseBits(link_action(links[child].y));
}

@compute @workgroup_size(TREE_LANES)
fn select_leaf(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees {
        var state: State;
        let leaf = select_tree(tree, lane, &state);
        if lane == 0u {
            trees[tree].selected = leaf.node;
            trees[tree].path_length = leaf.depth + 1u;
            store_selected(tree, &state);
        }
    }
}
