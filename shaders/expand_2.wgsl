// Gives the new children their states, outcomes and empty statistics (SPEC, "One step", 2).
// One invocation = one child. Reads trees, states; writes states, links, stats.

fn expand_2_child(tree: u32, ordinal: u32) {
    let child = trees[tree].first_child + ordinal;
    let index = tree * params.capacity + child;
    let turn = selected_turn(tree);
    let action = links[index].y;
    var state = load_state(tree, trees[tree].selected);
    take_action(&state, turn, action);
    let outcome = compute_outcome(&state, 1u - turn, action);
    store_state(tree, child, state);
    links[index].y = action | (outcome << OUTCOME_SHIFT);
    stats[index] = vec4<u32>(0u);
}

@compute @workgroup_size(TREE_LANES)
fn expand_2(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let job = find_job(flat_group(group) * TREE_LANES + lane);
    if job.live && trees[job.tree].expanded > 0u {
        expand_2_child(job.tree, job.ordinal);
    }
}
