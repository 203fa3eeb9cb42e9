// Serves the nodes of a round by a subgroup each. Its lanes exchange values by subgroup operations, so that a choice
// has no barrier.
//
// All subgroup operations are in `choose_held` (choose_by_bounds.wgsl, choose_by_ranks.wgsl), in control flow that is
// uniform for the whole workgroup: Vulkan does not guarantee their results in control flow that is uniform for the
// subgroup alone. So the subgroups serve a batch of nodes, one each, and all make as many choices as the node with the
// most needs; and `choose_held` makes the same operations for every choice. Branches contain no such operations, but
// spare a subgroup the scores that it does not need, since subgroups share the multiprocessor. `.ci/tint/check.js`
// compiles this file with a barrier before each operation, since WGSL's rules for barriers are Vulkan's for these
// operations.

const NODE_LANES: u32 = SUBGROUP;

// Built-in values of select_leaves that differ by lane. The workgroup's is apart from them: as a field of the same
// structure, it would not be uniform to compilers.
struct Selecting {
    @builtin(local_invocation_index) lane: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) subgroup_lane: u32,
}

const SUBGROUPS: u32 = SELECT_LANES / SUBGROUP;

// This invocation's subgroup, and the lane in it.
var<private> own_subgroup: vec2<u32>;

fn note_subgroup(ids: Selecting) {
    own_subgroup = vec2<u32>(ids.subgroup, ids.subgroup_lane);
}

// The node that a subgroup serves. All its lanes have the same values.
struct Served {
    // The next selection, and the number of selections.
    place: u32,
    left: u32,
    // The choice of the last backup.
    ordinal: u32,
    link: vec2<u32>,
    count: u32,
    // Statistics before this wave; visits, including those of the choices made.
    counts: vec4<u32>,
    visits: vec2<u32>,
}

// All lanes of the workgroup must call this together.
fn share_many(tree: u32, lane: u32, round: u32, nodes: Round) {
    let end = nodes.heavy + nodes.light;
    for (var top = 0u; top < end; top += SUBGROUPS) {
        let number = top + own_subgroup.x;
        var served = Served();
        if number < end {
            served = serve(tree, first_at(round, number, nodes.heavy));
        }
        share_held(tree, round, served, choices_from(top, nodes));
    }
}

fn serve(tree: u32, first: u32) -> Served {
    let link = node_link(first);
    let counts = counts_before(first);
    return Served(first, selections_at(link), link_best(link.y), link, link_count(link.y), counts, unmarked(counts).xy);
}

// Serves a node, or none, with `choices` choices, of which it may need fewer. All lanes of the workgroup must call this
// together.
fn share_held(tree: u32, round: u32, node: Served, choices: u32) {
    let lane = own_subgroup.y;
    var served = node;
    var held = hold(lane, tree * params.capacity + served.link.x, served.count, served.counts);
    var sent: array<Sent, HELD>;
    var parents: UcbParent;
    for (var i = 0u; i < choices; i++) {
        // Each lane computes the terms of the bound for one of the next NODE_LANES choices.
        let turn = i % NODE_LANES;
        if turn == 0u {
            parents = ucb_parent(u64_add(served.visits, vec2<u32>(lane * PLAYOUTS, 0u)), served.counts);
        }
        let choice = choose_held(turn, parents, lane, served, &held);
        if served.left > 0u {
            send_next(tree, lane, round, choice, &served, &held, &sent);
        }
    }
    forward_held(tree, served.link.x + lane, round + 1u, &sent);
}

// Sends the next selection to the chosen child.
fn send_next(tree: u32, lane: u32, round: u32, choice: OwnChoice, served: ptr<function, Served>,
    held: ptr<function, Held>, sent: ptr<function, array<Sent, HELD>>) {
    if choice.is_own {
        let node = (*served).link.x + lane + choice.i * NODE_LANES;
        send_held(tree, round, (*served).place, node, choice.i, held, sent);
    }
    (*served).place = next_place(round_at(round) + (*served).place);
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
