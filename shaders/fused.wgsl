// Whole steps in a loop inside one dispatch: the stages as functions, barriers between them.
// One workgroup = one tree; all its memory traffic stays within the workgroup, so that barriers suffice.
// The first PLAYOUT_LANES of its TREE_LANES lanes play: where workgroup memory is scarce, these are fewer.

// What one stage wrote is there for the next one.
fn next_stage() {
    storageBarrier();
    workgroupBarrier();
}

fn playout_tree(tree: u32, lane: u32) {
    var places = 1u;
    if ALL_CHILDREN {
        places = max(trees[tree].expanded, 1u);
    }
    let games = places * PLAYOUTS;
    for (var first = 0u; first < games; first += PLAYOUT_LANES) {
        let id = first + lane;
        let ordinal = id / PLAYOUTS;
        let game = id % PLAYOUTS;
        let plays = lane < PLAYOUT_LANES && id < games;
        var won = 0u;
        if plays {
            won = play_job(tree, ordinal, game, lane);
        }
        let sum = reduce_tally(lane, won);
        if plays && (lane & (TALLY_LANES - 1u)) == 0u {
            let place = (tree * STREAM_SETS + ordinal) * PARTS + game / TALLY_LANES;
            tallies[place] = vec2<u32>(sum & 0xffffu, sum >> 16u);
        }
    }
}

fn step_tree(tree: u32, lane: u32) {
    select_tree(tree, lane);
    next_stage();
    expand_1_tree(tree, lane);
    next_stage();
    for (var ordinal = lane; ordinal < trees[tree].expanded; ordinal += TREE_LANES) {
        expand_2_child(tree, ordinal);
    }
    next_stage();
    playout_tree(tree, lane);
    next_stage();
    backup_1_tree(tree, lane);
    next_stage();
    backup_2_tree(tree, lane);
    next_stage();
}

@compute @workgroup_size(TREE_LANES)
fn fused(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees {
        for (var step = 0u; step < params.steps; step++) {
            step_tree(tree, lane);
        }
    }
}
