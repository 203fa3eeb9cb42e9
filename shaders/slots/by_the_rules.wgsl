// Playouts of a game that defines none of its own: they hold the position, and an ordinal means the n-th legal action.

const PLAYOUT_LEGAL_WORDS: u32 = (MAX_ACTIONS + 31u) / 32u;

struct Playout {
    state: State,
    // Legal actions, one bit each.
    legal: array<u32, PLAYOUT_LEGAL_WORDS>,
    turn: u32,
}

fn playout_begin(state: ptr<function, State>, turn: u32, lane: u32) -> Playout {
    return Playout(*state, array<u32, PLAYOUT_LEGAL_WORDS>(), turn);
}

fn legal_actions_playout(playout: ptr<function, Playout>, lane: u32) -> u32 {
    var state = (*playout).state;
    let turn = (*playout).turn;
    var count = 0u;
    for (var word = 0u; word < PLAYOUT_LEGAL_WORDS; word++) {
        var legal = 0u;
        for (var action = 32u * word; action < min(32u * word + 32u, MAX_ACTIONS); action++) {
            legal |= u32(is_action_legal(&state, turn, action)) << (action & 31u);
        }
        (*playout).legal[word] = legal;
        count += countOneBits(legal);
    }
    return count;
}

// The legal action with this ordinal; NO_ACTION where there is none.
fn playout_action(playout: ptr<function, Playout>, ordinal: u32) -> u32 {
    var left = ordinal;
    for (var word = 0u; word < PLAYOUT_LEGAL_WORDS; word++) {
        let legal = (*playout).legal[word];
        let count = countOneBits(legal);
        if left < count {
            return 32u * word + playout_bit(legal, left);
        }
        left -= count;
    }
    return NO_ACTION;
}

// The index of the n-th 1 bit, by bisection.
fn playout_bit(bits: u32, n: u32) -> u32 {
    var rest = bits;
    var left = n;
    var place = 0u;
    for (var half = 16u; half > 0u; half /= 2u) {
        let count = countOneBits(rest & ((1u << half) - 1u));
        let beyond = left >= count;
        left -= select(0u, count, beyond);
        rest >>= select(0u, half, beyond);
        place += select(0u, half, beyond);
    }
    return place;
}
