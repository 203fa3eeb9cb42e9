// Playouts of a game that plays many plies a call: several games a lane, where a node has enough.

// Games that the lanes of a workgroup have taken.
var<workgroup> sh_next: atomic<u32>;

// One uniformly random game to its end.
fn play(state: ptr<function, State>, turn: u32, rng: ptr<function, Rng>, lane: u32) -> u32 {
    var playout = playout_begin(state, turn, lane);
    let run = run_playout(&playout, rng, PLAYOUT_LIMIT, lane);
    return final_outcome(run.outcome, counted_plies(run.plies));
}

fn play_games(node: PlayedNode, state: ptr<function, State>, game: u32, lane: u32) -> u32 {
    if GROUP_GAMES == PLAYOUT_LANES {
        return play_one_game(node, state, game, lane);
    }
    if lane == 0u {
        if node.outcome == ONGOING {
            keep_begun(playout_begin(state, node.turn, lane), lane);
        }
        atomicStore(&sh_next, PLAYOUT_LANES);
    }
    workgroupBarrier();
    if node.outcome != ONGOING {
        return points_word(node.outcome) * (GROUP_GAMES / PLAYOUT_LANES);
    }
    return play_several_games(node, game - lane, lane);
}

// Plays the games of a workgroup, numbered from `first`. A lane whose game is over waits for the end of a run, not for
// the longest game of its neighbours. It claims the next game, and reads the stream of that game, when a game begins,
// so that it does not wait for these loads later.
fn play_several_games(node: PlayedNode, first: u32, lane: u32) -> u32 {
    let base = node.stream + first;
    var points = 0u;
    var game = lane;
    var rng: Rng = streams[base + game];
    var next = atomicAdd(&sh_next, 1u);
    var next_rng = Rng();
    if next < GROUP_GAMES {
        next_rng = streams[base + next];
    }
    var playout = copy_begun(lane);
    var plies = 0u;
    loop {
        let run = run_playout(&playout, &rng, PLAYOUT_RUN, lane);
        plies += max(run.plies, 1u);
        if run.outcome == ONGOING && counted_plies(plies) < PLAYOUT_LIMIT {
            continue;
        }
        points += points_word(final_outcome(run.outcome, counted_plies(plies)));
        plies = 0u;
        streams[base + game] = rng;
        if next >= GROUP_GAMES {
            break;
        }
        game = next;
        rng = next_rng;
        next = atomicAdd(&sh_next, 1u);
        if next < GROUP_GAMES {
            next_rng = streams[base + next];
        }
        playout = copy_begun(lane);
    }
    return points;
}
