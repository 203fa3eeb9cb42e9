// The functions of a game, called for any number of tasks, so that src/conformance can compare them with their twins in
// Rust. No search uses this file.
//
// One invocation = one task, or one word of the legal actions of one, or one cell of its planes.
// Reads tasks; writes results.

// tasks[0] is the number of tasks, tasks[1] the number of parameters of each. A task is the player to move, a packed
// state, and its parameters.
@group(0) @binding(0) var<storage, read> tasks: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;

const LEGAL_WORDS: u32 = (MAX_ACTIONS + 31u) / 32u;
// Bits of an action's urgency, and of its urgency and prior together.
const URGENCY_BITS: u32 = 3u;
const SAID_BITS: u32 = URGENCY_BITS + 7u;
// For each word of the legal actions: a bit for each action, then each bit of their urgency and prior; after the action
// the outcome, state, key, may_repeat and solved outcome.
const RULES_WORDS: u32 = (1u + SAID_BITS) * LEGAL_WORDS + STATE_WORDS + 5u;
// Outcome, plies, score, cut off or not, a hash of all draws; the lengths of the first lists.
const PLAYED_WORDS: u32 = 5u + LOGGED_PLIES;
// Outcome, plies, a hash of all runs, the random stream.
const RUN_WORDS: u32 = 7u;

fn task_at(task: u32) -> u32 {
    return 2u + task * (1u + STATE_WORDS + tasks[1]);
}

fn task_state(task: u32) -> State {
    var state: State;
    for (var i = 0u; i < STATE_WORDS; i++) {
        state[i] = tasks[task_at(task) + 1u + i];
    }
    return state;
}

fn task_number(task: u32, i: u32) -> u32 {
    return tasks[task_at(task) + 1u + STATE_WORDS + i];
}

fn task_stream(task: u32) -> Rng {
    return vec4<u32>(task_number(task, 0u), task_number(task, 1u), task_number(task, 2u), task_number(task, 3u));
}

fn mixed(hash: u32, word: u32) -> u32 {
    let product = (hash ^ word) * 0x01000193u;
    return (product << 5u) | (product >> 27u);
}

// Parameter: an action. A lane for every word of the legal actions.
@compute @workgroup_size(PLAYOUT_LANES)
fn conform_rules(@builtin(global_invocation_id) id: vec3<u32>) {
    let task = id.x / LEGAL_WORDS;
    let word = id.x % LEGAL_WORDS;
    if task >= tasks[0] {
        return;
    }
    var state = task_state(task);
    let turn = tasks[task_at(task)];
    let at = task * RULES_WORDS;
    var legal = 0u;
    var said = array<u32, SAID_BITS>();
    for (var bit = 0u; bit < min(32u, MAX_ACTIONS - 32u * word); bit++) {
        if is_action_legal(&state, turn, 32u * word + bit) {
            legal |= 1u << bit;
            let urgency = action_urgency(&state, turn, 32u * word + bit);
            // action_prior accepts any action as the last one.
            let prior = action_prior(&state, turn, 32u * word + bit, task_number(task, 0u));
            let found = urgency | (prior << URGENCY_BITS);
            for (var i = 0u; i < SAID_BITS; i++) {
                said[i] |= ((found >> i) & 1u) << bit;
            }
        }
    }
    results[at + word] = legal;
    for (var i = 0u; i < SAID_BITS; i++) {
        results[at + (1u + i) * LEGAL_WORDS + word] = said[i];
    }
    if word > 0u {
        return;
    }
    let action = task_number(task, 0u);
    take_action(&state, turn, action);
    let after = at + (1u + SAID_BITS) * LEGAL_WORDS;
    let outcome = compute_outcome(&state, 1u - turn, action);
    results[after] = outcome;
    for (var i = 0u; i < STATE_WORDS; i++) {
        results[after + 1u + i] = state[i];
    }
    if KEYED {
        let key = position_key(&state);
        results[after + 1u + STATE_WORDS] = key.x;
        results[after + 2u + STATE_WORDS] = key.y;
        results[after + 3u + STATE_WORDS] = u32(may_repeat(action));
    }
    if outcome == ONGOING {
        results[after + 4u + STATE_WORDS] = solved_outcome(&state, 1u - turn);
    }
}

// No parameters. A lane for every cell of the planes.
@compute @workgroup_size(64)
fn conform_planes(@builtin(global_invocation_id) id: vec3<u32>) {
    let task = id.x / PLANE_CELLS;
    if task >= tasks[0] {
        return;
    }
    var state = task_state(task);
    results[id.x] = planes(&state, tasks[task_at(task)], id.x % PLANE_CELLS);
}

// Parameters: a random stream, the limit of plies, the number of places, and these. In games with scores every other
// playout goes on by advance_playout.
@compute @workgroup_size(PLAYOUT_LANES)
fn conform_playout(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let task = id.x;
    if task >= tasks[0] {
        return;
    }
    var state = task_state(task);
    var rng = task_stream(task);
    let most = task_number(task, 4u);
    let places = task_number(task, 5u);
    let advances = SCORED && task % 2u == 1u;
    let at = task * PLAYED_WORDS;
    var playout = playout_begin(&state, tasks[task_at(task)], lane);
    var outcome = ONGOING;
    var over = false;
    var hash = 0u;
    var ply = 0u;
    while !over && ply < most {
        let count = legal_actions_playout(&playout, lane);
        if ply < LOGGED_PLIES {
            results[at + 5u + ply] = count;
        }
        var draw = rng_next(&rng).x;
        if ply < places {
            draw = task_number(task, 6u + ply);
        }
        let ordinal = draw % max(count, 1u);
        hash = mixed(mixed(hash, count), ordinal);
        if advances {
            over = advance_playout(&playout, ordinal, lane);
        } else {
            outcome = take_action_playout(&playout, ordinal, lane);
            over = outcome != ONGOING;
        }
        ply++;
    }
    if SCORED {
        let score = playout_score(&playout, lane);
        results[at + 2u] = bitcast<u32>(score);
        results[at + 3u] = u32(over && playout_cut_off(&playout, lane));
        if advances && over {
            outcome = u32(2 + sign(score));
        }
    }
    results[at] = outcome;
    results[at + 1u] = ply;
    results[at + 4u] = hash;
}

// Parameters: a random stream, the limit of plies. Runs are 1 to 8 plies long.
@compute @workgroup_size(PLAYOUT_LANES)
fn conform_run(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let task = id.x;
    if task >= tasks[0] {
        return;
    }
    var state = task_state(task);
    var rng = task_stream(task);
    let most = task_number(task, 4u);
    let at = task * RUN_WORDS;
    var playout = playout_begin(&state, tasks[task_at(task)], lane);
    var outcome = ONGOING;
    var hash = 0u;
    var plies = 0u;
    for (var number = 0u; outcome == ONGOING && plies < most; number++) {
        let run = run_playout(&playout, &rng, 1u + number % 8u, lane);
        outcome = run.outcome;
        // A run of no plies would make this loop endless.
        plies += max(run.plies, 1u);
        hash = mixed(mixed(hash, outcome), run.plies);
    }
    results[at] = outcome;
    results[at + 1u] = plies;
    results[at + 2u] = hash;
    results[at + 3u] = rng.x;
    results[at + 4u] = rng.y;
    results[at + 5u] = rng.z;
    results[at + 6u] = rng.w;
}
