// The fused schedule where a step has more games than suit one workgroup: the stages of a tree in one dispatch, its
// playouts spread over many workgroups in the next. `advance` backs the last step's playouts up and goes on to the next
// step's selection and expansion; `descend` is the first half for the first step of a submission, `backup` the last.
// One workgroup = one tree.

fn backup_tree(tree: u32, lane: u32) {
    backup_1_tree(tree, lane);
    storageBarrier();
    workgroupBarrier();
    backup_2_tree(tree, lane);
}

fn descend_tree(tree: u32, lane: u32) {
    let base = tree * params.capacity;
    var state: State;
    let leaf = select_tree(tree, lane, &state);
    var header = trees[tree];
    header.selected = leaf.node;
    header.path_length = leaf.depth + 1u;
    // Every lane is past its reads of the header when this returns, so that lane 0 may rewrite it.
    let ongoing = link_outcome(leaf.link.y) == ONGOING;
    let count = list_legal_actions(tree, leaf.depth, lane, &state, leaf.turn, ongoing);
    expand_header(&header, count);
    for (var action = lane; action < MAX_ACTIONS; action += TREE_LANES) {
        if header.expanded > 0u && is_listed(action) {
            let child = base + header.first_child + legal_actions_below(action);
            let outcome = child_outcome(&state, leaf.turn, action);
            links[child] = vec4<u32>(NO_CHILDREN, action | (outcome << OUTCOME_SHIFT), 0u, 0u);
            stats[child] = vec4<u32>(0u);
        }
    }
    if lane == 0u {
        link_children(base + leaf.node, leaf.link.y, &header);
        trees[tree] = header;
        store_selected(tree, &state);
    }
}

@compute @workgroup_size(TREE_LANES)
fn descend(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees {
        descend_tree(tree, lane);
    }
}

@compute @workgroup_size(TREE_LANES)
fn advance(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees {
        backup_tree(tree, lane);
        storageBarrier();
        workgroupBarrier();
        descend_tree(tree, lane);
    }
}

@compute @workgroup_size(TREE_LANES)
fn backup(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees {
        backup_tree(tree, lane);
    }
}
