// Rollouts of a game that plays one ply per call.

// Plays at most `most` plies.
fn rollout_run(playout: ptr<function, Playout>, rng: ptr<function, Rng>, most: u32, lane: u32) -> PlayoutRun {
    var run = PlayoutRun(ONGOING, 0u);
    while run.outcome == ONGOING && run.plies < most {
        let count = legal_actions_playout(playout, lane);
        run.outcome = rollout_advance(playout, draw_ordinal(rng, count), lane);
        run.plies++;
    }
    return run;
}
