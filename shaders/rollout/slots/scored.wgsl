// Rollouts of a game with scores: the outcome is worked out once a round is over, by all lanes that need it together.

fn rollout_advance(playout: ptr<function, Playout>, ordinal: u32, lane: u32) -> u32 {
    return select(ONGOING, ROLLOUT_SCORED, advance_playout(playout, ordinal, lane));
}

fn rollout_end(playout: ptr<function, Playout>, outcome: u32, lane: u32) -> RolloutEnd {
    let score = playout_score(playout, lane);
    if outcome == ONGOING || playout_cut_off(playout, lane) {
        return RolloutEnd(ONGOING, score);
    }
    return RolloutEnd(u32(i32(DRAW) + sign(score)), score);
}
