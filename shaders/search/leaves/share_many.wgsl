// Sends the selections of a step on to their leaves, where children are many: NODE_LANES lanes serve a node, some nodes
// at a time. Each lane holds some of the children in registers, with the visits of this step. The lanes exchange values
// by barriers in share_by_lanes.wgsl, and by subgroup operations in share_by_subgroups.wgsl.
//
// All selections descend level by level. A selection that is alone at a node follows the best children from there, as
// chosen after the last backup.
//
//     place of the selection       0 1 2 3 4 5 6 7
//     level 0                      all at the root, which chooses a b a a c b a b
//     level 1                      a: 0 2 3 6     b: 1 5 7     c: 4, which is alone
//     level 2                      a sends 0 2 3 6, b sends 1 5 7, side by side

// [place]: the depth from which on the selection is alone; 0 where it never is.
var<workgroup> sh_alone: array<u32, select(LEAVES, 1u, FEW)>;

// Children that a lane holds, of the NODE_LANES that serve a node.
const HELD: u32 = (MAX_ACTIONS + NODE_LANES - 1u) / NODE_LANES;

// A lane's children: their counts, and the keys that break ties; NO_KEY for one that is missing, or may not be chosen.
struct Held {
    counts: array<vec4<u32>, HELD>,
    keys: array<u32, HELD>,
}

// All lanes must call this together. Has barriers.
fn select_by_levels(tree: u32, lane: u32, is_done: bool) {
    for (var place = lane; place < LEAVES; place += SELECT_LANES) {
        sh_alone[place] = 0u;
        sh_next_place[place] = select(place + 1u, NO_PLACE, place + 1u == LEAVES);
    }
    if lane == 0u {
        sh_firsts[0] = 0u;
        sh_visits[0] = LEAVES;
        sh_served_nodes = select(1u, 0u, is_done);
    }
    var nodes = workgroupUniformLoad(&sh_served_nodes);
    for (var depth = 0u; nodes > 0u; depth++) {
        share_level(tree, lane, depth, nodes);
        nodes = begin_round(lane);
    }
    for (var place = lane; place < LEAVES; place += SELECT_LANES) {
        if sh_alone[place] > 0u {
            select_alone(tree, place);
        }
    }
}

// Notes the selections sent to a child: for the next level if they are several, else to be alone from there.
fn forward(sent: Sent, depth: u32) {
    if sent.count == 1u {
        sh_alone[sent.first] = depth;
    } else if sent.count > 1u {
        serve_next(sent, depth);
    }
}

// Takes a selection from the node that it has reached to a leaf by the best children.
fn select_alone(tree: u32, place: u32) {
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

// Sends a selection to one of the lane's children.
fn send_held(tree: u32, depth: u32, place: u32, node: u32, own: u32, held: ptr<function, Held>,
    sent: ptr<function, array<Sent, HELD>>) {
    for (var i = 0u; i < HELD; i++) {
        if i == own {
            (*held).counts[i] = sum_combine((*held).counts[i], vec4<u32>(PLAYOUTS, 0u, 0u, 0u));
            (*sent)[i] = send((*sent)[i], place, depth + 1u);
        }
    }
    reach(tree, place, depth + 1u, node);
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
