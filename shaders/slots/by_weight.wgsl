// Playouts of a game that weighs its actions and defines no playouts of its own: they hold the position, and the list
// has every legal action as often as its weight. Places are drawn from lists of 1 to 2^31 entries: other sums of
// weights are a fault.

struct Playout {
    state: State,
    turn: u32,
}

fn playout_begin(state: ptr<function, State>, turn: u32, lane: u32) -> Playout {
    return Playout(*state, turn);
}

fn legal_actions_playout(playout: ptr<function, Playout>, lane: u32) -> u32 {
    var state = (*playout).state;
    let turn = (*playout).turn;
    var sum = 0u;
    var is_legal = false;
    for (var action = 0u; action < MAX_ACTIONS; action++) {
        if is_action_legal(&state, turn, action) {
            let weight = action_weight(&state, turn, action);
            if weight > 0x80000000u - sum {
                own_faults |= FAULT_WEIGHTS;
            } else {
                sum += weight;
            }
            is_legal = true;
        }
    }
    if is_legal && sum == 0u {
        own_faults |= FAULT_WEIGHTS;
    }
    return sum;
}

// The legal action of this place; NO_ACTION where there is none.
fn playout_action(playout: ptr<function, Playout>, ordinal: u32) -> u32 {
    var state = (*playout).state;
    let turn = (*playout).turn;
    var left = ordinal;
    for (var action = 0u; action < MAX_ACTIONS; action++) {
        if is_action_legal(&state, turn, action) {
            let weight = action_weight(&state, turn, action);
            if left < weight {
                return action;
            }
            left -= weight;
        }
    }
    return NO_ACTION;
}
