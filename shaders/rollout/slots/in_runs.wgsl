// Rollouts of a game that plays many plies per call.

fn rollout_run(playout: ptr<function, Playout>, rng: ptr<function, Rng>, most: u32, lane: u32) -> PlayoutRun {
    return run_playout(playout, rng, most, lane);
}
