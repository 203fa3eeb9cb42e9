//! Positional superko: against a brute force that remembers whole boards, and the same trees on every engine.

#[path = "support/adapters.rs"]
mod adapters;

use adapters::each_adapter;
use mcts_wgpu::{
    Budget, Config, Engine, Game, Player, Position, Report, Schedule, Search, Variant, game::perft,
    games::Go, gpu::Backend,
};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use std::process::{Command, Output};

fn go(size: u32) -> Go {
    Go::new(size, 0.5).expect("a board").with_superko(true)
}

// --- rules -------------------------------------------------------------------------------------------------

/// Go by whole boards: 0 empty, 1 Black, 2 White; no ko but superko.
#[derive(Clone)]
struct Brute {
    size: usize,
    board: Vec<u8>,
    earlier: Vec<Vec<u8>>,
    turn: u8,
    passes: u32,
    moves: u32,
}

impl Brute {
    fn new(size: u32) -> Self {
        let board = vec![0; (size * size) as usize];
        Self { size: size as usize, earlier: vec![board.clone()], board, turn: 1, passes: 0, moves: 0 }
    }

    fn near(&self, point: usize) -> Vec<usize> {
        let (row, column) = (point / self.size, point % self.size);
        let mut near = Vec::new();
        if row > 0 {
            near.push(point - self.size);
        }
        if row + 1 < self.size {
            near.push(point + self.size);
        }
        if column > 0 {
            near.push(point - 1);
        }
        if column + 1 < self.size {
            near.push(point + 1);
        }
        near
    }

    /// The chain of a stone, and whether it has a liberty.
    fn chain(&self, board: &[u8], stone: usize) -> (Vec<usize>, bool) {
        let (mut chain, mut free, mut next) = (vec![stone], false, 0);
        while next < chain.len() {
            for near in self.near(chain[next]) {
                free |= board[near] == 0;
                if board[near] == board[stone] && !chain.contains(&near) {
                    chain.push(near);
                }
            }
            next += 1;
        }
        (chain, free)
    }

    /// The board after a stone; nothing where that is suicide or no empty point.
    fn after(&self, point: usize) -> Option<Vec<u8>> {
        if self.board[point] != 0 {
            return None;
        }
        let mut board = self.board.clone();
        board[point] = self.turn;
        for near in self.near(point) {
            if board[near] == 3 - self.turn {
                let (chain, free) = self.chain(&board, near);
                if !free {
                    chain.into_iter().for_each(|stone| board[stone] = 0);
                }
            }
        }
        self.chain(&board, point).1.then_some(board)
    }

    fn legal(&self) -> Vec<u32> {
        let points = self.board.len();
        let allowed = |&point: &usize| self.after(point).is_some_and(|board| !self.earlier.contains(&board));
        (0..points).filter(allowed).chain([points]).map(|action| action as u32).collect()
    }

    fn play(&mut self, action: u32) {
        match self.board.get(action as usize) {
            None => self.passes += 1,
            Some(_) => {
                self.board = self.after(action as usize).expect("a legal stone");
                self.earlier.push(self.board.clone());
                self.passes = 0;
            }
        }
        self.turn = 3 - self.turn;
        self.moves += 1;
    }

    fn is_over(&self) -> bool {
        self.passes >= 2 || self.moves >= Go::default_max_moves(self.size as u32)
    }

    fn perft(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        if self.is_over() {
            return 0;
        }
        let below = |action| {
            let mut next = self.clone();
            next.play(action);
            next.perft(depth - 1)
        };
        self.legal().into_iter().map(below).sum()
    }
}

#[test]
fn perft_agrees_with_whole_boards_remembered() {
    for (size, depth) in [(1, 4), (2, 8), (3, 5)] {
        let brute = Brute::new(size);
        for depth in 0..=depth {
            let leaves = perft(&Position::start(&go(size)), depth);
            assert_eq!(leaves, brute.perft(depth), "{size} x {size}, depth {depth}");
        }
    }
    // Superko takes leaves away, as soon as four stones can be captured and come back.
    let simple = perft(&Position::start(&go(2).with_superko(false)), 8);
    assert!(perft(&Position::start(&go(2)), 8) < simple);
}

/// Random games, with few passes so that they go on; counts the moves that superko alone forbids.
fn forbidden_in_random_games(size: u32, games: u64) -> u32 {
    let (game, simple) = (go(size), go(size).with_superko(false));
    let mut forbidden = 0;
    for seed in 0..games {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let (mut brute, mut position) = (Brute::new(size), Position::start(&game));
        while position.outcome().is_none() {
            let legal = position.legal_actions();
            assert_eq!(legal, brute.legal(), "{size} x {size}, after {:?}", position.moves());
            let turn = position.turn();
            let candidates = (0..game.max_actions()).filter(|a| !legal.contains(a));
            let state = position.state();
            for action in candidates.filter(|&a| simple.is_action_legal(state, turn, a)) {
                forbidden += 1;
                let error = position.clone().play(action).expect_err("an earlier position");
                assert!(error.to_string().contains("earlier position"), "{error}");
            }
            let stones = legal.len() as u32 - 1;
            let passes = stones == 0 || rng.next_u32() % 8 == 0;
            let action = if passes { game.pass() } else { legal[(rng.next_u32() % stones) as usize] };
            position.play(action).expect("a legal move");
            brute.play(action);
        }
        assert!(brute.is_over());
    }
    forbidden
}

#[test]
fn legal_moves_of_random_games_are_those_of_whole_boards_remembered() {
    for (size, games, at_least) in [(1, 10, 0), (2, 100, 20), (3, 60, 20), (4, 60, 1), (5, 10, 0)] {
        let forbidden = forbidden_in_random_games(size, games);
        assert!(forbidden >= at_least, "{forbidden} on {size} x {size}");
    }
}

#[test]
fn two_games_with_the_same_board_differ_in_what_is_forbidden() {
    // Both colours pass in turn, so that each game has the board ".X/X." with Black to move.
    let game = go(2);
    let short = Position::from_moves(&game, &["A1", "pass", "B2", "pass"]).expect("legal moves");
    let board = Position::from_board(&game, &[".X", "X."], Player::First).expect("a board");
    assert_eq!(short.legal_actions(), board.legal_actions());
    assert_eq!(board.keys().len(), 1);
    assert_eq!(short.keys().len(), 5);
}

// --- searches ----------------------------------------------------------------------------------------------

/// A position of a random game in which superko forbids a move that simple ko allows.
fn forbidding(size: u32) -> Position<Go> {
    let game = go(size);
    for seed in 0.. {
        let mut rng = Pcg64Mcg::seed_from_u64(1000 + seed);
        let mut position = Position::start(&game);
        while position.outcome().is_none() {
            let free = without_history(&position);
            let earlier = position.keys().len();
            if free.legal_actions().len() > position.legal_actions().len() && earlier > 6 {
                return position;
            }
            let legal = position.legal_actions();
            let action = legal[(rng.next_u32() % legal.len() as u32) as usize];
            position.play(action).expect("a legal move");
        }
    }
    unreachable!("random games on small boards come to such positions")
}

/// Steps of every search: enough for paths on 2 x 2 to come back to where they were.
const STEPS: u64 = 300;

fn without_history(position: &Position<Go>) -> Position<Go> {
    Position::from_state(position.game(), *position.state(), position.turn()).expect("a position of the game")
}

/// A position with a single one before it, which comes back in a search that does not know of it.
fn with_one_before(root: &Position<Go>) -> Position<Go> {
    let search =
        |position| found(&searched(&Engine::cpu(), &[position], Variant::ACP_THRIFTY, Schedule::Auto));
    let after = |action| {
        let mut position = root.clone();
        position.play(action).expect("a legal move");
        position
    };
    let stones = root.legal_actions().into_iter().filter(|&action| action != root.game().pass());
    let mut positions = stones.map(after);
    let comes_back = |next: &Position<Go>| search(next.clone()) != search(without_history(next));
    positions.find(comes_back).expect("positions on 2 x 2 come back")
}

fn positions(size: u32) -> [Position<Go>; 4] {
    let fresh = without_history(&forbidding(size));
    [Position::start(&go(size)), forbidding(size), with_one_before(&fresh), fresh]
}

fn searched(
    engine: &Engine,
    positions: &[Position<Go>],
    variant: Variant,
    schedule: Schedule,
) -> Vec<Report> {
    let node_limit = Some(STEPS as u32 * 10);
    // A small constant makes trees deep.
    let config =
        Config { variant, schedule, trees: 2, playouts: 4, ucb_c: 0.1, node_limit, ..Config::default() };
    let mut search = Search::new(engine, positions[0].game().clone(), config).expect("the search starts");
    search.run_batch(positions, Budget::steps(STEPS)).expect("the search runs")
}

/// What a search finds: root actions and trees.
fn found(reports: &[Report]) -> Vec<(Vec<(u32, u64)>, String)> {
    let actions = |report: &Report| report.actions.iter().map(|action| (action.index, action.n)).collect();
    reports.iter().map(|report| (actions(report), report.fingerprint.clone())).collect()
}

#[test]
fn every_engine_grows_the_same_trees() {
    let positions = positions(2);
    let expected = Variant::ALL.map(|v| found(&searched(&Engine::cpu(), &positions, v, Schedule::Auto)));
    for of_variant in &expected {
        // What was before the root decides: these positions differ in nothing else.
        assert_ne!(of_variant[1], of_variant[3]);
    }
    each_adapter(|adapter| {
        let engine = Engine::devices_of(vec![adapter.open().expect("the adapter opens")]);
        for (variant, expected) in Variant::ALL.into_iter().zip(&expected) {
            for schedule in [Schedule::Staged, Schedule::Fused] {
                let reports = searched(&engine, &positions, variant, schedule);
                let what = format!("{:?} {} {}", adapter.info(), variant.name(), schedule.name());
                assert_eq!(&found(&reports), expected, "{what}");
            }
        }
    });
}

/// On larger boards no search comes back to where it was but from positions that are about to repeat. GL is slow to compile
/// these kernels.
#[test]
fn every_engine_grows_the_same_trees_on_larger_boards() {
    let roots =
        [3, 4].map(|size| [Position::start(&go(size)), forbidding(size), without_history(&forbidding(size))]);
    let variants = [Variant::OCP_THRIFTY, Variant::ACP_PRODIGAL];
    let trees = |engine: &Engine, roots, variant, way| found(&searched(engine, roots, variant, way));
    each_adapter(|adapter| {
        if adapter.info().backend == Backend::Gl {
            return;
        }
        let engine = Engine::devices_of(vec![adapter.open().expect("the adapter opens")]);
        for (roots, variant) in roots.iter().flat_map(|roots| variants.map(|variant| (roots, variant))) {
            let expected = trees(&Engine::cpu(), roots, variant, Schedule::Auto);
            assert_ne!(expected[1], expected[2], "what was before the root decides");
            for way in [Schedule::Staged, Schedule::Fused] {
                assert_eq!(
                    trees(&engine, roots, variant, way),
                    expected,
                    "{} {}",
                    variant.name(),
                    way.name()
                );
            }
        }
    });
}

/// A game whose moves are the most visited stones of a search that reuses its trees.
fn game_with_reuse(engine: &Engine, size: u32, variant: Variant, schedule: Schedule) -> Vec<Report> {
    let config = Config {
        variant,
        schedule,
        trees: 2,
        playouts: 4,
        ucb_c: 0.1,
        node_limit: Some(4000),
        ..Config::default()
    };
    let mut position = Position::start(&go(size));
    let config = Config { reuse: true, ..config };
    let mut search = Search::new(engine, position.game().clone(), config).expect("the search starts");
    let mut reports = Vec::new();
    while position.outcome().is_none() && reports.len() < 6 {
        let report = search.run(&position, Budget::steps(60)).expect("the search runs");
        let allowed: Vec<u32> = report.actions.iter().map(|action| action.index).collect();
        assert_eq!(allowed, position.legal_actions());
        let pass = position.game().pass();
        let stones = report.actions.iter().filter(|action| action.index != pass);
        let Some(most) = stones.max_by_key(|action| action.n) else { break };
        position.play(most.index).expect("a legal move");
        reports.push(report);
    }
    reports
}

#[test]
fn reused_trees_remember_the_game() {
    let cases = [(3, Variant::OCP_PRODIGAL), (3, Variant::ACP_THRIFTY)];
    let expected =
        cases.map(|(size, variant)| game_with_reuse(&Engine::cpu(), size, variant, Schedule::Auto));
    for reports in &expected {
        assert!(reports[1..].iter().any(|report| report.trees_info.reused_nodes > 2));
    }
    each_adapter(|adapter| {
        if adapter.info().backend == Backend::Gl {
            return;
        }
        let engine = Engine::devices_of(vec![adapter.open().expect("the adapter opens")]);
        for ((size, variant), expected) in cases.into_iter().zip(&expected) {
            for way in [Schedule::Staged, Schedule::Fused] {
                let reports = game_with_reuse(&engine, size, variant, way);
                assert_eq!(found(&reports), found(expected), "{} {}", variant.name(), way.name());
            }
        }
    });
}

/// Superko changes trees below roots of which nothing is known.
#[test]
fn positions_of_a_path_are_remembered() {
    let root = without_history(&forbidding(2));
    let simple = Position::from_state(&go(2).with_superko(false), *root.state(), root.turn());
    let simple = simple.expect("a position of the game");
    for variant in Variant::ALL {
        let with = searched(&Engine::cpu(), std::slice::from_ref(&root), variant, Schedule::Auto);
        let without = searched(&Engine::cpu(), std::slice::from_ref(&simple), variant, Schedule::Auto);
        assert_ne!(found(&with), found(&without), "{}", variant.name());
    }
}

#[test]
fn root_actions_are_the_legal_ones() {
    let position = forbidding(3);
    let reports =
        searched(&Engine::cpu(), std::slice::from_ref(&position), Variant::ACP_THRIFTY, Schedule::Auto);
    let actions: Vec<u32> = reports[0].actions.iter().map(|action| action.index).collect();
    assert_eq!(actions, position.legal_actions());
}

// --- the program -------------------------------------------------------------------------------------------

fn program(arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mcts-wgpu"))
        .args(arguments.split_whitespace())
        .output()
        .expect("the program starts")
}

#[test]
fn the_program_takes_superko() {
    let position = forbidding(2);
    let names: Vec<_> = position.moves().iter().map(|&action| go(2).action_name(action)).collect();
    let free = without_history(&position);
    let forbidden = free.legal_actions().into_iter().find(|a| !position.legal_actions().contains(a));
    let moves = format!("{},{}", names.join(","), go(2).action_name(forbidden.expect("a forbidden move")));
    let perft = |superko: &str| program(&format!("perft go --size 2 --moves {moves} --depth 1 {superko}"));
    assert!(perft("").status.success());
    let refused = perft("--superko");
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2));
    assert!(said.contains("would bring back an earlier position"), "{said}");

    let leaves = program("perft go --size 2 --depth 8 --superko --json");
    let count: serde_json::Value = serde_json::from_slice(&leaves.stdout).expect("JSON");
    assert_eq!(count["leaves"].as_u64(), Some(Brute::new(2).perft(8)));
    let refused = program("perft othello --depth 1 --superko");
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--superko is no option of othello"));
}
