// Backs the tallies up into the nodes that were played out, and sums them over those nodes
// (specification, "One step", 4). One workgroup = one tree, one lane = some of its new children.
// Reads tallies; writes stats, trees[].tally.
//
// One workgroup = one tree, one lane = some of its new children.
// Reads trees, stats, tallies; writes trees, stats.

// The wins of a child that was played out.
fn load_tally(tree: u32, ordinal: u32) -> vec2<u32> {
    var tally = vec2<u32>(0u);
    for (var part = 0u; part < PARTS; part++) {
        tally += tallies[(tree * STREAM_SETS + ordinal) * PARTS + part];
    }
    return tally;
}

fn backup_1_tree(tree: u32, lane: u32) {
    let expanded = trees[tree].expanded;
    var first = tree * params.capacity + trees[tree].first_child;
    var places = 1u;
    if ALL_CHILDREN {
        places = max(expanded, 1u);
    } else {
        first += trees[tree].drawn;
    }
    let mover = selected_turn(tree);
    var mine = vec2<u32>(0u);
    for (var ordinal = lane; ordinal < places; ordinal += TREE_LANES) {
        let tally = load_tally(tree, ordinal);
        mine += tally;
        // A selected node that was itself played out is on the path: backup_2 serves it.
        if expanded > 0u {
            add_stats(first + ordinal, PLAYOUTS, tally[mover]);
        }
    }
    let sum = reduce_sum(lane, vec4<u32>(mine.x, 0u, mine.y, 0u));
    if lane == 0u {
        trees[tree].tally = sum.xz;
    }
}

@compute @workgroup_size(TREE_LANES)
fn backup_1(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees {
        backup_1_tree(tree, lane);
    }
}
