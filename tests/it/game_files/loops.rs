//! Endless loops in every function of a game, through every kind of call: each results in an error in bounded time, and
//! the device keeps working.

use super::{HEAP, HEAP_PLAYOUT, all_kinds, changed, game, rolled_out, searched, small, with_lines};
use crate::support::{own::RUN, prelude::*};
use mcts_wgpu::Result;

/// Loops without an end, or with too many iterations. The first one is tested in every function and every search, the
/// others in `take_action` alone, by rollouts and positions: guards are part of the game's text, whoever calls it.
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CalledBy {
    /// Positions, searches and rollouts.
    All,
    /// Searches and rollouts alone.
    Playouts,
    Rollouts,
    /// Positions and searches alone.
    Trees,
}

fn assert_loop_error<T>(result: Result<T>, what: &str) {
    let error = result.err().unwrap_or_else(|| panic!("{what}: no error"));
    assert!(error.is_bad_input() && error.to_string().contains("loop"), "{what}: {error}");
}

/// Every call of `callers` ends with an error that names the loop; searches of these configurations alone.
fn assert_bounded<'a>(
    engine: &Engine,
    text: &str,
    callers: CalledBy,
    searches: impl IntoIterator<Item = &'a (Variant, Schedule)>,
) {
    let game = game(engine, text);
    if callers != CalledBy::Rollouts {
        for &(variant, schedule) in searches {
            let what = format!("{} {schedule:?} of\n{text}", variant.name());
            assert_loop_error(searched(engine, &game, small(variant, schedule), 20), &what);
        }
    }
    if callers != CalledBy::Trees {
        assert_loop_error(rolled_out(engine, &game), &format!("rollouts of\n{text}"));
    }
    if matches!(callers, CalledBy::All | CalledBy::Trees) {
        let mut position = Position::start(&game);
        position.legal_actions();
        assert_loop_error(position.play(0), &format!("a move of\n{text}"));
        assert_loop_error(perft(&Position::start(&game), 2), &format!("perft of\n{text}"));
    }
}

/// The fingerprint of a search of a valid game on the same engine, which is tested before and after the loops.
fn fingerprint_of_valid_game(engine: &Engine) -> String {
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
        let before = fingerprint_of_valid_game(&engine);
        for (at, lines) in cases(adapter, &LOOPS).enumerate() {
            let text = with_lines(HEAP, "take_action", lines);
            let searches = if at == 0 { all_kinds() } else { Vec::new() };
            assert_bounded(&engine, &text, CalledBy::All, cases(adapter, &searches));
            assert_eq!(fingerprint_of_valid_game(&engine), before);
        }
        let through_calls = format!(
            "{}fn slow() {{ for (var i = 0u; i < 30000u; i++) {{ slower(); }} }}\n\
             fn slower() {{ for (var i = 0u; i < 30000u; i++) {{ }} }}\n",
            with_lines(HEAP, "is_action_legal", "slow();")
        );
        assert_bounded(&engine, &through_calls, CalledBy::All, &FEW[..1]);
        assert_eq!(fingerprint_of_valid_game(&engine), before);
    });
}

#[test]
fn in_every_function() {
    let with = |text: &str, function: &str| with_lines(text, function, LOOPS[0]);
    let scored = format!("{HEAP}{HEAP_PLAYOUT}{SCORES}");
    let texts = [
        (with(HEAP, "is_action_legal"), CalledBy::All),
        (with(HEAP, "compute_outcome"), CalledBy::All),
        (with(&format!("{HEAP}{SCORE}"), "compute_score"), CalledBy::Rollouts),
        (with(&format!("{HEAP}{WEIGHT}"), "action_weight"), CalledBy::Playouts),
        (with(&format!("{HEAP}{KEY}"), "position_key"), CalledBy::Trees),
        (with(&format!("{HEAP}{WORTH}"), "action_urgency"), CalledBy::Trees),
        (with(&own_playout(), "playout_begin"), CalledBy::Playouts),
        (with(&own_playout(), "legal_actions_playout"), CalledBy::Playouts),
        (with(&own_playout(), "take_action_playout"), CalledBy::Playouts),
        (with(&own_playout(), "run_playout"), CalledBy::Playouts),
        (with(&scored, "advance_playout"), CalledBy::Rollouts),
        (with(&scored, "playout_score"), CalledBy::Rollouts),
        (with(&scored, "playout_cut_off"), CalledBy::Rollouts),
    ];
    each_adapter(|adapter| {
        let engine = opened(adapter);
        let before = fingerprint_of_valid_game(&engine);
        for (text, callers) in cases(adapter, &texts) {
            assert_bounded(&engine, text, *callers, cases(adapter, &FEW));
            assert_eq!(fingerprint_of_valid_game(&engine), before);
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
        let before = fingerprint_of_valid_game(&engine);
        for (text, function) in [
            (start.clone(), "start_position"),
            (name.clone(), "action_name"),
            (format!("{HEAP}{KEY}{REPEAT}"), "may_repeat"),
        ] {
            GameFile::from_wgsl("game.wgsl", &text, &engine).unwrap_or_else(|error| panic!("{error}"));
            let endless = with_lines(&text, function, LOOPS[0]);
            assert_loop_error(GameFile::from_wgsl("game.wgsl", &endless, &engine), &endless);
            assert_eq!(fingerprint_of_valid_game(&engine), before);
        }
        let game =
            GameFile::from_wgsl("game.wgsl", &with_lines(&board, "cell", LOOPS[0]), &engine).expect("a game");
        let mut position = Position::start(&game);
        assert!(position.to_string().ends_with("X to move"));
        assert_loop_error(position.play(0), &board);
        assert_eq!(fingerprint_of_valid_game(&engine), before);
    });
}
