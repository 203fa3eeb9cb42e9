// What must not happen in a run, and makes the host give an error in the place of a result. Every invocation collects its
// own faults and hands them over at its end: where there are none, nothing is stored. Needs the generated constant
// MAX_PLIES.

// A path or a playout is longer than the game's greatest number of plies.
const FAULT_TOO_LONG: u32 = 4u;
// The adapter has ended a loop early.
const FAULT_LOOP_ENDED: u32 = 8u;
// The rules gave an outcome code that there is not.
const FAULT_OUTCOME: u32 = 16u;
// `run_playout` came back before the playout was over or had all its plies.
const FAULT_LEFT: u32 = 32u;

var<private> own_faults: u32;

// The outcome that the rules gave for a position, as far as there is one.
fn checked_outcome(outcome: u32) -> u32 {
    if outcome > FIRST_WINS {
        own_faults |= FAULT_OUTCOME;
    }
    return outcome & 3u;
}

// The outcome of a playout that has been played to its end: it must have one after MAX_PLIES at the latest.
fn final_outcome(outcome: u32, plies: u32) -> u32 {
    if outcome == ONGOING || plies > MAX_PLIES {
        own_faults |= select(FAULT_LEFT, FAULT_TOO_LONG, plies >= MAX_PLIES);
    }
    return checked_outcome(outcome);
}

// The faults of this invocation, at its end. Some software adapters end all loops of an invocation after so many turns
// in all, without a word; from then on every loop ends after its first turn. So one more loop shows whether those before
// it were whole. `some` is a number from a buffer, at least 1, so that no compiler can do without the loop.
fn found_faults(some: u32) -> u32 {
    var turns = 0u;
    for (var left = min(some, 1u) + 1u; left > 0u; left--) {
        turns++;
    }
    return own_faults | select(0u, FAULT_LOOP_ENDED, turns < 2u);
}
