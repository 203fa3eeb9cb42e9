// In the place of the game's own function, where it has none: no legal action is left out of a tree.

fn is_action_worth_trying(state: ptr<function, State>, turn: u32, action: u32) -> bool {
    return true;
}
