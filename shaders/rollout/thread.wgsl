// Batch playouts from one position: counts, lengths and scores of random games. Twin of src/reference/rollout.rs. Each
// game has its own random stream, so that the sums do not depend on the lanes and dispatches of the games.
//
// One invocation = one lane, which plays game after game.
// Reads rollout_params, rollout_root; writes rollout_next, rollout_totals.

// No game.
const NO_GAMES: u32 = 0xffffffffu;

var<workgroup> sh_rollout: array<atomic<u32>, 2u * ROLLOUT_SUMS>;

// A playout from the position.
fn rollout_root_playout(lane: u32) -> Playout {
    var state = rollout_root_state();
    return playout_begin(&state, rollout_params.turn, lane);
}

// The games of a lane, in batches. A lane claims a batch when it begins the one before, so that it does not wait for
// the atomic operation.
struct RolloutSupply {
    game: u32,
    batch_end: u32,
    next_batch: u32,
    // Batches claimed.
    batches: u32,
}

fn rollout_supply() -> RolloutSupply {
    return RolloutSupply(0u, 0u, atomicAdd(&rollout_next, rollout_params.batch), 1u);
}

// The next game of a lane; NO_GAMES if none is left, or after the lane's limit.
fn rollout_next_game(supply: ptr<function, RolloutSupply>) -> u32 {
    if (*supply).game == (*supply).batch_end {
        (*supply).game = (*supply).next_batch;
        if (*supply).game >= rollout_params.games {
            return NO_GAMES;
        }
        (*supply).batch_end = min((*supply).game + rollout_params.batch, rollout_params.games);
        (*supply).next_batch = NO_GAMES;
        if (*supply).batches < rollout_params.lane_batches {
            (*supply).batches++;
            (*supply).next_batch = atomicAdd(&rollout_next, rollout_params.batch);
        }
    }
    (*supply).game++;
    return (*supply).game - 1u;
}

fn rollout_game_stream(game: u32) -> Rng {
    return rollout_stream(u64_add(rollout_params.first_game, vec2<u32>(game, 0u)));
}

// Adds to a 64-bit sum of the workgroup. The invocation that makes the low word wrap adds the carry.
fn rollout_add_in_group(sum: u32, value: vec2<u32>) {
    let low = atomicAdd(&sh_rollout[2u * sum], value.x) + value.x;
    atomicAdd(&sh_rollout[2u * sum + 1u], value.y + u32(low < value.x));
}

@compute @workgroup_size(PLAYOUT_LANES)
fn rollout(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    for (var word = lane; word < 2u * ROLLOUT_SUMS; word += PLAYOUT_LANES) {
        atomicStore(&sh_rollout[word], 0u);
    }
    // In storage memory, each workgroup has its own words.
    let place = group.x * STORED_WORDS * PLAYOUT_LANES + lane;
    if lane == 0u {
        rollout_prepare(place);
    }
    workgroupBarrier();
    var tally: RolloutTally;
    if IN_STEP {
        tally = rollout_play_in_step(lane, place);
    } else {
        tally = rollout_play_apart(lane, place);
    }
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
    rollout_note_faults();
}
