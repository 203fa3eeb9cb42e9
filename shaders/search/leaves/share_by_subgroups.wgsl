// Serves the nodes of a level by a subgroup each. Its lanes tell one another what they know by subgroup operations:
// without barriers, so that no subgroup waits for another before all nodes of the level are served.

const NODE_LANES: u32 = SUBGROUP;

// What an invocation of select_leaves is told. Not its workgroup: compilers would take that for different in every
// lane if it stood beside what is.
struct Selecting {
    @builtin(local_invocation_index) lane: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
    @builtin(subgroup_invocation_id) subgroup_lane: u32,
}

// The subgroup of this invocation, how many there are, and its lane there.
var<private> own_subgroup: vec3<u32>;

fn note_subgroup(told: Selecting) {
    own_subgroup = vec3<u32>(told.subgroup, told.subgroups, told.subgroup_lane);
}

// What the next choices need of a node's visits: each lane works it out for one of NODE_LANES choices in turn.
struct NextVisits {
    parent: f32,
    // The exact logarithm takes longer than all the rest, and is not always needed.
    ln: Soft64,
    has_ln: bool,
}

fn share_level(tree: u32, lane: u32, depth: u32, nodes: u32) {
    for (var number = own_subgroup.x; number < nodes; number += own_subgroup.y) {
        share_alone(tree, own_subgroup.z, depth, sh_firsts[round_at(depth) + number]);
    }
}

// Serves the node that the selections from the place `first` on have reached. All lanes of the subgroup must call this
// together. Lane 0 alone reads what changes meanwhile, the node's own visits among it, and tells the others: no barrier
// stands between this and the lanes that change it.
fn share_alone(tree: u32, lane: u32, depth: u32, first: u32) {
    var own = vec4<u32>(0u);
    var link = vec2<u32>(0u);
    var rounds = 0u;
    if lane == 0u {
        let node = sh_reached[first];
        let index = tree * params.capacity + node;
        own = stats[index];
        link = links[index];
        rounds = sh_visits[first];
        add_stats(index, rounds * PLAYOUTS, 0u);
        if link.x == NO_CHILDREN {
            end_selections(tree, first, depth, depth, node);
        }
    }
    own = subgroupShuffle(own, 0u);
    link = subgroupShuffle(link, 0u);
    rounds = subgroupShuffle(rounds, 0u);
    if link.x != NO_CHILDREN {
        send_children(tree, lane, depth, first, rounds, link, own);
    }
}

fn send_children(tree: u32, lane: u32, depth: u32, first: u32, rounds: u32, link: vec2<u32>, own: vec4<u32>) {
    let children = tree * params.capacity + link.x;
    let count = select(link_count(link.y), 0u, is_proven(own));
    var held = hold(lane, children, count, own);
    var visits = unmarked(own).xy;
    var sent: array<Sent, HELD>;
    var next: NextVisits;
    var ordinal = link_best(link.y);
    var place = first;
    for (var i = 0u; i < rounds; i++) {
        let turn = i % NODE_LANES;
        if turn == 0u {
            next = NextVisits(ucb_parent(u64_add(visits, vec2<u32>(lane * PLAYOUTS, 0u))), soft64_zero(), false);
        }
        if i > 0u {
            let best = best_in_subgroup(lane, turn, count, visits, &next, &held);
            // Where no child is open, but the node is not proven, the choice stays.
            ordinal = select(ordinal, best, best < count);
        }
        visits = u64_add(visits, vec2<u32>(PLAYOUTS, 0u));
        if ordinal % NODE_LANES == lane {
            send_held(tree, depth, place, link.x + ordinal, ordinal / NODE_LANES, &held, &sent);
        }
        place = sh_next_place[round_at(depth) + place];
    }
    for (var i = 0u; i < HELD; i++) {
        hand_on(sent[i], depth + 1u);
    }
}

// An order of floats, all but NaN, as that of whole numbers.
fn ordered(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    return bits ^ (bitcast<u32>(bitcast<i32>(bits) >> 31u) | 0x80000000u);
}

fn from_ordered(x: u32) -> f32 {
    return bitcast<f32>(x ^ select(0xffffffffu, 0x80000000u, x >= 0x80000000u));
}

// The ordinal of the best child; no child's where none may be chosen. `visits` are the node's, `turn` the lane that has
// worked out what is needed of them. All lanes of the subgroup must call this together, and get the same result.
fn best_in_subgroup(lane: u32, turn: u32, count: u32, visits: vec2<u32>, next: ptr<function, NextVisits>,
    held: ptr<function, Held>) -> u32 {
    let parent = subgroupShuffle((*next).parent, turn);
    var approx: array<f32, HELD>;
    var own_top = NO_CHILD;
    var own_best = 0u;
    for (var i = 0u; i < HELD; i++) {
        approx[i] = NO_CHILD;
        if i * NODE_LANES < count {
            let estimate = ucb_approx(parent, (*held).counts[i].xy, (*held).counts[i].zw);
            approx[i] = select(estimate, NO_CHILD, (*held).keys[i] == NO_KEY);
        }
        own_best = select(own_best, i, approx[i] > own_top);
        own_top = max(own_top, approx[i]);
    }
    let top = from_ordered(subgroupMax(ordered(own_top)));
    let threshold = ucb_floor(top);
    var close = 0u;
    for (var i = 0u; i < HELD; i++) {
        close |= u32(approx[i] >= threshold && approx[i] != NO_CHILD) << i;
    }
    let lanes = subgroupBallot(close != 0u).x;
    if lanes == 0u {
        return count;
    }
    let first = firstTrailingBit(lanes);
    let its = subgroupShuffle(close, first);
    if ((lanes & (lanes - 1u)) | (its & (its - 1u))) == 0u {
        return first + NODE_LANES * firstTrailingBit(its);
    }
    // Children never visited have equal bounds.
    if top == UCB_UNVISITED {
        return key_ordinal(subgroupMin(least_held(close, held)));
    }
    let leader = firstTrailingBit(subgroupBallot(own_top == top).x);
    let left = contenders(parent, top, close, leader, held_at(held, own_best), held);
    if left.sure {
        return key_ordinal(subgroupMin(least_held(left.children, held)));
    }
    if !(*next).has_ln {
        let first_visits = u64_sub(visits, vec2<u32>(turn * PLAYOUTS, 0u));
        (*next).ln = ucb_ln(u64_add(first_visits, vec2<u32>(lane * PLAYOUTS, 0u)));
        (*next).has_ln = true;
    }
    return exactly_best(turn, left.children, next, held);
}

// The least key of some of the lane's children (one bit each).
fn least_held(children: u32, held: ptr<function, Held>) -> u32 {
    var key = NO_KEY;
    for (var i = 0u; i < HELD; i++) {
        key = min(key, select(NO_KEY, (*held).keys[i], ((children >> i) & 1u) == 1u));
    }
    return key;
}

fn held_at(held: ptr<function, Held>, own: u32) -> vec4<u32> {
    var counts = (*held).counts[0];
    for (var i = 1u; i < HELD; i++) {
        counts = select(counts, (*held).counts[i], i == own);
    }
    return counts;
}

// Of a lane's children, those that may have the greatest bound, one bit each.
struct Contenders {
    children: u32,
    // Do those of all lanes have it?
    sure: bool,
}

// The contenders among children `close`, whose estimates are too close to call. `leader` is the lane with the greatest
// estimate, `top`, and `own` the counts of the child that has the lane's greatest.
fn contenders(parent: f32, top: f32, close: u32, leader: u32, own: vec4<u32>, held: ptr<function, Held>) -> Contenders {
    var by = leader;
    var better = own;
    var left = 0u;
    var is_sure = true;
    // Each turn finds a child whose bound is certainly greater than the one's before, so that this ends.
    loop {
        let best = subgroupShuffle(better, by);
        left = 0u;
        is_sure = true;
        var is_beaten = false;
        for (var i = 0u; i < HELD; i++) {
            if ((close >> i) & 1u) == 1u {
                let counts = (*held).counts[i];
                let is_same = all(counts == best);
                let order = ucb_order(parent, top, counts, best);
                left |= u32(is_same || order >= 0) << i;
                is_sure = is_sure && (is_same || order < 0);
                if !is_same && order > 0 {
                    is_beaten = true;
                    better = counts;
                }
            }
        }
        let lanes = subgroupBallot(is_beaten).x;
        if lanes == 0u {
            break;
        }
        by = firstTrailingBit(lanes);
    }
    return Contenders(left, subgroupAll(is_sure));
}

// The ordinal of the best child by exact bounds, among children `left`.
fn exactly_best(turn: u32, left: u32, next: ptr<function, NextVisits>, held: ptr<function, Held>) -> u32 {
    let sig = subgroupShuffle((*next).ln.sig, turn);
    let ln = Soft64(sig, subgroupShuffle((*next).ln.exp, turn));
    var top = 0u;
    var key = NO_KEY;
    for (var i = 0u; i < HELD; i++) {
        if ((left >> i) & 1u) == 1u {
            let counts = (*held).counts[i];
            let bound = ucb_exact(ln, counts.xy, counts.zw);
            if bound >= top {
                key = min(select(key, NO_KEY, bound > top), (*held).keys[i]);
                top = bound;
            }
        }
    }
    let greatest = subgroupMax(top);
    return key_ordinal(subgroupMin(select(NO_KEY, key, top == greatest)));
}
