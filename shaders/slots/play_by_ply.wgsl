// Playouts of a game that plays one ply a call: one game a lane.

// One random game to its end.
fn play(state: ptr<function, State>, turn: u32, rng: ptr<function, Rng>, lane: u32) -> u32 {
    var playout = playout_begin(state, turn, lane);
    var outcome = ONGOING;
    var plies = 0u;
    while outcome == ONGOING && counted_plies(plies) < PLAYOUT_LIMIT {
        let count = legal_actions_playout(&playout, lane);
        let ordinal = draw_ordinal(rng, count);
        outcome = take_action_playout(&playout, ordinal, lane);
        plies++;
    }
    return final_outcome(outcome, counted_plies(plies));
}

fn play_games(node: PlayedNode, state: ptr<function, State>, game: u32, lane: u32) -> u32 {
    return play_one_game(node, state, game, lane);
}
