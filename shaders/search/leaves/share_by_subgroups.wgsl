// Serves the nodes of a level by a subgroup each. Its lanes exchange values by subgroup operations, so that a choice
// has no barrier.
//
// All subgroup operations are in `choose_held` (choose_by_bounds.wgsl, choose_by_ranks.wgsl), in control flow that is
// uniform for the whole workgroup: Vulkan does not guarantee their results in control flow that is uniform for the
// subgroup alone. So the subgroups serve a batch of nodes, one each, and all make as many choices as the node of the
// batch with the most; and `choose_held` makes the same operations for every choice. Branches contain no such
// operations. `.ci/tint/check.js` compiles this file with a barrier before each operation, since WGSL's rules for
// barriers are Vulkan's for these operations.

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
    // The choice of the last backup.
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
        let choice = choose_held(turn, parents, lane, served, &held);
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
