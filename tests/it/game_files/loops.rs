//! Endless loops in every function of a game, in everything that calls it: each results in an error in bounded time,
//! and the device keeps working.

use super::{HEAP, HEAP_PLAYOUT, all_kinds, changed, searched, small, with_lines};
use crate::support::{own::RUN, prelude::*};
use mcts_wgpu::Result;

/// The first loop in every place and search. The others in one place, by rollouts and positions: the guards are part of
/// the game's text, whatever calls it.
const LOOPS: [&str; 11] = [
    "while true { }",
    "loop { }",
    "for (;;) { }",
    "for (var i = 0u; i < 10u; i++) { i = 0u; }",
    "for (var i = 0u; i < 10u; i++) { (i) = 0u; }",
    "for (var i = 0u; i < 10u; i++) { let p = &i; *p = 0u; }",
    "for (var i = 0u; i < 1048576u; i++) { for (var j = 0u; j < 1048576u; j++) { } }",
    "let MAX_ACTIONS = 4000000000u; for (var i = 0u; i < MAX_ACTIONS; i++) { }",
    "loop { continuing { loop { } } }",
    "for (var i = 0u; i < 9u; i++) { loop { if i > 90u { break; } continuing { break if i > 91u; } } }",
    "var left = 3u; while left > 0u { if left == 2u { continue; } left -= 1u; }",
];

const SCORE: &str = "fn compute_score(state: ptr<function, State>) -> i32 {\n    return 0;\n}\n";
const WEIGHT: &str =
    "fn action_weight(state: ptr<function, State>, turn: u32, action: u32) -> u32 {\n    return 1u;\n}\n";
const KEY: &str = "fn position_key(state: ptr<function, State>) -> vec2<u32> {\n\
    \x20   return vec2<u32>((*state)[0], 0u);\n}\n";
const REPEAT: &str = "fn may_repeat(action: u32) -> bool {\n    return action > 7u;\n}\n";
const WORTH: &str = "fn action_urgency(state: ptr<function, State>, turn: u32, action: u32) -> u32 {
    return u32(action > 0u);
}
";
const SCORES: &str = "fn advance_playout(playout: ptr<function, Playout>, ordinal: u32, lane: u32) -> bool {
    return take_action_playout(playout, ordinal, lane) != ONGOING;
}
fn playout_score(playout: ptr<function, Playout>, lane: u32) -> i32 {
    return select(1, -1, (*playout).turn == FIRST);
}
fn playout_cut_off(playout: ptr<function, Playout>, lane: u32) -> bool {
    return false;
}
";

fn own_playout() -> String {
    format!("{HEAP}{HEAP_PLAYOUT}{RUN}")
}

/// The calls of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// Positions, searches and rollouts.
    Always,
    /// Searches and rollouts alone.
    Playouts,
    Rollouts,
    /// Positions and searches alone.
    Trees,
}

fn assert_told<T>(result: Result<T>, what: &str) {
    let error = result.err().unwrap_or_else(|| panic!("{what}: an end without an end"));
    assert!(error.is_bad_input() && error.to_string().contains("loop"), "{what}: {error}");
}

fn rolled_out(engine: &Engine, game: &GameFile) -> Result<u64> {
    let mut rollouts = Rollouts::new(engine, game.clone(), RolloutConfig::default())?;
    Ok(rollouts.run(&Position::start(game), 300)?.games)
}

/// Calls everything that can loop; searches only with these configurations.
fn assert_bounded(engine: &Engine, text: &str, asked: Asked, searches: &[(Variant, Schedule)]) {
    let game =
        GameFile::from_wgsl("game.wgsl", text, engine).unwrap_or_else(|error| panic!("{text}\n{error}"));
    if asked != Asked::Rollouts {
        for &(variant, schedule) in searches {
            let what = format!("{} {schedule:?} of\n{text}", variant.name());
            assert_told(searched(engine, &game, small(variant, schedule), 20), &what);
        }
    }
    if asked != Asked::Trees {
        assert_told(rolled_out(engine, &game), &format!("rollouts of\n{text}"));
    }
    if matches!(asked, Asked::Always | Asked::Trees) {
        let mut position = Position::start(&game);
        position.legal_actions();
        assert_told(position.play(0), &format!("a move of\n{text}"));
        assert_told(perft(&Position::start(&game), 2), &format!("perft of\n{text}"));
    }
}

/// A good game on the same engine, before and after.
fn works(engine: &Engine) -> String {
    let game = GameFile::from_wgsl("heap.wgsl", HEAP, engine).expect("a game");
    assert_eq!(perft(&Position::start(&game), 3).expect("the device answers"), 27);
    searched(engine, &game, small(Variant::ACP_PRODIGAL, Schedule::Staged), 30).expect("a search").fingerprint
}

const FEW: [(Variant, Schedule); 2] =
    [(Variant::ACP_PRODIGAL, Schedule::Staged), (Variant::OCP_THRIFTY, Schedule::Fused)];

#[test]
fn of_every_kind() {
    each_adapter(|adapter| {
        let engine = opened(adapter);
        let before = works(&engine);
        for (at, lines) in cases(adapter, &LOOPS).iter().enumerate() {
            let text = with_lines(HEAP, "take_action", lines);
            let searches = if at == 0 { all_kinds() } else { Vec::new() };
            assert_bounded(&engine, &text, Asked::Always, cases(adapter, &searches));
            assert_eq!(works(&engine), before);
        }
        let through_calls = format!(
            "{}fn slow() {{ for (var i = 0u; i < 30000u; i++) {{ slower(); }} }}\n\
             fn slower() {{ for (var i = 0u; i < 30000u; i++) {{ }} }}\n",
            with_lines(HEAP, "is_action_legal", "slow();")
        );
        assert_bounded(&engine, &through_calls, Asked::Always, &FEW[..1]);
        assert_eq!(works(&engine), before);
    });
}

#[test]
fn in_every_function() {
    let with = |text: &str, function: &str| with_lines(text, function, LOOPS[0]);
    let scored = format!("{HEAP}{HEAP_PLAYOUT}{SCORES}");
    let texts = [
        (with(HEAP, "is_action_legal"), Asked::Always),
        (with(HEAP, "compute_outcome"), Asked::Always),
        (with(&format!("{HEAP}{SCORE}"), "compute_score"), Asked::Rollouts),
        (with(&format!("{HEAP}{WEIGHT}"), "action_weight"), Asked::Playouts),
        (with(&format!("{HEAP}{KEY}"), "position_key"), Asked::Trees),
        (with(&format!("{HEAP}{WORTH}"), "action_urgency"), Asked::Trees),
        (with(&own_playout(), "playout_begin"), Asked::Playouts),
        (with(&own_playout(), "legal_actions_playout"), Asked::Playouts),
        (with(&own_playout(), "take_action_playout"), Asked::Playouts),
        (with(&own_playout(), "run_playout"), Asked::Playouts),
        (with(&scored, "advance_playout"), Asked::Rollouts),
        (with(&scored, "playout_score"), Asked::Rollouts),
        (with(&scored, "playout_cut_off"), Asked::Rollouts),
    ];
    each_adapter(|adapter| {
        let engine = opened(adapter);
        let before = works(&engine);
        for (text, asked) in cases(adapter, &texts) {
            assert_bounded(&engine, text, *asked, cases(adapter, &FEW));
            assert_eq!(works(&engine), before);
        }
    });
}

/// Functions that are called once, to read a file or to draw a board.
#[test]
fn in_functions_that_are_asked_once() {
    let start = changed(HEAP, "//! start = [12, 0]\n", "")
        + "fn start_position(state: ptr<function, State>) {\n    (*state)[0] = 12u;\n}\n";
    let name = format!(
        "{HEAP}fn action_name(action: u32) -> vec4<u32> {{\n    return vec4<u32>(action + 97u, 0u, 0u, 0u);\n}}\n"
    );
    let board = changed(
        HEAP,
        "//! start = [12, 0]",
        "//! start = [12, 0]\n//! [board]\n//! rows = 1\n//! columns = 3\n//! glyphs = \".X\"",
    ) + "fn cell(state: ptr<function, State>, row: u32, column: u32) -> u32 {\n\
           \x20   return u32(column < (*state)[0]);\n}\n";
    each_adapter(|adapter| {
        let engine = opened(adapter);
        let before = works(&engine);
        for (text, function) in [
            (start.clone(), "start_position"),
            (name.clone(), "action_name"),
            (format!("{HEAP}{KEY}{REPEAT}"), "may_repeat"),
        ] {
            GameFile::from_wgsl("game.wgsl", &text, &engine).unwrap_or_else(|error| panic!("{error}"));
            let endless = with_lines(&text, function, LOOPS[0]);
            assert_told(GameFile::from_wgsl("game.wgsl", &endless, &engine), &endless);
            assert_eq!(works(&engine), before);
        }
        let game =
            GameFile::from_wgsl("game.wgsl", &with_lines(&board, "cell", LOOPS[0]), &engine).expect("a game");
        let mut position = Position::start(&game);
        assert!(position.to_string().ends_with("X to move"));
        assert_told(position.play(0), &board);
        assert_eq!(works(&engine), before);
    });
}
