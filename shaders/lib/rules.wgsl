// Guards of loops in a game file that might not end: they count turns, and return once a call of the rules has made too
// many. Needs the generated constant MOST_RULES_TURNS.

var<private> rules_turns: u32;

// Resets the count, unless it has reached its limit before.
fn rules_begin() {
    rules_turns = select(0u, rules_turns, rules_turns >= MOST_RULES_TURNS);
}

// Counts iterations of a loop; returns whether the loop must end.
fn rules_loop_ends(turns: u32) -> bool {
    rules_turns = min(rules_turns + turns, MOST_RULES_TURNS);
    if rules_turns >= MOST_RULES_TURNS {
        own_faults |= FAULT_ENDLESS;
    }
    return rules_turns >= MOST_RULES_TURNS;
}

fn rules_have_faults() -> bool {
    return own_faults != 0u;
}
