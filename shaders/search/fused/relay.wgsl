// The fused schedule where a step plays out all of a few children, which are too many games for one workgroup: one
// dispatch a step. No workgroup can wait for another one. So each of a tree's workgroups begins a dispatch by settling
// the last step, from the notes of the dispatch before, and by finding the leaf of the next one (relay_settle.wgsl).
// Then most of them play, and one updates the tree. A dispatch (a line is a barrier):
//
//     workgroups that play                     the update workgroup
//     all lanes: the sums of the wins; lane k: the best child at level k of the path
//     ------------------------------------------------------------------------------------------------------
//     all lanes: the leaf of the next selection, its legal actions
//                                              the wins and the best children enter the tree
//                                              -------------------------------------------------------------
//     a game each                              lane k: the best rival at level k; the last lanes: the new children
//                                              -------------------------------------------------------------
//                                              all lanes: proofs from new children that end the game (prove.wgsl)
//     the wins, to the next notes              lane k: the lookahead path from the rival, unless it is still valid
//
// `relay_begin` makes the notes of a submission's first dispatch, and `relay_end` settles its last step.
//
// One workgroup = the update of a tree, one lane = a level of its path, or an action; or one workgroup = some games of
// a tree, one lane = a game. Reads and writes the buffers of a step's stages; reads notes, writes next_notes; the
// update workgroup reads and writes lookahead_paths.

// Workgroups that play a tree's games.
const RELAY_GROUPS: u32 = (MAX_ACTIONS * PLAYOUTS + GROUP_GAMES - 1u) / GROUP_GAMES;
// The last MAX_ACTIONS lanes have an action each.
const FIRST_ACTION_LANE: u32 = TREE_LANES - MAX_ACTIONS;

// Actions whose new children end the game, one bit each.
var<workgroup> sh_ended_actions: atomic<u32>;

// The node at a depth of the path to the next leaf, except for the leaf itself, unless the path of the last step ends
// there.
fn place_on_path(tree: u32, depth: u32, start: Departure) -> Place {
    if depth <= start.level {
        return notes[tree].path[depth];
    }
    return lookahead_paths[tree].places[start.level * PATH_CAPACITY + depth];
}

// The same for every depth, the leaf's included.
fn place_or_leaf(depth: u32, start: Departure, place: Place, leaf: LeafNotes) -> Place {
    if depth > start.level && depth == leaf.depth {
        return Place(leaf.node, NO_CHILDREN, leaf.info, leaf.state);
    }
    return place;
}

// The index of the stream of a lane's game.
fn relay_stream(tree: u32, lane: u32, share: u32) -> u32 {
    let id = min(share * GROUP_GAMES + lane, STREAM_SETS * PLAYOUTS - 1u);
    return tree * STREAM_SETS * PLAYOUTS + id;
}

// Plays a share of the games of a step's new children, or of its leaf where there are none. `own` is the lane's stream
// at the start of the dispatch.
fn relay_games(tree: u32, lane: u32, share: u32, leaf: LeafNotes, own: Rng, header: ptr<function, Tree>) {
    let id = share * GROUP_GAMES + lane;
    let action = id / PLAYOUTS;
    let expands = (*header).expanded > 0u;
    var live = action == 0u;
    var state = leaf.state;
    var turn = turn_of((*header).flags, leaf.depth);
    var outcome = link_outcome(leaf.info);
    if expands {
        live = action < MAX_ACTIONS && is_listed(action);
        if live {
            take_action(&state, turn, action);
            turn = 1u - turn;
            outcome = checked_outcome(compute_outcome(&state, turn, action));
        }
    }
    // A finished game is not played: its outcome counts for every lane.
    if !live {
        outcome = DRAW;
    }
    var points = points_word(outcome);
    if outcome == ONGOING {
        var rng = own;
        points = points_word(play(&state, turn, &rng, lane));
        streams[relay_stream(tree, lane, share)] = rng;
    }
    let sum = reduce_tally(lane, points);
    if live && (lane & (TALLY_LANES - 1u)) == 0u {
        let place = action * PARTS + (id % PLAYOUTS) / PART_GAMES;
        next_notes[tree].tallies[place] = vec2<u32>(sum & 0xffffu, sum >> 16u);
    }
    if live {
        note_faults(tree);
    }
}

// Appends the lane's new child, and notes it as a possible leaf of the next step. Where the leaf has no children, it is
// itself the next leaf if the selection stays on the path.
fn append_and_note(tree: u32, lane: u32, leaf: LeafNotes, header: ptr<function, Tree>) {
    let action = lane - FIRST_ACTION_LANE;
    if lane < FIRST_ACTION_LANE {
        return;
    }
    if (*header).expanded == 0u {
        if action == 0u {
            next_notes[tree].leaves[PATH_CAPACITY] = leaf;
        }
    } else if is_listed(action) {
        let turn = turn_of((*header).flags, leaf.depth);
        let ordinal = legal_actions_below(action);
        let node = (*header).first_child + ordinal;
        var state = leaf.state;
        take_action(&state, turn, action);
        let known = known_of(&state, 1u - turn, action);
        let info = action | (known_outcome(known) << OUTCOME_SHIFT);
        links[tree * params.capacity + node] = vec2<u32>(NO_CHILDREN, info);
        stats[tree * params.capacity + node] = new_stats(known);
        next_notes[tree].leaves[PATH_CAPACITY + action] = LeafNotes(node, leaf.depth + 1u, info, state);
        note_end(known, turn, action, ordinal);
        if PROVES && known != ONGOING {
            atomicOr(&sh_ended_actions, 1u << action);
        }
    }
}

// The part of the backup of the lane's level that does not depend on the results. `below` is the path's next node.
fn prepare_level(tree: u32, lane: u32, place: ptr<function, Place>, below: Place, leaf: LeafNotes,
    header: ptr<function, Tree>) -> OnPath {
    let base = tree * params.capacity;
    let index = base + (*place).node;
    var next = below.node;
    if lane == leaf.depth {
        next = NO_NEXT;
        if (*header).expanded > 0u {
            (*place).first = (*header).first_child;
            (*place).info = link_children(index, (*place).info, header);
        }
    }
    let n = PLAYOUTS * max((*header).expanded, 1u);
    var mine = prepare_loaded(base, index, vec2<u32>((*place).first, (*place).info), stats[index], next, n);
    if next == NO_NEXT || is_proven(mine.counts) {
        mine.rivals.approx = NO_CHILD;
    }
    mine.rivals.action = link_action(below.info);
    return mine;
}

// Backs up the proofs from new children that end the game. All lanes must call this together; has barriers.
fn prove_step(tree: u32, lane: u32, leaf: LeafNotes, mine: ptr<function, OnPath>, place: ptr<function, Place>,
    header: ptr<function, Tree>) -> Proved {
    let ends = noted_ends();
    // The lane above the leaf knows whether a new child that wins proves the leaf and nothing else.
    if lane == max(leaf.depth, 1u) - 1u {
        let is_quick = ends >= WON && leaf.depth > 0u && has_plain_rival((*mine).rivals);
        sh_end = ((leaf.depth + 1u) << 1u) | u32(ends != 0u && !is_quick);
    }
    let end = workgroupUniformLoad(&sh_end);
    if (end & 1u) == 0u {
        if lane == leaf.depth && ends >= WON {
            let mover = turn_of((*header).flags, leaf.depth);
            (*mine).counts.y |= won_mark(ends);
            (*place).info = proven_info((*place).info, wins(mover), won_ordinal(ends));
        }
        return Proved(leaf.depth + 1u, false);
    }
    let proved = prove_tree(tree, lane, end >> 1u);
    if lane >= proved.unchanged && lane <= leaf.depth {
        (*mine).counts = stats[(*mine).index];
        if is_proven((*mine).counts) {
            fix_proven(mine, place, lane == leaf.depth);
        } else if lane < leaf.depth {
            find_rivals_anew(tree, mine, *place, header);
        }
    }
    return proved;
}

// A node of the path that is proven now chooses the child that decided the proof, whatever the results of the games.
fn fix_proven(mine: ptr<function, OnPath>, place: ptr<function, Place>, is_leaf: bool) {
    (*place).info = links[(*mine).index].y;
    let best = link_best((*place).info);
    if !is_leaf {
        (*mine).rivals.rival = best;
        (*mine).rivals.approx = select(UCB_UNVISITED, NO_CHILD, best == (*mine).rivals.child);
    }
}

// Finds the rivals of a half-proven node of the path, above the leaf, anew: fewer of its children may be open.
fn find_rivals_anew(tree: u32, mine: ptr<function, OnPath>, place: Place, header: ptr<function, Tree>) {
    let base = tree * params.capacity;
    let known = (*mine).rivals;
    let next = known.first - base + known.child;
    let link = vec2<u32>(place.first, place.info);
    let n = PLAYOUTS * max((*header).expanded, 1u);
    *mine = prepare_loaded(base, (*mine).index, link, (*mine).counts, next, n);
    (*mine).rivals.action = known.action;
}

// Notes a level, and the leaf that the next selection reaches if it departs from the path there.
fn note_level(tree: u32, lane: u32, start: Departure, mine: OnPath, place: Place, mover: u32) {
    let rivals = mine.rivals;
    var level = LevelNotes(mine.counts, rivals.rival_counts, place.node, place.info, rivals.child, rivals.rival,
        rivals.approx, start.is_first);
    if has_rival(rivals) {
        if rivals.rival == start.noted {
            next_notes[tree].leaves[lane] = noted_leaf(tree, lane);
        } else {
            level.is_first = note_lookahead_path(tree, lane, rivals, place, mover);
        }
    }
    next_notes[tree].levels[lane] = level;
    next_notes[tree].path[lane] = place;
}

// Stores the lookahead path from a level's rival to a leaf. Returns 1 if the path's child precedes the rival in the
// order of ties.
fn note_lookahead_path(tree: u32, lane: u32, rivals: Rivals, place: Place, mover: u32) -> u32 {
    let base = tree * params.capacity;
    var state = place.state;
    var node = rivals.first - base + rivals.rival;
    var link = links[base + node];
    let is_first = reverseBits(rivals.action) < reverseBits(link_action(link.y));
    var depth = lane + 1u;
    var turn = mover;
    while link.x != NO_CHILDREN {
        // Loaded early: the position is computed meanwhile.
        let next = link.x + link_best(link.y);
        let next_link = links[base + next];
        take_action(&state, turn, link_action(link.y));
        lookahead_paths[tree].places[lane * PATH_CAPACITY + depth] = Place(node, link.x, link.y, state);
        turn = 1u - turn;
        depth++;
        node = next;
        link = next_link;
    }
    take_action(&state, turn, link_action(link.y));
    next_notes[tree].leaves[lane] = LeafNotes(node, depth, link.y, state);
    return u32(is_first);
}

// The selected node's next choice, where its children's proofs determine it; else NO_ACTION.
fn fixed_choice(mine: OnPath, info: u32, open: u32, header: ptr<function, Tree>) -> u32 {
    if (*header).expanded > 0u && (open == 0u || is_proven(mine.counts)) {
        return legal_action(link_best(info));
    }
    return NO_ACTION;
}

// The update workgroup's part of a step: its new children, and the part of the backup that does not depend on the
// results. `own` is the lane's node of the path, and `below` the next one.
fn update_tree(tree: u32, lane: u32, start: Departure, leaf: LeafNotes, own: Place, below: Place,
    header: ptr<function, Tree>) {
    clear_ends(lane);
    if lane == 0u {
        atomicStore(&sh_ended_actions, 0u);
    }
    storageBarrier();
    workgroupBarrier();
    append_and_note(tree, lane, leaf, header);
    var mine = OnPath();
    var place = own;
    if lane <= leaf.depth {
        sh_path[lane] = place.node;
        mine = prepare_level(tree, lane, &place, below, leaf, header);
    }
    var proved = Proved(leaf.depth + 1u, false);
    if PROVES {
        workgroupBarrier();
        proved = prove_step(tree, lane, leaf, &mine, &place, header);
    }
    if lane <= leaf.depth {
        note_level(tree, lane, start, mine, place, turn_of((*header).flags, lane));
    }
    if lane == leaf.depth {
        var listed = 0u;
        if (*header).expanded > 0u {
            listed = legal_word(0u);
        }
        let open = listed & ~atomicLoad(&sh_ended_actions);
        next_notes[tree].header = *header;
        next_notes[tree].phase = UNDER_WAY;
        next_notes[tree].listed = listed;
        next_notes[tree].open = open;
        next_notes[tree].choice = fixed_choice(mine, place.info, open, header);
        next_notes[tree].proves_root = u32(proved.of_root);
    }
    note_faults(tree);
}

// Copies the notes that relay_end needs of a tree that makes no more steps.
fn carry_notes(tree: u32, lane: u32, phase: u32, header: ptr<function, Tree>) {
    if lane < PATH_CAPACITY {
        next_notes[tree].path[lane] = notes[tree].path[lane];
    }
    if lane == 0u {
        next_notes[tree].header = *header;
        next_notes[tree].phase = max(phase, DONE);
        next_notes[tree].proves_root = 0u;
    }
}

@compute @workgroup_size(TREE_LANES)
fn relay(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let number = flat_group(group);
    let updates = number < params.n_trees;
    let player = number - params.n_trees;
    let tree = select(player / RELAY_GROUPS, number, updates);
    let share = select(player % RELAY_GROUPS, 0u, updates);
    if tree < params.n_trees {
        var header = notes[tree].header;
        let phase = notes[tree].phase;
        let is_done = phase >= DONE || notes[tree].proves_root != 0u;
        // Loaded early, to be there when the games begin.
        var rng = Rng();
        if !updates {
            rng = streams[relay_stream(tree, lane, share)];
        }
        let start = settle_step(tree, lane, updates, &header);
        if !is_done {
            let leaf = noted_leaf(tree, start.leaf);
            var own = Place();
            var below = Place();
            if updates && lane < PATH_CAPACITY {
                own = place_on_path(tree, lane, start);
                below = place_on_path(tree, min(lane + 1u, PATH_CAPACITY - 1u), start);
            }
            header.selected = leaf.node;
            header.path_length = leaf.depth + 1u;
            var state = leaf.state;
            let ongoing = link_outcome(leaf.info) == ONGOING;
            let turn = turn_of(header.flags, leaf.depth);
            expand_header(&header, list_legal_actions(tree, leaf.depth, lane, &state, turn, ongoing));
            if updates {
                own = place_or_leaf(lane, start, own, leaf);
                below = place_or_leaf(lane + 1u, start, below, leaf);
                update_tree(tree, lane, start, leaf, own, below, &header);
            } else {
                relay_games(tree, lane, share, leaf, rng, &header);
            }
        } else if updates {
            carry_notes(tree, lane, phase, &header);
        }
    }
}

// Makes the notes of a tree that has a leaf and no step under way.
@compute @workgroup_size(TREE_LANES)
fn relay_begin(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees && lane == 0u {
        let base = tree * params.capacity;
        let header = trees[tree];
        var turn = turn_of(header.flags, 0u);
        var state = load_root(tree);
        var node = ROOT;
        var link = links[base + ROOT];
        var depth = 0u;
        while link.x != NO_CHILDREN {
            next_notes[tree].path[depth] = Place(node, link.x, link.y, state);
            node = link.x + link_best(link.y);
            link = links[base + node];
            take_action(&state, turn, link_action(link.y));
            turn = 1u - turn;
            depth++;
        }
        next_notes[tree].path[depth] = Place(node, link.x, link.y, state);
        next_notes[tree].leaves[PATH_CAPACITY] = LeafNotes(node, depth, link.y, state);
        next_notes[tree].header = header;
        next_notes[tree].phase = select(BEGUN, DONE_BEFORE, root_is_proven(header.flags));
        next_notes[tree].proves_root = 0u;
    }
}

// Settles the last step of a submission, and leaves the tree as every other schedule does.
@compute @workgroup_size(TREE_LANES)
fn relay_end(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees && notes[tree].phase != DONE_BEFORE {
        var header = notes[tree].header;
        _ = settle_step(tree, lane, true, &header);
        if lane < header.path_length {
            paths[tree * PATH_WORDS + lane] = notes[tree].path[lane].node;
        }
        if lane == 0u {
            header.flags |= trees[tree].flags & FAULTS;
            trees[tree] = header;
            var state = notes[tree].path[header.path_length - 1u].state;
            store_selected(tree, &state);
        }
    }
}
