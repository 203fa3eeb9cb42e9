// Scores of playouts by the rules of the game.

fn advance_playout(playout: ptr<function, Playout>, ordinal: u32, lane: u32) -> bool {
    return take_action_playout(playout, ordinal, lane) != ONGOING;
}

fn playout_score(playout: ptr<function, Playout>, lane: u32) -> i32 {
    var state = (*playout).state;
    return compute_score(&state);
}

fn playout_cut_off(playout: ptr<function, Playout>, lane: u32) -> bool {
    return false;
}
