// Backs the sums of a step up along the path (SPEC, "One step", 4): constant time, no loop over levels but for
// paths longer than a workgroup. One workgroup = one tree, one lane = some nodes of the path.
// Reads paths, trees; writes stats and, for the selections to come, the logarithms in links: here they are computed
// side by side, one latency a step and not one a level.

fn backup_node(index: u32, n: u32, n_wins: u32) {
    keep_ln(index, add_stats(index, n, n_wins));
}

fn keep_ln(index: u32, n: vec2<u32>) {
    let ln = soft64_bits(ucb_ln(n));
    links[index].z = ln.x;
    links[index].w = ln.y;
}

fn backup_2_tree(tree: u32, lane: u32) {
    var n = PLAYOUTS;
    if ALL_CHILDREN {
        n *= max(trees[tree].expanded, 1u);
    }
    for (var depth = lane; depth < trees[tree].path_length; depth += TREE_LANES) {
        let node = paths[tree * PATH_CAPACITY + depth];
        let mover = 1u - turn_at(tree, depth);
        backup_node(tree * params.capacity + node, n, trees[tree].tally[mover]);
    }
}

@compute @workgroup_size(TREE_LANES)
fn backup_2(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees {
        backup_2_tree(tree, lane);
    }
}
