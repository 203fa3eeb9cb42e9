// Rollouts whose lanes begin their next games independently.

// Plays games until none is left, or up to the lane's limit; `place` is the place of the lane's playout.
//
// A lane whose game has ended begins the next one at the end of its round. It does not wait for the longest game of
// other lanes; beginning at once would stop all lanes that run together for each beginning.
fn rollout_play_apart(lane: u32, place: u32) -> RolloutTally {
    var tally = RolloutTally();
    var supply = rollout_supply();
    var over = true;
    var plies = 0u;
    var rng = Rng();
    var playout: Playout;
    loop {
        if over {
            let game = rollout_next_game(&supply);
            if game == NO_GAMES {
                break;
            }
            rng = rollout_game_stream(game);
            playout = rollout_begin(place);
            plies = 0u;
        }
        let run = rollout_run(&playout, &rng, min(rollout_params.round, rollout_params.max_moves - plies), place);
        plies += max(run.plies, 1u);
        over = run.outcome != ONGOING || plies == rollout_params.max_moves;
        if over {
            rollout_count(&tally, rollout_end(&playout, run.outcome, place), plies);
            rollout_count_owners(&playout, place);
        }
    }
    return tally;
}
