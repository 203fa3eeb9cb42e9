//! The WGSL of the games against their Rust twins, on every adapter.

use crate::conformance::{connect4_games, gomoku_games};
use crate::gomoku::threats;
use crate::kernel::{Adapters, Gpu};
use crate::play::{legal_actions, pick, random_position};
use mcts_wgpu::game::{Game, Outcome, Player};
use mcts_wgpu::games::{Connect4, Gomoku};
use mcts_wgpu::rng::Stream;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// A position, the player to move, and what is done there.
struct Task<G: Game> {
    state: G::State,
    turn: Player,
    /// For the rules one action. For a playout raw draws, one a ply: an ordinal is the draw modulo the number of legal
    /// actions; the playout is left where they end. For the runs of a playout the four words of a random stream and the
    /// most plies of each run.
    numbers: Vec<u32>,
}

/// What a kernel does with a task.
#[derive(Clone, Copy)]
struct Check<G: Game> {
    kernel: &'static str,
    result_words: usize,
    twin: fn(&G, &Task<G>) -> Vec<u32>,
}

impl<G: Game> Check<G> {
    fn playouts() -> Self {
        Self { kernel: PLAYOUTS, result_words: 3, twin: twin_playout }
    }

    fn runs() -> Self {
        Self { kernel: RUNS, result_words: 2, twin: twin_runs }
    }

    fn rules() -> Self {
        Self { kernel: RULES, result_words: 2, twin: twin_rules }
    }

    /// The results of the tasks, which have equally many numbers, by the WGSL. A record of a task is the player to
    /// move, the packed state, and the numbers.
    fn on_device(&self, gpu: &Gpu, game: &G, records: &[u32], tasks: usize) -> Vec<u32> {
        let numbers = records.len() / tasks - 1 - game.state_words() as usize;
        let header = header(game, tasks as u32, numbers as u32);
        let shader = game.shader();
        let files: Vec<&str> =
            [&header, &shader.source, COMMON, self.kernel].into_iter().chain(SHADERS).collect();
        let groups = (tasks as u32).div_ceil(lanes(shader.playout_words));
        gpu.kernel(&files).run(&[records], self.result_words * tasks, groups)
    }

    fn in_rust(&self, game: &G, tasks: &[Task<G>]) -> Vec<u32> {
        tasks.iter().flat_map(|task| (self.twin)(game, task)).collect()
    }

    fn assert_agreement(&self, game: &G, tasks: &[Task<G>]) {
        let (records, expected) = (records(game, tasks), self.in_rust(game, tasks));
        for gpu in &Adapters::open().gpus {
            let found = self.on_device(gpu, game, &records, tasks.len());
            let differ = self.differing_tasks(&found, &expected);
            assert!(differ.is_empty(), "{game:?} on {}: tasks {differ:?} differ", gpu.name);
        }
    }

    fn differing_tasks(&self, found: &[u32], expected: &[u32]) -> Vec<usize> {
        let pairs = found.chunks(self.result_words).zip(expected.chunks(self.result_words));
        pairs.enumerate().filter(|(_, (a, b))| a != b).map(|(task, _)| task).collect()
    }
}

/// Lanes of a workgroup: 16 KiB, which every adapter has, hold the playout words of the largest game.
fn lanes(playout_words: u32) -> u32 {
    let fits = 4096 / playout_words.max(1);
    (1 << fits.ilog2()).min(64)
}

/// The constants and workgroup memory that a kernel needs.
fn header<G: Game>(game: &G, tasks: u32, numbers: u32) -> String {
    let shader = game.shader();
    let mut constants = vec![
        ("MAX_ACTIONS", game.max_actions()),
        ("STATE_WORDS", game.state_words()),
        ("PLAYOUT_LANES", lanes(shader.playout_words)),
        ("TASKS", tasks),
        ("NUMBERS", numbers),
    ];
    constants.extend(shader.constants);
    let lines = constants.iter().map(|(name, value)| format!("const {name}: u32 = {value}u;\n"));
    let mut header: String = lines.collect();
    if shader.playout_words > 0 {
        let words = shader.playout_words;
        header += &format!("var<workgroup> sh_playout: array<u32, {words}u * PLAYOUT_LANES>;\n");
    }
    header
}

fn records<G: Game>(game: &G, tasks: &[Task<G>]) -> Vec<u32> {
    let record = |task: &Task<G>| {
        let mut words = vec![task.turn as u32; 1 + game.state_words() as usize];
        game.pack(&task.state, &mut words[1..]);
        words.extend(&task.numbers);
        words
    };
    tasks.iter().flat_map(record).collect()
}

/// The hash of both sides.
fn mix(hash: u32, word: u32) -> u32 {
    (hash ^ word).wrapping_mul(0x0100_0193).rotate_left(5)
}

/// What the rules of a game may use.
const SHADERS: [&str; 3] = [
    include_str!("../../shaders/common/game.wgsl"),
    include_str!("../../shaders/common/u64.wgsl"),
    include_str!("../../shaders/common/rng.wgsl"),
];

const COMMON: &str = "
    @group(0) @binding(2) var<storage, read> jumps: array<vec4<u32>>;
    @group(0) @binding(0) var<storage, read> records: array<u32>;
    @group(0) @binding(1) var<storage, read_write> results: array<u32>;

    const RECORD_WORDS: u32 = 1u + STATE_WORDS + NUMBERS;

    fn mix(hash: u32, word: u32) -> u32 {
        let product = (hash ^ word) * 0x01000193u;
        return (product << 5u) | (product >> 27u);
    }

    fn load(task: u32) -> State {
        var state: State;
        for (var i = 0u; i < STATE_WORDS; i++) {
            state[i] = records[task * RECORD_WORDS + 1u + i];
        }
        return state;
    }

    fn number(task: u32, i: u32) -> u32 {
        return records[task * RECORD_WORDS + 1u + STATE_WORDS + i];
    }
";

/// Outcome, plies, and a hash of counts and ordinals.
const PLAYOUTS: &str = "
    @compute @workgroup_size(PLAYOUT_LANES)
    fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
        let task = id.x;
        if task >= TASKS {
            return;
        }
        var state = load(task);
        var playout = playout_begin(&state, records[task * RECORD_WORDS], lane);
        var outcome = ONGOING;
        var hash = 0u;
        var ply = 0u;
        while outcome == ONGOING && ply < NUMBERS {
            let count = legal_actions_playout(&playout, lane);
            let ordinal = number(task, ply) % count;
            hash = mix(hash, count * 512u + ordinal);
            outcome = take_action_playout(&playout, ordinal, lane);
            ply++;
        }
        results[3u * task] = outcome;
        results[3u * task + 1u] = ply;
        results[3u * task + 2u] = hash;
    }
";

fn twin_playout<G: Game>(game: &G, task: &Task<G>) -> Vec<u32> {
    let mut playout = game.playout_begin(&task.state, task.turn);
    let (mut outcome, mut plies, mut hash) = (None, 0, 0);
    while outcome.is_none() && plies < task.numbers.len() {
        let count = game.legal_actions_playout(&mut playout);
        let ordinal = task.numbers[plies] % count;
        hash = mix(hash, count * 512 + ordinal);
        outcome = game.take_action_playout(&mut playout, ordinal);
        plies += 1;
    }
    vec![Outcome::code(outcome), plies as u32, hash]
}

/// The outcome, and a hash of what every run came to and of the random stream after it.
const RUNS: &str = "
    @compute @workgroup_size(PLAYOUT_LANES)
    fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
        let task = id.x;
        if task >= TASKS {
            return;
        }
        var state = load(task);
        var rng = vec4<u32>(number(task, 0u), number(task, 1u), number(task, 2u), number(task, 3u));
        var playout = playout_begin(&state, records[task * RECORD_WORDS], lane);
        var outcome = ONGOING;
        var hash = 0u;
        for (var i = 4u; i < NUMBERS && outcome == ONGOING; i++) {
            let run = run_playout(&playout, &rng, number(task, i), lane);
            outcome = run.outcome;
            hash = mix(mix(hash, outcome), run.plies);
            hash = mix(mix(mix(mix(hash, rng.x), rng.y), rng.z), rng.w);
        }
        results[2u * task] = outcome;
        results[2u * task + 1u] = hash;
    }
";

fn twin_runs<G: Game>(game: &G, task: &Task<G>) -> Vec<u32> {
    let pair = |words: &[u32]| u64::from(words[0]) | u64::from(words[1]) << 32;
    let mut stream = Stream { s0: pair(&task.numbers[..2]), s1: pair(&task.numbers[2..4]) };
    let mut playout = game.playout_begin(&task.state, task.turn);
    let (mut outcome, mut hash) = (None, 0);
    for &most in &task.numbers[4..] {
        let mut plies = 0;
        while outcome.is_none() && plies < most {
            let count = game.legal_actions_playout(&mut playout);
            outcome = game.take_action_playout(&mut playout, stream.pick(count));
            plies += 1;
        }
        let words = [stream.s0, stream.s1].map(|s| [s as u32, (s >> 32) as u32]);
        hash = [Outcome::code(outcome), plies].into_iter().chain(words.into_iter().flatten()).fold(hash, mix);
        if outcome.is_some() {
            break;
        }
    }
    vec![Outcome::code(outcome), hash]
}

/// The outcome after an action, and a hash of the legal actions before and the state after it.
const RULES: &str = "
    @compute @workgroup_size(PLAYOUT_LANES)
    fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        let task = id.x;
        if task >= TASKS {
            return;
        }
        var state = load(task);
        let turn = records[task * RECORD_WORDS];
        let action = number(task, 0u);
        var hash = 0u;
        for (var i = 0u; i < MAX_ACTIONS; i++) {
            hash = mix(hash, u32(is_action_legal(&state, turn, i)));
        }
        take_action(&state, turn, action);
        for (var i = 0u; i < STATE_WORDS; i++) {
            hash = mix(hash, state[i]);
        }
        results[2u * task] = compute_outcome(&state, 1u - turn, action);
        results[2u * task + 1u] = hash;
    }
";

fn twin_rules<G: Game>(game: &G, task: &Task<G>) -> Vec<u32> {
    let legal = (0..game.max_actions()).map(|action| game.is_action_legal(&task.state, task.turn, action));
    let hash = legal.fold(0, |hash, legal| mix(hash, legal.into()));
    let mut state = task.state.clone();
    game.take_action(&mut state, task.turn, task.numbers[0]);
    let mut words = vec![0; game.state_words() as usize];
    game.pack(&state, &mut words);
    let outcome = game.compute_outcome(&state, task.turn.opponent(), Some(task.numbers[0]));
    vec![Outcome::code(outcome), words.into_iter().fold(hash, mix)]
}

/// Half of the playouts begin at the start, half at a position of a random game.
fn random_playouts<G: Game>(game: &G, count: u64) -> Vec<Task<G>> {
    let task = |seed: u64| {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let plies = if seed.is_multiple_of(2) { 0 } else { pick(&mut rng, game.max_plies()) };
        let (state, turn) = random_position(game, plies, &mut rng);
        let numbers = (0..game.max_plies()).map(|_| rng.next_u32()).collect();
        Task { state, turn, numbers }
    };
    (0..count).map(task).collect()
}

/// The same positions, played on in runs of random lengths, of which the last is to the end.
fn random_runs<G: Game>(game: &G, count: u64) -> Vec<Task<G>> {
    let runs = |(seed, task): (u64, Task<G>)| {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let words = (0..4).map(|_| rng.next_u32()).collect::<Vec<_>>();
        let lengths = [1, 2, 3, 4, 8, 40].map(|most| 1 + pick(&mut rng, most));
        Task { numbers: [&words[..], &lengths, &[u32::MAX]].concat(), ..task }
    };
    (0..).zip(random_playouts(game, count)).map(runs).collect()
}

/// Every ply of a random game.
fn random_game<G: Game>(game: &G, seed: u64) -> Vec<Task<G>> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let (mut state, mut turn) = (game.start(), Player::First);
    let mut tasks = Vec::new();
    loop {
        let legal = legal_actions(game, &state, turn);
        let action = legal[pick(&mut rng, legal.len() as u32) as usize];
        tasks.push(Task { state: state.clone(), turn, numbers: vec![action] });
        game.take_action(&mut state, turn, action);
        turn = turn.opponent();
        if game.compute_outcome(&state, turn, Some(action)).is_some() {
            return tasks;
        }
    }
}

fn assert_agreement<G: Game>(game: &G, playouts: u64, games: u64) {
    Check::playouts().assert_agreement(game, &random_playouts(game, playouts));
    let plies: Vec<Task<G>> = (0..games).flat_map(|seed| random_game(game, seed)).collect();
    Check::rules().assert_agreement(game, &plies);
}

#[test]
fn connect4_agrees_with_its_twin() {
    assert_agreement(&Connect4::default(), 20_000, 2000);
    connect4_games()[1..].iter().for_each(|game| assert_agreement(game, 1000, 100));
}

#[test]
fn gomoku_agrees_with_its_twin() {
    assert_agreement(&Gomoku::default(), 2000, 100);
    gomoku_games()[1..].iter().for_each(|game| assert_agreement(game, 300, 20));
}

#[test]
fn runs_of_gomoku_agree_with_its_twin() {
    gomoku_games().iter().for_each(|game| Check::runs().assert_agreement(game, &random_runs(game, 1000)));
}

/// An action that completes a run of 4 to 7 stones, in every place and direction; in playouts, two more after it.
#[test]
fn gomoku_agrees_with_its_twin_on_all_lines() {
    for game in [5, 15, 16].map(|size| Gomoku::new(size).expect("a legal size")) {
        let (mut playouts, mut rules) = (Vec::new(), Vec::new());
        for turn in [Player::First, Player::Second] {
            for threat in threats(&game, turn) {
                let numbers = vec![threat.ordinal(&game, turn), threat.action, threat.run];
                playouts.push(Task { state: threat.state.clone(), turn, numbers });
                rules.push(Task { state: threat.state, turn, numbers: vec![threat.action] });
            }
        }
        Check::playouts().assert_agreement(&game, &playouts);
        Check::rules().assert_agreement(&game, &rules);
    }
}

/// One changed bit of the third task's record shows in its result, and in no other one.
fn assert_change_shows<G: Game>(check: Check<G>, game: &G, tasks: &[Task<G>], word: usize, bit: u32) {
    let (mut records, expected) = (records(game, tasks), check.in_rust(game, tasks));
    let record_words = records.len() / tasks.len();
    records[2 * record_words + word] ^= 1 << bit;
    for gpu in &Adapters::open().gpus {
        let found = check.on_device(gpu, game, &records, tasks.len());
        assert_eq!(check.differing_tasks(&found, &expected), [2], "{game:?} on {}", gpu.name);
    }
}

fn assert_changes_show<G: Game>(game: &G, state_bit: u32) {
    let first_draw = 1 + game.state_words() as usize;
    assert_change_shows(Check::playouts(), game, &random_playouts(game, 64), first_draw, 0);
    assert_change_shows(Check::rules(), game, &random_game(game, 1), 1, state_bit);
}

#[test]
fn the_comparison_with_the_device_can_fail() {
    // In Connect 4 a second disc in the first column, in Gomoku a stone on D1.
    assert_changes_show(&Connect4::default(), 1);
    assert_changes_show(&Gomoku::default(), 3);
    let game = Gomoku::default();
    assert_change_shows(Check::runs(), &game, &random_runs(&game, 64), 1 + game.state_words() as usize, 20);
}
