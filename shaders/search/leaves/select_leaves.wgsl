// Goes down from the root LEAVES times. Each time counts as visits, which win nothing, for those after it
// (specification, "Several leaves a step").
//
// Where the selections go from a node depends on its own counts and its children's alone, and on how many of them come
// there. So they need not go down one after another: level by level, each node sends all selections that have reached
// it on to its children, in their order. Nodes of a level are served side by side (share_few.wgsl, share_many.wgsl). A
// selection that is alone at a node goes on alone from there, along the choices that the nodes have made after the last
// backup. The positions do not follow: list_leaves.wgsl follows all paths side by side.
//
//     place of the selection       0 1 2 3 4 5 6 7
//     level 0                      all at the root, which chooses a b a a c b a b
//     level 1                      a: 0 2 3 6     b: 1 5 7     c: 4, which is alone
//     level 2                      a sends 0 2 3 6, b sends 1 5 7, side by side
//
// One workgroup = one tree, one lane = a node or a part of its children; then some of the selections that are alone.
// Reads trees, stats, links; writes trees, paths, stats.

const NO_PLACE: u32 = 0xffffffffu;

// [place]: the node that the selection has reached.
var<workgroup> sh_reached: array<u32, LEAVES>;
// [level of two][place]: the next place at the same node.
var<workgroup> sh_next_place: array<u32, 2u * LEAVES>;
// [level of two][number]: the first places of the nodes that several selections have reached, in any order.
var<workgroup> sh_firsts: array<u32, 2u * LEAVES>;
// [first place]: how many selections have reached the node.
var<workgroup> sh_visits: array<u32, LEAVES>;
// [place]: the depth from which on the selection is alone; 0 where it never is.
var<workgroup> sh_alone: array<u32, LEAVES>;
// Nodes of the next level that several selections have reached.
var<workgroup> sh_reached_nodes: atomic<u32>;
var<workgroup> sh_served_nodes: u32;

// Where the lists of a level begin in arrays that hold two levels.
fn level_at(depth: u32) -> u32 {
    return (depth & 1u) * LEAVES;
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

// All selections from a first place on end at a node of the level.
fn end_selections(tree: u32, first: u32, depth: u32, node: u32) {
    var place = first;
    while place != NO_PLACE {
        end_selection(tree, place, depth, node);
        place = sh_next_place[level_at(depth) + place];
    }
}

// The selections that a node has sent to one of its children.
struct Sent {
    first: u32,
    last: u32,
    count: u32,
}

// Sends one more selection to a child at this depth.
fn send(sent: Sent, place: u32, depth: u32) -> Sent {
    let next = level_at(depth);
    sh_next_place[next + place] = NO_PLACE;
    if sent.count > 0u {
        sh_next_place[next + sent.last] = place;
    }
    return Sent(select(sent.first, place, sent.count == 0u), place, sent.count + 1u);
}

// Notes where those that were sent go on: together at the next level, or alone.
fn hand_on(sent: Sent, depth: u32) {
    if sent.count == 1u {
        sh_alone[sent.first] = depth;
    } else if sent.count > 1u {
        let number = atomicAdd(&sh_reached_nodes, 1u);
        sh_firsts[level_at(depth) + number] = sent.first;
        sh_visits[sent.first] = sent.count;
    }
}

// A selection goes on to a leaf by itself, from the node that it has reached.
fn go_alone(tree: u32, place: u32) {
    let base = tree * params.capacity;
    var depth = sh_alone[place];
    var node = sh_reached[place];
    var link = links[base + node];
    add_stats(base + node, PLAYOUTS, 0u);
    while link.x != NO_CHILDREN {
        node = link.x + link_best(link.y);
        link = links[base + node];
        depth++;
        paths[(tree * LEAVES + place) * PATH_WORDS + depth] = node;
        add_stats(base + node, PLAYOUTS, 0u);
    }
    end_selection(tree, place, depth, node);
}

// Puts all selections at the root; those of a tree that makes no more steps end before it.
fn begin_selections(tree: u32, lane: u32, flags: u32) {
    for (var place = lane; place < LEAVES; place += TREE_LANES) {
        let header = header_of(tree * LEAVES + place);
        trees[header].flags = flags;
        trees[header].selected = ROOT;
        trees[header].path_length = 0u;
        sh_alone[place] = 0u;
        sh_next_place[place] = select(place + 1u, NO_PLACE, place + 1u == LEAVES);
        if !is_resting(flags) {
            reach(tree, place, 0u, ROOT);
        }
    }
    if lane == 0u {
        sh_firsts[0] = 0u;
        sh_visits[0] = LEAVES;
        sh_served_nodes = select(1u, 0u, is_resting(flags));
    }
}

@compute @workgroup_size(TREE_LANES)
fn select_leaves(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees {
        let flags = trees[tree].flags & (TREE_SECOND_MOVES | TREE_PROVEN);
        clear_faults(lane);
        begin_selections(tree, lane, flags);
        var served = workgroupUniformLoad(&sh_served_nodes);
        for (var depth = 0u; served > 0u; depth++) {
            if lane == 0u {
                atomicStore(&sh_reached_nodes, 0u);
            }
            workgroupBarrier();
            if FEW {
                share_few(tree, lane, depth, served);
            } else {
                share_many(tree, lane, depth, served);
            }
            workgroupBarrier();
            if lane == 0u {
                sh_served_nodes = atomicLoad(&sh_reached_nodes);
            }
            served = workgroupUniformLoad(&sh_served_nodes);
        }
        for (var place = lane; place < LEAVES; place += TREE_LANES) {
            if sh_alone[place] > 0u {
                go_alone(tree, place);
            }
        }
        let faults = gathered_faults();
        if lane == 0u && !is_resting(flags) {
            trees[tree].flags |= faults | TREE_UNDER_WAY;
        }
    }
}
