//! Positional superko in searches: the same trees on every engine.

use crate::support::prelude::*;
use mcts_wgpu::engine::Backend;

fn go(size: u32) -> Go {
    go_of(size, 0.5).with_superko(true)
}

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

/// Steps of every search: enough for paths on 2 x 2 to return to earlier positions.
const STEPS: u64 = 300;

fn without_history(position: &Position<Go>) -> Position<Go> {
    Position::from_state(position.game(), *position.state(), position.turn()).expect("a position of the game")
}

/// A position with a single one before it, to which a search without superko would return.
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
        Config { variant, schedule, trees: 2, playouts: 4, ucb_c: 0.1, node_limit, ..Config::paper() };
    search_on(engine, positions[0].game().clone(), config).batch(positions, STEPS)
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
        // Positions before the root decide: these positions differ in nothing else.
        assert_ne!(of_variant[1], of_variant[3]);
    }
    each_adapter(|adapter| {
        let engine = opened(adapter);
        let all: Vec<_> = Variant::ALL.into_iter().zip(&expected).collect();
        for (&(variant, expected), schedule) in scheduled(adapter, &all) {
            let reports = searched(&engine, &positions, variant, schedule);
            let what = format!("{:?} {} {}", adapter.info(), variant.name(), schedule.name());
            assert_eq!(&found(&reports), expected, "{what}");
        }
    });
}

/// On larger boards, a search returns to earlier positions only from roots that are about to repeat one. GL compiles
/// these kernels slowly.
#[test]
fn every_engine_grows_the_same_trees_on_larger_boards() {
    let roots =
        [3, 4].map(|size| [Position::start(&go(size)), forbidding(size), without_history(&forbidding(size))]);
    let variants = [Variant::OCP_THRIFTY, Variant::ACP_PRODIGAL];
    let trees =
        |engine: &Engine, roots, variant, schedule| found(&searched(engine, roots, variant, schedule));
    each_adapter(|adapter| {
        if adapter.info().backend == Backend::Gl {
            return;
        }
        let engine = opened(adapter);
        for (roots, variant) in roots.iter().flat_map(|roots| variants.map(|variant| (roots, variant))) {
            let expected = trees(&Engine::cpu(), roots, variant, Schedule::Auto);
            assert_ne!(expected[1], expected[2], "what was before the root decides");
            for schedule in [Schedule::Staged, Schedule::Fused] {
                assert_eq!(trees(&engine, roots, variant, schedule), expected, "{variant} {schedule}");
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
        ..Config::paper()
    };
    let mut position = Position::start(&go(size));
    let config = Config { reuse: true, ..config };
    let mut search = search_on(engine, position.game().clone(), config);
    let mut reports = Vec::new();
    while position.outcome().is_none() && reports.len() < 6 {
        let report = search.steps(&position, 60);
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
        let engine = opened(adapter);
        for ((size, variant), expected) in cases.into_iter().zip(&expected) {
            for schedule in [Schedule::Staged, Schedule::Fused] {
                let reports = game_with_reuse(&engine, size, variant, schedule);
                assert_eq!(found(&reports), found(expected), "{} {}", variant.name(), schedule.name());
            }
        }
    });
}

/// Superko changes trees below roots without a history.
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

#[test]
fn the_program_takes_superko() {
    let position = forbidding(2);
    let names: Vec<_> = position.moves().iter().map(|&action| go(2).action_name(action)).collect();
    let free = without_history(&position);
    let forbidden = free.legal_actions().into_iter().find(|a| !position.legal_actions().contains(a));
    let moves = format!("{},{}", names.join(","), go(2).action_name(forbidden.expect("a forbidden move")));
    let perft_of = |superko: &str| run(&format!("perft go --size 2 --moves {moves} --depth 1 {superko}"));
    perft_of("").succeeded();
    perft_of("--superko").refused(&["would repeat an earlier position"]);
    let count = run("perft go --size 2 --depth 8 --superko --json").succeeded().json();
    assert_eq!(count["leaves"].as_u64(), perft(&Position::start(&go(2)), 8).ok());
    run("perft othello --depth 1 --superko").refused(&["--superko is no option of othello"]);
}
