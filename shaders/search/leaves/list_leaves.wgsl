// Follows the path to each leaf's position, and lists the actions that lead to its children (specification, "One step",
// 2). Until allot_leaves.wgsl allots the nodes, the header holds their number, and whether others were left out; in the
// place of the first child it holds the leader, the first of the step's leaves that is the same node.
//
// One workgroup = one leaf, one lane = some earlier leaves, then some actions.
// Reads roots, trees, paths, links; writes trees, states.

fn follow_path(leaf: u32, lane: u32, length: u32) -> State {
    var state = load_root(leaf / LEAVES);
    var turn = turn_at(leaf, 0u);
    record_position(leaf, 0u, lane, &state);
    for (var depth = 1u; depth < length; depth++) {
        let node = paths[leaf * PATH_WORDS + depth];
        take_action(&state, turn, link_action(links[nodes_of(leaf) + node].y));
        turn = 1u - turn;
        record_position(leaf, depth, lane, &state);
    }
    return state;
}

// The place of the leaf's leader.
var<workgroup> sh_leader: atomic<u32>;

fn seek_leader(leaf: u32, lane: u32) {
    let selected = trees[header_of(leaf)].selected;
    for (var other = leaf / LEAVES * LEAVES + lane; other < leaf; other += TREE_LANES) {
        if trees[header_of(other)].selected == selected {
            atomicMin(&sh_leader, other % LEAVES);
            return;
        }
    }
}

@compute @workgroup_size(TREE_LANES)
fn list_leaves(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let leaf = flat_group(group);
    if leaf < all_leaves() {
        let header = header_of(leaf);
        let length = trees[header].path_length;
        let info = links[nodes_of(leaf) + trees[header].selected].y;
        let ongoing = link_outcome(info) == ONGOING && length > 0u;
        var state = follow_path(leaf, lane, length);
        clear_faults(lane);
        if lane == 0u {
            atomicStore(&sh_leader, leaf % LEAVES);
        }
        publish_positions();
        workgroupBarrier();
        seek_leader(leaf, lane);
        let turn = turn_at(leaf, max(length, 1u) - 1u);
        let count = list_legal_actions(leaf, max(length, 1u) - 1u, lane, &state, turn, ongoing);
        for (var word = lane; word < LEGAL_WORDS; word += TREE_LANES) {
            states[leaf * SELECTED_WORDS + POSITION_WORDS + word] = legal_word(word);
        }
        let faults = gathered_faults();
        if lane == 0u {
            store_selected(leaf, &state);
            trees[header].first_child = atomicLoad(&sh_leader);
            trees[header].expanded = count | select(0u, LEFT_OUT, PRUNING && count > 0u && own_left_out);
            trees[header].flags |= faults;
        }
    }
}
