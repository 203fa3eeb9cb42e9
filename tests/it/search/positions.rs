//! Positions of another game are refused before anything runs.

use crate::support::prelude::*;

fn config() -> Config {
    Config { trees: 2, playouts: 8, memory: Some(1 << 24), reuse: true, ..Config::paper() }
}

/// All that plays `game` refuses a position of `other`, with an error that names both.
fn assert_refused<G: Game>(engine: &Engine, game: &G, other: &G, words: [&str; 2]) {
    let (right, wrong) = (Position::start(game), Position::start(other));
    let expected = |which: &str| {
        let [other, game] = words;
        format!("{which} is of the game {other}, but {game} is expected: use the same game for both")
    };
    let mut search = search_on(engine, game.clone(), config());
    let steps = Budget::steps(20);
    let error = search.run(&wrong, steps).expect_err("a position of another game");
    assert!(error.is_bad_input());
    assert_eq!(error.to_string(), expected("the position"), "{engine:?}");
    let error = search.run_batch(&[right.clone(), wrong.clone()], steps).expect_err("one of another game");
    assert_eq!(error.to_string(), expected("position 2"));

    // Nothing has run: trees and streams are unchanged, and can be reused.
    let mut other_search = search_on(engine, game.clone(), config());
    for reused in [false, true] {
        let found = search.run(&right, steps).expect("a position of the game");
        assert_eq!(found.trees_info.reused_nodes > 0, reused);
        let expected = other_search.run(&right, steps).expect("a position of the game");
        assert_eq!(found.fingerprint, expected.fingerprint);
        assert!(search.run(&wrong, steps).is_err());
    }

    let mut rollouts = Rollouts::new(engine, game.clone(), RolloutConfig::default()).expect("they start");
    let error = rollouts.run(&wrong, 10).expect_err("a position of another game");
    assert_eq!(error.to_string(), expected("the position"));
    assert_eq!(rollouts.run(&right, 10).expect("the games are played").games, 10);
}

#[test]
fn positions_of_other_sizes_are_refused() {
    each_engine(|engine| {
        let sizes = [
            "go (size 5, komi 7.5, superko false, max_moves 200)",
            "go (size 9, komi 7.5, superko false, max_moves 243)",
        ];
        assert_refused(engine, &go_of(9, 7.5), &go_of(5, 7.5), sizes);
        assert_refused(
            engine,
            &gomoku_of(9),
            &gomoku_of(15),
            ["gomoku (size 15, freestyle false)", "gomoku (size 9, freestyle false)"],
        );
        let tall = connect4_of(7, 6);
        assert_refused(
            engine,
            &Connect4::default(),
            &tall,
            ["connect4 (rows 7, columns 6)", "connect4 (rows 6, columns 7)"],
        );
    });
}

#[test]
fn positions_of_other_rules_are_refused() {
    each_engine(|engine| {
        let words = |komi, superko| format!("go (size 5, komi {komi}, superko {superko}, max_moves 200)");
        let (simple, strict) = (words("7.5", false), words("7.5", true));
        assert_refused(engine, &go_of(5, 7.5).with_superko(true), &go_of(5, 7.5), [&simple, &strict]);
        assert_refused(engine, &go_of(5, 7.5), &go_of(5, -0.5), [&words("-0.5", false), &simple]);
        let short = go_of(5, 7.5).with_max_moves(60).expect("a limit");
        assert_refused(
            engine,
            &go_of(5, 7.5),
            &short,
            ["go (size 5, komi 7.5, superko false, max_moves 60)", &simple],
        );
    });
}

/// The policy of playouts is not part of the rules: the search's counts.
#[test]
fn positions_of_another_policy_are_taken() {
    let patterns = go_of(5, 7.5).with_policy("pattern3x3").expect("Go has patterns");
    each_engine(|engine| {
        let mut search = search_on(engine, go_of(5, 7.5), config());
        let with = search.run(&Position::start(&patterns), Budget::steps(5)).expect("the same rules");
        let mut search = search_on(engine, go_of(5, 7.5), config());
        let without = search.run(&Position::start(&go_of(5, 7.5)), Budget::steps(5)).expect("the same rules");
        assert_eq!(with.fingerprint, without.fingerprint);
    });
}
