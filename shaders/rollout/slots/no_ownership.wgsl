// Rollouts that do not count owners.

fn rollout_count_owners(playout: ptr<function, Playout>, lane: u32) {}
