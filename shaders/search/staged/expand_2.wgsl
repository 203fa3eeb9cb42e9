// Gives the new children their outcomes and first statistics (specification, "One step", 2): what the game knows of the
// action, if that is to count, and nothing else.
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

// The action that led to the position of a leaf.
fn last_action(leaf: u32) -> u32 {
    let selected = trees[header_of(leaf)].selected;
    return select(link_action(links[nodes_of(leaf) + selected].y), NO_ACTION, selected == ROOT);
}

// The first statistics of a new child with that outcome.
fn child_stats(parent: ptr<function, State>, turn: u32, action: u32, last: u32, outcome: u32) -> vec4<u32> {
    let counts = new_stats(outcome);
    if KNOWLEDGE == 0u || outcome != ONGOING {
        return counts;
    }
    let prior = min(action_prior(parent, turn, action, last), MOST_PRIOR);
    return counts + vec4<u32>(KNOWLEDGE, 0u, KNOWLEDGE * WIN_POINTS * prior / MOST_PRIOR, 0u);
}

@compute @workgroup_size(TREE_LANES)
fn expand_2(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let job = find_job(flat_group(group) * TREE_LANES + lane);
    if job.live && trees[job.leaf].expanded > 0u {
        let child = job.leaf * params.capacity + trees[job.leaf].first_child + job.ordinal;
        let action = links[child].y;
        var state = load_selected(job.leaf);
        let turn = selected_turn(job.leaf);
        let outcome = child_outcome(&state, turn, action);
        links[child].y = action | (outcome << OUTCOME_SHIFT);
        stats[child] = child_stats(&state, turn, action, last_action(job.leaf), outcome);
        note_faults(job.leaf);
    }
}
