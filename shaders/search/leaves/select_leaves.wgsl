// Goes down from the root LEAVES times. Each time counts as visits, which win nothing, for those after it
// (specification, "Several leaves a step").
//
// Where the selections go from a node depends on its own counts and its children's alone, and on how many of them come
// there. So they need not go down one after another: each node sends all selections that have reached it on to its
// children, in their order, and nodes do so side by side (share_few.wgsl, share_many.wgsl). The positions do not
// follow: list_leaves.wgsl follows all paths side by side.
//
// One workgroup = one tree, one lane = a node or a part of its children.
// Reads trees, stats, links; writes trees, paths, stats.

const NO_PLACE: u32 = 0xffffffffu;

// [place]: the node that the selection has reached.
var<workgroup> sh_reached: array<u32, LEAVES>;
// [round of two][place]: the next place at the same node.
var<workgroup> sh_next_place: array<u32, 2u * LEAVES>;
// [round of two][number]: the first places of the nodes that are served in a round, in any order.
var<workgroup> sh_firsts: array<u32, 2u * LEAVES>;
// [first place]: how many selections have reached the node.
var<workgroup> sh_visits: array<u32, LEAVES>;
// Nodes that are to be served in the next round.
var<workgroup> sh_reached_nodes: atomic<u32>;
var<workgroup> sh_served_nodes: u32;

// Where the lists of a round begin in arrays that hold two rounds.
fn round_at(round: u32) -> u32 {
    return (round & 1u) * LEAVES;
}

// A selection reaches a node.
fn reach(tree: u32, place: u32, depth: u32, node: u32) {
    sh_reached[place] = node;
    paths[(tree * LEAVES + place) * PATH_WORDS + depth] = node;
}

// A selection ends at a node.
fn end_selection(tree: u32, place: u32, depth: u32, node: u32) {
    let header = header_of(tree * LEAVES + place);
    trees[header].selected = node;
    trees[header].path_length = depth + 1u;
}

// All selections from a first place on end at a node that is served in this round.
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

// Sends one more selection to a child, which is served in this round.
fn send(sent: Sent, place: u32, round: u32) -> Sent {
    let next = round_at(round);
    sh_next_place[next + place] = NO_PLACE;
    if sent.count > 0u {
        sh_next_place[next + sent.last] = place;
    }
    return Sent(select(sent.first, place, sent.count == 0u), place, sent.count + 1u);
}

// Notes that the node which some selections were sent to is served in this round.
fn serve_next(sent: Sent, round: u32) {
    let number = atomicAdd(&sh_reached_nodes, 1u);
    sh_firsts[round_at(round) + number] = sent.first;
    sh_visits[sent.first] = sent.count;
}

// Puts all selections at the root; those of a tree that makes no more steps end before it.
fn begin_selections(tree: u32, lane: u32, flags: u32) {
    for (var place = lane; place < LEAVES; place += TREE_LANES) {
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

// How many nodes were noted for the round that begins now; then none is noted for the next one. All lanes must call
// this together. Has barriers.
fn begin_round(lane: u32) -> u32 {
    workgroupBarrier();
    if lane == 0u {
        sh_served_nodes = atomicLoad(&sh_reached_nodes);
        atomicStore(&sh_reached_nodes, 0u);
    }
    return workgroupUniformLoad(&sh_served_nodes);
}

@compute @workgroup_size(TREE_LANES)
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
