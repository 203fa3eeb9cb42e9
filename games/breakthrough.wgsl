//! name = "breakthrough"
//! max_actions = 192
//! state_words = 4
//! max_plies = 177
//! planes = 4
//! start = [0, 0xffff0000, 0x0000ffff, 0]
//! [board]
//! rows = 8
//! columns = 8
//! glyphs = ".XO"
// Breakthrough (Dan Troyka, 2000) on 8 x 8 squares. Each player has two rows of men. A man moves one square ahead,
// straight or slantwise, onto an empty square, or slantwise onto an enemy, which is captured. Whoever reaches the last
// row or captures every enemy wins. There are no draws: a player's foremost man can always move.
//
// The first player begins at the bottom and moves up. Square 8 * row + column, row 0 at the top, is a bit: the first
// player's men are words 0 and 1 of the state, the second player's words 2 and 3. Action 3 * square + step moves the
// man on `square` ahead and to the left (step 0), straight ahead (1), or ahead and to the right (2), left and right as
// they are drawn, for both players.
//
// No man reaches the last row before the game's last ply. Until then the eight men in front make at most 5 steps each
// and the eight behind them 6, so that two players make at most 176.

fn breakthrough_has(state: ptr<function, State>, player: u32, square: u32) -> bool {
    return (((*state)[2u * player + square / 32u] >> (square % 32u)) & 1u) != 0u;
}

// The square that an action moves to.
fn breakthrough_goal(turn: u32, action: u32) -> u32 {
    let place = action / 3u + action % 3u;
    return select(place - 9u, place + 7u, turn == SECOND);
}

fn is_action_legal(state: ptr<function, State>, turn: u32, action: u32) -> bool {
    let square = action / 3u;
    let step = action % 3u;
    // Off the board to the left, the column wraps around to a great number.
    if !breakthrough_has(state, turn, square) || square % 8u + step - 1u >= 8u {
        return false;
    }
    let goal = breakthrough_goal(turn, action);
    let is_free = step != 1u || !breakthrough_has(state, 1u - turn, goal);
    return is_free && !breakthrough_has(state, turn, goal);
}

fn take_action(state: ptr<function, State>, turn: u32, action: u32) {
    let square = action / 3u;
    let goal = breakthrough_goal(turn, action);
    (*state)[2u * turn + square / 32u] &= ~(1u << (square % 32u));
    (*state)[2u * turn + goal / 32u] |= 1u << (goal % 32u);
    (*state)[2u * (1u - turn) + goal / 32u] &= ~(1u << (goal % 32u));
}

fn compute_outcome(state: ptr<function, State>, turn: u32, last_action: u32) -> u32 {
    let arrived = select((*state)[3] & 0xff000000u, (*state)[0] & 0xffu, turn == SECOND);
    let men = (*state)[2u * turn] | (*state)[2u * turn + 1u];
    return select(ONGOING, wins(1u - turn), arrived != 0u || men == 0u);
}

// The square that a man leaves, a1 being the lower left one, and l (to the left), s (straight) or r (to the right).
fn action_name(action: u32) -> vec4<u32> {
    let square = action / 3u;
    let step = (0x0072736cu >> (8u * (action % 3u))) & 0xffu;
    return vec4<u32>((97u + square % 8u) | ((56u - square / 8u) << 8u) | (step << 16u), 0u, 0u, 0u);
}

fn cell(state: ptr<function, State>, row: u32, column: u32) -> u32 {
    let square = 8u * row + column;
    return u32(breakthrough_has(state, FIRST, square)) + 2u * u32(breakthrough_has(state, SECOND, square));
}

fn planes(state: ptr<function, State>, turn: u32, place: u32) -> u32 {
    return stone_planes(cell(state, place / 8u, place % 8u), turn);
}
