// Faults: events that a correct game, driver and device rule out. After one, the host returns an error instead of a
// result. Every invocation collects its own faults and writes them at its end; without a fault it writes nothing. Needs
// the generated constant MAX_PLIES.

// A path or a playout is longer than the game's greatest number of plies.
const FAULT_TOO_LONG: u32 = 4u;
// The adapter has ended a loop early.
const FAULT_LOOP_ENDED: u32 = 8u;
// The rules returned a number that is no outcome code.
const FAULT_OUTCOME: u32 = 16u;
// `run_playout` returned before the playout was over or had all its plies.
const FAULT_LEFT: u32 = 32u;
// The loops of a call of a game file's rules made too many iterations.
const FAULT_ENDLESS: u32 = 64u;
// A playout of a game file goes on and has no legal action.
const FAULT_STUCK: u32 = 128u;
// A number that is at least 1 was read as 0.
const FAULT_MISREAD: u32 = 4096u;
// The weights of a game file's legal actions sum up to 0, or to more than 2^31.
const FAULT_WEIGHTS: u32 = 8192u;
const FAULTS: u32 = FAULT_TOO_LONG | FAULT_LOOP_ENDED | FAULT_OUTCOME | FAULT_LEFT | FAULT_ENDLESS | FAULT_STUCK
    | FAULT_MISREAD | FAULT_WEIGHTS;

var<private> own_faults: u32;

// The outcome that the rules returned for a position; a number that is no outcome code is a fault.
fn checked_outcome(outcome: u32) -> u32 {
    if outcome > FIRST_WINS {
        own_faults |= FAULT_OUTCOME;
    }
    return outcome & 3u;
}

// The outcome of a playout that was played to its end. A playout without an outcome, or with one after more than
// MAX_PLIES, is a fault.
fn final_outcome(outcome: u32, plies: u32) -> u32 {
    if outcome == ONGOING || plies > MAX_PLIES {
        own_faults |= select(FAULT_LEFT, FAULT_TOO_LONG, plies >= MAX_PLIES);
    }
    return checked_outcome(outcome);
}

// The faults of this invocation, called at its end. Some software adapters limit the iterations of all loops of an
// invocation together, and report no error; beyond the limit every loop ends after its first iteration. So one more
// loop, of two iterations, shows whether the loops before it ran to their ends. `some` is a number from a buffer, at
// least 1, so that no compiler can remove the loop. An adapter that reads it as 0 misreads memory.
fn found_faults(some: u32) -> u32 {
    let wanted = min(some, 1u) + 1u;
    var iterations = 0u;
    for (var left = wanted; left > 0u; left--) {
        iterations++;
    }
    let ended = select(0u, FAULT_LOOP_ENDED, iterations < wanted);
    return own_faults | ended | select(0u, FAULT_MISREAD, some == 0u);
}
