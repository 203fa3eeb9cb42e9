// Lists the actions of the selected node's children, and allots memory to these, all or none (specification, "One
// step", 2): the legal actions, without the less urgent ones where the search prunes.
//
// One workgroup = one tree, one lane = some actions.
// Reads trees, links, states; writes trees, links.

// Lists of the legal actions: one list, or, where the search prunes, one for each urgency.
const LEGAL_LISTS: u32 = select(1u, MAX_URGENCY + 1u, PRUNING);
// The lists have a bit for each action. Where actions are few and the search does not prune, every lane makes its own
// list.
const OWN_LISTS: bool = FEW && !PRUNING;

// Words of the lists of a tree.
const LIST_WORDS: u32 = LEGAL_LISTS * LEGAL_WORDS;

// [tree of the workgroup][list][word]
var<workgroup> sh_legal: array<atomic<u32>, TREES * LIST_WORDS>;
// [tree of the workgroup]: one bit for each list that is not empty.
var<workgroup> sh_urgencies: array<atomic<u32>, TREES>;
var<private> own_legal: u32;
// The offset of the list of actions that lead to children.
var<private> own_list: u32;
// Whether that list leaves out legal actions that might be better.
var<private> own_left_out: bool;

// Lists the actions that lead to children and returns their number, 0 where the game is over. `depth` is the
// position's.
fn list_legal_actions(tree: u32, depth: u32, lane: u32, state: ptr<function, State>, turn: u32, ongoing: bool) -> u32 {
    if OWN_LISTS {
        own_legal = 0u;
        for (var action = 0u; action < MAX_ACTIONS; action++) {
            let legal = ongoing && is_action_legal(state, turn, action) && !repeats(tree, depth, state, turn, action);
            own_legal |= u32(legal) << action;
        }
    } else {
        share_legal_actions(tree, depth, lane, state, turn, ongoing);
    }
    return legal_actions_below(32u * LEGAL_WORDS);
}

// Each lane lists some of the actions.
fn share_legal_actions(tree: u32, depth: u32, lane: u32, state: ptr<function, State>, turn: u32, ongoing: bool) {
    own_list = (tree % TREES) * LIST_WORDS;
    for (var word = lane; word < LIST_WORDS; word += TEAM) {
        atomicStore(&sh_legal[own_list + word], 0u);
    }
    if PRUNING && lane == 0u {
        atomicStore(&sh_urgencies[tree % TREES], 0u);
    }
    workgroupBarrier();
    if ongoing {
        for (var action = lane; action < MAX_ACTIONS; action += TEAM) {
            if is_action_legal(state, turn, action) && !repeats(tree, depth, state, turn, action) {
                enter_legal_action(tree, state, turn, action);
            }
        }
    }
    workgroupBarrier();
    if PRUNING {
        let urgencies = atomicLoad(&sh_urgencies[tree % TREES]);
        let most = firstLeadingBit(max(urgencies, 1u));
        own_list += most * LEGAL_WORDS;
        own_left_out = most < FORCING_URGENCY && urgencies != (1u << most);
    }
    if FEW {
        own_legal = atomicLoad(&sh_legal[own_list]);
    }
}

// Sets the bit of a legal action in its list.
fn enter_legal_action(tree: u32, state: ptr<function, State>, turn: u32, action: u32) {
    var urgency = 0u;
    if PRUNING {
        urgency = min(action_urgency(state, turn, action), MAX_URGENCY);
        atomicOr(&sh_urgencies[tree % TREES], 1u << urgency);
    }
    atomicOr(&sh_legal[own_list + urgency * LEGAL_WORDS + action / 32u], 1u << (action & 31u));
}

fn legal_word(word: u32) -> u32 {
    if FEW {
        return own_legal;
    }
    return atomicLoad(&sh_legal[own_list + word]);
}

fn is_listed(action: u32) -> bool {
    return ((legal_word(action / 32u) >> (action & 31u)) & 1u) == 1u;
}

// The number of listed actions smaller than `action`: the ordinal of its child.
fn legal_actions_below(action: u32) -> u32 {
    var count = 0u;
    for (var word = 0u; word < LEGAL_WORDS; word++) {
        let listed = legal_word(word);
        if action >= 32u * word + 32u {
            count += countOneBits(listed);
        } else if action > 32u * word {
            count += countOneBits(listed & ((1u << (action - 32u * word)) - 1u));
        }
    }
    return count;
}

// Adds `count` nodes of this depth to the header's sums.
fn note_depths(header: ptr<function, Tree>, depth: u32, count: u32) {
    (*header).max_depth = max((*header).max_depth, depth);
    let low = (*header).depth_sum.x + depth * count;
    (*header).depth_sum = vec2<u32>(low, (*header).depth_sum.y + u32(low < (*header).depth_sum.x));
}

// Writes the children of the selected node into the tree's header, of which every lane holds a copy.
fn expand_header(header: ptr<function, Tree>, count: u32) {
    if root_is_proven((*header).flags) {
        return;
    }
    (*header).expanded = 0u;
    (*header).drawn = 0u;
    let first = (*header).size;
    if count > params.capacity - first {
        (*header).flags |= TREE_FULL;
    } else if count > 0u && (*header).path_length > MAX_PLIES {
        (*header).flags |= FAULT_TOO_LONG;
    } else if count > 0u {
        let depth = (*header).path_length;
        (*header).first_child = first;
        (*header).expanded = count;
        (*header).size = first + count;
        note_depths(header, depth, count);
        if !ALL_CHILDREN {
            var stream: Rng = (*header).expansion_stream;
            (*header).drawn = rng_pick_child(&stream, count);
            (*header).expansion_stream = stream;
        }
    }
}

// Writes the children into the selected node's link. Returns its info word.
fn link_children(selected: u32, info: u32, header: ptr<function, Tree>) -> u32 {
    if (*header).expanded == 0u {
        return info;
    }
    let left_out = select(0u, LEFT_OUT, PRUNING && own_left_out);
    let parent = info | ((*header).expanded << ACTION_BITS) | left_out;
    links[selected].x = (*header).first_child;
    links[selected].y = parent;
    return parent;
}

@compute @workgroup_size(TREE_LANES)
fn expand_1(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees {
        let base = tree * params.capacity;
        var header = trees[tree];
        let selected = base + header.selected;
        let info = links[selected].y;
        var state = load_selected(tree);
        let is_done = root_is_proven(header.flags);
        let ongoing = link_outcome(info) == ONGOING && !is_done;
        let count = list_legal_actions(tree, header.path_length - 1u, lane, &state, selected_turn(tree), ongoing);
        clear_faults(lane);
        workgroupBarrier();
        expand_header(&header, count);
        for (var action = lane; action < MAX_ACTIONS; action += TREE_LANES) {
            if !is_done && header.expanded > 0u && is_listed(action) {
                let child = base + header.first_child + legal_actions_below(action);
                links[child] = vec2<u32>(NO_CHILDREN, action);
            }
        }
        header.flags |= gathered_faults();
        if lane == 0u && !is_done {
            _ = link_children(selected, info, &header);
            trees[tree] = header;
        }
    }
}
