//! The WGSL of the games against their Rust twins, on every adapter.

use crate::conformance::{connect4_games, gomoku_games};
use crate::gomoku::threats;
use crate::kernel::{Adapters, Gpu};
use crate::play::{pick, random_position};
use mcts_wgpu::game::{Game, Outcome, Player};
use mcts_wgpu::games::{Connect4, Gomoku};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// Lanes of a workgroup: 16 KiB, which every adapter has, hold the playout words of the largest game.
fn lanes(playout_words: u32) -> u32 {
    let fits = 4096 / playout_words.max(1);
    (1 << fits.ilog2()).min(64)
}

/// What one game of a kernel starts from.
struct Start<G: Game> {
    state: G::State,
    turn: Player,
    /// Raw draws, one a ply: the ordinal is the draw modulo the number of legal actions.
    draws: Vec<u32>,
}

/// Both kernels get, for each game, the player to move and the packed state, and numbers in the order [ply][game].
struct Bench<'a, G: Game> {
    gpu: &'a Gpu,
    game: &'a G,
    starts: &'a [Start<G>],
    /// No game is followed any further.
    plies: u32,
}

impl<G: Game> Bench<'_, G> {
    fn source(&self, kernel: &str) -> String {
        let (game, shader) = (self.game, self.game.shader());
        let mut constants: Vec<(&str, u32)> = vec![
            ("MAX_ACTIONS", game.max_actions()),
            ("STATE_WORDS", game.state_words()),
            ("MAX_PLIES", self.plies),
            ("PLAYOUT_LANES", lanes(shader.playout_words)),
            ("GAMES", self.starts.len() as u32),
        ];
        constants.extend(shader.constants);
        let constants = constants.iter().map(|(name, value)| format!("const {name}: u32 = {value}u;\n"));
        let mut source: String = constants.collect();
        if shader.playout_words > 0 {
            let words = shader.playout_words;
            source += &format!("var<workgroup> sh_playout: array<u32, {words}u * PLAYOUT_LANES>;\n");
        }
        source + include_str!("../../shaders/common/game.wgsl") + &shader.source + COMMON + kernel
    }

    fn positions(&self) -> Vec<u32> {
        let record = |start: &Start<G>| {
            let mut words = vec![start.turn as u32; 1 + self.game.state_words() as usize];
            self.game.pack(&start.state, &mut words[1..]);
            words
        };
        self.starts.iter().flat_map(record).collect()
    }

    /// The number of each game and ply that `number` gives, in the order of the kernels.
    fn by_ply(&self, number: impl Fn(usize, usize) -> u32) -> Vec<u32> {
        let plies = 0..self.plies as usize;
        plies
            .flat_map(|ply| (0..self.starts.len()).map(move |game| (ply, game)))
            .map(|(p, g)| number(p, g))
            .collect()
    }

    fn run(&self, kernel: &str, positions: &[u32], numbers: &[u32], result_words: usize) -> Vec<u32> {
        let source = self.source(kernel);
        let groups = (self.starts.len() as u32).div_ceil(lanes(self.game.shader().playout_words));
        self.gpu.kernel(&[&source]).run(&[positions, numbers], result_words, groups)
    }

    fn draws(&self) -> Vec<u32> {
        self.by_ply(|ply, game| self.starts[game].draws[ply])
    }

    fn device_playouts(&self, positions: &[u32], draws: &[u32]) -> Vec<u32> {
        self.run(PLAYOUTS, positions, draws, 3 * self.starts.len())
    }

    /// Outcome, plies, and a hash of counts and ordinals of each game.
    fn twin_playouts(&self) -> Vec<u32> {
        self.starts.iter().flat_map(|start| self.twin_playout(start)).collect()
    }

    fn twin_playout(&self, start: &Start<G>) -> [u32; 3] {
        let game = self.game;
        let mut playout = game.playout_begin(&start.state, start.turn);
        let (mut outcome, mut plies, mut hash) = (None, 0, 0);
        while outcome.is_none() && plies < self.plies {
            let count = game.legal_actions_playout(&mut playout);
            let ordinal = start.draws[plies as usize] % count;
            hash = mix(hash, count * 512 + ordinal);
            outcome = game.take_action_playout(&mut playout, ordinal);
            plies += 1;
        }
        [Outcome::code(outcome), plies, hash]
    }

    /// The actions of random games, one a ply, `u32::MAX` after the end.
    fn actions(&self) -> Vec<u32> {
        let games: Vec<Vec<u32>> = self.starts.iter().map(|start| twin_actions(self.game, start)).collect();
        self.by_ply(|ply, game| games[game].get(ply).copied().unwrap_or(u32::MAX))
    }

    fn device_rules(&self, positions: &[u32], actions: &[u32]) -> Vec<u32> {
        self.run(RULES, positions, actions, 2 * actions.len())
    }

    /// Outcome and hash of legal actions and state, for each ply and game.
    fn twin_rules(&self, actions: &[u32]) -> Vec<u32> {
        let n = self.starts.len();
        let mut result = vec![0; 2 * actions.len()];
        for (index, start) in self.starts.iter().enumerate() {
            let (mut state, mut turn) = (start.state.clone(), start.turn);
            for ply in 0..self.plies as usize {
                let at = ply * n + index;
                if actions[at] == u32::MAX {
                    break;
                }
                let legal = (0..self.game.max_actions()).map(|a| self.game.is_action_legal(&state, turn, a));
                let hash = legal.fold(0, |hash, legal| mix(hash, legal.into()));
                self.game.take_action(&mut state, turn, actions[at]);
                turn = turn.opponent();
                let outcome = self.game.compute_outcome(&state, turn, Some(actions[at]));
                let mut words = vec![0; self.game.state_words() as usize];
                self.game.pack(&state, &mut words);
                result[2 * at] = Outcome::code(outcome);
                result[2 * at + 1] = words.into_iter().fold(hash, mix);
            }
        }
        result
    }

    fn assert_equal(&self, found: &[u32], expected: &[u32]) {
        let first = found.iter().zip(expected).position(|(a, b)| a != b);
        let what = format!("{:?} on {}: word {first:?} differs", self.game, self.gpu.name);
        assert!(found.len() == expected.len() && first.is_none(), "{what}");
    }

    fn assert_same_playouts(&self) {
        let found = self.device_playouts(&self.positions(), &self.draws());
        self.assert_equal(&found, &self.twin_playouts());
    }

    fn assert_same_rules(&self) {
        let positions = self.positions();
        let actions = self.actions();
        self.assert_equal(&self.device_rules(&positions, &actions), &self.twin_rules(&actions));
    }
}

/// The hash of both sides.
fn mix(hash: u32, word: u32) -> u32 {
    (hash ^ word).wrapping_mul(0x0100_0193).rotate_left(5)
}

const COMMON: &str = "
    @group(0) @binding(0) var<storage, read> positions: array<u32>;
    @group(0) @binding(1) var<storage, read> numbers: array<u32>;
    @group(0) @binding(2) var<storage, read_write> results: array<u32>;

    fn mix(hash: u32, word: u32) -> u32 {
        let product = (hash ^ word) * 0x01000193u;
        return (product << 5u) | (product >> 27u);
    }

    fn load(game: u32) -> State {
        var state: State;
        for (var i = 0u; i < STATE_WORDS; i++) {
            state[i] = positions[game * (STATE_WORDS + 1u) + 1u + i];
        }
        return state;
    }
";

const PLAYOUTS: &str = "
    @compute @workgroup_size(PLAYOUT_LANES)
    fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
        let game = id.x;
        if game >= GAMES {
            return;
        }
        var state = load(game);
        var playout = playout_begin(&state, positions[game * (STATE_WORDS + 1u)], lane);
        var outcome = ONGOING;
        var hash = 0u;
        var ply = 0u;
        while outcome == ONGOING && ply < MAX_PLIES {
            let count = legal_actions_playout(&playout, lane);
            let ordinal = numbers[ply * GAMES + game] % count;
            hash = mix(hash, count * 512u + ordinal);
            outcome = take_action_playout(&playout, ordinal, lane);
            ply++;
        }
        results[3u * game] = outcome;
        results[3u * game + 1u] = ply;
        results[3u * game + 2u] = hash;
    }
";

const RULES: &str = "
    @compute @workgroup_size(PLAYOUT_LANES)
    fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        let game = id.x;
        if game >= GAMES {
            return;
        }
        var state = load(game);
        var turn = positions[game * (STATE_WORDS + 1u)];
        for (var ply = 0u; ply < MAX_PLIES; ply++) {
            let at = ply * GAMES + game;
            let action = numbers[at];
            var outcome = 0u;
            var hash = 0u;
            if action != NO_ACTION {
                for (var a = 0u; a < MAX_ACTIONS; a++) {
                    hash = mix(hash, u32(is_action_legal(&state, turn, a)));
                }
                take_action(&state, turn, action);
                turn = 1u - turn;
                outcome = compute_outcome(&state, turn, action);
                for (var i = 0u; i < STATE_WORDS; i++) {
                    hash = mix(hash, state[i]);
                }
            }
            results[2u * at] = outcome;
            results[2u * at + 1u] = hash;
        }
    }
";

fn twin_actions<G: Game>(game: &G, start: &Start<G>) -> Vec<u32> {
    let (mut state, mut turn) = (start.state.clone(), start.turn);
    let mut actions = Vec::new();
    for draw in &start.draws {
        let legal = crate::play::legal_actions(game, &state, turn);
        let action = legal[*draw as usize % legal.len()];
        actions.push(action);
        game.take_action(&mut state, turn, action);
        turn = turn.opponent();
        if game.compute_outcome(&state, turn, Some(action)).is_some() {
            break;
        }
    }
    actions
}

/// Half of the games begin at the start, half at a position of a random game.
fn random_starts<G: Game>(game: &G, count: u64) -> Vec<Start<G>> {
    let start = |seed: u64| {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let plies = if seed % 2 == 0 { 0 } else { pick(&mut rng, game.max_plies()) };
        let (state, turn) = random_position(game, plies, &mut rng);
        let draws = (0..game.max_plies()).map(|_| rng.next_u32()).collect();
        Start { state, turn, draws }
    };
    (0..count).map(start).collect()
}

/// The rules cost more, since every action of every position is looked at: fewer games do.
fn assert_agreement<G: Game>(game: &G, playouts: u64, rules: usize) {
    let starts = random_starts(game, playouts);
    let plies = game.max_plies();
    for gpu in &Adapters::open().gpus {
        Bench { gpu, game, starts: &starts, plies }.assert_same_playouts();
        Bench { gpu, game, starts: &starts[..rules], plies }.assert_same_rules();
    }
}

#[test]
fn connect4_agrees_with_its_twin() {
    assert_agreement(&Connect4::default(), 20_000, 2000);
    connect4_games()[1..].iter().for_each(|game| assert_agreement(game, 1000, 100));
}

#[test]
fn gomoku_agrees_with_its_twin() {
    assert_agreement(&Gomoku::default(), 2000, 100);
    gomoku_games()[1..].iter().for_each(|game| assert_agreement(game, 200, 20));
}

/// An action that completes a run of 4 to 7 stones, in every place and direction, and two more after it.
#[test]
fn gomoku_agrees_with_its_twin_on_all_lines() {
    for game in [5, 15, 16].map(|size| Gomoku::new(size).expect("a legal size")) {
        let mut rng = Pcg64Mcg::seed_from_u64(5);
        let mut starts = Vec::new();
        for turn in [Player::First, Player::Second] {
            for threat in threats(&game, turn) {
                let draws = vec![threat.ordinal(&game, turn), rng.next_u32(), rng.next_u32()];
                starts.push(Start { state: threat.state, turn, draws });
            }
        }
        for gpu in &Adapters::open().gpus {
            let bench = Bench { gpu, game: &game, starts: &starts, plies: 3 };
            bench.assert_same_playouts();
            bench.assert_same_rules();
        }
    }
}

/// One changed bit of a position or of a draw shows, and in no other game than its own.
fn assert_changes_show<G: Game>(game: &G, bit: u32) {
    let starts = random_starts(game, 64);
    for gpu in &Adapters::open().gpus {
        let bench = Bench { gpu, game, starts: &starts, plies: game.max_plies() };
        let (mut positions, mut draws, expected) = (bench.positions(), bench.draws(), bench.twin_playouts());
        draws[7] ^= 1;
        let found = bench.device_playouts(&positions, &draws);
        let differ = |found: &[u32], per_game: usize| -> Vec<usize> {
            let games = found.chunks(per_game).zip(expected.chunks(per_game)).enumerate();
            games.filter(|(_, (a, b))| a != b).map(|(game, _)| game).collect()
        };
        assert_eq!(differ(&found, 3), [7], "{}", gpu.name);

        let actions = bench.actions();
        let expected = bench.twin_rules(&actions);
        positions[1] ^= 1 << bit;
        let found = bench.device_rules(&positions, &actions);
        let places = found.iter().zip(&expected).enumerate().filter(|(_, (a, b))| a != b);
        let games: Vec<usize> = places.map(|(word, _)| word / 2 % starts.len()).collect();
        assert!(!games.is_empty() && games.iter().all(|&game| game == 0), "{}: {games:?}", gpu.name);
    }
}

#[test]
fn the_comparison_with_the_device_can_fail() {
    // In Connect 4 the height mark of the first column turns into two: bit 0 is at rest under bit 1.
    assert_changes_show(&Connect4::default(), 1);
    assert_changes_show(&Gomoku::default(), 3);
}
