// Lists the legal actions of the selected node and makes room for its children, all or none
// (SPEC, "One step", 2). One workgroup = one tree, one lane = a run of neighbouring actions, so that a prefix sum
// over lanes keeps the children in ascending order. Reads states; writes links, trees.

// Actions of one lane. The host keeps it at 32 at most: a lane's legal actions are bits of one word.
const LANE_ACTIONS: u32 = (MAX_ACTIONS + TREE_LANES - 1u) / TREE_LANES;

fn expand_1_tree(tree: u32, lane: u32) {
    let base = tree * params.capacity;
    let selected = trees[tree].selected;
    let info = links[base + selected].y;
    let first = trees[tree].size;
    var legal = 0u;
    if link_outcome(info) == ONGOING {
        legal = legal_actions_of_lane(tree, selected, lane);
    }
    // Every lane is past its reads of the header when the scan returns, so that lane 0 may rewrite it.
    let place = scan_counts(lane, countOneBits(legal));
    let count = place.y;
    let fits = count <= params.capacity - first;
    if fits {
        append_children(base + first + place.x, legal, lane);
    }
    if lane == 0u {
        record_expansion(tree, base + selected, info, first, count, fits);
    }
}

fn legal_actions_of_lane(tree: u32, node: u32, lane: u32) -> u32 {
    var state = load_state(tree, node);
    let turn = selected_turn(tree);
    var legal = 0u;
    for (var i = 0u; i < LANE_ACTIONS; i++) {
        let action = lane * LANE_ACTIONS + i;
        if action < MAX_ACTIONS && is_action_legal(&state, turn, action) {
            legal |= 1u << i;
        }
    }
    return legal;
}

fn append_children(first: u32, legal: u32, lane: u32) {
    var rest = legal;
    var child = first;
    while rest != 0u {
        links[child] = vec2<u32>(NO_CHILDREN, lane * LANE_ACTIONS + firstTrailingBit(rest));
        rest &= rest - 1u;
        child++;
    }
}

fn record_expansion(tree: u32, selected: u32, info: u32, first: u32, count: u32, fits: bool) {
    var header = trees[tree];
    header.expanded = 0u;
    header.drawn = 0u;
    if !fits {
        header.flags |= TREE_FULL;
    } else if count > 0u {
        header.first_child = first;
        header.expanded = count;
        header.size = first + count;
        header.max_depth = max(header.max_depth, header.path_length);
        let low = header.depth_sum.x + header.path_length * count;
        header.depth_sum = vec2<u32>(low, header.depth_sum.y + u32(low < header.depth_sum.x));
        links[selected] = vec2<u32>(first, info | (count << ACTION_BITS));
        if !ALL_CHILDREN {
            var stream: Rng = header.expansion_stream;
            header.drawn = rng_pick_child(&stream, count);
            header.expansion_stream = stream;
        }
    }
    trees[tree] = header;
}

@compute @workgroup_size(TREE_LANES)
fn expand_1(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees {
        expand_1_tree(tree, lane);
    }
}
