// Rollouts of a game whose playouts keep words in memory: all that a workgroup plays begin with a copy of one.

fn rollout_prepare(lane: u32) {
    keep_begun(rollout_root_playout(lane), lane);
}

fn rollout_begin(lane: u32) -> Playout {
    return copy_begun(lane);
}
