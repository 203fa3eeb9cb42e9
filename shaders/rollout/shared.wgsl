// What the kernels of rollouts share: which games to play, the random numbers of a game, the sums over games.

struct RolloutParams {
    // Number of this dispatch's first game, 64 bits.
    first_game: vec2<u32>,
    // Both words of the seed's stream 0.
    stream_zero: vec2<u32>,
    // Games of this dispatch.
    games: u32,
    // Games that a lane takes at a time, and how many times it may.
    batch: u32,
    lane_batches: u32,
    // Plies after which a game is cut off.
    max_moves: u32,
    // Plies between two places where lanes begin new games.
    round: u32,
    // The player to move.
    turn: u32,
    padding: vec2<u32>,
}

@group(0) @binding(0) var<uniform> rollout_params: RolloutParams;
// The packed position
@group(0) @binding(1) var<storage, read> rollout_root: array<u32>;
// [1]: games of this dispatch that lanes have taken
@group(0) @binding(2) var<storage, read_write> rollout_next: atomic<u32>;
// [sum][low, high]: 64-bit sums of all dispatches; then their faults (faults.wgsl), and a word that is not used
@group(0) @binding(3) var<storage, read_write> rollout_totals: array<atomic<u32>, 2u * ROLLOUT_SUMS + 2u>;

// Wins of the first player, of the second, draws, unfinished games, plies, half points.
const ROLLOUT_COUNTS: u32 = 6u;
// Then of each point, where owners are counted, the games in which it is the first player's at the end, less those in
// which it is the second player's.
const ROLLOUT_SUMS: u32 = ROLLOUT_COUNTS + OWNED_POINTS;
// A playout that is over, the outcome of which is the sign of its score.
const ROLLOUT_SCORED: u32 = 4u;

// How a game ended: its outcome (ONGOING where it was cut off) and its score.
struct RolloutEnd {
    outcome: u32,
    score: i32,
}

// What a lane has played.
struct RolloutTally {
    first_wins: u32,
    second_wins: u32,
    draws: u32,
    unfinished: u32,
    plies: u32,
    score: i32,
}

// The random numbers of a game: a bijection of (game, seed), so that no two games of a seed begin alike. It is
// pcg4d of Jarzynski and Olano, "Hash Functions for GPU Rendering" (2020), with one more fold at the end, as its low
// bits are its weak ones.
fn rollout_stream(game: vec2<u32>) -> Rng {
    var v = vec4<u32>(game, rollout_params.stream_zero) * 1664525u + 1013904223u;
    v.x += v.y * v.w;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v.w += v.y * v.z;
    v ^= v >> vec4<u32>(16u);
    v.x += v.y * v.w;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v.w += v.y * v.z;
    return v ^ (v >> vec4<u32>(16u));
}

fn rollout_root_state() -> State {
    var state: State;
    for (var word = 0u; word < STATE_WORDS; word++) {
        state[word] = rollout_root[word];
    }
    return state;
}

fn rollout_count(tally: ptr<function, RolloutTally>, end: RolloutEnd, plies: u32) {
    if plies > MAX_PLIES {
        own_faults |= FAULT_TOO_LONG;
    }
    (*tally).first_wins += u32(end.outcome == FIRST_WINS);
    (*tally).second_wins += u32(end.outcome == SECOND_WINS);
    (*tally).draws += u32(end.outcome == DRAW);
    (*tally).unfinished += u32(end.outcome == ONGOING);
    (*tally).plies += plies;
    (*tally).score += end.score;
}

// Adds to a 64-bit sum of all dispatches. The invocation that makes the low word wrap adds the carry.
fn rollout_add(sum: u32, value: vec2<u32>) {
    let low = atomicAdd(&rollout_totals[2u * sum], value.x) + value.x;
    atomicAdd(&rollout_totals[2u * sum + 1u], value.y + u32(low < value.x));
}

// Hands the faults of an invocation over, at its end.
fn rollout_note_faults() {
    let faults = found_faults(rollout_params.games);
    if faults != 0u {
        atomicOr(&rollout_totals[2u * ROLLOUT_SUMS], faults);
    }
}
