// Writes the links, outcomes and first statistics of each leaf's new children (specification, "One step", 2).
//
// One workgroup = one leaf, one lane = some actions.
// Reads trees, links, states; writes trees, stats, links.

// A word of the bits of a leaf's listed actions, as list_leaves.wgsl has stored them.
fn stored_legal_word(leaf: u32, word: u32) -> u32 {
    return states[leaf * SELECTED_WORDS + POSITION_WORDS + word];
}

// The ordinal of the child of a listed action.
fn ordinal_of(leaf: u32, action: u32) -> u32 {
    var count = countOneBits(stored_legal_word(leaf, action / 32u) & ((1u << (action & 31u)) - 1u));
    for (var word = 0u; word < action / 32u; word++) {
        count += countOneBits(stored_legal_word(leaf, word));
    }
    return count;
}

@compute @workgroup_size(TREE_LANES)
fn append_leaves(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let leaf = flat_group(group);
    if leaf < all_leaves() {
        let header = header_of(leaf);
        if trees[header].expanded > 0u && (trees[header].flags & TREE_FOLLOWS) == 0u {
            let first = nodes_of(leaf) + trees[header].first_child;
            let turn = selected_turn(leaf);
            let last = last_action(leaf);
            var state = load_selected(leaf);
            for (var action = lane; action < MAX_ACTIONS; action += TREE_LANES) {
                if ((stored_legal_word(leaf, action / 32u) >> (action & 31u)) & 1u) == 1u {
                    let child = first + ordinal_of(leaf, action);
                    let known = append_child(child, &state, turn, action);
                    stats[child] = child_stats(&state, turn, action, last, known);
                }
            }
        }
        note_faults(leaf);
    }
}
