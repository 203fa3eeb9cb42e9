// Superko: the keys of all positions of the game up to the selected node's. Those before the root follow its record in
// `roots`: their number, then two words for each. Those of the path follow the selected node's position in `states`, by
// depth.

// Called by all lanes of a workgroup, with the position of a node of the path.
fn record_position(leaf: u32, depth: u32, lane: u32, state: ptr<function, State>) {
    if lane == 0u {
        let key = position_key(state);
        let at = leaf * SELECTED_WORDS + STATE_WORDS + 2u * depth;
        states[at] = key.x;
        states[at + 1u] = key.y;
    }
}

// Makes lane 0's records visible to all lanes, once the path is complete.
fn publish_positions() {
    storageBarrier();
}

// Whether this action repeats a position of the game. The position at `depth` is the last one of the path.
fn repeats(leaf: u32, depth: u32, state: ptr<function, State>, turn: u32, action: u32) -> bool {
    if may_repeat(action) {
        return false;
    }
    var next = *state;
    take_action(&next, turn, action);
    let key = position_key(&next);
    let earlier = leaf / LEAVES * ROOT_WORDS + ROOT_HEADER + STATE_WORDS;
    for (var i = 0u; i < roots[earlier]; i++) {
        if key.x == roots[earlier + 1u + 2u * i] && key.y == roots[earlier + 2u + 2u * i] {
            return true;
        }
    }
    let path = leaf * SELECTED_WORDS + STATE_WORDS;
    for (var i = 0u; i <= depth; i++) {
        if key.x == states[path + 2u * i] && key.y == states[path + 2u * i + 1u] {
            return true;
        }
    }
    return false;
}
