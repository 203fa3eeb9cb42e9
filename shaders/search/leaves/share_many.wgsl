// Sends the selections of a round on to the children of their nodes, where children are many: NODE_LANES lanes serve a
// node, some nodes at a time. Each lane holds some of the children in registers, with the visits of this wave. The
// lanes exchange values by barriers in share_by_lanes.wgsl, and by subgroup operations in share_by_subgroups.wgsl.
//
// A selection that is the first of the step at a node, and the only one of its wave, is alone: it follows the choices
// of the last backup from there on, since no earlier selection has added visits to the nodes below.

// A bit for each node that selections of this step may have passed, by the lowest bits of its index. Nodes that share a
// bit are served needlessly. Without subgroups, the choices need workgroup memory, too.
const PASSED_WORDS: u32 = select(min(8u * LEAVES, select(512u, 256u, SUBGROUP == 0u)), 1u, FEW);
var<workgroup> sh_passed: array<atomic<u32>, PASSED_WORDS>;

// Children that a lane holds, of the NODE_LANES that serve a node.
const HELD: u32 = (MAX_ACTIONS + NODE_LANES - 1u) / NODE_LANES;

// A lane's children: their counts, and the keys that break ties; NO_KEY for one that is missing, or may not be chosen.
struct Held {
    counts: array<vec4<u32>, HELD>,
    keys: array<u32, HELD>,
}

fn begin_lone(lane: u32) {
    for (var word = lane; word < PASSED_WORDS; word += SELECT_LANES) {
        atomicStore(&sh_passed[word], 0u);
    }
}

// Notes that a selection passes a node; returns whether an earlier one may have passed it.
fn pass_node(node: u32) -> bool {
    let bit = 1u << (node & 31u);
    return (atomicOr(&sh_passed[(node / 32u) % PASSED_WORDS], bit) & bit) != 0u;
}

// Counts the visits of the selections at the nodes of a round. Selections end where a node is a leaf, and descend where
// they are alone. All lanes must call this together. Has a barrier.
fn begin_nodes(tree: u32, lane: u32, round: u32, nodes: vec2<u32>) {
    for (var number = lane; number < nodes.x + nodes.y; number += SELECT_LANES) {
        begin_node(tree, round, first_at(round, number, nodes));
    }
    step_lone(tree, lane, round);
    storageBarrier();
    publish_lists();
}

fn begin_node(tree: u32, round: u32, first: u32) {
    let node = listed(REACHED + first);
    let index = tree * params.capacity + node;
    let link = links[index];
    add_stats(index, listed(VISITS + first) * PLAYOUTS, 0u);
    set_listed(NODE_WORDS + 2u * first, link.x);
    set_listed(NODE_WORDS + 2u * first + 1u, link.y);
    if link.x == NO_CHILDREN {
        end_selections(tree, first, round, node);
        set_listed(VISITS + first, 0u);
    }
}

fn node_link(first: u32) -> vec2<u32> {
    return vec2<u32>(listed(NODE_WORDS + 2u * first), listed(NODE_WORDS + 2u * first + 1u));
}

// The statistics of the node without the visits of this wave.
fn counts_before(tree: u32, first: u32) -> vec4<u32> {
    let counts = stats[tree * params.capacity + listed(REACHED + first)];
    return vec4<u32>(u64_sub(counts.xy, vec2<u32>(listed(VISITS + first) * PLAYOUTS, 0u)), counts.zw);
}

// Takes the selections that are alone down by a level.
fn step_lone(tree: u32, lane: u32, round: u32) {
    for (var place = lane; place < min(LEAVES, (round + 1u) * WAVE); place += SELECT_LANES) {
        if listed(VISITS + place) == IS_ALONE {
            descend_alone(tree, place, depth_in(round, place));
        }
    }
}

// Takes them to their leaves, when no others are left.
fn finish_lone(tree: u32, lane: u32, round: u32) {
    for (var place = lane; place < LEAVES; place += SELECT_LANES) {
        for (var depth = depth_in(round, place); listed(VISITS + place) == IS_ALONE; depth++) {
            descend_alone(tree, place, depth);
        }
    }
}

fn descend_alone(tree: u32, place: u32, depth: u32) {
    let base = tree * params.capacity;
    let node = listed(REACHED + place);
    let link = links[base + node];
    add_stats(base + node, PLAYOUTS, 0u);
    if link.x == NO_CHILDREN {
        end_selection(tree, place, depth, node);
        set_listed(VISITS + place, 0u);
        return;
    }
    let child = link.x + link_best(link.y);
    _ = pass_node(child);
    reach(tree, place, depth + 1u, child);
}

// Sends a selection to one of the lane's children.
fn send_held(tree: u32, round: u32, place: u32, node: u32, own: u32, held: ptr<function, Held>,
    sent: ptr<function, array<Sent, HELD>>) {
    for (var i = 0u; i < HELD; i++) {
        if i == own {
            (*held).counts[i] = sum_combine((*held).counts[i], vec4<u32>(PLAYOUTS, 0u, 0u, 0u));
            (*sent)[i] = send((*sent)[i], place, round + 1u);
        }
    }
    reach(tree, place, depth_in(round + 1u, place), node);
}

// The lane's children of a node with the statistics `own`. `first` is the index of the node's first child.
fn hold(lane: u32, first: u32, count: u32, own: vec4<u32>) -> Held {
    var held: Held;
    for (var i = 0u; i < HELD; i++) {
        let ordinal = lane + i * NODE_LANES;
        held.keys[i] = NO_KEY;
        if ordinal < count {
            held.counts[i] = as_child(stats[first + ordinal], own);
            if !is_proven(held.counts[i]) {
                held.keys[i] = child_key(first, ordinal);
            }
        }
    }
    return held;
}
