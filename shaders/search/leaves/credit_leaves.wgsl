// Credits the children of the nodes of each leaf's path with the playouts in which their actions were played later
// (specification, "Rapid action values"). It goes from the leaf up, and notes the player of each action of the path,
// which precedes the playouts. Sums do not depend on their order: leaves that share nodes add to them side by side.
//
// One workgroup = one leaf, one lane = some children of a node.
// Reads trees, paths, counters, links, firsts; writes counters.

const NO_OWNER: u32 = 0xffffffffu;

// [place]: the first player to play there in the tree below a node, or NO_OWNER.
var<workgroup> sh_owners: array<u32, 32u * FIRST_WORDS>;

// Notes the player of the path's action at a depth, if the path goes on from there.
fn note_owner(leaf: u32, depth: u32, length: u32) {
    let header = header_of(leaf);
    var child = trees[header].first_child + trees[header].drawn;
    if depth + 1u < length {
        child = paths[leaf * PATH_WORDS + depth + 1u];
    } else if trees[header].expanded == 0u {
        return;
    }
    let place = first_place(link_action(links[nodes_of(leaf) + child].y));
    if place != NO_FIRST_PLACE {
        sh_owners[place] = turn_at(leaf, depth);
    }
}

// Credits a child with a leaf's playouts in which its player was the first at its place.
fn credit_child(child: u32, leaf: u32, turn: u32, place: u32) {
    let owner = sh_owners[place];
    let word = 1u + turn * FIRST_WORDS + place / 32u;
    var n = 0u;
    var points = 0u;
    for (var game = 0u; game < PLAYOUTS; game++) {
        let record = (leaf * PLAYOUTS + game) * RECORD_WORDS;
        let in_playout = (firsts[record + word] >> (place & 31u)) & 1u;
        let is_first = select(u32(owner == turn), in_playout, owner == NO_OWNER);
        n += is_first;
        points += is_first * ((firsts[record] >> (16u * turn)) & 0xffffu);
    }
    if n > 0u {
        atomicAdd(&counters[child][1], n << AMAF_SHIFT);
        atomicAdd(&counters[child][3], points << AMAF_POINTS_SHIFT);
    }
}

fn credit_children(leaf: u32, depth: u32, lane: u32) {
    let base = nodes_of(leaf);
    let node = base + paths[leaf * PATH_WORDS + depth];
    let turn = turn_at(leaf, depth);
    let high_n = atomicLoad(&counters[node][1]) & ((1u << AMAF_SHIFT) - 1u);
    if high_n > 0u || atomicLoad(&counters[node][0]) >= MOST_AMAF {
        return;
    }
    let link = links[node];
    for (var ordinal = lane; ordinal < link_count(link.y); ordinal += TREE_LANES) {
        let child = base + link.x + ordinal;
        let place = first_place(link_action(links[child].y));
        if place != NO_FIRST_PLACE {
            credit_child(child, leaf, turn, place);
        }
    }
}

@compute @workgroup_size(TREE_LANES)
fn credit_leaves(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let leaf = flat_group(group);
    if leaf < all_leaves() {
        // A tree whose root is proven has no path.
        let length = uniform_path(lane, trees[header_of(leaf)].path_length, 0u).length;
        for (var place = lane; place < 32u * FIRST_WORDS; place += TREE_LANES) {
            sh_owners[place] = NO_OWNER;
        }
        for (var depth = length; depth > 0u; depth--) {
            workgroupBarrier();
            if lane == 0u {
                note_owner(leaf, depth - 1u, length);
            }
            workgroupBarrier();
            credit_children(leaf, depth - 1u, lane);
        }
    }
}
