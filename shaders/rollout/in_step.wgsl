// Rollouts of a game that plays one ply a call, whose lanes meet after every ply: better where a ply takes much code
// with many branches.

// The last round in which some lane had a game.
var<workgroup> sh_round: atomic<u32>;
var<workgroup> sh_goes_on: bool;

// Has any lane of the workgroup a game? Rounds are counted from 1.
fn rollout_goes_on(lane: u32, has_game: bool, round: u32) -> bool {
    if has_game {
        atomicMax(&sh_round, round);
    }
    workgroupBarrier();
    if lane == 0u {
        sh_goes_on = atomicLoad(&sh_round) == round;
    }
    return workgroupUniformLoad(&sh_goes_on);
}

// Plays a round of plies.
fn rollout_round(playout: ptr<function, Playout>, rng: ptr<function, Rng>, most: u32, place: u32) -> PlayoutRun {
    var run = PlayoutRun(ONGOING, 0u);
    for (var ply = 0u; ply < rollout_params.round; ply++) {
        if run.outcome == ONGOING && run.plies < most {
            let count = legal_actions_playout(playout, place);
            run.outcome = rollout_advance(playout, draw_ordinal(rng, count), place);
            run.plies++;
        }
        workgroupBarrier();
    }
    return run;
}

// Plays games until none is left, or as many as a lane may; `place` is where the lane's playout lives. A lane whose
// game is over begins the next one with the next round; a lane without a game only keeps step.
fn rollout_play_in_step(lane: u32, place: u32) -> RolloutTally {
    if lane == 0u {
        atomicStore(&sh_round, 0u);
    }
    workgroupBarrier();
    var tally = RolloutTally();
    var supply = rollout_supply();
    var has_game = true;
    var over = true;
    var plies = 0u;
    var rng = Rng();
    var playout: Playout;
    for (var round = 1u; ; round++) {
        if has_game && over {
            let game = rollout_next_game(&supply);
            has_game = game != NO_GAMES;
            if has_game {
                rng = rollout_game_stream(game);
                playout = rollout_begin(place);
                plies = 0u;
            }
        }
        if !rollout_goes_on(lane, has_game, round) {
            break;
        }
        let most = select(0u, rollout_params.max_moves - plies, has_game);
        let run = rollout_round(&playout, &rng, most, place);
        plies += run.plies;
        over = run.outcome != ONGOING || plies == rollout_params.max_moves;
        if has_game && over {
            rollout_count(&tally, rollout_end(&playout, run.outcome, place), plies);
            rollout_count_owners(&playout, place);
        }
    }
    return tally;
}
