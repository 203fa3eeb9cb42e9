// Undoes a step with several leaves that was abandoned before its backup: subtracts the virtual visits, removes the
// children of the selected nodes, and restores the headers. The host restores the streams.
//
// One workgroup = one tree, one lane = some nodes of a path.
// Reads trees, paths, stats, links, saved_trees; writes trees, stats, links.

fn withdraw_visits(leaf: u32, lane: u32) {
    let header = header_of(leaf);
    for (var depth = lane; depth < trees[header].path_length; depth += TREE_LANES) {
        let index = nodes_of(leaf) + paths[leaf * PATH_WORDS + depth];
        let n = stats[index].xy;
        stats[index] = vec4<u32>(n.x - PLAYOUTS, n.y - u32(n.x < PLAYOUTS), stats[index].zw);
    }
    if lane == 0u && trees[header].path_length > 0u {
        let selected = nodes_of(leaf) + trees[header].selected;
        let info = links[selected].y;
        links[selected] = vec2<u32>(NO_CHILDREN, link_action(info) | (link_outcome(info) << OUTCOME_SHIFT));
    }
    storageBarrier();
}

fn restore_headers(tree: u32, lane: u32) {
    if lane == 0u {
        trees[tree] = saved_trees[tree];
    }
    for (var place = lane; place < LEAVES; place += TREE_LANES) {
        let header = header_of(tree * LEAVES + place);
        trees[header] = saved_trees[header];
    }
}

@compute @workgroup_size(TREE_LANES)
fn withdraw_leaves(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees {
        // In a tree that the step has not reached, nothing has changed.
        let began = uniform_path(lane, trees[tree].flags & TREE_UNDER_WAY, 0u).length > 0u;
        for (var place = 0u; began && place < LEAVES; place++) {
            withdraw_visits(tree * LEAVES + place, lane);
        }
        restore_headers(tree, lane);
    }
}
