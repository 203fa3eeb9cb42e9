// Adds the sums of a step along the path (specification, "One step", 4), backs up proofs (prove.wgsl), and chooses the
// best children of the path's nodes (choose.wgsl). Without new proofs it takes constant time: there is no loop over
// levels unless the path is longer than a workgroup.
//
// One workgroup = one tree, one lane = some nodes of the path.
// Reads trees, paths, stats, links; writes trees, stats, links.

fn backup_2_tree(tree: u32, lane: u32, length: u32) {
    var n = PLAYOUTS;
    if ALL_CHILDREN {
        n *= max(trees[tree].expanded, 1u);
    }
    for (var depth = lane; depth < length; depth += TREE_LANES) {
        let index = tree * params.capacity + note_path_node(tree, depth);
        let mover = 1u - turn_at(tree, depth);
        add_stats(index, n, trees[tree].tally[mover]);
    }
}

@compute @workgroup_size(TREE_LANES)
fn backup_2(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees {
        let flags = trees[tree].flags;
        let length = select(trees[tree].path_length, 0u, root_is_proven(flags));
        backup_2_tree(tree, lane, length);
        storageBarrier();
        let path = uniform_path(lane, length, flags);
        var proved = Proved(path.length, false);
        if path.ended {
            proved = prove_tree(tree, lane, path.length);
        }
        choose_tree(tree, lane, 0u, path.length);
        if lane == 0u && path.length > 0u {
            trees[tree].flags = flags_after(flags, proved.of_root);
        }
    }
}
