// Backs up the proofs of a step's leaves, one leaf after another (prove.wgsl), and collects the faults of all of them
// in the tree's header.
//
// One workgroup = one tree, one lane = some leaves, then some nodes of a path.
// Reads trees, paths, stats, links; writes trees, stats, links.

// [place / 32]: a bit for each leaf with a new child that ends the game. Most steps have few of them.
var<workgroup> sh_ended_leaves: array<atomic<u32>, (LEAVES + 31u) / 32u>;
var<workgroup> sh_ended_place: u32;

// Notes the leaves with proofs to back up, and collects the faults of all. Has a barrier.
fn look_at_leaves(tree: u32, lane: u32) {
    for (var word = lane; word < (LEAVES + 31u) / 32u; word += TREE_LANES) {
        atomicStore(&sh_ended_leaves[word], 0u);
    }
    workgroupBarrier();
    for (var place = lane; place < LEAVES; place += TREE_LANES) {
        let flags = trees[header_of(tree * LEAVES + place)].flags;
        own_notes |= flags & FAULTS;
        if PROVES && (flags & TREE_ENDED) != 0u {
            atomicOr(&sh_ended_leaves[place / 32u], 1u << (place & 31u));
        }
    }
}

// The first leaf from a place on with proofs to back up; LEAVES where there is none. All lanes must call this together.
// Has barriers.
fn next_ended_leaf(lane: u32, place: u32) -> u32 {
    workgroupBarrier();
    if lane == 0u {
        var next = place;
        while next < LEAVES {
            let rest = atomicLoad(&sh_ended_leaves[next / 32u]) >> (next & 31u);
            if rest != 0u {
                next += firstTrailingBit(rest);
                break;
            }
            next = (next | 31u) + 1u;
        }
        sh_ended_place = min(next, LEAVES);
    }
    return workgroupUniformLoad(&sh_ended_place);
}

fn prove_leaf(leaf: u32, lane: u32) {
    let header = header_of(leaf);
    let path = uniform_path(lane, trees[header].path_length, 0u);
    for (var depth = lane; depth < path.length; depth += TREE_LANES) {
        _ = note_path_node(leaf, depth);
    }
    let proved = prove_tree(leaf, lane, path.length);
    if lane == 0u && proved.of_root {
        trees[header].flags |= TREE_PROVEN;
    }
}

@compute @workgroup_size(TREE_LANES)
fn prove_leaves(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees {
        clear_faults(lane);
        look_at_leaves(tree, lane);
        for (var place = next_ended_leaf(lane, 0u); place < LEAVES; place = next_ended_leaf(lane, place + 1u)) {
            prove_leaf(tree * LEAVES + place, lane);
        }
        let faults = gathered_faults();
        if lane == 0u && !root_is_proven(trees[tree].flags) {
            let root = tree * params.capacity + ROOT;
            let proved = link_count(links[root].y) > 0u && is_proven(stats[root]);
            trees[tree].flags = (trees[tree].flags & ~TREE_UNDER_WAY) | faults | select(0u, TREE_PROVEN, proved);
        }
    }
}
