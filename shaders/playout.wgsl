// m random games from each node to be played out (SPEC, "One step", 3).
// One invocation = one game. Reads trees, links, states; writes streams, tallies.

// Games of one node that share a workgroup; their wins are summed in workgroup memory.
const TALLY_LANES: u32 = min(PLAYOUTS, PLAYOUT_LANES);
// Workgroups that share the games of one node.
const PARTS: u32 = PLAYOUTS / TALLY_LANES;

// Wins of the first player in the low half of a word, of the second in the high half: 512 fit.
var<workgroup> sh_tally: array<u32, PLAYOUT_LANES>;

// Plays game `game` of a job; the wins of the first and second player in the halves of a word.
fn play_job(tree: u32, ordinal: u32, game: u32, lane: u32) -> u32 {
    let base = tree * params.capacity;
    var node = trees[tree].selected;
    var turn = selected_turn(tree);
    var state = load_selected(tree);
    var stream_set = 0u;
    let expanded = trees[tree].expanded > 0u;
    if expanded {
        node = trees[tree].first_child + select(trees[tree].drawn, ordinal, ALL_CHILDREN);
    }
    let info = links[base + node].y;
    if expanded {
        take_action(&state, turn, link_action(info));
        turn = 1u - turn;
        stream_set = select(0u, link_action(info), ALL_CHILDREN);
    }
    // A finished game is not played: its outcome counts for every lane.
    var outcome = link_outcome(info);
    if outcome == ONGOING {
        let stream = (tree * STREAM_SETS + stream_set) * PLAYOUTS + game;
        var rng: Rng = streams[stream];
        outcome = play(&state, turn, &rng, lane);
        streams[stream] = rng;
    }
    return won_word(outcome);
}

fn won_word(outcome: u32) -> u32 {
    return u32(outcome == FIRST_WINS) | (u32(outcome == SECOND_WINS) << 16u);
}

// One random game to its end.
fn play(state: ptr<function, State>, turn: u32, rng: ptr<function, Rng>, lane: u32) -> u32 {
    var playout = playout_begin(state, turn, lane);
    var outcome = ONGOING;
    while outcome == ONGOING {
        let count = legal_actions_playout(&playout, lane);
        let ordinal = draw_ordinal(rng, count);
        outcome = take_action_playout(&playout, ordinal, lane);
    }
    return outcome;
}

// Sums the wins of each run of TALLY_LANES lanes; the first lane of a run gets the sum.
fn reduce_tally(lane: u32, won: u32) -> u32 {
    sh_tally[lane] = won;
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
    let id = flat_group(group) * PLAYOUT_LANES + lane;
    let game = id % PLAYOUTS;
    var job = Job(id / PLAYOUTS, 0u, false);
    if ALL_CHILDREN {
        job = find_job(id / PLAYOUTS);
    } else {
        job.live = job.tree < params.n_trees;
    }
    var won = 0u;
    if job.live {
        won = play_job(job.tree, job.ordinal, game, lane);
    }
    let sum = reduce_tally(lane, won);
    if job.live && (lane & (TALLY_LANES - 1u)) == 0u {
        let place = (job.tree * STREAM_SETS + job.ordinal) * PARTS + game / TALLY_LANES;
        tallies[place] = vec2<u32>(sum & 0xffffu, sum >> 16u);
    }
}
