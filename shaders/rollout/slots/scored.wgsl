// Rollouts of a game with scores: all lanes that need an outcome compute it together at the end of a round.

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
