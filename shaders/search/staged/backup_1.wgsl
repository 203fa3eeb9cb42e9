// Adds the tallies to the nodes that were played out, and sums them over those nodes (specification, "One step", 4).
// Notes whether a new child ends the game.
//
// One workgroup = one tree, one lane = some of its new children.
// Reads trees, stats, links, tallies; writes trees, stats.

// The points of a child that was played out.
fn load_tally(leaf: u32, ordinal: u32) -> vec2<u32> {
    var tally = vec2<u32>(0u);
    for (var part = 0u; part < PARTS; part++) {
        tally += tallies[(leaf * STREAM_SETS + ordinal) * PARTS + part];
    }
    return tally;
}

fn backup_1_tree(tree: u32, lane: u32) {
    let is_done = root_is_proven(trees[tree].flags);
    let expanded = select(trees[tree].expanded, 0u, is_done);
    var first = tree * params.capacity + trees[tree].first_child;
    let ended = count_ended(first, expanded, lane);
    var places = select(1u, 0u, is_done);
    if ALL_CHILDREN {
        places = max(expanded, places);
    } else {
        first += trees[tree].drawn;
    }
    let mover = selected_turn(tree);
    var mine = vec2<u32>(0u);
    for (var ordinal = lane; ordinal < places; ordinal += TREE_LANES) {
        let tally = load_tally(tree, ordinal);
        mine += tally;
        // A selected node that was itself played out is on the path, which backup_2 updates.
        if expanded > 0u {
            add_stats(first + ordinal, PLAYOUTS, tally[mover]);
        }
    }
    // Sums of points stay below 2^32: their high word holds another sum.
    let sum = reduce_sum(lane, vec4<u32>(mine.x, ended, mine.y, 0u));
    if lane == 0u && !is_done {
        trees[tree].tally = sum.xz;
        trees[tree].flags |= select(0u, TREE_ENDED, sum.y > 0u);
    }
}

// The number of the lane's new children that end the game; 0 in searches without proofs.
fn count_ended(first: u32, expanded: u32, lane: u32) -> u32 {
    var ended = 0u;
    if PROVES {
        for (var ordinal = lane; ordinal < expanded; ordinal += TREE_LANES) {
            ended += u32(link_outcome(links[first + ordinal].y) != ONGOING);
        }
    }
    return ended;
}

@compute @workgroup_size(TREE_LANES)
fn backup_1(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees {
        backup_1_tree(tree, lane);
    }
}
