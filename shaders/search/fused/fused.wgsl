// The fused schedule where a step plays out one child of a tree (OCP): whole steps in a loop inside one dispatch, the
// stages as functions with barriers between them. Where a step has more games than suit one workgroup, advance.wgsl
// takes the place of this file. All memory traffic of a tree stays within its workgroup, so that barriers suffice.
// Every lane keeps the tree's header, the selected position and its random stream in registers. Composed with
// TREE_LANES >= PLAYOUTS.
//
// The last lanes of a workgroup are its update lanes: while the other lanes play, they do the work that does not depend
// on the results. Child lanes append the new children; path lanes update the nodes of the path, one lane a level. Where
// the adapter's workgroups are wide enough, update lanes play no games. A step (a line is a barrier):
//
//     lanes 0 to PLAYOUTS - 1    child lanes               path lanes
//     all lanes: the leaf, its legal actions, the child that is drawn
//     ------------------------------------------------------------------------------------------------------
//     a game each                the new children          the rival at each level, and the next selection
//                                                          if the rival becomes the best child (ahead.wgsl)
//     ------------------------------------------------------------------------------------------------------
//     the wins of all games are summed
//     ------------------------------------------------------------------------------------------------------
//     lane 0: the drawn child                              the wins along the path, its best children; where a new
//                                                          child wins, the usual proof (enter_win)
//     ------------------------------------------------------------------------------------------------------
//     all lanes, where a new child ends the game and enter_win does not suffice: prove.wgsl
//
// Where children are many, the same lanes are child lanes and path lanes.
//
// One workgroup = one tree, one lane = one game of a step, or an update lane.
// Reads and writes the buffers of a step's stages.

// There are UPDATE_GROUP child lanes, each of which has every UPDATE_GROUP-th action, and UPDATE_GROUP path lanes, each
// of which has a level, and every UPDATE_GROUP-th level below it. Where children are few, the two groups are different
// lanes, and the path lanes look ahead (ahead.wgsl). Otherwise one group does both.
const UPDATE_LANES: u32 = select(UPDATE_GROUP, 2u * UPDATE_GROUP, FEW);
const FIRST_CHILD_LANE: u32 = TREE_LANES - UPDATE_LANES;
const FIRST_PATH_LANE: u32 = TREE_LANES - UPDATE_GROUP;

// Lanes whose points one lane sums in the first round.
const PART_LANES: u32 = min(PLAYOUTS, 8u);

// Points by lane and by part: the first player's in the low half of a word, the second player's in the high half.
var<workgroup> sh_lane_points: array<u32, TREE_LANES>;
var<workgroup> sh_part_points: array<u32, PLAYOUTS / PART_LANES>;
// The work left at the end of a step: the length of the path, times two, plus 1 where proofs have to be backed up; 0
// where no work is left. Before the first step END_LOOP or 0.
var<workgroup> sh_end: u32;
// Flags that end_step returns to the loop.
const END_GAME: u32 = 1u;
const END_LOOP: u32 = 2u;

// Points of the first and of the second player over all lanes. Two rounds of a few words each take less time than a
// tree of barriers, and much less than atomics on one word.
fn sum_points(lane: u32, points: u32) -> vec2<u32> {
    sh_lane_points[lane] = points;
    workgroupBarrier();
    if lane < PLAYOUTS / PART_LANES {
        var part = 0u;
        for (var i = 0u; i < PART_LANES; i++) {
            part += sh_lane_points[lane * PART_LANES + i];
        }
        sh_part_points[lane] = part;
    }
    workgroupBarrier();
    var sum = 0u;
    for (var part = 0u; part < PLAYOUTS / PART_LANES; part++) {
        sum += sh_part_points[part];
    }
    return vec2<u32>(sum & 0xffffu, sum >> 16u);
}

// The player to move and the outcome at the start of a step's games.
struct Beginning {
    turn: u32,
    outcome: u32,
}

// Moves the position from the leaf to the drawn child; leaves it unchanged where nothing was expanded.
fn begin_games(leaf: Leaf, state: ptr<function, State>, header: ptr<function, Tree>) -> Beginning {
    if (*header).expanded == 0u {
        return Beginning(leaf.turn, link_outcome(leaf.link.y));
    }
    let action = legal_action((*header).drawn);
    take_action(state, leaf.turn, action);
    let turn = 1u - leaf.turn;
    return Beginning(turn, checked_outcome(compute_outcome(state, turn, action)));
}

// Plays one game from the drawn child, or from the selected node where nothing was expanded. Returns its points.
fn play_game(lane: u32, leaf: Leaf, parent: ptr<function, State>, header: ptr<function, Tree>,
    rng: ptr<function, Rng>) -> u32 {
    var state = *parent;
    let begun = begin_games(leaf, &state, header);
    // A finished game is not played: its outcome counts for every lane.
    var outcome = begun.outcome;
    if outcome == ONGOING {
        outcome = play(&state, begun.turn, rng, lane);
    }
    return points_word(outcome);
}

// The legal action with this ordinal.
fn legal_action(ordinal: u32) -> u32 {
    var rest = ordinal;
    var word = 0u;
    while word + 1u < LEGAL_WORDS && rest >= countOneBits(legal_word(word)) {
        rest -= countOneBits(legal_word(word));
        word++;
    }
    var bits = legal_word(word);
    for (var i = 0u; i < rest; i++) {
        bits &= bits - 1u;
    }
    return 32u * word + firstTrailingBit(bits);
}

// Writes links and empty statistics of the new children. The statistics of the drawn one are written when the games
// are over.
fn append_children(tree: u32, child_lane: u32, leaf: Leaf, state: ptr<function, State>, header: ptr<function, Tree>) {
    for (var action = child_lane; action < MAX_ACTIONS; action += UPDATE_GROUP) {
        if (*header).expanded > 0u && is_listed(action) {
            let ordinal = legal_actions_below(action);
            note_end(append_listed(tree, action, ordinal, leaf, state, header), leaf.turn, action, ordinal);
        }
    }
}

// [tree of the workgroup]: the drawn child's outcome, as known_of returns it.
var<workgroup> sh_known_drawn: array<u32, TREES>;

// Writes the new child of a listed action, except for the statistics of the drawn one. Returns the child's outcome, as
// known_of does.
fn append_listed(tree: u32, action: u32, ordinal: u32, leaf: Leaf, state: ptr<function, State>,
    header: ptr<function, Tree>) -> u32 {
    let child = tree * params.capacity + (*header).first_child + ordinal;
    let known = append_child(child, state, leaf.turn, action);
    if ordinal == (*header).drawn {
        sh_known_drawn[tree % TREES] = known;
    } else {
        stats[child] = new_stats(known);
    }
    return known;
}

// Writes the statistics of the drawn child, if there is one. A barrier must stand between this and append_listed.
fn enter_drawn(tree: u32, leaf: Leaf, header: ptr<function, Tree>) {
    if (*header).expanded > 0u {
        let n_wins = select((*header).tally.x, (*header).tally.y, leaf.turn == SECOND);
        let drawn = tree * params.capacity + (*header).first_child + (*header).drawn;
        stats[drawn] = new_stats(sh_known_drawn[tree % TREES]) + vec4<u32>(PLAYOUTS, 0u, n_wins, 0u);
    }
}

// The points of the player who moved into the node at a depth of the path, and of the opponent.
fn wins_at(leaf: Leaf, depth: u32, tally: vec2<u32>) -> vec2<u32> {
    return select(tally, tally.yx, ((leaf.turn + leaf.depth + depth + 1u) & 1u) == SECOND);
}

// The part of the backup that does not depend on the results: a path lane loads the counts of its node, finds the
// rivals of the path's next node, and notes the next selection for the case that the rival becomes the best child.
// `position` is the leaf's.
fn prepare_backup(tree: u32, path_lane: u32, leaf: Leaf, position: State, place: ptr<function, Place>,
    header: ptr<function, Tree>) -> OnPath {
    let base = tree * params.capacity;
    let index = base + (*place).node;
    var next = NO_NEXT;
    if path_lane < leaf.depth {
        next = path_node(tree, path_lane + 1u);
    }
    var mine = prepare_loaded(base, index, vec2<u32>((*place).first, (*place).info), stats[index], next, PLAYOUTS);
    if path_lane <= leaf.depth {
        publish_counts(path_lane, mine.counts, mine.info);
    }
    if path_lane == 0u && leaf.depth >= UPDATE_GROUP {
        let below = base + path_node(tree, UPDATE_GROUP);
        publish_counts(UPDATE_GROUP, stats[below], links[below].y);
    }
    if path_lane == leaf.depth % UPDATE_GROUP {
        let info = link_children(base + leaf.node, leaf.link.y, header);
        if path_lane == leaf.depth {
            (*place).first = select(NO_CHILDREN, (*header).first_child, (*header).expanded > 0u);
            mine.info = info;
            mine.rivals = rivals_of_drawn(mine.rivals.visits, base, header);
        }
    }
    if has_lookahead(leaf) {
        note_lookahead(tree, path_lane, leaf, position, *place, mine.rivals, header);
    } else {
        noted_rival = NONE_NOTED;
    }
    if path_lane == 0u {
        atomicStore(&sh_departure_level, leaf.depth + 1u);
    }
    return mine;
}

// The rivals of the drawn child: the other new children. None of them has visits, so that the first in the order of
// ties is the best.
fn rivals_of_drawn(visits: vec2<u32>, base: u32, header: ptr<function, Tree>) -> Rivals {
    let drawn = (*header).drawn;
    var rivals = Rivals();
    rivals.visits = visits;
    rivals.first = base + (*header).first_child;
    rivals.count = (*header).expanded;
    rivals.child = drawn;
    rivals.approx = NO_CHILD;
    if FEW && (*header).expanded > 1u {
        rivals.approx = UCB_UNVISITED;
        var least = 0xffffffffu;
        for (var action = 0u; action < MAX_ACTIONS; action++) {
            let ordinal = legal_actions_below(action);
            if is_listed(action) && ordinal != drawn && reverseBits(action) < least {
                least = reverseBits(action);
                rivals.rival = ordinal;
            }
        }
    }
    return rivals;
}

// Adds the wins along the path. Where the path's next node is no longer the best child of the lane's node, the next
// selection departs from the path there.
fn back_up(tree: u32, path_lane: u32, leaf: Leaf, known: OnPath, place: ptr<function, Place>,
    header: ptr<function, Tree>) {
    let base = tree * params.capacity;
    let tally = (*header).tally;
    var mine = known;
    let ends = noted_ends();
    if FEW && ends >= WON {
        enter_win(&mine, leaf.depth - path_lane, leaf.turn, ends);
    }
    note_step_end(path_lane, leaf.depth, ends, mine.rivals);
    for (var depth = path_lane; depth <= leaf.depth; depth += UPDATE_GROUP) {
        let wins = wins_at(leaf, depth, tally);
        if depth != path_lane {
            add_stats(base + path_node(tree, depth), PLAYOUTS, wins.x);
        } else {
            let best = back_up_node(mine, PLAYOUTS, wins.x, wins.y);
            (*place).info = link_lasting(mine.info) | (best << BEST_SHIFT);
            if mine.rivals.count > 0u && best != mine.rivals.child {
                atomicMin(&sh_departure_level, path_lane);
            }
        }
    }
}

// Notes the work left at the end of the step, by one path lane: the one above the leaf, which knows whether enter_win
// has done all that follows from a win.
fn note_step_end(path_lane: u32, depth: u32, ends: u32, rivals: Rivals) {
    let has_path_lanes = FEW && depth - 1u < UPDATE_GROUP - 1u;
    if path_lane == select(0u, depth - 1u, has_path_lanes) {
        let is_done = ends == 0u || (has_path_lanes && ends >= WON && has_plain_rival(rivals));
        let is_chosen = FEW && depth < UPDATE_GROUP;
        sh_end = select(((depth + 1u) << 1u) | u32(!is_done), 0u, is_done && is_chosen);
    }
}

// Ends a step: makes its writes visible, backs up the proofs that enter_win does not cover, and makes the choices that
// no path lane has prepared. Returns END_GAME where there were such proofs, and END_LOOP where the root is proven.
fn end_step(tree: u32, lane: u32, header: ptr<function, Tree>) -> u32 {
    storageBarrier();
    let notes = workgroupUniformLoad(&sh_end);
    if notes == 0u {
        return 0u;
    }
    var start = select(0u, UPDATE_GROUP, FEW);
    let length = notes >> 1u;
    let ended = PROVES && (notes & 1u) != 0u;
    var proved = Proved(length, false);
    if ended {
        proved = prove_tree(tree, lane, length);
        (*header).flags = flags_after((*header).flags, proved.of_root);
        start = min(start, first_choice(proved));
    }
    if start < length {
        choose_tree(tree, lane, start, length);
    }
    storageBarrier();
    workgroupBarrier();
    return select(0u, END_GAME, ended) | select(0u, END_LOOP, proved.of_root);
}

// Makes a step; returns the result of end_step.
fn step_tree(tree: u32, lane: u32, leaf: Leaf, foreseen: bool, place: ptr<function, Place>,
    state: ptr<function, State>, header: ptr<function, Tree>, rng: ptr<function, Rng>) -> u32 {
    (*header).selected = leaf.node;
    (*header).path_length = leaf.depth + 1u;
    publish_positions();
    clear_ends(lane);
    let ongoing = link_outcome(leaf.link.y) == ONGOING;
    let count = list_legal_actions(tree, leaf.depth, lane, state, leaf.turn, ongoing);
    expand_header(header, count);
    publish_path();
    if lane >= FIRST_CHILD_LANE && lane - FIRST_CHILD_LANE < UPDATE_GROUP {
        append_children(tree, lane - FIRST_CHILD_LANE, leaf, state, header);
    }
    var mine = OnPath();
    if lane >= FIRST_PATH_LANE {
        let path_lane = lane - FIRST_PATH_LANE;
        if !foreseen {
            *place = load_place(tree, path_lane, leaf);
        }
        mine = prepare_backup(tree, path_lane, leaf, *state, place, header);
    }
    var points = 0u;
    if lane < PLAYOUTS {
        points = play_game(lane, leaf, state, header, rng);
    }
    (*header).tally = sum_points(lane, points);
    if lane == 0u {
        enter_drawn(tree, leaf, header);
    }
    if lane >= FIRST_PATH_LANE {
        let path_lane = lane - FIRST_PATH_LANE;
        if path_lane < leaf.depth {
            take_child_counts(&mine, path_lane + 1u);
        }
        back_up(tree, path_lane, leaf, mine, place, header);
    }
    return end_step(tree, lane, header);
}

// Makes lane 0's notes visible to all lanes; with many actions, the barriers of list_legal_actions do so.
fn publish_path() {
    if PATH_CAPACITY > NEAR_PATH {
        storageBarrier();
    }
    if FEW {
        workgroupBarrier();
    }
}

// END_LOOP, in all lanes, for a tree whose root is proven before the first step; else 0.
fn done_end(lane: u32, flags: u32) -> u32 {
    if !PROVES {
        return 0u;
    }
    if lane == 0u {
        sh_end = select(0u, END_LOOP, root_is_proven(flags));
    }
    return workgroupUniformLoad(&sh_end);
}

@compute @workgroup_size(TREE_LANES)
fn fused(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees {
        let stream = tree * PLAYOUTS + min(lane, PLAYOUTS - 1u);
        var rng: Rng = streams[stream];
        var header = trees[tree];
        var state: State;
        var place: Place;
        var leaf: Leaf;
        clear_faults(lane);
        var end = done_end(lane, header.flags);
        let done_before = end != 0u;
        for (var step = 0u; step < params.steps && (end & END_LOOP) == 0u; step++) {
            // The lookahead leaves proofs out.
            var foreseen = step > 0u && end == 0u && has_lookahead(leaf);
            if foreseen {
                leaf = foreseen_leaf(lane, leaf, &place, &state);
                foreseen = leaf.depth != TOO_DEEP;
            }
            if !foreseen {
                leaf = select_tree(tree, lane, &state);
            }
            end = step_tree(tree, lane, leaf, foreseen, &place, &state, &header, &rng);
        }
        store_path(tree, lane, select(header.path_length, 0u, done_before));
        if lane < PLAYOUTS {
            streams[stream] = rng;
        }
        header.flags |= gathered_faults();
        if lane == 0u {
            trees[tree] = header;
            if !done_before {
                store_selected(tree, &state);
            }
        }
    }
}
