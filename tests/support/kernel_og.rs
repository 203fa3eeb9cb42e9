//! Runs a game's WGSL on every adapter and its Rust twin on the CPU, on the same positions and the same
//! draws.

use crate::compute::Gpu;
use mcts_wgpu::game::{Game, Outcome, Player};

/// Lanes of a workgroup of both kernels.
const LANES: u32 = 64;

/// The part of the contract that the game's surroundings provide (games/README.md).
const PRELUDE: &str = "
const FIRST: u32 = 0u;
const SECOND: u32 = 1u;
const ONGOING: u32 = 0u;
const SECOND_WINS: u32 = 1u;
const DRAW: u32 = 2u;
const FIRST_WINS: u32 = 3u;
const NO_ACTION: u32 = 0xffffffffu;
alias State = array<u32, STATE_WORDS>;
fn wins(player: u32) -> u32 { return 3u - 2u * player; }
";

/// Job: state, turn. Draws: one word a ply and lane. Result: outcome, plies, hash of every count and ordinal.
const PLAYOUT_KERNEL: &str = "
@group(0) @binding(0) var<storage, read> jobs: array<u32>;
@group(0) @binding(1) var<storage, read> draws: array<u32>;
@group(0) @binding(2) var<storage, read_write> results: array<u32>;

@compute @workgroup_size(LANES)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let job = id.x;
    if (job >= JOBS) { return; }
    var state: State;
    for (var w = 0u; w < STATE_WORDS; w++) { state[w] = jobs[job * (STATE_WORDS + 1u) + w]; }
    var playout = playout_begin(&state, jobs[job * (STATE_WORDS + 1u) + STATE_WORDS], lane);
    var outcome = ONGOING;
    var plies = 0u;
    var hash = 2166136261u;
    while (outcome == ONGOING && plies < MAX_PLIES) {
        let count = legal_actions_playout(&playout, lane);
        let ordinal = draws[plies * JOBS + job] % count;
        hash = ((hash ^ count) * 16777619u ^ ordinal) * 16777619u;
        outcome = take_action_playout(&playout, ordinal, lane);
        plies++;
    }
    results[job * 3u] = outcome;
    results[job * 3u + 1u] = plies;
    results[job * 3u + 2u] = hash;
}
";

/// Job: state, turn, action. Result: the legal actions as bits, the outcome, then the state and the outcome
/// after the action.
const RULES_KERNEL: &str = "
@group(0) @binding(0) var<storage, read> jobs: array<u32>;
@group(0) @binding(1) var<storage, read> draws: array<u32>;
@group(0) @binding(2) var<storage, read_write> results: array<u32>;

@compute @workgroup_size(LANES)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let job = id.x;
    if (job >= JOBS) { return; }
    var state: State;
    for (var w = 0u; w < STATE_WORDS; w++) { state[w] = jobs[job * (STATE_WORDS + 2u) + w]; }
    let turn = jobs[job * (STATE_WORDS + 2u) + STATE_WORDS];
    let action = jobs[job * (STATE_WORDS + 2u) + STATE_WORDS + 1u];
    let out = job * (LEGAL_WORDS + STATE_WORDS + 2u);
    for (var w = 0u; w < LEGAL_WORDS; w++) {
        var legal = 0u;
        for (var bit = 0u; bit < min(32u, MAX_ACTIONS - 32u * w); bit++) {
            legal |= u32(is_action_legal(&state, turn, 32u * w + bit)) << bit;
        }
        results[out + w] = legal;
    }
    results[out + LEGAL_WORDS] = compute_outcome(&state, turn, draws[0]);
    take_action(&state, turn, action);
    for (var w = 0u; w < STATE_WORDS; w++) { results[out + LEGAL_WORDS + 1u + w] = state[w]; }
    results[out + LEGAL_WORDS + 1u + STATE_WORDS] = compute_outcome(&state, 1u - turn, action);
}
";

/// Runs one lane a job, and returns `result_words` words a job.
fn run(gpu: &Gpu, source: &str, inputs: &[&[u32]], count: usize, result_words: usize) -> Vec<u32> {
    gpu.kernel(&[source]).run(inputs, count * result_words, (count as u32).div_ceil(LANES))
}

/// Positions to start from, of one game, with the shader that is held against the twin.
pub struct Conformance<'a, G: Game> {
    /// The game.
    pub game: &'a G,
    /// What to replace in its source: nothing, or a planted mistake that the comparison must notice.
    pub mistake: Option<(&'a str, &'a str)>,
}

impl<G: Game> Conformance<'_, G> {
    fn source(&self, kernel: &str, jobs: usize) -> String {
        let shader = self.game.shader();
        let own = [
            ("LANES", LANES),
            ("JOBS", jobs as u32),
            ("MAX_PLIES", self.game.max_plies()),
            ("MAX_ACTIONS", self.game.max_actions()),
            ("STATE_WORDS", self.game.state_words()),
            ("LEGAL_WORDS", self.legal_words() as u32),
        ];
        let constants = own.iter().chain(&shader.constants);
        let constants: String =
            constants.map(|(name, value)| format!("const {name}: u32 = {value}u;\n")).collect();
        let parts: String = shader.parts.iter().map(|(_, source)| source.as_str()).collect();
        let source = shader.source + &parts;
        let rules = match self.mistake {
            None => source,
            Some((right, wrong)) => {
                assert!(source.contains(right), "{right} is not in {}", shader.file);
                source.replace(right, wrong)
            }
        };
        [constants.as_str(), PRELUDE, &rules, kernel].concat()
    }

    fn legal_words(&self) -> usize {
        self.game.max_actions().div_ceil(32) as usize
    }

    fn packed(&self, state: &G::State) -> Vec<u32> {
        let mut words = vec![0; self.game.state_words() as usize];
        self.game.pack(state, &mut words);
        words
    }

    /// Outcome, plies and hash of one playout a position; `draws[ply * positions + position]`.
    pub fn playouts_on(&self, gpu: &Gpu, starts: &[(G::State, Player)], draws: &[u32]) -> Vec<u32> {
        let mut jobs = Vec::new();
        for (state, turn) in starts {
            jobs.extend(self.packed(state));
            jobs.push(*turn as u32);
        }
        run(gpu, &self.source(PLAYOUT_KERNEL, starts.len()), &[&jobs, draws], starts.len(), 3)
    }

    /// The twin of [`playouts_on`](Self::playouts_on).
    pub fn playouts_twin(&self, starts: &[(G::State, Player)], draws: &[u32]) -> Vec<u32> {
        let one = |(job, (state, turn)): (usize, &(G::State, Player))| {
            let mut playout = self.game.playout_begin(state, *turn);
            let (mut outcome, mut plies, mut hash) = (None, 0u32, 2_166_136_261u32);
            while outcome.is_none() && plies < self.game.max_plies() {
                let count = self.game.legal_actions_playout(&mut playout);
                let ordinal = draws[plies as usize * starts.len() + job] % count;
                hash = ((hash ^ count).wrapping_mul(16_777_619) ^ ordinal).wrapping_mul(16_777_619);
                outcome = self.game.take_action_playout(&mut playout, ordinal);
                plies += 1;
            }
            [Outcome::code(outcome), plies, hash]
        };
        starts.iter().enumerate().flat_map(one).collect()
    }

    /// Legal actions, outcome, and the state and outcome after the action, of one (state, turn, action) each.
    pub fn rules_on(&self, gpu: &Gpu, moves: &[(G::State, Player, u32)]) -> Vec<u32> {
        let mut jobs = Vec::new();
        for (state, turn, action) in moves {
            jobs.extend(self.packed(state));
            jobs.extend([*turn as u32, *action]);
        }
        let words = self.legal_words() + self.game.state_words() as usize + 2;
        run(gpu, &self.source(RULES_KERNEL, moves.len()), &[&jobs, &[u32::MAX]], moves.len(), words)
    }

    /// The twin of [`rules_on`](Self::rules_on).
    pub fn rules_twin(&self, moves: &[(G::State, Player, u32)]) -> Vec<u32> {
        let mut results = Vec::new();
        for (state, turn, action) in moves {
            let mut legal = vec![0u32; self.legal_words()];
            for a in (0..self.game.max_actions()).filter(|&a| self.game.is_action_legal(state, *turn, a)) {
                legal[a as usize / 32] |= 1 << (a % 32);
            }
            results.extend(legal);
            results.push(Outcome::code(self.game.compute_outcome(state, *turn, None)));
            let mut next = state.clone();
            self.game.take_action(&mut next, *turn, *action);
            results.extend(self.packed(&next));
            let outcome = self.game.compute_outcome(&next, turn.opponent(), Some(*action));
            results.push(Outcome::code(outcome));
        }
        results
    }
}
