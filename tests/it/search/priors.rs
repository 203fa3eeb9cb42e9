//! Priors count as playouts of new nodes: the same on every engine, and without effect when switched off.

use crate::support::prelude::*;
use mcts_wgpu::search::ActionReport;

const PRIOR_VISITS: u32 = 24;

fn go() -> Go {
    go_of(5, 0.5)
}

fn config(variant: Variant, leaves: u32) -> Config {
    let sizes =
        Config { trees: 2, playouts: 4, leaf_batch: leaves, node_limit: Some(20_000), ..Config::paper() };
    Config { variant, ucb_c: 0.5, seed: 5, prior_visits: PRIOR_VISITS, ..sizes }
}

/// A position in which groups are in atari, after a move.
fn fight() -> Position<Go> {
    let moves = ["C3", "C2", "D2", "B3", "B2", "D3", "C4", "C1"];
    position_after(&go(), &moves)
}

pub(super) fn found(report: &Report) -> impl PartialEq + std::fmt::Debug + use<> {
    let report = report.clone();
    (report.best, report.actions, report.principal_variation, report.fingerprint, report.trees_info.sizes)
}

/// A step expands the root; children that were not played out have their priors alone.
#[test]
fn new_nodes_begin_with_their_priors() {
    let root = fight();
    let report = searched(&Engine::cpu(), config(Variant::OCP_PRODIGAL, 1), &root, 1);
    let known = |action| go().action_prior(root.state(), root.turn(), action, None);
    assert!(report.actions.iter().any(|action| known(action.index) > 40));
    let mut played = 0;
    for action in &report.actions {
        let trees = 2 * u64::from(PRIOR_VISITS);
        let expected = 2.0 * f64::from(2 * PRIOR_VISITS * known(action.index) / 64) / 2.0;
        assert_eq!(action.prior_visits, trees, "{action:?}");
        let more = action.playouts();
        played += more;
        let wins = action.n_wins - expected;
        assert!((0.0..=more as f64).contains(&wins), "{action:?}, known {expected}");
    }
    // The root itself has playouts alone: one child of each tree.
    assert_eq!((played, report.n_root), (2 * 4, 2 * 4));
    assert_eq!(report.config.prior_visits, PRIOR_VISITS);
}

/// A report has prior visits apart: the rest of the actions' n are the playouts.
#[test]
fn playouts_are_the_visits_without_prior_visits() {
    let passed = position_after(&go(), &["C3", "pass"]);
    for root in [fight(), passed] {
        let report = searched(&Engine::cpu(), config(Variant::OCP_PRODIGAL, 4), &root, 30);
        let played: u64 = report.actions.iter().map(ActionReport::playouts).sum();
        assert_eq!((played, report.n_root), (report.performance.playouts, report.performance.playouts));
        // A pass that ends the game has an outcome, and no prior.
        let ends = |action: &&ActionReport| action.prior_visits == 0;
        let ended: Vec<_> = report.actions.iter().filter(ends).map(|action| action.name.as_str()).collect();
        assert_eq!(ended, if root.moves().len() == 2 { vec!["pass"] } else { vec![] });
        assert!(report.principal_variation.iter().all(|action| action.n >= action.prior_visits));
        let reply = report.principal_variation.get(1).map(|reply| reply.prior_visits > 0);
        assert_eq!(reply, (root.moves().len() > 2).then_some(true), "{report}");
    }
}

/// Below the root, priors depend on the last action, too: a tree after that action differs from one without a last
/// action.
#[test]
fn every_engine_has_the_same_priors() {
    let root = fight();
    let ways = [
        (Variant::OCP_PRODIGAL, 9),
        (Variant::ACP_THRIFTY, 1),
        (Variant::OCP_THRIFTY, 1),
        (Variant::ACP_PRODIGAL, 3),
    ];
    each_fast_adapter(|adapter| {
        let engine = opened(adapter);
        for &(variant, leaves) in cases(adapter, &ways) {
            for root in [&root, &Position::start(&go())] {
                let config = config(variant, leaves);
                let [got, cpu] = [&engine, &Engine::cpu()].map(|engine| searched(engine, config, root, 60));
                assert_eq!(found(&got), found(&cpu), "{} x {leaves} at\n{root}", variant.name());
            }
        }
        // In a game without priors, all actions are equal.
        let start = Position::start(&connect4_of(4, 5));
        let config = config(Variant::OCP_THRIFTY, 4);
        let [got, cpu] = [&engine, &Engine::cpu()].map(|engine| searched(engine, config, &start, 60));
        assert_eq!(found(&got), found(&cpu));
    });
}

#[test]
fn mistakes_show() {
    let root = fight();
    on_the_first_adapter(|adapter| {
        let device = device(adapter);
        for &(leaves, from, to) in tried(&[
            (5, "NO_ACTION, selected == ROOT", "NO_ACTION, true"),
            (5, "vec4<u32>(PRIOR_VISITS, 0u, PRIOR_VISITS *", "vec4<u32>(PRIOR_VISITS, 0u, LEAVES *"),
            (1, "vec4<u32>(PRIOR_VISITS, 0u, PRIOR_VISITS *", "vec4<u32>(1u, 0u, PRIOR_VISITS *"),
            (1, "action_prior(parent, turn,", "action_prior(parent, 1u - turn,"),
        ]) {
            let config = config(Variant::OCP_PRODIGAL, leaves);
            let right = searched(&Engine::cpu(), config, &root, 40);
            let wrong = searched(&engine_of(&device.with_mistake(from, to)), config, &root, 40);
            assert_ne!(right.fingerprint, wrong.fingerprint, "{from} -> {to}");
        }
    });
}

#[test]
fn it_is_off_where_nothing_else_is_possible_or_wanted() {
    let config = |choices: &Settings| choices.resolve(&go(), &Engine::cpu()).prior_visits;
    let usual = go().search_defaults().cpu_prior_visits;
    assert!(usual > 0 && Connect4::default().search_defaults().cpu_prior_visits == 0);
    let choices = Settings::default();
    assert_eq!(config(&choices), usual);
    assert_eq!(config(&Settings::original()), 0);
    assert_eq!(config(&Settings { trees: Some(3), ..choices.clone() }), 0);
    assert_eq!(config(&Settings { schedule: Some(Schedule::Fused), ..choices.clone() }), 0);
    assert_eq!(config(&Settings { prior_visits: Some(7), trees: Some(3), ..choices.clone() }), 7);
    let fused = Settings { prior_visits: Some(7), schedule: Some(Schedule::Fused), ..choices.clone() };
    assert!(fused.validate().is_err_and(|error| error.to_string().contains("fused")));
    let much = Settings { prior_visits: Some(4097), ..choices };
    assert!(much.validate().is_err_and(|error| error.to_string().contains("0 to 4096")));
}

/// Reused trees keep their nodes' priors.
#[test]
fn kept_trees_go_on() {
    let game = |engine: &Engine| {
        let config = Config { reuse: true, ..config(Variant::OCP_PRODIGAL, 3) };
        let mut search = search_on(engine, go(), config);
        let mut position = fight();
        let best = search.steps(&position, 80).best;
        position.play(best.expect("an action").index).expect("a legal move");
        let report = search.steps(&position, 20);
        assert!(report.trees_info.reused_nodes > 0);
        found(&report)
    };
    let expected = game(&Engine::cpu());
    each_fast_adapter(|adapter| {
        assert_eq!(game(&opened(adapter)), expected);
    });
}
