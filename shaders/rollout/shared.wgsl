// Common parts of rollout kernels: the games to play, the random numbers of a game, the sums over games.

struct RolloutParams {
    // Number of the dispatch's first game, 64 bits.
    first_game: vec2<u32>,
    // Both words of the seed's stream 0.
    stream_zero: vec2<u32>,
    // Games of this dispatch.
    games: u32,
    // Games that a lane claims at a time, and the greatest number of claims.
    batch: u32,
    lane_batches: u32,
    // Greatest number of plies of a game.
    max_moves: u32,
    // Plies between two points at which lanes begin new games.
    round: u32,
    // The player to move.
    turn: u32,
    padding: vec2<u32>,
}

@group(0) @binding(0) var<uniform> rollout_params: RolloutParams;
// The packed position.
@group(0) @binding(1) var<storage, read> rollout_root: array<u32>;
// [1]: games of the dispatch that lanes have claimed.
@group(0) @binding(2) var<storage, read_write> rollout_next: atomic<u32>;
// [sum][low, high]: 64-bit sums of all dispatches; then their faults (faults.wgsl), and an unused word.
@group(0) @binding(3) var<storage, read_write> rollout_totals: array<atomic<u32>, 2u * ROLLOUT_SUMS + 2u>;

// Wins of the first player, of the second, draws, unfinished games, plies, half points.
const ROLLOUT_COUNTS: u32 = 6u;
// Then, if owners are counted, for each point the games in which the first player owns it at the end, less those in
// which the second player does.
const ROLLOUT_SUMS: u32 = ROLLOUT_COUNTS + OWNED_POINTS;
// The value of an ended playout whose outcome is the sign of its score.
const ROLLOUT_SCORED: u32 = 4u;

// The end of a game: its outcome (ONGOING if it was cut off) and its score.
struct RolloutEnd {
    outcome: u32,
    score: i32,
}

// Sums over the games of a lane.
struct RolloutTally {
    first_wins: u32,
    second_wins: u32,
    draws: u32,
    unfinished: u32,
    plies: u32,
    score: i32,
}

// The random stream of a game: a bijection of (game, seed), so that all games of a seed have different streams. It is
// pcg4d of Jarzynski and Olano, "Hash Functions for GPU Rendering" (2020), with one more fold at the end for its weak
// low bits.
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

// Stores the faults of an invocation, at its end.
fn rollout_note_faults() {
    let faults = found_faults(rollout_params.games);
    if faults != 0u {
        atomicOr(&rollout_totals[2u * ROLLOUT_SUMS], faults);
    }
}
