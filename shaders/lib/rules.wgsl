// Guards of loops in a game file that might not end: they count iterations, and return once a call of the rules has
// made too many. Needs the generated constant MOST_RULES_ITERATIONS.

var<private> rules_iterations: u32;

// Resets the count, unless it has reached its limit before.
fn rules_begin() {
    rules_iterations = select(0u, rules_iterations, rules_iterations >= MOST_RULES_ITERATIONS);
}

// Counts iterations of a loop; returns whether the loop must end.
fn rules_loop_ends(iterations: u32) -> bool {
    rules_iterations = min(rules_iterations + iterations, MOST_RULES_ITERATIONS);
    if rules_iterations >= MOST_RULES_ITERATIONS {
        own_faults |= FAULT_ENDLESS;
    }
    return rules_iterations >= MOST_RULES_ITERATIONS;
}

fn rules_have_faults() -> bool {
    return own_faults != 0u;
}
