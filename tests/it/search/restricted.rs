//! Searches that consider some actions of the root only: the same on every engine, and nothing else at the root.

use super::priors::found;
use crate::support::prelude::*;
use mcts_wgpu::search::ProvenValue;
use std::fmt::Debug;

fn config(variant: Variant, leaf_batch: u32) -> Config {
    let sizes = Config { trees: 3, playouts: 8, node_limit: Some(20_000), ..Config::paper() };
    Config { variant, leaf_batch, seed: 7, pruning: false, reuse: true, ..sizes }
}

fn search<G: Game>(engine: &Engine, game: &G, config: Config) -> Search<G> {
    search_on(engine, game.clone(), config)
}

fn run<G: Game>(search: &mut Search<G>, position: &Position<G>, steps: u64) -> Report {
    search.steps(position, steps)
}

fn restricted<G: Game>(position: &Position<G>, actions: &[u32]) -> Position<G> {
    position.clone().restricted_to(actions).expect("they are legal")
}

fn actions(report: &Report) -> Vec<u32> {
    report.actions.iter().map(|action| action.index).collect()
}

/// A batch of which some positions are restricted, a restricted search, more steps of it, and the next move.
fn results<G: Game>(
    game: &G,
    mut search: Search<G>,
    units: Option<u32>,
) -> Vec<impl PartialEq + Debug + use<G>> {
    search.cut_steps(units);
    let mut after = Position::start(game);
    let legal = after.legal_actions();
    let only = restricted(&after, &[legal[1], legal[3], legal[legal.len() - 1]]);
    let batch = [only.clone(), after.clone(), restricted(&after, &legal[..1])];
    let mut reports = search.batch(&batch, 12);
    reports.extend([30, 10].map(|steps| run(&mut search, &only, steps)));
    assert_eq!(actions(&reports[0]), only.restriction().expect("a restriction"));
    assert_eq!((actions(&reports[1]), actions(&reports[2])), (legal.clone(), vec![legal[0]]));
    assert!(reports[4].trees_info.reused_nodes > 0 && actions(&reports[4]) == actions(&reports[0]));
    after.play(reports[4].best.as_ref().expect("there is a move").index).expect("a legal action");
    reports.push(run(&mut search, &after, 10));
    assert!(reports[5].trees_info.reused_nodes > 0 && actions(&reports[5]) == after.legal_actions());
    reports.iter().map(found).collect()
}

#[test]
fn every_engine_grows_the_same_trees() {
    fn check<G: Game>(game: &G, all: &[Config]) {
        let on = |engine: &Engine, config: Config, units| results(game, search(engine, game, config), units);
        let all: Vec<_> = all.iter().map(|&config| (config, on(&Engine::cpu(), config, None))).collect();
        each_adapter(|adapter| {
            for &(config, ref expected) in cases(adapter, &all) {
                let name = format!("{} {config:?}", adapter.info().name);
                assert_eq!(&on(&opened(adapter), config, None), expected, "{name}");
                if config.schedule != Schedule::Fused && !compiles_slowly(adapter) {
                    assert_eq!(&on(&opened(adapter), config, Some(2)), expected, "{name}, cut");
                    let two = Engine::devices_of(devices(adapter, 2));
                    assert_eq!(&on(&two, config, None), expected, "{name}, two devices");
                }
            }
        });
    }
    let fused = |config| Config { schedule: Schedule::Fused, ..config };
    check(
        &Connect4::default(),
        &[
            config(Variant::OCP_PRODIGAL, 5),
            fused(config(Variant::OCP_THRIFTY, 1)),
            fused(config(Variant::ACP_PRODIGAL, 1)),
        ],
    );
    let go = go_of(5, 0.5);
    check(&go, &[Config { rave: 200, prior_visits: 8, ..config(Variant::OCP_PRODIGAL, 4) }]);
}

#[test]
fn every_engine_evaluates_the_same_actions() {
    let game = Connect4::default();
    let net = network(&game, Trunk::Conv, 1, 16);
    let base = Settings { leaf_batch: Some(5), trees: Some(2), ..Settings::default() };
    let halving = Settings { gumbel: Some(16), gumbel_visits: Some(20), trees: Some(1), ..base.clone() };
    let noise = Settings { root_noise: Some(0.25), ..base.clone() };
    for settings in [base, noise, halving] {
        let run = |engine: Engine| {
            let engine = engine.with_network(Some(net.clone()));
            let mut search = search_by(&engine, game.clone(), settings.clone());
            run(&mut search, &restricted(&Position::start(&game), &[1, 4, 6]), 20)
        };
        let expected = run(Engine::cpu());
        assert_eq!(actions(&expected), [1, 4, 6]);
        let priors: f64 = expected.actions.iter().filter_map(|action| action.prior).sum();
        assert!((priors - 1.0).abs() < 1e-3, "{priors}");
        let visits: u64 = expected.actions.iter().map(|action| action.n).sum();
        let trees = expected.trees_info.count as u64;
        assert_eq!((visits, expected.n_root), (expected.n_root - trees, expected.performance.playouts));
        each_adapter(|adapter| assert_eq!(found(&run(opened(adapter))), found(&expected), "{settings:?}"));
    }
}

/// The first step lists the actions, and does not count.
#[test]
fn a_restriction_to_all_actions_is_none() {
    let game = Connect4::default();
    let start = Position::start(&game);
    let on = |position: &Position<Connect4>, steps| {
        run(&mut search(&Engine::cpu(), &game, config(Variant::OCP_PRODIGAL, 4)), position, steps)
    };
    let (all, plain) = (on(&restricted(&start, &start.legal_actions()), 40), on(&start, 41));
    assert_eq!((found(&all), all.performance.steps), (found(&plain), 40));
    let few = on(&restricted(&start, &[6, 2]), 40);
    assert_eq!(few.position.restricted_to, Some(vec!["2".into(), "6".into()]));
    assert_eq!(all.position.restricted_to.map(|names| names.len()), Some(7));
    assert_eq!(plain.position.restricted_to, None);
    assert!(
        few.actions.iter().all(|action| action.n > 0) && few.n_root >= few.actions[0].n + few.actions[1].n
    );
}

/// A win by another action proves nothing; losses of the considered actions alone are not a loss.
#[test]
fn proofs_are_those_of_the_position() {
    let game = Connect4::default();
    let at = |moves: &[&str]| position_after(&game, moves);
    let on = |position: &Position<Connect4>, actions: &[u32]| {
        let config = Config { solver: true, ..config(Variant::ACP_PRODIGAL, 1) };
        run(&mut search(&Engine::cpu(), &game, config), &restricted(position, actions), 200)
    };
    let wins_by_3 = at(&["3", "0", "3", "0", "3", "1"]);
    let found = on(&wins_by_3, &[0, 1, 3]);
    assert_eq!((found.proven, found.proven_in), (Some(ProvenValue::Win), Some(1)));
    assert_eq!(found.n_root, 3 * 7 * 8, "no tree makes a step after the first");
    let found = on(&wins_by_3, &[5, 6]);
    assert_ne!((found.proven, found.proven_in), (Some(ProvenValue::Win), Some(1)));
    assert!(actions(&found) == [5, 6] && found.n_root > 3 * 7 * 8, "no step after the first: {found}");
    let loses_without_3 = at(&["3", "0", "3", "0", "3"]);
    let found = on(&loses_without_3, &[5, 6]);
    assert!(found.actions.iter().all(|action| action.proven == Some(ProvenValue::Loss)), "{found}");
    assert_eq!((found.proven, found.best.map(|best| best.index)), (None, Some(5)));
    let pruning = Config { pruning: true, ..config(Variant::ACP_PRODIGAL, 1) };
    let position = restricted(&loses_without_3, &[5, 6]);
    let refused = search(&Engine::cpu(), &game, pruning).run(&position, Budget::steps(1));
    let why = "the position: pruning leaves out all actions that it is restricted to: search without pruning";
    assert_eq!(refused.expect_err("column 3 is the only one").to_string(), why);
}

#[test]
fn trees_of_another_restriction_are_not_reused() {
    let game = Connect4::default();
    let start = Position::start(&game);
    let positions = [start.clone(), restricted(&start, &[1, 2]), restricted(&start, &[1, 3])];
    for before in &positions {
        for after in &positions {
            let mut search = search(&Engine::cpu(), &game, config(Variant::OCP_PRODIGAL, 1));
            run(&mut search, before, 20);
            let is_reused = run(&mut search, after, 1).trees_info.reused_nodes > 0;
            assert_eq!(is_reused, before.restriction() == after.restriction());
        }
    }
}

#[test]
fn restrictions_are_checked_and_end_with_a_move() {
    let game = Connect4::default();
    let moves = ["3"; 6];
    let mut position = position_after(&game, &moves);
    let refused =
        |actions: &[u32]| position.clone().restricted_to(actions).expect_err("bad input").to_string();
    assert_eq!(refused(&[]), "a restriction to no action: give at least one");
    let why = "3 is illegal in this position: restrict it to legal actions";
    assert_eq!((refused(&[2, 3]), refused(&[3])), (why.into(), why.into()));
    assert!(refused(&[700]).contains("700 is illegal"), "{}", refused(&[700]));
    position = restricted(&position, &[5, 2, 5]);
    assert_eq!(position.restriction(), Some(&[2, 5][..]));
    position.play(0).expect("restrictions are no rules");
    assert_eq!(position.restriction(), None);
    assert_eq!(position.undo(), Some(0));
    assert_eq!(position.restriction(), None);
}
