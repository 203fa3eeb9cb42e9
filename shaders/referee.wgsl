// The rules of a game file, called for the host: legal actions, the positions that they lead to, and outcomes.
//
// One invocation = one action of one position.
// Reads tasks; writes answers, whose last word has the faults of all invocations.

// [1 + positions * (1 + STATE_WORDS)]: the number of positions; of each, the player to move and the packed state
@group(0) @binding(0) var<storage, read> tasks: array<u32>;
// [positions][MAX_ACTIONS][6 + STATE_WORDS]: flags (below) and faults, the outcome, the key, the score, the result of
// solved_outcome, and the packed state after the action
@group(0) @binding(1) var<storage, read_write> answers: array<u32>;

const ANSWER_WORDS: u32 = 6u + STATE_WORDS;
const IS_LEGAL: u32 = 1u;
// is_action_legal (or planes), action_urgency, compute_outcome, solved_outcome changed the position.
const IS_CHANGED: array<u32, 4> = array<u32, 4>(2u, 4u, 8u, 16u);
// The action's urgency, in three bits: 7 for any from 7 on.
const URGENCY_SHIFT: u32 = 5u;
const FAULTS_SHIFT: u32 = 8u;

// Writes faults to the last word; kernels with an answer for each action write them there instead.
fn referee_report_faults() {
    let faults = found_faults(tasks[0]);
    if faults != 0u {
        answers[arrayLength(&answers) - 1u] = faults;
    }
}

// Loads word by word: where positions are large, drivers take minutes to compile values of a whole one.
fn referee_load(task: u32, state: ptr<function, State>) {
    for (var word = 0u; word < STATE_WORDS; word++) {
        (*state)[word] = tasks[task * (1u + STATE_WORDS) + 2u + word];
    }
}

fn referee_copy(state: ptr<function, State>, copy: ptr<function, State>) {
    for (var word = 0u; word < STATE_WORDS; word++) {
        (*copy)[word] = (*state)[word];
    }
}

fn referee_differ(a: ptr<function, State>, b: ptr<function, State>) -> bool {
    var differ = false;
    for (var word = 0u; word < STATE_WORDS; word++) {
        differ = differ || (*a)[word] != (*b)[word];
    }
    return differ;
}

@compute @workgroup_size(REFEREE_LANES)
fn referee_expand(@builtin(global_invocation_id) id: vec3<u32>) {
    let task = id.x / MAX_ACTIONS;
    let action = id.x % MAX_ACTIONS;
    if task >= tasks[0] {
        return;
    }
    var state: State;
    var other: State;
    referee_load(task, &state);
    referee_load(task, &other);
    let turn = tasks[task * (1u + STATE_WORDS) + 1u];
    let legal = is_action_legal(&state, turn, action);
    var what = (u32(legal) * IS_LEGAL) | (u32(referee_differ(&state, &other)) * IS_CHANGED[0]);
    var outcome = ONGOING;
    var solved = ONGOING;
    if legal {
        referee_copy(&other, &state);
        what |= min(action_urgency(&state, turn, action), 7u) << URGENCY_SHIFT;
        what |= u32(referee_differ(&state, &other)) * IS_CHANGED[1];
        referee_copy(&other, &state);
        take_action(&state, turn, action);
        referee_copy(&state, &other);
        outcome = compute_outcome(&other, 1u - turn, action);
        what |= u32(referee_differ(&state, &other)) * IS_CHANGED[2];
    }
    if legal && outcome == ONGOING {
        referee_copy(&state, &other);
        solved = solved_outcome(&other, 1u - turn);
        what |= u32(referee_differ(&state, &other)) * IS_CHANGED[3];
    }
    let place = id.x * ANSWER_WORDS;
    let key = select(vec2<u32>(), position_key(&state), legal);
    answers[place + 1u] = outcome;
    answers[place + 2u] = key.x;
    answers[place + 3u] = key.y;
    for (var word = 0u; word < STATE_WORDS; word++) {
        answers[place + 6u + word] = state[word];
    }
    answers[place + 4u] = bitcast<u32>(compute_score(&state));
    answers[place + 5u] = solved;
    answers[place] = what | (found_faults(tasks[0]) << FAULTS_SHIFT);
}

// The outcome of a position after the action that the task ends with, and the position's key. One invocation.
@compute @workgroup_size(1)
fn referee_outcome() {
    var state: State;
    referee_load(0u, &state);
    answers[0] = compute_outcome(&state, tasks[1], tasks[2u + STATE_WORDS]);
    referee_load(0u, &state);
    let key = position_key(&state);
    answers[1] = key.x;
    answers[2] = key.y;
    referee_report_faults();
}

// The name of every action, and whether it may repeat a position. One invocation = one action.
@compute @workgroup_size(REFEREE_LANES)
fn referee_actions(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < MAX_ACTIONS {
        let name = action_name(id.x);
        for (var word = 0u; word < 4u; word++) {
            answers[5u * id.x + word] = name[word];
        }
        answers[5u * id.x + 4u] = u32(may_repeat(id.x));
    }
    referee_report_faults();
}

// The first position. One invocation.
@compute @workgroup_size(1)
fn referee_start() {
    var state: State;
    referee_load(0u, &state);
    start_position(&state);
    for (var word = 0u; word < STATE_WORDS; word++) {
        answers[word] = state[word];
    }
    referee_report_faults();
}

// The picture of a position. One invocation = one cell.
@compute @workgroup_size(REFEREE_LANES)
fn referee_draw(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < BOARD_ROWS * BOARD_COLUMNS {
        var state: State;
        referee_load(0u, &state);
        answers[id.x] = cell(&state, id.x / BOARD_COLUMNS, id.x % BOARD_COLUMNS);
    }
    referee_report_faults();
}

// The input planes of positions at a cell, and whether the rules changed the position.
//
// One invocation = one cell of one position.
@compute @workgroup_size(REFEREE_LANES)
fn referee_planes(@builtin(global_invocation_id) id: vec3<u32>) {
    let cells = max(BOARD_ROWS * BOARD_COLUMNS, 1u);
    let task = id.x / cells;
    if task >= tasks[0] {
        return;
    }
    var state: State;
    var before: State;
    referee_load(task, &state);
    referee_load(task, &before);
    answers[2u * id.x] = planes(&state, tasks[task * (1u + STATE_WORDS) + 1u], id.x % cells);
    answers[2u * id.x + 1u] = u32(referee_differ(&state, &before)) * IS_CHANGED[0];
    referee_report_faults();
}

// The playouts' view of a position: the length of their list, and for each place of it the outcome of its action and
// the length of the list after it.
//
// One invocation = one place of one position's list; the first one writes the length.
@compute @workgroup_size(PLAYOUT_LANES)
fn referee_playout(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let task = id.x / REFEREE_PLACES;
    let ordinal = id.x % REFEREE_PLACES;
    if task >= tasks[0] {
        return;
    }
    var state: State;
    referee_load(task, &state);
    let turn = tasks[task * (1u + STATE_WORDS) + 1u];
    var playout = playout_begin(&state, turn, lane);
    let count = legal_actions_playout(&playout, lane);
    var outcome = ONGOING;
    var next = 0u;
    if ordinal < count {
        outcome = take_action_playout(&playout, ordinal, lane);
        if outcome == ONGOING {
            next = legal_actions_playout(&playout, lane);
        }
    }
    let place = 3u * id.x;
    answers[place] = count;
    answers[place + 1u] = outcome;
    answers[place + 2u] = next;
    referee_report_faults();
}
