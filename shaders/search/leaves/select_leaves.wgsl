// Selects LEAVES leaves, each from the root down. A selection adds visits without wins (virtual visits, virtual loss)
// for the later ones (specification, "Several leaves a step").
//
// The children that a node's selections take depend on its own counts, its children's, and the number of selections
// alone. So each node sends all its selections on to its children together, in their order (share_few.wgsl,
// share_many.wgsl), and nodes do so side by side. list_leaves.wgsl computes the positions, all paths side by side.
//
// The selections leave the root in waves, a wave a round. In each round every wave descends by one level, all of them
// side by side. So a wave reaches a node after the earlier waves have counted their visits there, and only one wave at
// a time is at the root, where one choice follows another. Two waves:
//
//     round        0    1    2    3
//     at the root  w0   w1
//     at depth 1        w0   w1
//     at depth 2             w0   w1
//
// One workgroup = one tree, one lane = a node or a part of its children.
// Reads trees, stats, links, lists; writes trees, paths, stats, lists.

// Whether a lane serves a node, with all its children in registers (share_few.wgsl). With a network, a subgroup is
// faster, even if most of its lanes have no child.
const SHARES_FEW: bool = FEW && SUBGROUP == 0u;

// Selections of a wave: larger waves spend longer at the root, smaller ones take more rounds. Best of some sizes on an
// NVIDIA H200 (benches/results/kernels.md).
const WAVE: u32 =
    select(max(clamp(LEAVES / 4u, 8u, 16u), min(LEAVES / 8u, 64u)), clamp(LEAVES / 16u, 8u, 32u), SHARES_FEW);
const WAVES: u32 = (LEAVES + WAVE - 1u) / WAVE;

const NO_PLACE: u32 = 0xffffffffu;
// The selections at a node are linked by `next_place`: [round of two][place]. The other lists (lists_in_workgroup.wgsl,
// lists_in_storage.wgsl) follow one another; where each begins:
//
// [round of two][number]: the place of the first selection at each node that is served in a round. Where children are
// many, nodes with LIGHT selections or fewer are numbered from LEAVES - 1 down, the others from 0 up.
const FIRSTS: u32 = 0u;
// [first place]: the node, as share_few.wgsl or share_many.wgsl describes it.
const NODES: u32 = FIRSTS + 2u * LEAVES;
const NODE_WORDS: u32 = 5u;
const LISTED_WORDS: u32 = NODES + NODE_WORDS * LEAVES;

// Nodes with as many selections or fewer are served after the others, since nodes that are served at a time wait for
// the one with the most.
const LIGHT: u32 = 2u;

// The nodes that are served in a round.
struct Round {
    // Those with more than LIGHT selections, and the others.
    heavy: u32,
    light: u32,
    // The greatest number of selections at a node.
    most: u32,
    // A wave starts, so that the selections are not done even if there is no node.
    starts_wave: bool,
}

// Nodes of the next round: heavy, light; the greatest number of selections at one of them.
var<workgroup> sh_reached_nodes: array<atomic<u32>, 2>;
var<workgroup> sh_most: atomic<u32>;
var<workgroup> sh_round: Round;

// The offset of a round's lists in arrays that hold two rounds.
fn round_at(round: u32) -> u32 {
    return (round & 1u) * LEAVES;
}

// The depth of a wave's nodes in a round, given the place of any selection of the wave.
fn depth_in(round: u32, place: u32) -> u32 {
    return round - place / WAVE;
}

// Notes that a selection has reached a node.
fn reach(tree: u32, place: u32, depth: u32, node: u32) {
    paths[(tree * LEAVES + place) * PATH_WORDS + depth] = node;
}

// Notes that a selection ends at a node.
fn end_selection(tree: u32, place: u32, depth: u32, node: u32) {
    let header = header_of(tree * LEAVES + place);
    trees[header].selected = node;
    trees[header].path_length = depth + 1u;
}

// Ends all selections, from a first place on, at a node that they reach in this round.
fn end_selections(tree: u32, first: u32, round: u32, node: u32) {
    var place = first;
    while place != NO_PLACE {
        end_selection(tree, place, depth_in(round, place), node);
        place = next_place(round_at(round) + place);
    }
}

// The selections that a node has sent to one of its children.
struct Sent {
    first: u32,
    last: u32,
    count: u32,
}

// Adds one more selection to those sent to a child, which is served in this round.
fn send(sent: Sent, place: u32, round: u32) -> Sent {
    let next = round_at(round);
    set_next_place(next + place, NO_PLACE);
    if sent.count > 0u {
        set_next_place(next + sent.last, place);
    }
    return Sent(select(sent.first, place, sent.count == 0u), place, sent.count + 1u);
}

// Notes that a node, to which selections were sent, is served in this round.
fn serve_in(sent: Sent, round: u32) {
    let is_light = !SHARES_FEW && sent.count <= LIGHT;
    let number = atomicAdd(&sh_reached_nodes[u32(is_light)], 1u);
    set_listed(FIRSTS + round_at(round) + select(number, LEAVES - 1u - number, is_light), sent.first);
    atomicMax(&sh_most, sent.count);
}

// Sends selections on to a node, which they reach in this round, and counts their visits there.
fn forward(tree: u32, node: u32, sent: Sent, round: u32) {
    if sent.count == 0u {
        return;
    }
    if SHARES_FEW {
        visit_few(tree, node, sent, round);
    } else {
        visit_many(tree, node, sent, round);
    }
}

// The place of the first selection at the node with this number in a round.
fn first_at(round: u32, number: u32, heavy: u32) -> u32 {
    let at = select(LEAVES - 1u - (number - heavy), number, number < heavy);
    return listed(FIRSTS + round_at(round) + at);
}

// Puts all selections at the root; in a tree whose root is proven, selections end before it. All lanes must call this
// together. Has a barrier.
fn begin_selections(tree: u32, lane: u32, flags: u32) {
    for (var place = lane; place < LEAVES; place += SELECT_LANES) {
        let header = header_of(tree * LEAVES + place);
        trees[header].flags = flags;
        trees[header].selected = ROOT;
        trees[header].path_length = 0u;
        if !root_is_proven(flags) {
            reach(tree, place, 0u, ROOT);
        }
        let is_last = (place + 1u) % WAVE == 0u || place + 1u == LEAVES;
        set_next_place(round_at(place / WAVE) + place, select(place + 1u, NO_PLACE, is_last));
    }
    if lane < 2u {
        atomicStore(&sh_reached_nodes[lane], 0u);
        atomicStore(&sh_most, 0u);
    }
    begin_bits(lane);
    publish_lists();
}

// The round that begins, as in sh_round; clears the numbers for the next one. All lanes must call this together. Has
// barriers.
fn begin_round(lane: u32, starts_wave: bool) -> Round {
    storageBarrier();
    publish_lists();
    if lane == 0u {
        sh_round.heavy = atomicExchange(&sh_reached_nodes[0], 0u);
        sh_round.light = atomicExchange(&sh_reached_nodes[1], 0u);
        sh_round.most = atomicExchange(&sh_most, 0u);
        sh_round.starts_wave = starts_wave;
    }
    return workgroupUniformLoad(&sh_round);
}

// All lanes must call this together. Has barriers.
fn select_in_waves(tree: u32, lane: u32, waves: u32) {
    var round = 0u;
    for (;; round++) {
        if lane == 0u && round < waves {
            let first = round * WAVE;
            let count = min(WAVE, LEAVES - first);
            forward(tree, ROOT, Sent(first, first + count - 1u, count), round);
        }
        let nodes = begin_round(lane, round < waves);
        if nodes.heavy + nodes.light == 0u && !nodes.starts_wave {
            break;
        }
        if SHARES_FEW {
            share_few(tree, lane, round, nodes);
        } else {
            share_many(tree, lane, round, nodes);
            step_lone(tree, lane, round);
        }
    }
    finish_lone(tree, lane, round);
}

@compute @workgroup_size(SELECT_LANES)
fn select_leaves(@builtin(workgroup_id) group: vec3<u32>, ids: Selecting) {
    let tree = flat_group(group);
    let lane = ids.lane;
    note_subgroup(ids);
    if tree < params.n_trees {
        let flags = trees[tree].flags & (TREE_SECOND_MOVES | TREE_PROVEN);
        clear_faults(lane);
        begin_lists(tree);
        begin_selections(tree, lane, flags);
        select_in_waves(tree, lane, select(WAVES, 0u, root_is_proven(flags)));
        let faults = gathered_faults();
        if lane == 0u && !root_is_proven(flags) {
            trees[tree].flags |= faults | TREE_UNDER_WAY;
        }
    }
}
