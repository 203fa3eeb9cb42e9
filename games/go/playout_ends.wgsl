// The end of Go playouts by any policy. Composed after random.wgsl or patterns.wgsl, whose `Playout` has board, turn
// and passes.

fn take_action_playout(playout: ptr<function, Playout>, ordinal: u32, lane: u32) -> u32 {
    if !advance_playout(playout, ordinal, lane) {
        return ONGOING;
    }
    return go_outcome((*playout).board.mine, (*playout).board.theirs, (*playout).turn);
}

fn playout_score(playout: ptr<function, Playout>, lane: u32) -> i32 {
    return go_score((*playout).board.mine, (*playout).board.theirs, (*playout).turn);
}

fn playout_cut_off(playout: ptr<function, Playout>, lane: u32) -> bool {
    return (*playout).passes < 2u;
}
