// Backs the proofs of a step's leaves up, one leaf after another (prove.wgsl), and gathers the faults of all of them in
// the tree's header.
//
// One workgroup = one tree, one lane = some leaves, then some nodes of a path.
// Reads trees, paths, stats, links; writes trees, stats, links.

fn prove_leaf(leaf: u32, lane: u32) {
    let header = header_of(leaf);
    let path = uniform_path(lane, trees[header].path_length, trees[header].flags);
    if path.ended {
        for (var depth = lane; depth < path.length; depth += TREE_LANES) {
            _ = note_path_node(leaf, depth);
        }
        let proved = prove_tree(leaf, lane, path.length);
        if lane == 0u && proved.of_root {
            trees[header].flags |= TREE_PROVEN;
        }
    }
}

@compute @workgroup_size(TREE_LANES)
fn prove_leaves(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees {
        clear_faults(lane);
        for (var place = 0u; PROVES && place < LEAVES; place++) {
            prove_leaf(tree * LEAVES + place, lane);
        }
        storageBarrier();
        for (var place = lane; place < LEAVES; place += TREE_LANES) {
            own_notes |= trees[header_of(tree * LEAVES + place)].flags & FAULTS;
        }
        let faults = gathered_faults();
        if lane == 0u && !is_resting(trees[tree].flags) {
            let root = tree * params.capacity + ROOT;
            let proved = link_count(links[root].y) > 0u && is_proven(stats[root]);
            trees[tree].flags = (trees[tree].flags & ~TREE_UNDER_WAY) | faults | select(0u, TREE_PROVEN, proved);
        }
    }
}
