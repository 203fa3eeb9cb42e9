// The fused schedule where trees are many and their steps have few games: whole steps in a loop inside one dispatch, as
// in fused.wgsl, but with TREES trees side by side in a workgroup. A workgroup a tree would leave most of its lanes
// idle. A tree has a team of TEAM lanes: each lists some actions, plays some games, and updates some levels of the
// path.
//
// A step (a line is a barrier):
//
//     all lanes of a team: the leaf; a lane: some of its legal actions
//     ------------------------------------------------------------------------------------------------------
//     all lanes of a team: the child that is drawn; a lane: some new children, some games
//     ------------------------------------------------------------------------------------------------------
//     the points of all games are summed; a lane: the wins of some nodes of the path
//     ------------------------------------------------------------------------------------------------------
//     the team's first lane, where a new child ends the game: proofs, level by level
//     ------------------------------------------------------------------------------------------------------
//     a lane: the best children of some nodes of the path
//
// No barrier depends on a tree's state, as all trees of the workgroup have the same barriers. All lanes of a team hold
// the same header, position and path.
//
// One workgroup = TREES trees, one lane = some games and levels of one of them.
// Reads and writes the buffers of a step's stages.

// Games of a lane.
const LANE_GAMES: u32 = (PLAYOUTS + TEAM - 1u) / TEAM;

// [lane]: points, the first player's in the low half of a word, the second's in the high half; 1 if some of the lane's
// new children end the game.
var<workgroup> sh_team: array<vec2<u32>, TREE_LANES>;

alias LaneStreams = array<Rng, LANE_GAMES>;

// Makes the writes of a team's lanes visible to all of them.
fn publish_team() {
    if TEAM > 1u {
        storageBarrier();
        workgroupBarrier();
    }
}

// The number of the lane's `i`-th game; PLAYOUTS or more where the lane has fewer.
fn lane_game(place: u32, i: u32) -> u32 {
    return i * TEAM + place;
}

// Writes the lane's share of the new children. The statistics of the drawn one are written when the games are over.
// Returns whether some of them end the game.
fn append_share(tree: u32, place: u32, leaf: Leaf, state: ptr<function, State>, header: ptr<function, Tree>) -> bool {
    var ends = false;
    for (var action = place; action < MAX_ACTIONS; action += TEAM) {
        if (*header).expanded > 0u && is_listed(action) {
            let known = append_listed(tree, action, legal_actions_below(action), leaf, state, header);
            ends = ends || known != ONGOING;
        }
    }
    return ends;
}

// Plays the lane's games from the drawn child, or from the selected node where nothing was expanded. Returns their
// points; where that node ends the game, its outcome counts for each of them.
fn play_share(lane: u32, place: u32, leaf: Leaf, parent: ptr<function, State>, header: ptr<function, Tree>,
    streams_of: ptr<function, LaneStreams>) -> u32 {
    var begun_state = *parent;
    let begun = begin_games(leaf, &begun_state, header);
    var points = 0u;
    for (var i = 0u; i < LANE_GAMES; i++) {
        if lane_game(place, i) < PLAYOUTS {
            var outcome = begun.outcome;
            if outcome == ONGOING {
                var state = begun_state;
                var rng = (*streams_of)[i];
                outcome = play(&state, begun.turn, &rng, lane);
                (*streams_of)[i] = rng;
            }
            points += points_word(outcome);
        }
    }
    return points;
}

// The sums over a team: points of the first and of the second player, and lanes with children that end the game.
fn sum_team(lane: u32, place: u32) -> vec3<u32> {
    var sum = vec2<u32>(0u);
    for (var other = 0u; other < TEAM; other++) {
        sum += sh_team[lane - place + other];
    }
    return vec3<u32>(sum.x & 0xffffu, sum.x >> 16u, sum.y);
}

// Adds the wins of the lane's share of the path.
fn add_share(tree: u32, place: u32, leaf: Leaf, tally: vec2<u32>) {
    for (var depth = place; depth <= leaf.depth; depth += TEAM) {
        add_stats(tree * params.capacity + path_node(tree, depth), PLAYOUTS, wins_at(leaf, depth, tally).x);
    }
}

// Proves the node at a depth of the path as prove_node does, but by one lane. Returns whether anything was new.
fn prove_alone(tree: u32, depth: u32, mover: u32) -> bool {
    let base = tree * params.capacity;
    let index = base + path_node(tree, depth);
    let link = links[index];
    var key = 0u;
    var best = 0u;
    var open = 0u;
    for (var ordinal = 0u; ordinal < link_count(link.y); ordinal++) {
        let child = base + link.x + ordinal;
        let info = links[child].y;
        if link_outcome(info) == ONGOING {
            open |= open_bits(stats[child]);
        } else {
            let its = proof_key(child, info, mover);
            best = select(best, ordinal, its > key);
            key = max(key, its);
        }
    }
    let verdict = verdict_of(stats[index], key, open, (link.y & LEFT_OUT) == 0u);
    if verdict >= LEAST_KEY {
        mark_proven(index, link.y, base + link.x + best, best);
    } else {
        stats[index].y |= verdict << PLIES_SHIFT;
    }
    return verdict != 0u;
}

// Backs up proofs from the new children along the path.
fn prove_path(tree: u32, length: u32, flags: u32) {
    for (var left = length; left > 0u; left--) {
        if !prove_alone(tree, left - 1u, turn_of(flags, left - 1u)) {
            break;
        }
    }
}

// The second part of a step: the leaf's children and the games.
fn play_leaf(tree: u32, lane: u32, leaf: Leaf, state: ptr<function, State>, header: ptr<function, Tree>,
    streams_of: ptr<function, LaneStreams>, count: u32) {
    let place = lane % TEAM;
    expand_header(header, count);
    let ends = append_share(tree, place, leaf, state, header);
    let points = play_share(lane, place, leaf, state, header, streams_of);
    sh_team[lane] = vec2<u32>(points, u32(PROVES && ends));
}

// The third part: the wins along the path. Returns whether some new child ends the game.
fn back_up_leaf(tree: u32, lane: u32, leaf: Leaf, header: ptr<function, Tree>) -> bool {
    let place = lane % TEAM;
    let sums = sum_team(lane, place);
    (*header).tally = sums.xy;
    if place == 0u {
        enter_drawn(tree, leaf, header);
        _ = link_children(tree * params.capacity + leaf.node, leaf.link.y, header);
    }
    add_share(tree, place, leaf, sums.xy);
    return sums.z > 0u;
}

// Makes a step of the lane's tree, unless its root is proven.
fn step_packed(tree: u32, lane: u32, is_done: bool, state: ptr<function, State>, header: ptr<function, Tree>,
    streams_of: ptr<function, LaneStreams>) {
    let place = lane % TEAM;
    var leaf: Leaf;
    if !is_done {
        leaf = select_tree(tree, place, state);
        (*header).selected = leaf.node;
        (*header).path_length = leaf.depth + 1u;
    }
    let ongoing = !is_done && link_outcome(leaf.link.y) == ONGOING;
    let count = list_legal_actions(tree, leaf.depth, place, state, leaf.turn, ongoing);
    if !is_done {
        play_leaf(tree, lane, leaf, state, header, streams_of, count);
    }
    publish_team();
    var ends = false;
    if !is_done {
        ends = back_up_leaf(tree, lane, leaf, header);
    }
    publish_team();
    if PROVES {
        if ends && place == 0u {
            prove_path(tree, leaf.depth + 1u, (*header).flags);
        }
        publish_team();
        if ends {
            (*header).flags = flags_after((*header).flags, is_proven(stats[tree * params.capacity + ROOT]));
        }
    }
    if !is_done {
        choose_by_lane(tree, place, 0u, leaf.depth + 1u);
    }
    publish_team();
}

@compute @workgroup_size(TREE_LANES)
fn packed(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group) * TREES + lane / TEAM;
    let place = lane % TEAM;
    let is_there = tree < params.n_trees;
    var header: Tree;
    var streams_of: LaneStreams;
    var state: State;
    if is_there {
        header = trees[tree];
        for (var i = 0u; i < LANE_GAMES; i++) {
            streams_of[i] = streams[tree * PLAYOUTS + min(lane_game(place, i), PLAYOUTS - 1u)];
        }
    }
    clear_faults(lane);
    let done_before = !is_there || root_is_proven(header.flags);
    for (var step = 0u; step < params.steps; step++) {
        step_packed(tree, lane, done_before || root_is_proven(header.flags), &state, &header, &streams_of);
    }
    store_path(tree, place, select(header.path_length, 0u, done_before));
    header.flags |= gathered_faults();
    if is_there {
        for (var i = 0u; i < LANE_GAMES; i++) {
            if lane_game(place, i) < PLAYOUTS {
                streams[tree * PLAYOUTS + lane_game(place, i)] = streams_of[i];
            }
        }
        if place == 0u {
            trees[tree] = header;
            if !done_before {
                store_selected(tree, &state);
            }
        }
    }
}
