// Batch playouts from one position: counts, lengths and scores of random games. Twin of src/reference/rollout.rs.
// One invocation = one lane, which plays game after game. Each game has random numbers of its own, so that the sums
// depend neither on which lane plays it nor on how the games are spread over dispatches.
// Reads rollout_params, rollout_root; writes rollout_next, rollout_totals.

// The first game of a batch that a lane may not take any more.
const NO_GAMES: u32 = 0xffffffffu;

var<workgroup> sh_rollout: array<atomic<u32>, 2u * ROLLOUT_SUMS>;

// A playout from the position.
fn rollout_root_playout(lane: u32) -> Playout {
    var state = rollout_root_state();
    return playout_begin(&state, rollout_params.turn, lane);
}

// Plays games until none is left, or as many as a lane may.
//
// A game that is over does not wait for the longest one next to it, but only for the end of its round: beginning at
// once would be worse, as all lanes that run together would stand still for each one's beginning.
//
// A batch is taken when the one before it begins: nobody waits for the answer.
fn rollout_play(lane: u32) -> RolloutTally {
    var tally = RolloutTally();
    var batches = 1u;
    var next_batch = atomicAdd(&rollout_next, rollout_params.batch);
    var game = 0u;
    var batch_end = 0u;
    var over = true;
    var plies = 0u;
    var rng = Rng();
    var playout: Playout;
    loop {
        if over {
            if game == batch_end {
                game = next_batch;
                if game >= rollout_params.games {
                    break;
                }
                batch_end = min(game + rollout_params.batch, rollout_params.games);
                next_batch = NO_GAMES;
                if batches < rollout_params.lane_batches {
                    batches++;
                    next_batch = atomicAdd(&rollout_next, rollout_params.batch);
                }
            }
            rng = rollout_stream(u64_add(rollout_params.first_game, vec2<u32>(game, 0u)));
            playout = rollout_begin(lane);
            plies = 0u;
            game++;
        }
        let run = rollout_run(&playout, &rng, min(rollout_params.round, rollout_params.max_moves - plies), lane);
        let outcome = run.outcome;
        plies += run.plies;
        over = outcome != ONGOING || plies == rollout_params.max_moves;
        if over {
            rollout_count(&tally, rollout_end(&playout, outcome, lane), plies);
        }
    }
    return tally;
}

// Adds to a 64-bit sum: whoever makes the low word wrap adds the carry.
fn rollout_add_in_group(sum: u32, value: vec2<u32>) {
    let low = atomicAdd(&sh_rollout[2u * sum], value.x) + value.x;
    atomicAdd(&sh_rollout[2u * sum + 1u], value.y + u32(low < value.x));
}

@compute @workgroup_size(PLAYOUT_LANES)
fn rollout(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    for (var word = lane; word < 2u * ROLLOUT_SUMS; word += PLAYOUT_LANES) {
        atomicStore(&sh_rollout[word], 0u);
    }
    rollout_prepare(lane);
    workgroupBarrier();
    // Where playouts live in storage, each workgroup has words of its own.
    let tally = rollout_play(group.x * STORED_WORDS * PLAYOUT_LANES + lane);
    rollout_add_in_group(0u, vec2<u32>(tally.first_wins, 0u));
    rollout_add_in_group(1u, vec2<u32>(tally.second_wins, 0u));
    rollout_add_in_group(2u, vec2<u32>(tally.draws, 0u));
    rollout_add_in_group(3u, vec2<u32>(tally.unfinished, 0u));
    rollout_add_in_group(4u, vec2<u32>(tally.plies, 0u));
    // The high word of a negative number is all ones.
    rollout_add_in_group(5u, vec2<u32>(bitcast<u32>(tally.score), bitcast<u32>(tally.score >> 31u)));
    workgroupBarrier();
    for (var sum = lane; sum < ROLLOUT_SUMS; sum += PLAYOUT_LANES) {
        rollout_add(sum, vec2<u32>(atomicLoad(&sh_rollout[2u * sum]), atomicLoad(&sh_rollout[2u * sum + 1u])));
    }
}
