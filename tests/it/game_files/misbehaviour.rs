//! Rules that compile but break the contract: without a result there is an error, no memory of others is touched, and
//! the device keeps working.

use super::{HEAP, HEAP_PLAYOUT, changed, game, message, rolled_out, searched, small, with_lines};
use crate::support::prelude::*;

#[test]
fn places_out_of_range_reach_no_other_memory() {
    let at_an_end = |code: &str| with_lines(HEAP, "compute_outcome", &format!("{code} {{ return DRAW; }}"));
    let texts = [
        with_lines(HEAP, "take_action", "(*state)[(*state)[0] * 1000000u + action] = 7u;"),
        with_lines(
            HEAP,
            "is_action_legal",
            "if (*state)[action + 4000000000u + turn] == 12345u { return false; }",
        ),
        at_an_end("var own = array<u32, 3>(); own[last_action << 20u] = 1u; if own[turn + 77u] == 9u"),
        at_an_end("if (1u << ((*state)[0] + 32u)) == 3u || (turn / ((*state)[1] & 0u)) == 9u"),
        at_an_end("if i32((*state)[0] | 0x80000000u) % -1 == 9"),
    ];
    each_adapter(|adapter| {
        let engine = opened(adapter);
        for text in &texts {
            let game = game(&engine, text);
            for &schedule in cases(adapter, &SCHEDULES) {
                searched(&engine, &game, small(Variant::ACP_PRODIGAL, schedule), 30).expect("a search");
            }
            rolled_out(&engine, &game).expect("rollouts");
            perft(&Position::start(&game), 3).expect("counts");
        }
    });
}

/// Searches, rollouts and moves with a text result in this error.
fn assert_reported(engine: &Engine, text: &str, part: &str) -> GameFile {
    let game = game(engine, text);
    for variant in [Variant::ACP_PRODIGAL, Variant::OCP_THRIFTY] {
        let found = searched(engine, &game, small(variant, Schedule::Staged), 200);
        assert_has(&message(found, text), &[part]);
    }
    assert_has(&message(rolled_out(engine, &game), text), &[part]);
    game
}

#[test]
fn broken_contracts_are_reported() {
    let seven = changed(HEAP, "wins(1u - turn)", "7u");
    let stuck =
        changed(HEAP, "return action < (*state)[0];", "return action < (*state)[0] && (*state)[0] > 4u;");
    let long = changed(HEAP, "max_plies = 12", "max_plies = 3");
    let endless = changed(HEAP, "(*state)[0] -= action + 1u;", "(*state)[1] += action + 1u;");
    each_adapter(|adapter| {
        let engine = opened(adapter);
        let game = assert_reported(&engine, &seven, "outcome");
        let position = position_after(&game, &["2", "2", "2"]);
        let printed = message(position.clone().play(2), &seven);
        assert!(printed.contains("compute_outcome gave 7") && printed.contains("DRAW"), "{printed}");

        let game = assert_reported(&engine, &stuck, "no action is legal");
        let position = position_after(&game, &["2", "2", "2"]);
        assert!(position.legal_actions().is_empty() && position.outcome().is_none());
        let printed = message(
            Search::with_config(&engine, game.clone(), small(Variant::ACP_PRODIGAL, Schedule::Staged))
                .and_then(|mut search| search.run(&position, Budget::steps(5))),
            &stuck,
        );
        assert!(printed.contains("every action is illegal"), "{printed}");

        // The host finds the rest, in the results of a device of any kind.
        if compiles_slowly(adapter) {
            return;
        }
        assert_reported(&engine, &long, "max_plies");
        assert_reported(&engine, &endless, "max_plies");
        let left = format!(
            "{HEAP}{HEAP_PLAYOUT}fn run_playout(playout: ptr<function, Playout>, rng: ptr<function, Rng>, most: u32, \
             lane: u32) -> PlayoutRun {{\n    return PlayoutRun(ONGOING, 0u);\n}}\n"
        );
        assert_reported(&engine, &left, "heap");
    });
}

/// Weighted draws need a sum of weights that is not 0.
#[test]
fn weights_without_a_sum_are_errors() {
    let weighted = |weight: &str| {
        format!(
            "{HEAP}fn action_weight(state: ptr<function, State>, turn: u32, action: u32) -> u32 {{\n    \
             return {weight};\n}}\n"
        )
    };
    let weights = ["0x40000000u + action", "0xffffffffu", "select(1u, 0xfffffff0u, action == 2u)", "0u"];
    each_adapter(|adapter| {
        let engine = opened(adapter);
        for weight in cases(adapter, &weights) {
            assert_reported(&engine, &weighted(weight), "action_weight");
        }
        let game = game(&engine, &weighted("select(1u, 0x7ffffffeu, action == 2u)"));
        assert!(rolled_out(&engine, &game).expect("a sum of 2^31").first_wins < 300);
    });
}

#[test]
fn the_largest_functions_are_right() {
    let returns: String = (0..190)
        .map(|n| format!("if own == {n}u {{ return action < {}u; }}\n", (n as u32).saturating_sub(177)))
        .collect();
    let many = with_lines(HEAP, "is_action_legal", &format!("let own = (*state)[0] + 177u;\n{returns}"));
    let deep =
        format!("{}if own > 9u {{ return action < own; }}{}", "if turn < 9u { ".repeat(35), " }".repeat(35));
    let deep = with_lines(HEAP, "is_action_legal", &format!("let own = (*state)[0];\n{deep}"));
    let table =
        with_lines(HEAP, "is_action_legal", "if TABLE[(*state)[0] * 97u + action] > 0u { return false; }")
            + "const TABLE = array<u32, 64>();\n";
    each_adapter(|adapter| {
        let engine = opened(adapter);
        for text in [&many, &deep, &table] {
            let game = game(&engine, text);
            assert_eq!(perft(&Position::start(&game), 5).expect("counts"), 222);
            searched(&engine, &game, small(Variant::ACP_PRODIGAL, Schedule::Staged), 30).expect("a search");
        }
    });
}

/// The most actions, and `words` words: a heap of 512.
fn large(words: u32) -> String {
    HEAP.replace("max_actions = 3", "max_actions = 512")
        .replace("state_words = 2", &format!("state_words = {words}"))
        .replace("//! start = [12, 0]\n", "")
        .replace("max_plies = 12", "max_plies = 512")
        .replace("action < (*state)[0]", "action < 512u - (*state)[0]")
        .replace("-= action + 1u", &format!("+= action + 1u; (*state)[{}] += 1u", words - 1))
        .replace("== 0u);", "== 512u);")
}

/// The greatest numbers at once. Drivers take minutes to compile a search of such positions.
#[test]
fn the_largest_game_is_played() {
    each_fast_adapter(|adapter| {
        let engine = opened(adapter);
        let most = game(&engine, &large(256));
        assert_eq!((most.max_actions(), most.state_words()), (512, 256));
        let position = position_after(&most, &["500", "3", "6"]);
        assert_eq!((position.state()[0], position.state()[255]), (512, 3));
        assert!(position.outcome().is_some());
        assert_eq!(perft(&Position::start(&most), 1).expect("the device answers"), 512);

        let config = Config { memory: Some(1 << 26), trees: 1, playouts: 1, ..Config::paper() };
        let report = searched(&engine, &game(&engine, &large(16)), config, 4).expect("a search");
        assert!(report.actions.len() == 512 && report.n_root > 0);
    });
}

#[test]
fn actions_that_may_repeat_do() {
    let text = "\
//! name = \"steps\"
//! max_actions = 3
//! state_words = 2
//! max_plies = 20

fn is_action_legal(state: ptr<function, State>, turn: u32, action: u32) -> bool { return true; }
fn take_action(state: ptr<function, State>, turn: u32, action: u32) {
    (*state)[0] = ((*state)[0] + select(0u, 1u + 6u * (action - 1u), action > 0u)) % 8u;
    (*state)[1] += 1u;
}
fn compute_outcome(state: ptr<function, State>, turn: u32, last_action: u32) -> u32 {
    return select(ONGOING, DRAW, (*state)[1] == 12u);
}
fn position_key(state: ptr<function, State>) -> vec2<u32> { return vec2<u32>((*state)[0], 0u); }
fn may_repeat(action: u32) -> bool { return action == 0u; }
";
    each_adapter(|adapter| {
        let engine = opened(adapter);
        let game = game(&engine, text);
        let position = position_after(&game, &["1"]);
        // Standing still is allowed, the step back is not.
        assert_eq!(position.legal_actions(), [0, 1]);
        let report =
            Search::with_config(&engine, game.clone(), small(Variant::ACP_PRODIGAL, Schedule::Staged))
                .and_then(|mut search| search.run(&position, Budget::steps(20)))
                .expect("a search");
        let searched: Vec<_> = report.actions.iter().map(|action| action.index).collect();
        assert_eq!(searched, position.legal_actions());
    });
}
