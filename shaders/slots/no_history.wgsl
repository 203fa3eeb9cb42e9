// Instead of history.wgsl for games without superko: no keys are recorded.

fn record_position(leaf: u32, depth: u32, lane: u32, state: ptr<function, State>) {}

fn publish_positions() {}

fn repeats(leaf: u32, depth: u32, state: ptr<function, State>, turn: u32, action: u32) -> bool {
    return false;
}
