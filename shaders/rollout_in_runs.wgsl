// Rollouts of a game that plays many plies a call.

fn rollout_prepare(lane: u32) {
    if lane == 0u {
        keep_begun(rollout_root_playout(lane));
    }
}

fn rollout_begin(lane: u32) -> Playout {
    return copy_begun(lane);
}

fn rollout_run(playout: ptr<function, Playout>, rng: ptr<function, Rng>, most: u32, lane: u32) -> PlayoutRun {
    return run_playout(playout, rng, most, lane);
}
