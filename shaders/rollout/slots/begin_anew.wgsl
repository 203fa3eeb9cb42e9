// Rollouts of a game that computes the start of every playout.

fn rollout_prepare(lane: u32) {}

fn rollout_begin(lane: u32) -> Playout {
    return rollout_root_playout(lane);
}
