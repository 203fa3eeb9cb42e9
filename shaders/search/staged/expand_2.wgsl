// Gives the new children their outcomes and empty statistics (specification, "One step", 2).
//
// One invocation = one child.
// Reads trees, links, states, jobs; writes trees, stats, links.

// The outcome of the child that `action` leads to, given its parent's position.
fn child_outcome(parent: ptr<function, State>, turn: u32, action: u32) -> u32 {
    var state = *parent;
    take_action(&state, turn, action);
    return checked_outcome(compute_outcome(&state, 1u - turn, action));
}

// Gives a new child of that position its link, whole, and returns its outcome.
fn append_child(child: u32, parent: ptr<function, State>, turn: u32, action: u32) -> u32 {
    let outcome = child_outcome(parent, turn, action);
    links[child] = vec2<u32>(NO_CHILDREN, action | (outcome << OUTCOME_SHIFT));
    return outcome;
}

@compute @workgroup_size(TREE_LANES)
fn expand_2(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let job = find_job(flat_group(group) * TREE_LANES + lane);
    if job.live && trees[job.leaf].expanded > 0u {
        let child = job.leaf * params.capacity + trees[job.leaf].first_child + job.ordinal;
        let action = links[child].y;
        var state = load_selected(job.leaf);
        let outcome = child_outcome(&state, selected_turn(job.leaf), action);
        links[child].y = action | (outcome << OUTCOME_SHIFT);
        stats[child] = new_stats(outcome);
        note_faults(job.leaf);
    }
}
