// Rollouts of a game that plays one ply per call, with a barrier after every ply: faster if a ply has much code and
// many branches.

// The last round in which a lane had a game.
var<workgroup> sh_round: atomic<u32>;
var<workgroup> sh_goes_on: bool;

// Whether any lane of the workgroup has a game. Rounds are counted from 1.
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

// Plays games until none is left, or up to the lane's limit; `place` is the place of the lane's playout. A lane whose
// game has ended begins the next one in the next round; a lane without a game only takes part in the barriers.
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
