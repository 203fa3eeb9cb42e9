// Rollouts of a game that makes the beginning of every playout anew.

fn rollout_prepare(lane: u32) {}

fn rollout_begin(lane: u32) -> Playout {
    return rollout_root_playout(lane);
}
