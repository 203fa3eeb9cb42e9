// Writes the outcomes and first statistics of the new children (specification, "One step", 2): the prior of the action,
// with its weight in visits, and else zeros.
//
// One invocation = one child.
// Reads trees, links, states, jobs; writes trees, stats, links.

// The outcome of a position as far as it is known (layout.wgsl); the opponent's last action led to it.
fn known_of(state: ptr<function, State>, turn: u32, last_action: u32) -> u32 {
    let outcome = checked_outcome(compute_outcome(state, turn, last_action));
    if SOLVES && outcome == ONGOING {
        // The rules of a game file may change the state that they are given.
        var seen = *state;
        let foreseen = solved_outcome(&seen, turn);
        let plies = min(known_plies(foreseen), MOST_PLIES) << KNOWN_PLIES_SHIFT;
        return select(known_outcome(foreseen) | plies, ONGOING, known_outcome(foreseen) == ONGOING);
    }
    return outcome;
}

// The same of the child of `action`, given its parent's position.
fn known_of_child(parent: ptr<function, State>, turn: u32, action: u32) -> u32 {
    var state = *parent;
    take_action(&state, turn, action);
    return known_of(&state, 1u - turn, action);
}

// Writes the link of a new child of that position, and returns the child's outcome, as known_of does.
fn append_child(child: u32, parent: ptr<function, State>, turn: u32, action: u32) -> u32 {
    let known = known_of_child(parent, turn, action);
    links[child] = vec2<u32>(NO_CHILDREN, action | (known_outcome(known) << OUTCOME_SHIFT));
    return known;
}

// The action that led to the position of a leaf.
fn last_action(leaf: u32) -> u32 {
    let selected = trees[header_of(leaf)].selected;
    return select(link_action(links[nodes_of(leaf) + selected].y), NO_ACTION, selected == ROOT);
}

// The first statistics of a new child, given its outcome as known_of returns it.
fn child_stats(parent: ptr<function, State>, turn: u32, action: u32, last: u32, known: u32) -> vec4<u32> {
    let counts = new_stats(known);
    if PRIOR_VISITS == 0u || known != ONGOING {
        return counts;
    }
    let prior = min(action_prior(parent, turn, action, last), MAX_PRIOR);
    return counts + vec4<u32>(PRIOR_VISITS, 0u, PRIOR_VISITS * WIN_POINTS * prior / MAX_PRIOR, 0u);
}

@compute @workgroup_size(TREE_LANES)
fn expand_2(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let job = find_job(flat_group(group) * TREE_LANES + lane);
    if job.live && trees[job.leaf].expanded > 0u {
        let child = job.leaf * params.capacity + trees[job.leaf].first_child + job.ordinal;
        let action = links[child].y;
        var state = load_selected(job.leaf);
        let turn = selected_turn(job.leaf);
        let known = known_of_child(&state, turn, action);
        links[child].y = action | (known_outcome(known) << OUTCOME_SHIFT);
        stats[child] = child_stats(&state, turn, action, last_action(job.leaf), known);
        note_faults(job.leaf);
    }
}
