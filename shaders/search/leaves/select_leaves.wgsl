// Selects LEAVES leaves, each from the root down. A selection adds visits without wins (virtual visits, virtual loss)
// for the later ones (specification, "Several leaves a step").
//
// The children that a node's selections take depend on its own counts, its children's, and the number of selections
// alone. So each node sends all its selections on to its children together, in their order, and nodes do so side by
// side (share_few.wgsl, share_many.wgsl). list_leaves.wgsl computes the positions, all paths side by side.
//
// One workgroup = one tree, one lane = a node or a part of its children.
// Reads trees, stats, links; writes trees, paths, stats.

// A subgroup for each node of a level, up to 256 lanes: the workgroup size that every adapter allows.
const SELECT_LANES: u32 = max(TREE_LANES, min(256u, SUBGROUP * (LEAVES / 2u)));

const NO_PLACE: u32 = 0xffffffffu;

// [place]: the node that the selection has reached.
var<workgroup> sh_reached: array<u32, LEAVES>;
// [round of two][place]: the next place at the same node.
var<workgroup> sh_next_place: array<u32, 2u * LEAVES>;
// [round of two][number]: for the nodes served in a round, in any order, the place of the first selection at each.
var<workgroup> sh_firsts: array<u32, 2u * LEAVES>;
// [first place]: the number of selections at the node.
var<workgroup> sh_visits: array<u32, LEAVES>;
// The number of nodes to serve in the next round.
var<workgroup> sh_reached_nodes: atomic<u32>;
var<workgroup> sh_served_nodes: u32;

// The offset of a round's lists in arrays that hold two rounds.
fn round_at(round: u32) -> u32 {
    return (round & 1u) * LEAVES;
}

// Notes that a selection has reached a node.
fn reach(tree: u32, place: u32, depth: u32, node: u32) {
    sh_reached[place] = node;
    paths[(tree * LEAVES + place) * PATH_WORDS + depth] = node;
}

// Notes that a selection ends at a node.
fn end_selection(tree: u32, place: u32, depth: u32, node: u32) {
    let header = header_of(tree * LEAVES + place);
    trees[header].selected = node;
    trees[header].path_length = depth + 1u;
}

// Ends all selections, from a first place on, at a node that is served in this round.
fn end_selections(tree: u32, first: u32, round: u32, depth: u32, node: u32) {
    var place = first;
    while place != NO_PLACE {
        end_selection(tree, place, depth, node);
        place = sh_next_place[round_at(round) + place];
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
    sh_next_place[next + place] = NO_PLACE;
    if sent.count > 0u {
        sh_next_place[next + sent.last] = place;
    }
    return Sent(select(sent.first, place, sent.count == 0u), place, sent.count + 1u);
}

// Notes that a node, to which selections were sent, is served in this round.
fn serve_next(sent: Sent, round: u32) {
    let number = atomicAdd(&sh_reached_nodes, 1u);
    sh_firsts[round_at(round) + number] = sent.first;
    sh_visits[sent.first] = sent.count;
}

// Puts all selections at the root; in a tree whose root is proven, selections end before it.
fn begin_selections(tree: u32, lane: u32, flags: u32) {
    for (var place = lane; place < LEAVES; place += SELECT_LANES) {
        let header = header_of(tree * LEAVES + place);
        trees[header].flags = flags;
        trees[header].selected = ROOT;
        trees[header].path_length = 0u;
        if !root_is_proven(flags) {
            reach(tree, place, 0u, ROOT);
        }
    }
    if lane == 0u {
        atomicStore(&sh_reached_nodes, 0u);
    }
}

// The number of nodes of the round that begins; clears it for the next one. All lanes must call this together. Has
// barriers.
fn begin_round(lane: u32) -> u32 {
    workgroupBarrier();
    if lane == 0u {
        sh_served_nodes = atomicLoad(&sh_reached_nodes);
        atomicStore(&sh_reached_nodes, 0u);
    }
    return workgroupUniformLoad(&sh_served_nodes);
}

@compute @workgroup_size(SELECT_LANES)
fn select_leaves(@builtin(workgroup_id) group: vec3<u32>, ids: Selecting) {
    let tree = flat_group(group);
    let lane = ids.lane;
    note_subgroup(ids);
    if tree < params.n_trees {
        let flags = trees[tree].flags & (TREE_SECOND_MOVES | TREE_PROVEN);
        clear_faults(lane);
        begin_selections(tree, lane, flags);
        if FEW {
            select_in_waves(tree, lane, root_is_proven(flags));
        } else {
            select_by_levels(tree, lane, root_is_proven(flags));
        }
        let faults = gathered_faults();
        if lane == 0u && !root_is_proven(flags) {
            trees[tree].flags |= faults | TREE_UNDER_WAY;
        }
    }
}
