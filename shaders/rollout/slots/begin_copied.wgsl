// Rollouts of a game whose playouts have words in memory: all playouts of a workgroup begin with a copy of one start.

fn rollout_prepare(lane: u32) {
    keep_begun(rollout_root_playout(lane), lane);
}

fn rollout_begin(lane: u32) -> Playout {
    return copy_begun(lane);
}
