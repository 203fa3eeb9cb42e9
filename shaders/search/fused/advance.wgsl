// The fused schedule where a step has more games than suit one workgroup: the stages of a tree in one dispatch, its
// playouts spread over many workgroups in the next. `advance` backs the last step's playouts up and goes on to the next
// step's selection and expansion; `descend` is the first half for the first step of a submission, `backup` the last.
//
// One workgroup = one tree, one lane = some of its children, or some nodes of its path. Reads and writes the buffers of
// those stages.

// Backs up the playouts of a step and chooses along the path: backup_1 and backup_2 in one. New children have no counts
// yet, so that theirs need no load.
fn backup_tree(tree: u32, lane: u32, header: ptr<function, Tree>) {
    let length = step_path_length(header);
    var ended = ((*header).flags & TREE_ENDED) != 0u;
    if FEW {
        ended = !backup_few(tree, lane, header) && ended;
    } else {
        backup_many(tree, lane, header);
    }
    let path = uniform_notes(lane == select(0u, length - 2u, serves_parent(length)), length, ended);
    // Levels whose choices were not made above.
    var start = select(0u, min(TREE_LANES, select(path.length - 1u, TREE_LANES, wins_decide())), FEW);
    var proved = Proved(path.length, false);
    if path.ended {
        proved = prove_tree(tree, lane, path.length);
        start = min(start, first_choice(proved));
    }
    if start < path.length {
        storageBarrier();
        choose_tree(tree, lane, start, path.length);
    }
    if path.length > 0u {
        let flags = (*header).flags & ~(TREE_WON | TREE_WON_NOTES | TREE_WON_ORDINAL);
        (*header).flags = flags_after(flags, proved.of_root);
    }
}

// Whether a path of this length has a node above the selected one, and both have a lane.
fn serves_parent(length: u32) -> bool {
    return FEW && length - 2u < TREE_LANES - 1u;
}

// Flags of a tree between the two halves of a step, where children are few. TREE_WON: a child that the step has
// appended wins for the selected node's player to move. Below it the fewest plies of these wins, and that child's
// ordinal, as note_end has noted them, without the tie-break, whose bits have other flags.
const TREE_WON: u32 = WON;
const TREE_WON_NOTES: u32 = MOST_PLIES << WON_PLIES_SHIFT;
const TREE_WON_ORDINAL: u32 = 0x000f0000u;
const TREE_WON_SHIFT: u32 = 16u;

// The flags for the notes of note_end.
fn flags_of_ends(ends: u32) -> u32 {
    let won = (ends & (TREE_WON | TREE_WON_NOTES)) | (won_ordinal(ends) << TREE_WON_SHIFT);
    return select(0u, TREE_ENDED, ends != 0u) | select(0u, won, FEW && ends >= WON);
}

// The path length of the step to be backed up; 0 where the root was proven before it.
fn step_path_length(header: ptr<function, Tree>) -> u32 {
    return select((*header).path_length, 0u, root_is_proven((*header).flags));
}

// The number of nodes that this step has played out.
fn step_nodes(header: ptr<function, Tree>) -> u32 {
    let nodes = select(1u, max((*header).expanded, 1u), ALL_CHILDREN);
    return select(nodes, 0u, root_is_proven((*header).flags));
}

// The mark of a child that this step has appended; it is in memory already, and few steps have any.
fn mark_of_new(child: u32, flags: u32) -> u32 {
    if PROVES && (flags & TREE_ENDED) != 0u {
        return stats[child].y;
    }
    return 0u;
}

// With few children every lane reads all tallies, while the nodes of the path and their children are being loaded.
// Returns, in the lane of the node above the selected one, whether enter_win has done all that follows from a win.
fn backup_few(tree: u32, lane: u32, header: ptr<function, Tree>) -> bool {
    let base = tree * params.capacity;
    let length = step_path_length(header);
    let nodes = step_nodes(header);
    var won: array<vec2<u32>, FEW_CHILDREN>;
    for (var i = 0u; i < FEW_CHILDREN; i++) {
        if i < nodes {
            won[i] = load_tally(tree, i);
        }
    }
    let plays = nodes > 0u && lane < (*header).expanded && (ALL_CHILDREN || lane == (*header).drawn);
    let child = base + (*header).first_child + lane;
    let mark = mark_of_new(child, select(0u, (*header).flags, plays));
    var mine = OnPath();
    for (var depth = lane; depth < length; depth += TREE_LANES) {
        let node = note_path_node(tree, depth);
        var next = NO_NEXT;
        if depth + 1u < length {
            next = paths[tree * PATH_WORDS + depth + 1u];
        }
        let other = prepare_node(base, node, next, PLAYOUTS * nodes);
        publish_counts(depth, other.counts, other.info);
        if depth == lane {
            mine = other;
        }
    }
    workgroupBarrier();
    take_child_counts(&mine, lane + 1u);
    let wins_at_once = enter_win_of_new(&mine, lane, length, (*header).flags);
    let tally = sum_of(&won);
    if nodes > 0u {
        (*header).tally = tally;
    }
    var children = counts_of_new(&won, header);
    if plays {
        stats[child] = few_at(&children, lane) | vec4<u32>(0u, mark, 0u, 0u);
    }
    for (var depth = lane; depth < length; depth += TREE_LANES) {
        let wins = select(tally, tally.yx, turn_of((*header).flags, depth) == FIRST);
        if depth == lane {
            _ = back_up_node(mine, PLAYOUTS * nodes, wins.x, wins.y);
        } else {
            add_stats(base + path_node(tree, depth), PLAYOUTS * nodes, wins.x);
        }
    }
    if lane + 1u == length && (*header).expanded > 0u && !wins_at_once {
        choose_new(mine, base + (*header).first_child, (*header).expanded, &children);
    }
    return wins_at_once && has_plain_rival(mine.rivals);
}

fn sum_of(won: ptr<function, array<vec2<u32>, FEW_CHILDREN>>) -> vec2<u32> {
    var sum = vec2<u32>(0u);
    for (var i = 0u; i < FEW_CHILDREN; i++) {
        sum += (*won)[i];
    }
    return sum;
}

// Calls enter_win if a new child wins; returns whether one does.
fn enter_win_of_new(mine: ptr<function, OnPath>, lane: u32, length: u32, flags: u32) -> bool {
    let wins_at_once = PROVES && serves_parent(length) && (flags & TREE_WON) != 0u;
    if wins_at_once {
        let ends = (flags & (TREE_WON | TREE_WON_NOTES)) | ((flags & TREE_WON_ORDINAL) >> TREE_WON_SHIFT);
        enter_win(mine, length - 1u - lane, turn_of(flags, length - 1u), ends);
    }
    return wins_at_once;
}

// Makes the selected node's choice among its new children.
fn choose_new(mine: OnPath, first: u32, count: u32, children: ptr<function, FewCounts>) {
    var best = most_wins(count, children);
    if (best & (best - 1u)) != 0u {
        best = 1u << first_action(first, best);
    }
    note_best(mine.index, mine.info, firstTrailingBit(best));
}

// Whether the number of wins alone orders the new children, which have PLAYOUTS visits each. The general choice gives
// the same child, but takes a quarter of this kernel's compile time. One win more adds 1 / n to the bound, which is at
// most 1 + 6.1 C / sqrt n, as ln N is at most 53 ln 2. Neighbouring float32 numbers are at most 2^-23 of themselves
// apart. So the bounds of different wins stay different where n + 6.1 C sqrt n is well below 2^23: for n up to 2^16 and
// C up to 2^12.
fn wins_decide() -> bool {
    return PLAYOUTS <= 0x10000u && bitcast<f32>(ucb_c_bits()) <= 4096.0;
}

// Of the new children, one bit each: those never visited, or else those with the most wins.
fn most_wins(count: u32, children: ptr<function, FewCounts>) -> u32 {
    var most = 0u;
    var best = 0u;
    for (var i = 0u; i < FEW_CHILDREN; i++) {
        let wins = select((*children)[i].z, 0xffffffffu, (*children)[i].x == 0u);
        if i < count && wins >= most {
            best = select(best, 0u, wins > most) | (1u << i);
            most = wins;
        }
    }
    return best;
}

// The counts of the new children. OCP has played out one of them.
fn counts_of_new(won: ptr<function, array<vec2<u32>, FEW_CHILDREN>>, header: ptr<function, Tree>) -> FewCounts {
    let turn = turn_of((*header).flags, (*header).path_length - 1u);
    var counts: FewCounts;
    for (var i = 0u; i < FEW_CHILDREN; i++) {
        let its = select((*won)[0], (*won)[i], ALL_CHILDREN);
        let played = ALL_CHILDREN || i == (*header).drawn;
        counts[i] = select(vec4<u32>(0u), vec4<u32>(PLAYOUTS, 0u, select(its.x, its.y, turn == SECOND), 0u), played);
    }
    return counts;
}

// With many children a lane has some of them; the nodes of the path are loaded while the tallies are summed.
fn backup_many(tree: u32, lane: u32, header: ptr<function, Tree>) {
    let base = tree * params.capacity;
    let length = step_path_length(header);
    let nodes = step_nodes(header);
    let turn = turn_of((*header).flags, (*header).path_length - 1u);
    var node = 0u;
    var counts = vec4<u32>(0u);
    if lane < length {
        node = note_path_node(tree, lane);
        counts = stats[base + node];
    }
    var mine = vec2<u32>(0u);
    for (var ordinal = lane; ordinal < nodes; ordinal += TREE_LANES) {
        let tally = load_tally(tree, ordinal);
        mine += tally;
        if (*header).expanded > 0u {
            let child = base + (*header).first_child + select((*header).drawn, ordinal, ALL_CHILDREN);
            stats[child] = vec4<u32>(PLAYOUTS, mark_of_new(child, (*header).flags), tally[turn], 0u);
        }
    }
    let sum = reduce_sum(lane, vec4<u32>(mine.x, 0u, mine.y, 0u));
    if nodes > 0u {
        (*header).tally = sum.xz;
    }
    for (var depth = lane; depth < length; depth += TREE_LANES) {
        if depth != lane {
            node = note_path_node(tree, depth);
            counts = stats[base + node];
        }
        let mover = 1u - turn_of((*header).flags, depth);
        stats[base + node] = sum_combine(counts, vec4<u32>(PLAYOUTS * nodes, 0u, (*header).tally[mover], 0u));
    }
}

fn descend_tree(tree: u32, lane: u32, header: ptr<function, Tree>) {
    let base = tree * params.capacity;
    var state: State;
    let leaf = select_tree(tree, lane, &state);
    publish_positions();
    let is_done = root_is_proven((*header).flags);
    if !is_done {
        (*header).selected = leaf.node;
        (*header).path_length = leaf.depth + 1u;
    }
    let ongoing = link_outcome(leaf.link.y) == ONGOING && !is_done;
    let count = list_legal_actions(tree, leaf.depth, lane, &state, leaf.turn, ongoing);
    clear_faults(lane);
    clear_ends(lane);
    store_path(tree, lane, select(leaf.depth + 1u, 0u, is_done));
    expand_header(header, count);
    for (var action = lane; action < MAX_ACTIONS; action += TREE_LANES) {
        if !is_done && (*header).expanded > 0u && is_listed(action) {
            let ordinal = legal_actions_below(action);
            let child = base + (*header).first_child + ordinal;
            let known = append_child(child, &state, leaf.turn, action);
            stats[child] = new_stats(known);
            note_end(known, leaf.turn, action, ordinal);
        }
    }
    (*header).flags |= gathered_faults();
    (*header).flags |= flags_of_ends(noted_ends());
    if lane == 0u {
        trees[tree] = *header;
        if !is_done {
            _ = link_children(base + leaf.node, leaf.link.y, header);
            store_selected(tree, &state);
        }
    }
}

@compute @workgroup_size(TREE_LANES)
fn descend(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees {
        var header = trees[tree];
        descend_tree(tree, lane, &header);
    }
}

@compute @workgroup_size(TREE_LANES)
fn advance(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees {
        var header = trees[tree];
        backup_tree(tree, lane, &header);
        storageBarrier();
        workgroupBarrier();
        descend_tree(tree, lane, &header);
    }
}

@compute @workgroup_size(TREE_LANES)
fn backup(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees {
        var header = trees[tree];
        backup_tree(tree, lane, &header);
        if lane == 0u {
            trees[tree].tally = header.tally;
            trees[tree].flags = header.flags;
        }
    }
}
