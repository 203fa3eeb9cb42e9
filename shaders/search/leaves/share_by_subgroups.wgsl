// Serves the nodes of a level by a subgroup each. Its lanes exchange values by subgroup operations, so that a choice
// has no barrier.
//
// All subgroup operations are in `choose_held`, in control flow that is uniform for the whole workgroup: Vulkan does
// not guarantee their results in control flow that is uniform for the subgroup alone. So the subgroups serve a batch
// of nodes, one each, and all make as many choices as the node of the batch with the most; and `choose_held` makes the
// same operations for every choice. Branches contain no such operations. `.ci/tint/check.js` compiles this file with a
// barrier before each operation, since WGSL's rules for barriers are Vulkan's for these operations.
//
// A maximum over a subgroup takes as long as four shuffles, a ballot a fifth of one (NVIDIA H100). A choice has two
// maxima, or one if a word holds a child's score and key (ucb_rank).

const NODE_LANES: u32 = SUBGROUP;

// Built-in values of select_leaves that differ by lane. The workgroup's is apart from them: as a field of the same
// structure, it would not be uniform to compilers.
struct Selecting {
    @builtin(local_invocation_index) lane: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
    @builtin(subgroup_invocation_id) subgroup_lane: u32,
}

// This invocation's subgroup, the number of subgroups, and the lane in its subgroup.
var<private> own_subgroup: vec3<u32>;

fn note_subgroup(ids: Selecting) {
    own_subgroup = vec3<u32>(ids.subgroup, ids.subgroups, ids.subgroup_lane);
}

// Nodes of a level: the root, or nodes that two selections or more have reached.
const LEVEL_NODES: u32 = (LEAVES + 1u) / 2u;
// Batches of a level. No subgroup has more than SUBGROUP lanes.
const MOST_BATCHES: u32 = (LEVEL_NODES * SUBGROUP + SELECT_LANES - 1u) / SELECT_LANES;

// The number of batches of a level, and the number of choices of each.
struct Batches {
    count: u32,
    choices: array<u32, MOST_BATCHES>,
}

// [number of the node]: its statistics without the visits of this step, its link, and its selections.
var<workgroup> sh_node_counts: array<vec4<u32>, LEVEL_NODES>;
var<workgroup> sh_node_links: array<vec2<u32>, LEVEL_NODES>;
var<workgroup> sh_node_sends: array<u32, LEVEL_NODES>;
var<workgroup> sh_batches: Batches;

// The node that a subgroup serves. All its lanes have the same values.
struct Served {
    // The next selection, and the number of selections.
    place: u32,
    left: u32,
    // The last choice, at first that of the last backup.
    ordinal: u32,
    link: vec2<u32>,
    // Children that may be chosen.
    count: u32,
    // Visits, including those of the choices made.
    visits: vec2<u32>,
}

// All lanes of the workgroup must call this together. Has barriers.
fn share_level(tree: u32, lane: u32, depth: u32, nodes: u32) {
    for (var number = lane; number < nodes; number += SELECT_LANES) {
        begin_node(tree, depth, number);
    }
    workgroupBarrier();
    measure_batches(lane, nodes);
    let batches = workgroupUniformLoad(&sh_batches);
    for (var batch = 0u; batch < batches.count; batch++) {
        let number = batch * own_subgroup.y + own_subgroup.x;
        share_held(tree, depth, number, nodes, batches.choices[batch]);
    }
}

// Reads a node and counts its visits; selections end at it where it is a leaf.
fn begin_node(tree: u32, depth: u32, number: u32) {
    let first = sh_firsts[round_at(depth) + number];
    let node = sh_reached[first];
    let index = tree * params.capacity + node;
    let link = links[index];
    sh_node_counts[number] = stats[index];
    sh_node_links[number] = link;
    sh_node_sends[number] = select(sh_visits[first], 0u, link.x == NO_CHILDREN);
    add_stats(index, sh_visits[first] * PLAYOUTS, 0u);
    if link.x == NO_CHILDREN {
        end_selections(tree, first, depth, depth, node);
    }
}

// A batch makes as many choices as the node with the most: one less than its selections, the first of which follows the
// last backup.
fn measure_batches(lane: u32, nodes: u32) {
    let subgroups = own_subgroup.y;
    let count = (nodes + subgroups - 1u) / subgroups;
    for (var batch = lane; batch < count; batch += SELECT_LANES) {
        var sends = 1u;
        for (var number = batch * subgroups; number < min((batch + 1u) * subgroups, nodes); number++) {
            sends = max(sends, sh_node_sends[number]);
        }
        sh_batches.choices[batch] = sends - 1u;
    }
    if lane == 0u {
        sh_batches.count = count;
    }
}

// Serves a node, or none if there is none of that number, with `choices` choices, of which the node may need fewer. All
// lanes of the workgroup must call this together.
fn share_held(tree: u32, depth: u32, number: u32, nodes: u32, choices: u32) {
    let lane = own_subgroup.z;
    var served: Served;
    var held: Held;
    var sent: array<Sent, HELD>;
    if number < nodes && sh_node_sends[number] > 0u {
        served = serve(depth, number);
        held = hold(lane, tree * params.capacity + served.link.x, served.count, sh_node_counts[number]);
        send_next(tree, lane, depth, own_choice(served.ordinal, lane), &served, &held, &sent);
    }
    var parents: UcbParent;
    let counts = sh_node_counts[min(number, LEVEL_NODES - 1u)];
    for (var i = 0u; i < choices; i++) {
        // Each lane computes the terms of the bound for one of the next NODE_LANES choices.
        let turn = i % NODE_LANES;
        if turn == 0u {
            parents = ucb_parent(u64_add(served.visits, vec2<u32>(lane * PLAYOUTS, 0u)), counts);
        }
        let choice = choose_held(turn, parents, lane, &served, &held);
        if served.left > 0u {
            send_next(tree, lane, depth, choice, &served, &held, &sent);
        }
    }
    for (var i = 0u; i < HELD; i++) {
        forward(sent[i], depth + 1u);
    }
}

fn serve(depth: u32, number: u32) -> Served {
    let place = sh_firsts[round_at(depth) + number];
    let link = sh_node_links[number];
    let counts = sh_node_counts[number];
    let count = select(link_count(link.y), 0u, is_proven(counts));
    return Served(place, sh_node_sends[number], link_best(link.y), link, count, unmarked(counts).xy);
}

// Sends the next selection to the chosen child.
fn send_next(tree: u32, lane: u32, depth: u32, choice: OwnChoice, served: ptr<function, Served>,
    held: ptr<function, Held>, sent: ptr<function, array<Sent, HELD>>) {
    if choice.is_own {
        let node = (*served).link.x + lane + choice.i * NODE_LANES;
        send_held(tree, depth, (*served).place, node, choice.i, held, sent);
    }
    (*served).place = sh_next_place[round_at(depth) + (*served).place];
    (*served).visits = u64_add((*served).visits, vec2<u32>(PLAYOUTS, 0u));
    (*served).left--;
}

// A choice, as a lane sees it: whether the chosen child is one of its own, and which.
struct OwnChoice {
    is_own: bool,
    i: u32,
}

fn own_choice(ordinal: u32, lane: u32) -> OwnChoice {
    return OwnChoice(ordinal % NODE_LANES == lane, ordinal / NODE_LANES);
}

// Whether a rank holds a score, of 24 bits, and an action.
const HAS_RANKS: bool = SCORES && MAX_ACTIONS < 256u;

// Chooses a child. Where none is open, but the node is not proven, the choice stays. Lane `turn` has the terms of the
// bound in `parents`. All lanes of the workgroup must call this together.
fn choose_held(turn: u32, parents: UcbParent, lane: u32, served: ptr<function, Served>,
    held: ptr<function, Held>) -> OwnChoice {
    let parent = subgroupShuffle(parents, turn);
    let last = own_choice((*served).ordinal, lane);
    if HAS_RANKS {
        let own = best_rank(parent, (*served).count, held);
        let top = subgroupMax(own.rank);
        return OwnChoice(select(own.rank == top, last.is_own, top == 0u), select(own.i, last.i, top == 0u));
    }
    let best = best_in_subgroup(parent, (*served).count, (*served).visits, held);
    (*served).ordinal = select(best, (*served).ordinal, best >= (*served).count);
    return own_choice((*served).ordinal, lane);
}

// The greatest rank of a lane's children, 0 where none is open, and its child.
struct OwnRank {
    rank: u32,
    i: u32,
}

fn best_rank(parent: UcbParent, count: u32, held: ptr<function, Held>) -> OwnRank {
    var own = OwnRank(0u, 0u);
    for (var i = 0u; i < HELD; i++) {
        if i * NODE_LANES < count {
            let score = ucb_score(parent, ucb_terms((*held).counts[i].xy, (*held).counts[i].zw));
            let rank = select(ucb_rank(score, (*held).keys[i]), 0u, (*held).keys[i] == NO_KEY);
            own.i = select(own.i, i, rank > own.rank);
            own.rank = max(own.rank, rank);
        }
    }
    return own;
}

// Maps floats, except NaN, to whole numbers of the same order.
fn ordered(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    return bits ^ (bitcast<u32>(bitcast<i32>(bits) >> 31u) | 0x80000000u);
}

fn from_ordered(x: u32) -> f32 {
    return bitcast<f32>(x ^ select(0xffffffffu, 0x80000000u, x >= 0x80000000u));
}

// The ordinal of the best child; `count` or more where none may be chosen. `visits` are the node's, 2 or more. All
// lanes of the workgroup must call this together; those of a subgroup get the same result.
fn best_in_subgroup(parent: UcbParent, count: u32, visits: vec2<u32>, held: ptr<function, Held>) -> u32 {
    let own = estimate_held(parent, count, held);
    let top = from_ordered(subgroupMax(ordered(own.top)));
    let best = best_of_close(parent, top, own, close_to(top, own), visits, held);
    return select(best, count, top == NO_CHILD);
}

// The ordinal of the best child among those whose estimates, `close`, do not decide.
fn best_of_close(parent: UcbParent, top: f32, own: Estimates, close: u32, visits: vec2<u32>,
    held: ptr<function, Held>) -> u32 {
    let lanes = subgroupBallot(close != 0u).x;
    let several = subgroupBallot((close & (close - 1u)) != 0u).x;
    // The rest are compared with the one of the greatest estimate.
    let leader = firstTrailingBit(subgroupBallot(own.top == top).x);
    let leading = subgroupShuffle(as_leader(held_at(held, own.best)), leader);
    let is_clear = ((lanes & (lanes - 1u)) | several) == 0u || ucb_are_equal(top);
    var left = Contenders(close, true);
    if !is_clear {
        left = contenders(parent, top, close, leading, held);
    }
    // Children that are still too close, or better, are compared by exact bounds.
    let is_sure = subgroupAll(left.is_sure);
    var own_best = OwnBest(0u, NO_KEY);
    if is_sure {
        own_best.key = least_held(left.children, held);
    } else {
        own_best = best_by_bounds(ucb_ln(visits), left.children, held);
    }
    return ranked_ordinal(subgroupMax(rank(top, own_best)));
}

// Estimates of a lane's children, NO_CHILD for those that may not be chosen, and the greatest, with its place.
struct Estimates {
    all: array<f32, HELD>,
    top: f32,
    best: u32,
}

fn estimate_held(parent: UcbParent, count: u32, held: ptr<function, Held>) -> Estimates {
    var own: Estimates;
    own.top = NO_CHILD;
    for (var i = 0u; i < HELD; i++) {
        own.all[i] = NO_CHILD;
        if i * NODE_LANES < count {
            let estimate = ucb_approx(parent, (*held).counts[i].xy, (*held).counts[i].zw);
            own.all[i] = select(estimate, NO_CHILD, (*held).keys[i] == NO_KEY);
        }
        own.best = select(own.best, i, own.all[i] > own.top);
        own.top = max(own.top, own.all[i]);
    }
    return own;
}

// The lane's children whose estimates may be the greatest, one bit each.
fn close_to(top: f32, own: Estimates) -> u32 {
    let threshold = ucb_floor(top);
    var close = 0u;
    for (var i = 0u; i < HELD; i++) {
        close |= u32(own.all[i] >= threshold && own.all[i] != NO_CHILD) << i;
    }
    return close;
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

// n and n_wins of the leader, with which others are compared: 0 where they are 2^32 or more, which ucb_order does not
// compare.
fn as_leader(counts: vec4<u32>) -> vec2<u32> {
    return select(counts.xz, vec2<u32>(0u), (counts.y | counts.w) != 0u);
}

// The lane's children that may have the greatest bound, one bit each.
struct Contenders {
    children: u32,
    // Each of them is certain to have it, given that the other lanes' are.
    is_sure: bool,
}

// The contenders among children `close`, whose estimates do not decide, by comparison with the leader.
fn contenders(parent: UcbParent, top: f32, close: u32, leader: vec2<u32>, held: ptr<function, Held>) -> Contenders {
    var left = Contenders(close, close == 0u);
    if leader.x == 0u {
        return left;
    }
    left = Contenders(0u, true);
    let best = vec4<u32>(leader.x, 0u, leader.y, 0u);
    for (var rest = close; rest != 0u; rest &= rest - 1u) {
        let i = firstTrailingBit(rest);
        let counts = held_at(held, i);
        let is_same = all(counts == best);
        let order = select(ucb_order(parent, top, counts, best), 0, is_same);
        left.children |= u32(order >= 0) << i;
        left.is_sure = left.is_sure && (is_same || order < 0);
    }
    return left;
}

// The greatest exact bound among a lane's children, and the least key of those that have it.
struct OwnBest {
    bound: u32,
    key: u32,
}

fn best_by_bounds(ln: UcbLogarithm, children: u32, held: ptr<function, Held>) -> OwnBest {
    var best = OwnBest(0u, NO_KEY);
    for (var rest = children; rest != 0u; rest &= rest - 1u) {
        let counts = held_at(held, firstTrailingBit(rest));
        let bound = ucb_exact(ln, counts.xy, counts.zw);
        if bound >= best.bound {
            let key = least_held(rest & (0u - rest), held);
            best = OwnBest(bound, min(key, select(best.key, NO_KEY, bound > best.bound)));
        }
    }
    return best;
}

// Bits of a rank: a bound, an action, an ordinal.
const RANK_BOUND_BITS: u32 = 11u;
const RANK_ORDINAL_BITS: u32 = 9u;

// The order of lanes' results as a whole number: first the greater bound, then the least key; 0 for none. Exact bounds
// of children whose estimates are close to the greatest, `top`, are at most 80 u below and 16 u above it (ucb_floor):
// 320 and 32 steps of float32. The bound 0 stands for children whose bounds are known to be equal.
fn rank(top: f32, own: OwnBest) -> u32 {
    let steps = i32(own.bound) - i32(bitcast<u32>(top)) + (1 << (RANK_BOUND_BITS - 1u));
    let bound = u32(clamp(steps, 0, (1 << RANK_BOUND_BITS) - 1));
    let action = ((1u << ACTION_BITS) - 1u) - (own.key >> (32u - ACTION_BITS));
    let rank = (((bound << ACTION_BITS) | action) << RANK_ORDINAL_BITS) | key_ordinal(own.key);
    return select(rank, 0u, own.key == NO_KEY);
}

fn ranked_ordinal(rank: u32) -> u32 {
    return rank & ((1u << RANK_ORDINAL_BITS) - 1u);
}
