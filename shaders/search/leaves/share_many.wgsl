// Sends the selections of a round on to the children of their nodes, where children are many: NODE_LANES lanes serve a
// node, some nodes at a time. Each lane holds some of the children in registers, with the visits of this wave. The
// lanes exchange values by barriers in share_by_lanes.wgsl, and by subgroup operations in share_by_subgroups.wgsl.
//
// A selection that is the first of the step at a node, and the only one of its wave, is alone: it follows the choices
// of the last backup from there on, since no earlier selection has added visits to the nodes below.
//
// The words of a listed node are its link, with the number of selections in place of the action, its n without the
// visits of this wave, and the high word of its n_wins: the parts of a node that choices use. The lane that sends the
// selections stores them, since statistics change while the node is served: the node above sends it the next wave.

// A bit for each node that selections of this step may have passed, by the lowest bits of its index. Nodes that share a
// bit are served needlessly. Without subgroups, the choices need workgroup memory, too.
const PASSED_WORDS: u32 = select(min(8u * LEAVES, select(512u, 192u, SUBGROUP == 0u)), 1u, SHARES_FEW);
var<workgroup> sh_passed: array<atomic<u32>, PASSED_WORDS>;
// A bit for each selection that is alone: [round of two].
const ALONE_WORDS: u32 = select((LEAVES + 31u) / 32u, 1u, SHARES_FEW);
var<workgroup> sh_alone: array<atomic<u32>, 2u * ALONE_WORDS>;

// Children that a lane holds, of the NODE_LANES that serve a node.
const HELD: u32 = (MAX_ACTIONS + NODE_LANES - 1u) / NODE_LANES;

// A lane's children: their counts, and the keys that break ties; NO_KEY for one that is missing, or may not be chosen.
struct Held {
    counts: array<vec4<u32>, HELD>,
    keys: array<u32, HELD>,
}

fn begin_bits(lane: u32) {
    for (var word = lane; word < PASSED_WORDS; word += SELECT_LANES) {
        atomicStore(&sh_passed[word], 0u);
    }
    for (var word = lane; word < 2u * ALONE_WORDS; word += SELECT_LANES) {
        atomicStore(&sh_alone[word], 0u);
    }
}

// Notes that a selection passes a node; returns whether an earlier one may have passed it.
fn pass_node(node: u32) -> bool {
    let bit = 1u << (node & 31u);
    return (atomicOr(&sh_passed[(node / 32u) % PASSED_WORDS], bit) & bit) != 0u;
}

// Counts the visits of the selections that a node has sent to a child. They end where it is a leaf; elsewhere it is
// served in this round, or the selection descends alone.
fn visit_many(tree: u32, node: u32, sent: Sent, round: u32) {
    let index = tree * params.capacity + node;
    let link = links[index];
    let own = stats[index];
    stats[index] = sum_combine(own, vec4<u32>(sent.count * PLAYOUTS, 0u, 0u, 0u));
    if link.x == NO_CHILDREN {
        end_selections(tree, sent.first, round, node);
        return;
    }
    let at = NODES + NODE_WORDS * sent.first;
    set_listed(at, link.x);
    set_listed(at + 1u, link.y - link_action(link.y) + sent.count);
    set_listed(at + 2u, own.x);
    set_listed(at + 3u, own.y);
    set_listed(at + 4u, own.w);
    let was_passed = pass_node(node);
    if sent.count > 1u || was_passed {
        serve_in(sent, round);
    } else {
        note_alone(round, sent.first);
    }
}

// The number of choices that the nodes of a batch need, given the number of its first node.
fn choices_from(number: u32, nodes: Round) -> u32 {
    return select(min(nodes.most, LIGHT), nodes.most, number < nodes.heavy);
}

// The link of a listed node.
fn node_link(first: u32) -> vec2<u32> {
    let at = NODES + NODE_WORDS * first;
    return vec2<u32>(listed(at), listed(at + 1u));
}

// The number of selections at a listed node.
fn selections_at(link: vec2<u32>) -> u32 {
    return link_action(link.y);
}

// The statistics of the node without the visits of this wave, and without the low word of n_wins.
fn counts_before(first: u32) -> vec4<u32> {
    let at = NODES + NODE_WORDS * first;
    return vec4<u32>(listed(at + 2u), listed(at + 3u), 0u, listed(at + 4u));
}

fn alone_at(round: u32, place: u32) -> u32 {
    return (round & 1u) * ALONE_WORDS + place / 32u;
}

// Notes that a selection is alone, and descends in this round.
fn note_alone(round: u32, place: u32) {
    atomicOr(&sh_alone[alone_at(round, place)], 1u << (place & 31u));
}

// Whether a selection descends alone in this round; forgets it.
fn take_alone(round: u32, place: u32) -> bool {
    let at = alone_at(round, place);
    let bit = 1u << (place & 31u);
    return (atomicLoad(&sh_alone[at]) & bit) != 0u && (atomicAnd(&sh_alone[at], ~bit) & bit) != 0u;
}

// Takes the selections that are alone down by a level. The last lanes do so, since the first ones serve the nodes with
// the most selections.
fn step_lone(tree: u32, lane: u32, round: u32) {
    for (var place = SELECT_LANES - 1u - lane; place < min(LEAVES, (round + 1u) * WAVE); place += SELECT_LANES) {
        if take_alone(round, place) && descend_alone(tree, place, depth_in(round, place)) {
            note_alone(round + 1u, place);
        }
    }
}

// Takes them to their leaves, when no others are left.
fn finish_lone(tree: u32, lane: u32, round: u32) {
    for (var place = lane; place < LEAVES; place += SELECT_LANES) {
        if take_alone(round, place) {
            for (var depth = depth_in(round, place); descend_alone(tree, place, depth); depth++) {}
        }
    }
}

// Takes a selection to a child; returns whether it goes on from there.
fn descend_alone(tree: u32, place: u32, depth: u32) -> bool {
    let at = NODES + NODE_WORDS * place;
    let child = listed(at) + link_best(listed(at + 1u));
    let index = tree * params.capacity + child;
    let link = links[index];
    add_stats(index, PLAYOUTS, 0u);
    reach(tree, place, depth + 1u, child);
    if link.x == NO_CHILDREN {
        end_selection(tree, place, depth + 1u, child);
        return false;
    }
    _ = pass_node(child);
    set_listed(at, link.x);
    set_listed(at + 1u, link.y);
    return true;
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

// The lane's children of a node with the statistics `own`. `first` is the index of the node's first child. All loads
// precede all uses, so that a lane waits for memory once.
fn hold(lane: u32, first: u32, count: u32, own: vec4<u32>) -> Held {
    var held: Held;
    for (var i = 0u; i < HELD; i++) {
        held.keys[i] = NO_KEY;
    }
    if count == 0u {
        return held;
    }
    var infos: array<u32, HELD>;
    for (var i = 0u; i < HELD; i++) {
        let at = first + min(lane + i * NODE_LANES, count - 1u);
        held.counts[i] = stats[at];
        infos[i] = links[at].y;
    }
    for (var i = 0u; i < HELD; i++) {
        let ordinal = lane + i * NODE_LANES;
        held.counts[i] = as_child(held.counts[i], own);
        let is_open = ordinal < count && !is_proven(held.counts[i]) && !is_proven(own);
        held.keys[i] = select(NO_KEY, key_of(infos[i], ordinal), is_open);
    }
    return held;
}

// Sends selections on to the lane's children. Few lanes send to more than one, so that in most cases the lanes do so at
// the same time, whichever of its children each of them has chosen.
fn forward_held(tree: u32, first: u32, round: u32, sent: ptr<function, array<Sent, HELD>>) {
    var left = 0u;
    for (var i = 0u; i < HELD; i++) {
        left |= u32((*sent)[i].count > 0u) << i;
    }
    while left != 0u {
        let own = firstTrailingBit(left);
        var its = (*sent)[0];
        for (var i = 1u; i < HELD; i++) {
            its.first = select(its.first, (*sent)[i].first, i == own);
            its.last = select(its.last, (*sent)[i].last, i == own);
            its.count = select(its.count, (*sent)[i].count, i == own);
        }
        forward(tree, first + own * NODE_LANES, its, round);
        left &= left - 1u;
    }
}
