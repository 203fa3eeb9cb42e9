// The fused schedule where a step has more games than suit one workgroup: the stages of a tree in one dispatch, its
// playouts spread over many workgroups in the next. `advance` backs the last step's playouts up and goes on to the next
// step's selection and expansion; `descend` is the first half for the first step of a submission, `backup` the last.
// One workgroup = one tree.

// Backs up the playouts of a step: the two stages of that name in one, with the nodes of the path on their way while the
// tallies are summed. New children have no counts yet, so theirs are only written.
fn backup_tree(tree: u32, lane: u32, header: ptr<function, Tree>) {
    let base = tree * params.capacity;
    let nodes = select(1u, max((*header).expanded, 1u), ALL_CHILDREN);
    let turn = turn_of((*header).flags, (*header).path_length - 1u);
    var node = 0u;
    var counts = vec4<u32>(0u);
    if lane < (*header).path_length {
        node = paths[tree * PATH_CAPACITY + lane];
        counts = stats[base + node];
    }
    var mine = vec2<u32>(0u);
    for (var ordinal = lane; ordinal < nodes; ordinal += TREE_LANES) {
        var tally = vec2<u32>(0u);
        for (var part = 0u; part < PARTS; part++) {
            tally += tallies[(tree * STREAM_SETS + ordinal) * PARTS + part];
        }
        mine += tally;
        if (*header).expanded > 0u {
            let child = base + (*header).first_child + select((*header).drawn, ordinal, ALL_CHILDREN);
            stats[child] = vec4<u32>(PLAYOUTS, 0u, tally[turn], 0u);
        }
    }
    let sum = reduce_sum(lane, vec4<u32>(mine.x, 0u, mine.y, 0u));
    (*header).tally = sum.xz;
    for (var depth = lane; depth < (*header).path_length; depth += TREE_LANES) {
        if depth != lane {
            node = paths[tree * PATH_CAPACITY + depth];
            counts = stats[base + node];
        }
        let mover = 1u - turn_of((*header).flags, depth);
        counts = sum_combine(counts, vec4<u32>(PLAYOUTS * nodes, 0u, (*header).tally[mover], 0u));
        stats[base + node] = counts;
        keep_ln(base + node, counts.xy);
    }
}

fn descend_tree(tree: u32, lane: u32, header: ptr<function, Tree>) {
    let base = tree * params.capacity;
    var state: State;
    let leaf = select_tree(tree, lane, &state);
    (*header).selected = leaf.node;
    (*header).path_length = leaf.depth + 1u;
    let ongoing = link_outcome(leaf.link.y) == ONGOING;
    let count = list_legal_actions(tree, leaf.depth, lane, &state, leaf.turn, ongoing);
    // With the path every lane is past its reads of the header, so that lane 0 may rewrite it.
    store_path(tree, lane, leaf.depth + 1u);
    expand_header(header, count);
    for (var action = lane; action < MAX_ACTIONS; action += TREE_LANES) {
        if (*header).expanded > 0u && is_listed(action) {
            let child = base + (*header).first_child + legal_actions_below(action);
            append_child(child, &state, leaf.turn, action);
            stats[child] = vec4<u32>(0u);
        }
    }
    if lane == 0u {
        link_children(base + leaf.node, leaf.link.y, header);
        trees[tree] = *header;
        store_selected(tree, &state);
    }
}

@compute @workgroup_size(TREE_LANES)
fn descend(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees {
        var header = trees[tree];
        descend_tree(tree, lane, &header);
    }
}

@compute @workgroup_size(TREE_LANES)
fn advance(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees {
        var header = trees[tree];
        backup_tree(tree, lane, &header);
        storageBarrier();
        workgroupBarrier();
        descend_tree(tree, lane, &header);
    }
}

@compute @workgroup_size(TREE_LANES)
fn backup(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees {
        var header = trees[tree];
        backup_tree(tree, lane, &header);
        if lane == 0u {
            trees[tree].tally = header.tally;
        }
    }
}
