// A ply of a playout by the rules of the game. After a fault the playout is over, without a result.

fn take_action_playout(playout: ptr<function, Playout>, ordinal: u32, lane: u32) -> u32 {
    let action = playout_action(playout, ordinal);
    if action == NO_ACTION {
        own_faults |= FAULT_STUCK;
    }
    if own_faults != 0u {
        return DRAW;
    }
    var state = (*playout).state;
    take_action(&state, (*playout).turn, action);
    (*playout).state = state;
    (*playout).turn = 1u - (*playout).turn;
    return compute_outcome(&state, (*playout).turn, action);
}
