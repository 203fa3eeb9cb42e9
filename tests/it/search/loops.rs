//! Games with long loops in their rules. Mesa's software adapters end all loops of an invocation after 65,535
//! iterations: then there is an error, and never a result that differs from the CPU engine's.

use crate::support::prelude::*;
use mcts_wgpu::Result;

/// A ply that makes OWN_ITERATIONS loop iterations before it takes the action. If they end early, it takes another one.
const SLOW_PLY: &str = "
    fn take_action_playout(playout: ptr<function, Playout>, ordinal: u32, lane: u32) -> u32 {
        var left = OWN_ITERATIONS;
        while left > 0u {
            left -= min((*playout).count, 1u);
        }
        return inner_take_action_playout(playout, (ordinal + left) % (*playout).count, lane);
    }
";

/// The same for an action in a tree.
const SLOW_ACTION: &str = "
    fn take_action(state: ptr<function, State>, turn: u32, action: u32) {
        var left = OWN_ITERATIONS;
        while left > 0u {
            left -= min((*state)[0] | (*state)[1], 1u);
        }
        inner_take_action(state, turn, (action + left) % MAX_ACTIONS);
    }
";

/// The same for the check whether an action is legal.
const SLOW_QUESTION: &str = "
    fn is_action_legal(state: ptr<function, State>, turn: u32, action: u32) -> bool {
        var left = OWN_ITERATIONS;
        while left > 0u {
            left -= min((*state)[0] | (*state)[1], 1u);
        }
        return left == 0u && inner_is_action_legal(state, turn, action);
    }
";

fn slow(function: &str, text: &str, iterations: u32) -> Own {
    let mut game = Own::new(connect4_of(4, 4)).with(function, text);
    game.shader.constants.push(("OWN_ITERATIONS", iterations));
    game
}

fn search(engine: &Engine, game: &Own, variant: Variant, schedule: Schedule) -> Result<String> {
    let config = Config {
        variant,
        schedule,
        trees: 2,
        playouts: 8,
        memory: Some(1 << 22),
        ucb_c: 0.5,
        ..Config::paper()
    };
    let mut search = Search::with_config(engine, game.clone(), config)?;
    search.run(&Position::start(game), Budget::steps(40)).map(|report| report.fingerprint)
}

fn rollouts(engine: &Engine, game: &Own) -> Result<[u64; 3]> {
    let report =
        Rollouts::new(engine, game.clone(), RolloutConfig::default())?.run(&Position::start(game), 400)?;
    Ok([report.first_wins, report.second_wins, report.draws])
}

/// Either the CPU engine's result or, unless `right`, the error.
fn assert_right_or_reported(engine: &Engine, game: &Own, right: bool) {
    let cpu = Engine::cpu();
    // Drivers compile a fused schedule slowly.
    for (variant, schedule) in
        [(Variant::OCP_PRODIGAL, Schedule::Fused), (Variant::ACP_THRIFTY, Schedule::Staged)]
    {
        let expected = search(&cpu, game, variant, Schedule::Auto).expect("the CPU has no such limit");
        match search(engine, game, variant, schedule) {
            Ok(found) => assert_eq!(found, expected, "{} {schedule:?}", variant.name()),
            Err(error) => assert!(error.is_cut_short() && !right, "{} {schedule:?}: {error}", variant.name()),
        }
    }
    match rollouts(engine, game) {
        Ok(found) => assert_eq!(found, rollouts(&cpu, game).expect("the CPU has no such limit")),
        Err(error) => assert!(error.is_cut_short() && !right, "rollouts: {error}"),
    }
}

#[test]
fn plies_that_are_counted_are_whole() {
    let mut game = slow("take_action_playout", SLOW_PLY, 1000);
    game.shader = game.shader.with_ply_iterations(1000);
    each_adapter(|adapter| assert_right_or_reported(&opened(adapter), &game, true));
}

#[test]
fn plies_that_are_too_long_are_noticed() {
    each_adapter(|adapter| {
        assert_right_or_reported(&opened(adapter), &slow("take_action_playout", SLOW_PLY, 5000), false);
    });
}

#[test]
fn actions_of_trees_that_take_too_long_are_noticed() {
    each_adapter(|adapter| {
        assert_right_or_reported(&opened(adapter), &slow("take_action", SLOW_ACTION, 25_000), false);
    });
}

#[test]
fn questions_that_take_too_long_are_noticed() {
    each_adapter(|adapter| {
        assert_right_or_reported(&opened(adapter), &slow("is_action_legal", SLOW_QUESTION, 20_000), false);
    });
}
