// Plays m random games from each node that the step plays out (specification, "One step", 3).
//
// One invocation = one game, or several in turn (play_in_runs.wgsl).
// Reads trees, links, states, streams, jobs; writes trees, streams, tallies, firsts.

// Lanes of a workgroup that play games of one node; their points are summed in workgroup memory.
const TALLY_LANES: u32 = min(PLAYOUTS, PLAYOUT_LANES);
// Games of one node that share a workgroup.
const PART_GAMES: u32 = min(PLAYOUTS, GROUP_GAMES);
// Workgroups that share the games of one node.
const PARTS: u32 = PLAYOUTS / PART_GAMES;

// Points of a won game. Where a network evaluates the leaves, points have a finer unit than those of a playout.
const GAME_POINTS: u32 = select(WIN_POINTS, select(1u, 2u, DRAWS_COUNT), NET);

// [lane]: points of the first player in the low half of a word, of the second in the high half: those of 512 games fit.
var<workgroup> sh_tally: array<u32, PLAYOUT_LANES>;

// The plies of a playout, where they must be counted: the crate's own games end, and have no limit.
fn counted_plies(plies: u32) -> u32 {
    return select(plies, 0u, PLAYOUT_LIMIT == 0xffffffffu);
}

// A node that is played out.
struct PlayedNode {
    turn: u32,
    outcome: u32,
    // The stream of its first game.
    stream: u32,
}

// The node of a job, and its position.
fn load_node(leaf: u32, ordinal: u32, state: ptr<function, State>) -> PlayedNode {
    let base = nodes_of(leaf);
    let header = header_of(leaf);
    var node = trees[header].selected;
    var turn = selected_turn(leaf);
    *state = load_selected(leaf);
    var stream_set = 0u;
    let expanded = trees[header].expanded > 0u;
    if expanded {
        node = trees[header].first_child + select(trees[header].drawn, ordinal, ALL_CHILDREN);
    }
    let info = links[base + node].y;
    var outcome = link_outcome(info);
    if expanded {
        take_action(state, turn, link_action(info));
        turn = 1u - turn;
        stream_set = select(0u, link_action(info), ALL_CHILDREN);
        // A new child with a solved outcome is played out like any other.
        if SOLVES && outcome != ONGOING {
            outcome = checked_outcome(compute_outcome(state, turn, link_action(info)));
        }
    }
    return PlayedNode(turn, outcome, (leaf * STREAM_SETS + stream_set) * PLAYOUTS);
}

// Plays one game of a node; returns its points, as points_word has them. A finished game is not played: its outcome
// counts for every lane.
fn play_one_game(node: PlayedNode, state: ptr<function, State>, game: u32, lane: u32) -> u32 {
    var outcome = node.outcome;
    if outcome == ONGOING {
        var rng: Rng = streams[node.stream + game];
        outcome = play(state, node.turn, &rng, lane);
        streams[node.stream + game] = rng;
    }
    return points_word(outcome);
}

// Points of the first player in the low half of a word, of the second in the high half: GAME_POINTS for a win, and half
// of that for a draw, where draws count.
fn points_word(outcome: u32) -> u32 {
    let drawn = select(0u, GAME_POINTS / 2u, outcome == DRAW);
    let first = select(drawn, GAME_POINTS, outcome == FIRST_WINS);
    let second = select(drawn, GAME_POINTS, outcome == SECOND_WINS);
    return first | (second << 16u);
}

// Sums the points of each run of TALLY_LANES lanes; the first lane of a run gets the sum.
fn reduce_tally(lane: u32, points: u32) -> u32 {
    sh_tally[lane] = points;
    workgroupBarrier();
    for (var stride = TALLY_LANES / 2u; stride > 0u; stride /= 2u) {
        if (lane & (TALLY_LANES - 1u)) < stride {
            sh_tally[lane] += sh_tally[lane + stride];
        }
        workgroupBarrier();
    }
    return sh_tally[lane];
}

@compute @workgroup_size(PLAYOUT_LANES)
fn playout(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let id = flat_group(group) * GROUP_GAMES + lane;
    let game = id % PLAYOUTS;
    var job = Job(id / PLAYOUTS, 0u, false);
    if ALL_CHILDREN {
        job = find_job(id / PLAYOUTS);
    } else {
        job.live = job.leaf < all_leaves();
        job.live = job.live && !root_is_proven(trees[header_of(min(job.leaf, all_leaves() - 1u))].flags);
    }
    var node = PlayedNode(FIRST, DRAW, 0u);
    var state: State;
    if job.live {
        node = load_node(job.leaf, job.ordinal, &state);
    }
    let points = play_games(node, &state, game, lane);
    if job.live {
        store_record(job.leaf * PLAYOUTS + game, points);
    }
    let sum = reduce_tally(lane, points);
    if job.live && (lane & (TALLY_LANES - 1u)) == 0u {
        let place = (job.leaf * STREAM_SETS + job.ordinal) * PARTS + game / PART_GAMES;
        tallies[place] = vec2<u32>(sum & 0xffffu, sum >> 16u);
    }
    if job.live {
        note_faults(job.leaf);
    }
}
