// Rollouts of a game without scores: the last action returns the outcome.

fn rollout_advance(playout: ptr<function, Playout>, ordinal: u32, lane: u32) -> u32 {
    return take_action_playout(playout, ordinal, lane);
}

fn rollout_end(playout: ptr<function, Playout>, outcome: u32, lane: u32) -> RolloutEnd {
    return RolloutEnd(checked_outcome(outcome), 0);
}
