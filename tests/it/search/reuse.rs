//! Searches that continue on the trees of the move before: the same on every engine, with their statistics.

use super::{found, search};
use crate::support::prelude::*;

fn config(variant: Variant) -> Config {
    let sizes = Config { trees: 3, playouts: 32, node_limit: Some(4000), ..Config::paper() };
    Config { variant, ucb_c: 1.25, seed: 11, reuse: true, ..sizes }
}

/// A game against a random opponent.
fn game_of(engine: &Engine, config: &Config) -> Vec<Report> {
    let game = Connect4::default();
    let mut search = search(engine, config);
    let mut random = Pcg64::seed_from_u64(5);
    let (mut position, mut reports) = (Position::start(&game), Vec::new());
    while position.outcome().is_none() && reports.len() < 7 {
        let report = search.steps(&position, 60);
        let best = report.best.clone().expect("there is a move");
        reports.push(report);
        position.play(best.index).expect("the move is legal");
        let answers = position.legal_actions();
        if !answers.is_empty() {
            let answer = answers[random.next_u32() as usize % answers.len()];
            position.play(answer).expect("the move is legal");
        }
    }
    reports
}

#[test]
fn games_with_reuse_are_the_same_on_every_engine() {
    let variants = [Variant::OCP_PRODIGAL, Variant::ACP_THRIFTY];
    let expected = variants.map(|variant| game_of(&Engine::cpu(), &config(variant)));
    for reports in &expected {
        assert!(reports.len() > 3 && reports[0].trees_info.reused_nodes == 0);
        assert!(reports[1..].iter().any(|report| report.trees_info.reused_playouts > 100));
    }
    each_adapter(|adapter| {
        let ways = [(2, Schedule::Staged), (1, Schedule::Staged), (1, Schedule::Fused)];
        for &(count, schedule) in cases(adapter, &ways) {
            let engine = Engine::devices_of(devices(adapter, count));
            for (variant, expected) in variants.into_iter().zip(&expected) {
                let got = game_of(&engine, &Config { schedule, ..config(variant) });
                let what =
                    format!("{count} x {}, {} {}", adapter.info().name, variant.name(), schedule.name());
                assert_eq!(got.len(), expected.len(), "{what}");
                for (got, expected) in got.iter().zip(expected) {
                    assert_eq!(found(got), found(expected), "{what}");
                }
            }
        }
    });
}

#[test]
fn a_reused_tree_goes_on_where_it_stopped() {
    let mut search = search(&Engine::cpu(), &config(Variant::ACP_PRODIGAL));
    let mut position = Position::start(&Connect4::default());
    let first = search.steps(&position, 100);
    position.play(3).expect("the move is legal");
    let second = search.steps(&position, 1);
    let reused = second.trees_info.reused_playouts;
    assert_eq!(reused, first.actions[3].n);
    assert_eq!(second.n_root, reused + second.performance.playouts);
    assert!(second.performance.playouts <= 3 * 7 * 32);
    let sizes: u32 = second.trees_info.sizes.iter().sum();
    assert!(u64::from(sizes) >= second.trees_info.reused_nodes);

    // The same position once more: nothing is lost.
    let third = search.steps(&position, 1);
    assert_eq!(third.trees_info.reused_playouts, second.n_root);
}

#[test]
fn only_a_game_that_goes_on_is_reused() {
    let game = Connect4::default();
    let after = |moves: &[&str]| position_after(&game, moves);
    let reused = |config: &Config, before: &Position<Connect4>, next: &Position<Connect4>| {
        let mut search = search(&Engine::cpu(), config);
        search.steps(before, 80);
        search.steps(next, 1).trees_info.reused_nodes
    };
    let on = config(Variant::ACP_PRODIGAL);
    let (start, one, two) = (after(&[]), after(&["3"]), after(&["3", "3"]));
    assert!(reused(&on, &start, &one) > 0 && reused(&on, &start, &two) > 0 && reused(&on, &one, &two) > 0);
    assert_eq!(reused(&on, &one, &start), 0, "a move was taken back");
    assert_eq!(reused(&on, &one, &after(&["2", "3"])), 0, "another game");
    assert_eq!(reused(&Config { reuse: false, ..on }, &start, &one), 0);

    let mut search = search(&Engine::cpu(), &on);
    search.steps(&start, 80);
    search.batch(&[one.clone(), two.clone()], 5);
    assert_eq!(search.steps(&one, 1).trees_info.reused_nodes, 0, "a batch came between");
}

#[test]
fn reuse_frees_the_rest_of_a_full_tree() {
    let on = Config { node_limit: Some(300), ..config(Variant::ACP_PRODIGAL) };
    let mut search = search(&Engine::cpu(), &on);
    let mut position = Position::start(&Connect4::default());
    let before = search.steps(&position, 200);
    assert!(before.trees_info.full);
    let best = before.best.as_ref().expect("there is a move").index;
    position.play(best).expect("the move is legal");
    let after = search.steps(&position, 2);
    assert!(!after.trees_info.full && after.trees_info.reused_nodes > 0);
    assert!(after.trees_info.max_size < before.trees_info.max_size);
}

#[test]
fn without_reuse_nothing_changes() {
    let game = Connect4::default();
    let off = Config { reuse: false, ..config(Variant::OCP_THRIFTY) };
    let next = position_after(&game, &["3"]);
    let alone = |config: &Config| {
        let mut search = search(&Engine::cpu(), config);
        search.steps(&Position::start(&game), 50);
        search.steps(&next, 50)
    };
    let (off, on) = (alone(&off), alone(&Config { reuse: true, ..off }));
    assert_eq!((off.n_root, off.trees_info.reused_playouts), (off.performance.playouts, 0));
    assert_ne!(off.fingerprint, on.fingerprint);
    assert!(on.n_root > off.n_root);
}
