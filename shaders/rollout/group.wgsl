// Batch playouts from one position, one game per workgroup: the same games and sums as thread.wgsl. For games with
// scores and functions for this mapping (games/README.md).
//
// One workgroup = one game after another; the game defines the work of a lane.
// Reads rollout_params, rollout_root; writes rollout_next, rollout_totals.

// The number of the workgroup's game.
var<workgroup> sh_game: u32;

fn rollout_group_begin(lane: u32) -> GroupGame {
    var state = rollout_root_state();
    return group_begin(&state, rollout_params.turn, lane);
}

// Claims the next game; returns its number to all lanes.
fn rollout_take_game(lane: u32) -> u32 {
    if lane == 0u {
        sh_game = atomicAdd(&rollout_next, 1u);
    }
    return workgroupUniformLoad(&sh_game);
}

fn rollout_play_game(game: u32, lane: u32, tally: ptr<function, RolloutTally>) {
    var rng = rollout_stream(u64_add(rollout_params.first_game, vec2<u32>(game, 0u)));
    var group = rollout_group_begin(lane);
    var over = false;
    var plies = 0u;
    while !over && plies < rollout_params.max_moves {
        over = group_advance(&group, &rng, lane);
        plies++;
    }
    let score = group_score(&group, lane);
    let finished = over && !group_cut_off(&group);
    rollout_count(tally, RolloutEnd(select(ONGOING, u32(i32(DRAW) + sign(score)), finished), score), plies);
}

@compute @workgroup_size(GROUP_LANES)
fn rollout_group(@builtin(local_invocation_index) lane: u32) {
    var tally = RolloutTally();
    for (var batch = 0u; batch < rollout_params.lane_batches; batch++) {
        let game = rollout_take_game(lane);
        if game >= rollout_params.games {
            break;
        }
        rollout_play_game(game, lane, &tally);
    }
    if lane == 0u {
        rollout_add(0u, vec2<u32>(tally.first_wins, 0u));
        rollout_add(1u, vec2<u32>(tally.second_wins, 0u));
        rollout_add(2u, vec2<u32>(tally.draws, 0u));
        rollout_add(3u, vec2<u32>(tally.unfinished, 0u));
        rollout_add(4u, vec2<u32>(tally.plies, 0u));
        // The high word of a negative number is all ones.
        rollout_add(5u, vec2<u32>(bitcast<u32>(tally.score), bitcast<u32>(tally.score >> 31u)));
    }
    rollout_note_faults();
}
