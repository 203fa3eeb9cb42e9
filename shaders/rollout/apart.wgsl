// Rollouts whose lanes go on each for itself.

// Plays games until none is left, or as many as a lane may; `place` is where the lane's playout lives.
//
// A game that is over does not wait for the longest one next to it, but only for the end of its round: beginning at
// once would be worse, as all lanes that run together would stand still for each one's beginning.
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
