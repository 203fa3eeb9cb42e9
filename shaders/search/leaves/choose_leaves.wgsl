// Chooses the best children of the nodes of each leaf's path anew (choose.wgsl), except for nodes on the path of an
// earlier leaf, which that leaf serves. settle_leaves.wgsl writes the choices to the tree.
//
// One workgroup = one leaf, one lane = some earlier leaves, then some nodes of the path.
// Reads trees, paths, stats, links; writes paths.

// The number of nodes, from the root on, that the path of a leaf shares with that of an earlier leaf. Two paths that
// have the same node share all nodes before it.
fn shared_nodes(leaf: u32, lane: u32, length: u32) -> u32 {
    var most = 0u;
    for (var other = leaf / LEAVES * LEAVES + lane; other < leaf; other += TREE_LANES) {
        let end = min(length, trees[header_of(other)].path_length);
        var depth = most;
        while depth < end && paths[other * PATH_WORDS + depth] == paths[leaf * PATH_WORDS + depth] {
            depth++;
        }
        most = max(most, depth);
    }
    return most;
}

// In the place of a choice, where it does not change.
const NO_CHOICE: u32 = 0xffffffffu;

fn clear_choices(leaf: u32, lane: u32, length: u32) {
    for (var depth = lane; depth < length; depth += TREE_LANES) {
        paths[leaf * PATH_WORDS + PATH_CAPACITY + depth] = NO_CHOICE;
    }
}

var<workgroup> sh_start: u32;

@compute @workgroup_size(TREE_LANES)
fn choose_leaves(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let leaf = flat_group(group);
    if leaf < all_leaves() {
        let path = uniform_path(lane, trees[header_of(leaf)].path_length, 0u);
        let shared_with = reduce_max(lane, shared_nodes(leaf, lane, path.length));
        if lane == 0u {
            sh_start = shared_with;
        }
        let start = workgroupUniformLoad(&sh_start);
        for (var depth = start + lane; depth < path.length; depth += TREE_LANES) {
            _ = note_path_node(leaf, depth);
        }
        clear_choices(leaf, lane, path.length);
        storageBarrier();
        workgroupBarrier();
        choose_tree(leaf, lane, start, path.length);
    }
}
