// The fused schedule where a step plays out one child of a tree (OCP): whole steps in a loop inside one dispatch, the
// stages as functions, barriers between them. Where a step has more games than suit one workgroup, advance.wgsl takes
// the place of this file. All memory traffic of a tree stays within its workgroup, so that barriers suffice. Every lane
// keeps the tree's header, the selected position and its random stream in registers. Composed with
// TREE_LANES >= PLAYOUTS.
//
// The last lanes of a workgroup are its clerks: while the other lanes play, they do the work that does not depend on
// who wins. Where the adapter's workgroups are wide enough, clerks play no games themselves. A step (a line is a
// barrier):
//
//     lanes 0 to PLAYOUTS - 1    clerks of the children      clerks of the path
//     all lanes: the leaf, its legal actions, the child that is drawn
//     ------------------------------------------------------------------------------------------------------
//     a game each                the new children            whom the path's nodes have to beat, and where the
//                                                            next selection goes if they don't (ahead.wgsl)
//     ------------------------------------------------------------------------------------------------------
//     the wins of all games are summed
//     ------------------------------------------------------------------------------------------------------
//     lane 0: the drawn child                                the wins along the path, its best children; where a new
//                                                            child wins, what that proves most often (enter_win)
//     ------------------------------------------------------------------------------------------------------
//     all lanes, where a new child ends the game and the clerks can't tell what follows: prove.wgsl
//
// Where children are many, the same clerks do both.
//
// One workgroup = one tree, one lane = one game of a step, or a clerk.
// Reads and writes what the stages of a step do.

// There are DESK clerks of the children, each of which has every DESK-th action, and DESK clerks of the path, each of
// which has a level, and every DESK-th level below it. Where children are few these are different lanes, and those of
// the path look ahead (ahead.wgsl). Otherwise the same lanes do both.
const CLERKS: u32 = select(DESK, 2u * DESK, FEW);
const FIRST_CLERK: u32 = TREE_LANES - CLERKS;
const FIRST_PATH_CLERK: u32 = TREE_LANES - DESK;

// Lanes whose wins one lane adds up first.
const PART_LANES: u32 = min(PLAYOUTS, 8u);

// Points of the first and second player in the halves of a word, by lane and by part.
var<workgroup> sh_lane_points: array<u32, TREE_LANES>;
var<workgroup> sh_part_points: array<u32, PLAYOUTS / PART_LANES>;
// What is left to do at a step's end: the length of the path, times two, and whether proofs have to be looked for; 0
// where nothing is left. Before the first step END_LOOP or 0.
var<workgroup> sh_end: u32;
// What a step's end tells the loop.
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

// What a step's games begin from.
struct Beginning {
    turn: u32,
    outcome: u32,
}

// Takes the position of the leaf to the drawn child, or leaves it where nothing was expanded.
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

// The legal action of an ordinal.
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
fn append_children(tree: u32, clerk: u32, leaf: Leaf, state: ptr<function, State>, header: ptr<function, Tree>) {
    for (var action = clerk; action < MAX_ACTIONS; action += DESK) {
        if (*header).expanded > 0u && is_listed(action) {
            let ordinal = legal_actions_below(action);
            note_end(append_listed(tree, action, ordinal, leaf, state, header), leaf.turn, action, ordinal);
        }
    }
}

// [tree of the workgroup]: what is known of the drawn child's outcome.
var<workgroup> sh_known_drawn: array<u32, TREES>;

// Writes the new child that a listed action leads to, but for the statistics of the drawn one. Returns what is known of
// its outcome.
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

// The points of who has moved into the node at a depth of the path, and of the other player.
fn wins_at(leaf: Leaf, depth: u32, tally: vec2<u32>) -> vec2<u32> {
    return select(tally, tally.yx, ((leaf.turn + leaf.depth + depth + 1u) & 1u) == SECOND);
}

// What a clerk of the path does before it is known who wins: it loads the counts of its node, and finds the rivals
// that the path's next node has to beat, and where the next selection goes if it does not beat them. `position` is
// that of the leaf.
fn prepare_backup(tree: u32, clerk: u32, leaf: Leaf, position: State, place: ptr<function, Place>,
    header: ptr<function, Tree>) -> OnPath {
    let base = tree * params.capacity;
    let index = base + (*place).node;
    var next = NO_NEXT;
    if clerk < leaf.depth {
        next = path_node(tree, clerk + 1u);
    }
    var mine = meet_loaded(base, index, vec2<u32>((*place).first, (*place).info), stats[index], next, PLAYOUTS);
    if clerk <= leaf.depth {
        hand_up(clerk, mine.counts, mine.info);
    }
    if clerk == 0u && leaf.depth >= DESK {
        let below = base + path_node(tree, DESK);
        hand_up(DESK, stats[below], links[below].y);
    }
    if clerk == leaf.depth % DESK {
        let info = link_children(base + leaf.node, leaf.link.y, header);
        if clerk == leaf.depth {
            (*place).first = select(NO_CHILDREN, (*header).first_child, (*header).expanded > 0u);
            mine.info = info;
            mine.rivals = rivals_of_drawn(mine.rivals.visits, base, header);
        }
    }
    if looks_ahead(leaf) {
        look_ahead(tree, clerk, leaf, position, *place, mine.rivals, header);
    } else {
        noted_rival = NONE_NOTED;
    }
    if clerk == 0u {
        atomicStore(&sh_leaves_at, leaf.depth + 1u);
    }
    return mine;
}

// The rivals of the drawn child are the other new children. None of them has been visited, so that the first in the
// order of ties is the best.
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

// Adds the wins along the path. Where the path's next node is not the best child of the clerk's node any more, the
// next selection leaves the path there.
fn back_up(tree: u32, clerk: u32, leaf: Leaf, known: OnPath, place: ptr<function, Place>,
    header: ptr<function, Tree>) {
    let base = tree * params.capacity;
    let tally = (*header).tally;
    var mine = known;
    let ends = noted_ends();
    if FEW && ends >= WON {
        enter_win(&mine, leaf.depth - clerk, leaf.turn, ends);
    }
    tell_end(clerk, leaf.depth, ends, mine.rivals);
    for (var depth = clerk; depth <= leaf.depth; depth += DESK) {
        let wins = wins_at(leaf, depth, tally);
        if depth != clerk {
            add_stats(base + path_node(tree, depth), PLAYOUTS, wins.x);
        } else {
            let best = back_up_node(mine, PLAYOUTS, wins.x, wins.y);
            (*place).info = link_lasting(mine.info) | (best << BEST_SHIFT);
            if mine.rivals.count > 0u && best != mine.rivals.child {
                atomicMin(&sh_leaves_at, clerk);
            }
        }
    }
}

// Makes one clerk of the path tell what is left to do at the step's end: the one above the leaf, where it can see that
// enter_win has done all that follows from a win.
fn tell_end(clerk: u32, depth: u32, ends: u32, rivals: Rivals) {
    let has_clerks = FEW && depth - 1u < DESK - 1u;
    if clerk == select(0u, depth - 1u, has_clerks) {
        let is_done = ends == 0u || (has_clerks && ends >= WON && has_plain_rival(rivals));
        let is_chosen = FEW && depth < DESK;
        sh_end = select(((depth + 1u) << 1u) | u32(!is_done), 0u, is_done && is_chosen);
    }
}

// The end of a step: what is written is there for the next step. Before that, other proofs than enter_win's are backed
// up, and choices that no clerk has prepared are made. Returns END_GAME where there were such proofs, and END_LOOP
// where the root is proven.
fn end_step(tree: u32, lane: u32, header: ptr<function, Tree>) -> u32 {
    storageBarrier();
    let notes = workgroupUniformLoad(&sh_end);
    if notes == 0u {
        return 0u;
    }
    var start = select(0u, DESK, FEW);
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

// Makes a step; returns what end_step says.
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
    if lane >= FIRST_CLERK && lane - FIRST_CLERK < DESK {
        append_children(tree, lane - FIRST_CLERK, leaf, state, header);
    }
    var mine = OnPath();
    if lane >= FIRST_PATH_CLERK {
        let clerk = lane - FIRST_PATH_CLERK;
        if !foreseen {
            *place = find_place(tree, clerk, leaf);
        }
        mine = prepare_backup(tree, clerk, leaf, *state, place, header);
    }
    var points = 0u;
    if lane < PLAYOUTS {
        points = play_game(lane, leaf, state, header, rng);
    }
    (*header).tally = sum_points(lane, points);
    if lane == 0u {
        enter_drawn(tree, leaf, header);
    }
    if lane >= FIRST_PATH_CLERK {
        let clerk = lane - FIRST_PATH_CLERK;
        if clerk < leaf.depth {
            take_child(&mine, clerk + 1u);
        }
        back_up(tree, clerk, leaf, mine, place, header);
    }
    return end_step(tree, lane, header);
}

// What lane 0 has noted is there for all lanes. Where actions are many, the barriers of list_legal_actions do.
fn publish_path() {
    if PATH_CAPACITY > NEAR_PATH {
        storageBarrier();
    }
    if FEW {
        workgroupBarrier();
    }
}

// END_LOOP for a tree whose root is proven before the first step, the same for all lanes.
fn resting_end(lane: u32, flags: u32) -> u32 {
    if !PROVES {
        return 0u;
    }
    if lane == 0u {
        sh_end = select(0u, END_LOOP, is_resting(flags));
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
        var end = resting_end(lane, header.flags);
        let rested = end != 0u;
        for (var step = 0u; step < params.steps && (end & END_LOOP) == 0u; step++) {
            // What was foreseen does not know of proofs.
            var foreseen = step > 0u && end == 0u && looks_ahead(leaf);
            if foreseen {
                leaf = foreseen_leaf(lane, leaf, &place, &state);
                foreseen = leaf.depth != TOO_DEEP;
            }
            if !foreseen {
                leaf = select_tree(tree, lane, &state);
            }
            end = step_tree(tree, lane, leaf, foreseen, &place, &state, &header, &rng);
        }
        store_path(tree, lane, select(header.path_length, 0u, rested));
        if lane < PLAYOUTS {
            streams[stream] = rng;
        }
        header.flags |= gathered_faults();
        if lane == 0u {
            trees[tree] = header;
            if !rested {
                store_selected(tree, &state);
            }
        }
    }
}
