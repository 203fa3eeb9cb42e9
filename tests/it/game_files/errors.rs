//! Errors in a text have file, line, column, caret and a remedy, and come before anything runs. None of them needs an
//! adapter.

use super::{HEAP, HEAP_PLAYOUT, changed, message, with_lines};
use crate::support::prelude::*;

fn refusal(text: &str) -> String {
    message(GameFile::from_wgsl("game.wgsl", text, &Engine::cpu()), text)
}

/// `None` if the message begins at a place, has all parts, and, given a line, shows it with a caret; otherwise the
/// message.
fn objection(text: &str, place: &str, parts: &[&str]) -> Option<String> {
    let printed = refusal(text);
    let line = printed.split(':').nth(1).and_then(|line| line.parse::<usize>().ok());
    let shows = line.is_none_or(|line| {
        let shown = text.lines().nth(line - 1).unwrap_or("there is no such line");
        printed.contains(&format!("{line} | {shown}\n")) && printed.contains('^')
    });
    let fits = printed.starts_with(&format!("game.wgsl:{place}"))
        && line.is_some() != place.starts_with(' ')
        && parts.iter().all(|part| printed.contains(part));
    let stays = !printed.contains("shaders/") && !printed.contains("(header)");
    (!fits || !shows || !stays)
        .then(|| format!("at {place:?} with {parts:?} is expected, and not\n{printed}\n"))
}

#[track_caller]
fn assert_refused(text: &str, place: &str, parts: &[&str]) {
    let objection = objection(text, place, parts);
    assert!(objection.is_none(), "{}", objection.unwrap_or_default());
}

/// A right text needs an adapter, and nothing else.
#[track_caller]
fn assert_read(text: &str) {
    let error = GameFile::from_wgsl("game.wgsl", text, &Engine::cpu()).expect_err("no adapter");
    let said = error.to_string();
    let begin = &said[..said.len().min(400)];
    assert!(error.is_no_adapter() && said.contains("mesa-vulkan-drivers"), "{begin}");
}

const START: &str = "//! start = [12, 0]";
const PLIES: &str = "//! max_plies = 12";
const LEGAL_LINE: &str = "return action < (*state)[0];";
const TAKE_LINE: &str = "(*state)[0] -= action + 1u;";

/// A replacement in the text, and the expected error.
type Case = (&'static str, &'static str, &'static str, &'static [&'static str]);

#[track_caller]
fn assert_all_refused(cases: &[Case]) {
    let objections = cases.iter().filter_map(|(from, to, place, parts)| {
        let objection = objection(&changed(HEAP, from, to), place, parts)?;
        Some(format!("{to}\n{objection}"))
    });
    let objections: Vec<_> = objections.collect();
    assert!(objections.is_empty(), "{}", objections.join("\n"));
}

fn with_item(item: &str) -> String {
    changed(HEAP, "fn take_action(", &format!("{item}\nfn take_action("))
}

/// Items before `take_action`, and the expected errors.
#[track_caller]
fn assert_items_refused(cases: &[(&str, &str, &[&str])]) {
    for (item, place, parts) in cases {
        assert_refused(&with_item(item), place, parts);
    }
}

#[test]
fn a_right_text_asks_for_an_adapter() {
    assert_read(HEAP);
    assert_read(&format!("{HEAP}{HEAP_PLAYOUT}"));
}

#[test]
fn syntax_and_types() {
    assert_all_refused(&[
        (LEGAL_LINE, "return action < (*state)[0]", "9:1", &["expected `;`"]),
        ("action < (*state)[0]", "action < (*stat)[0]", "8:23", &["no definition in scope", "stat"]),
        ("action < (*state)[0]", "action < (*state)[0] + 1i", "8:", &["two types"]),
        (TAKE_LINE, "(*state)[0] -= f32(action);", "12:", &[]),
        (TAKE_LINE, "(*state)[0] -= u32(action, 2u) @ 3;", "12:", &[]),
        (LEGAL_LINE, "return action;", "7:60", &["is_action_legal returns a value of another type"]),
        (LEGAL_LINE, "if action { return true; } return false;", "7:60", &["true or false"]),
        (LEGAL_LINE, "let legal = action < (*state)[0];", "7:1", &["without a value"]),
        ("wins(1u - turn)", "wins(1u - turn, 2u)", "16:", &["2 arguments of a function that takes 1"]),
        ("wins(1u - turn)", "won(1u - turn)", "16:28", &["won"]),
        (TAKE_LINE, "action -= 1u;", "12:", &[]),
        (TAKE_LINE, "let x = 1u; x = 2u;", "12:", &[]),
        (TAKE_LINE, "(*state)[7] -= 1u;", "12:", &["no element 7"]),
        (TAKE_LINE, "(*state)[0] /= 0u;", "12:", &[]),
        (TAKE_LINE, "(*state)[0] = 1u << 40u;", "12:", &[]),
        (TAKE_LINE, "(*state)[0] = u64(action);", "12:", &[]),
        (TAKE_LINE, "(*state)[0] = subgroupAdd(action);", "12:", &["shares nothing with other invocations"]),
        (TAKE_LINE, "break;", "12:", &["outside of a `loop`"]),
        (TAKE_LINE, "(*state)[0] = \"three\";", "12:", &[]),
    ]);
}

#[test]
fn functions_of_the_contract() {
    const LEGAL: &str =
        "expected: fn is_action_legal(state: ptr<function, State>, turn: u32, action: u32) -> bool";
    const BOARD: &str = "//! [board]\n//! rows = 1\n//! columns = 1\n//! glyphs = \".\"";
    assert_all_refused(&[
        ("action_legal(", "action_leagl(", "7:4", &["no function is_action_legal", "did you mean", LEGAL]),
        ("fn is_action_legal(", "fn allowed(", " there is no function is_action_legal", &[LEGAL]),
        ("fn take_action(", "fn takeAction(", "11:4", &["no function take_action", "did you mean"]),
        ("fn compute_outcome(", "fn compute_outcomes(", "15:4", &["no function compute_outcome"]),
        ("turn: u32, action: u32) ->", "action: u32) ->", "7:4", &["has 2 parameters instead of 3", LEGAL]),
        ("u32, action: u32) ->", "i32, action: u32) ->", "7:4", &["parameter turn of type i32", LEGAL]),
        (
            "is_action_legal(state: ptr<function, State>, turn: u32, action: u32) -> bool {\n\
                 \x20   return action < (*state)[0]",
            "is_action_legal(state: State, turn: u32, action: u32) -> bool {\n    return action < state[0]",
            "7:4",
            &["type State instead of ptr<function, State>", LEGAL],
        ),
        (
            "-> bool {\n    return action < (*state)[0];",
            "-> u32 {\n    return u32(action < (*state)[0]);",
            "7:4",
            &["returns u32 instead of bool", LEGAL],
        ),
        (
            "action: u32) {\n    (*state)[0] -= action + 1u;",
            "action: u32) -> u32 {\n    (*state)[0] -= action + 1u;\n    return 0u;",
            "11:4",
            &["take_action returns u32 instead of nothing"],
        ),
        (START, BOARD, " the header has a [board], and there is no function cell", &["fn cell("]),
    ]);
    let planes = changed(HEAP, START, &format!("{START}\n//! planes = 4"));
    assert_refused(&planes, " the header has planes, and there is no function planes", &["fn planes("]);
    let score = "fn playout_score(playout: ptr<function, State>, lane: u32) -> i32 { return 0; }";
    let planes = "fn planes(state: ptr<function, State>, turn: u32) -> u32 { return 0u; }";
    assert_items_refused(&[
        ("fn cell() {}", "11:4", &["cell has 0 parameters instead of 3"]),
        ("struct Playout { a: u32 }", " there is no function playout_begin", &["expected"]),
        (score, "11:4", &["playout_score"]),
        ("fn may_repeat(action: u32) -> bool { return true; }", "11:4", &["needs fn position_key"]),
        (planes, "11:4", &["planes has 2 parameters instead of 3"]),
    ]);
    let cell = "fn cell(state: ptr<function, State>, row: u32, column: u32) -> u32 { return 0u; }";
    assert_refused(&with_item(cell), " there is a function cell, and no [board]", &[]);
    let start = with_item("fn start_position(state: ptr<function, State>) {}");
    let both = " the header has start and the rules have start_position";
    assert_refused(&start, both, &["leave one of them out"]);
    let planes = with_item(&planes.replace("turn: u32", "turn: u32, place: u32"));
    let unsaid = " there is a function planes, and the header does not say how many";
    assert_refused(&planes, unsaid, &["//! planes = 4"]);
    let own = format!("{HEAP}{HEAP_PLAYOUT}");
    let begin = changed(&own, "fn playout_begin(", "fn playout_start(");
    assert_refused(&begin, " there is no function playout_begin", &["expected: fn playout_begin"]);
    let begin = changed(&own, "-> Playout {", "-> u32 {");
    assert_refused(&begin, "25:", &["playout_begin returns a value of another type"]);
    let before = |item: &str| changed(&own, "struct Playout", &format!("{item}\nstruct Playout"));
    let score = before("fn compute_score(state: ptr<function, State>) -> i32 { return 0; }");
    assert_refused(&score, "19:4", &["compute_score does not fit"]);
    let score = before("fn playout_score(playout: ptr<function, Playout>, lane: u32) -> i32 { return 0; }");
    assert_refused(&score, "19:4", &["fn advance_playout"]);
}

#[test]
fn names() {
    let header = "//! [constants]\n//! FIRST = 3";
    assert_all_refused(&[(START, header, " the header: the name 'FIRST'", &["choose another"])]);
    let some = "struct Tree { a: u32 }\nfn tree_child() {}\nfn select_main() {}\nfn rules_begin() {}";
    assert_items_refused(&[
        ("fn self() {}", "11:4", &["self", "reserved"]),
        ("fn f() { let match = 1u; }", "11:14", &["reserved"]),
        ("const FIRST = 0u;", "11:7", &["'FIRST' is used by the search itself", "game_FIRST"]),
        ("fn rng_next() {}", "11:4", &["used by the search itself"]),
        (some, "", &["used by the search itself"]),
        ("fn rules_take_action() {}", "11:4", &["used by the search itself"]),
        ("alias State = u32;", "11:7", &["'State' is used"]),
        ("fn heap() {}\nfn heap() {}", "", &["redefinition", "heap"]),
        ("const MAX_ACTIONS = 3u;", "11:7", &["MAX_ACTIONS"]),
    ]);
}

#[test]
fn forbidden_parts_are_refused() {
    let binding = "@group(0) @binding(0) var<storage, read_write> mine: array<u32>;";
    assert_items_refused(&[
        (binding, "11:", &["no entry points or bindings"]),
        ("@compute @workgroup_size(1) fn main() {}", "11:", &["no entry points or bindings"]),
        ("var<private> mine: u32;", "11:", &["no variables outside of functions", "State"]),
        ("var<workgroup> mine: u32;", "11:", &["no variables outside of functions"]),
        ("override mine: u32 = 3u;", "11:", &["no overrides", "const"]),
        ("enable f16;", "11:", &["no directives"]),
        ("requires readonly_and_readwrite_storage_textures;", "11:", &["no directives"]),
        ("diagnostic(off, derivative_uniformity);", "11:", &["no directives"]),
        ("fn wait() { workgroupBarrier(); }", "11:13", &["no barriers"]),
        ("fn wait() { storageBarrier(); }", "11:13", &["no barriers"]),
        ("fn again() { again(); }", "11:", &["recursive"]),
        ("fn ping() { pong(); }\nfn pong() { ping(); }", "1", &["cyclic"]),
        ("fn slope() -> f32 { return dpdx(1.0); }", "11:28", &["pixels"]),
        ("fn leave() { discard; }", "11:14", &["pixels"]),
    ]);
    let early = changed(HEAP, "fn is_action_legal", "enable f16;\nfn is_action_legal");
    assert_refused(&early, "7:8", &["no directives"]);
    let recursive = with_lines(HEAP, "take_action", "take_action(state, turn, action);");
    assert_refused(&recursive, "1", &["recursive"]);
}

/// Kernels use WGSL's predeclared names: a file may not redeclare them, by any kind of declaration or by its header. If
/// only functions can have a name, the cases are functions.
#[test]
fn builtins_keep_their_names() {
    let names = "firstTrailingBit reverseBits log sqrt countLeadingZeros countOneBits max min abs select bitcast \
        u32 vec2 array function workgroup read_write";
    for name in names.split(' ') {
        let function = "fn NAME(a: u32) -> u32 { return 0u; }";
        for item in [function, "const NAME = 3u;", "alias NAME = u32;", "struct NAME { a: u32 }"] {
            let item = item.replace("NAME", name);
            let printed = refusal(&with_item(&item));
            assert!(printed.starts_with("game.wgsl:11:"), "{item}\n{printed}");
            assert_has(&printed, &[&format!("'{name}' is used")]);
        }
        let printed = refusal(&changed(HEAP, START, &format!("//! [constants]\n//! {name} = 3")));
        assert_has(&printed, &["the header: the name '", name]);
    }
    // A variable hides the name in its function alone.
    assert_read(&with_lines(HEAP, "take_action", "let max = 3u; let log = max;"));
    let guards = with_lines(HEAP, "take_action", "let rules_loop_ends = 3u; while turn > 7u { }");
    assert_refused(&guards, "12:9", &["'rules_loop_ends' is used by the search itself"]);
}

/// Characters that naga treats as the end of a line or as blanks, but other readers do not, would hide code from
/// readers.
#[test]
fn characters_that_hide_code() {
    let hidden = [
        "while true { }",
        "workgroupBarrier();",
        "} var<private> mine: u32; fn f() {",
        "} @compute @workgroup_size(1) fn main() {",
        "} override mine: u32 = 3u; fn f() {",
    ];
    for (at, c) in ['\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'].into_iter().enumerate() {
        let deep = format!("(*state)[0] = {}1u{};", "(".repeat(5000), ")".repeat(5000));
        for code in hidden.iter().copied().chain([deep.as_str()]).skip(at % 2) {
            let printed = refusal(&with_lines(HEAP, "take_action", &format!("// note{c}{code}")));
            let is_reported = printed.starts_with("game.wgsl:12:12: ")
                && printed.contains(&format!("U+{:04X}", u32::from(c)));
            assert!(is_reported && !printed.contains(c), "{printed}");
        }
    }
    for c in ['\u{200e}', '\u{200f}', '\u{202e}', '\u{2066}', '\0', '\u{1b}'] {
        let code = with_lines(HEAP, "take_action", &format!("while{c}true {{ }}"));
        for printed in [code, format!("{HEAP}// {c}")].map(|text| refusal(&text)) {
            let said = format!("U+{:04X}", u32::from(c));
            assert!(printed.contains(&said) && !printed.contains(c), "{printed}");
        }
    }
    assert_read(&format!("{HEAP}// h\u{e9}, \u{4e2d}, \u{1f3b2}"));
}

#[test]
fn headers() {
    const ROWS_99: &str = "//! [board]\n//! rows = 99\n//! columns = 1\n//! glyphs = \".\"";
    assert_all_refused(&[
        ("//! name = \"heap\"\n", "", "1:", &["missing field `name`"]),
        ("//! max_plies = 12\n", "", "1:", &["missing field `max_plies`"]),
        (PLIES, "//! max_plies = twelve", "4:17", &["header"]),
        (PLIES, "//! max_plies = \"12\"", "4:17", &["expected u32"]),
        (PLIES, "//! max_plies = -1", "4:17", &["-1"]),
        (PLIES, "//! max_plies = 3000000", "4:5", &["give a number from 1 to 2097152"]),
        (PLIES, "//! max_plies = 12 12", "4:", &["the header: "]),
        (PLIES, "//! max_plies = 12\n//! max_plies = 12", "5:", &["duplicate key"]),
        (PLIES, "//! max_plies = 12\n//! plies = 12", "5:5", &["unknown field `plies`"]),
        ("//! max_actions = 3", "//! max_actions = 0", "2:5", &["give a number from 1 to 512"]),
        (
            "//! max_actions = 3",
            "//! max_actions = 513",
            "2:5",
            &["max_actions is 513: give a number from 1"],
        ),
        ("//! state_words = 2", "//! state_words = 257", "3:5", &["give a number from 1 to 256"]),
        (START, "//! start = [12]", "5:5", &["start has 1 words, state_words is 2"]),
        (START, "//! start = [12, 4294967296]", "5:", &["4294967296"]),
        (START, "//! [boards]", "5:", &["unknown field `boards`"]),
        ("//! name = \"heap\"", "//! name = \"my heap\"", "1:5", &["letters, digits, - and _"]),
        ("//! name = \"heap\"", "//! name = \"\"", "1:5", &["letters"]),
        ("//! name = \"heap\"", "//! name = \"heap", "1:", &[]),
        (START, "//! action_names = [\"a b\", \"c\", \"d\"]", "5:5", &["neither spaces nor commas"]),
        (START, "//! action_names = [\"a\", \"b\"]", "5:5", &["has 2 names"]),
        (START, "//! action_names = [\"a\", \"A\", \"b\"]", "5:5", &["'A' is the name of actions 0 and 1"]),
        (START, "//! action_names = [\"a\", \"0\", \"b\"]", "5:5", &["read as action 0"]),
        (START, ROWS_99, "6:5", &["rows is 99"]),
        (START, "//! [tuning]\n//! playout_words = 70000", "6:5", &["playout_words is 70000"]),
        (START, "//! [tuning]\n//! ply_iterations = 0", "6:5", &["ply_iterations is 0"]),
        (START, "//! [constants]\n//! \"a b\" = 9", "5:5", &["not a name of a constant"]),
        (START, "//! [constants]\n//! SIZE = \"x\"", "6:", &["expected u32"]),
    ]);
    let (header, rules) = HEAP.split_once("\n\n").expect("a header and rules");
    assert_refused(rules, " there is no header: begin the file with", &["max_plies"]);
    assert_refused(&header.replace("//!", "//"), " there is no header", &[]);
    assert_refused(header, " there is no function is_action_legal", &[]);
    for text in ["", "\n\n", "\u{feff}", "\0", "//!", "//! ", "\u{1F3B2}", "/*", "fn"] {
        refusal(text);
    }
}

/// Line ends and byte-order marks change nothing: neither valid texts nor the places of errors.
#[test]
fn other_editors() {
    for text in [
        HEAP.replace('\n', "\r\n"),
        format!("\u{feff}{HEAP}"),
        format!("\n\n{HEAP}"),
        HEAP.replace("    ", "\t"),
    ] {
        assert_read(&text);
    }
    let wrong = changed(HEAP, "(*state)[0] -= action + 1u;", "let é = \"\u{1F3B2}\";");
    for text in [wrong.clone(), wrong.replace('\n', "\r\n"), format!("\u{feff}{wrong}")] {
        let printed = refusal(&text);
        assert!(printed.starts_with("game.wgsl:12:") && printed.contains("12 |     let é"), "{printed}");
        assert!(!printed.contains('\r'), "{printed}");
    }
}

/// Readers of WGSL recurse into nested code: at too great a depth, a program would end without an error.
#[test]
fn texts_without_measure() {
    let body = |lines: &str| with_lines(HEAP, "take_action", lines);
    let chain = |length| (0..length).map(|n| format!("fn g{n}() {{ g{}(); }}\n", n + 1)).collect::<String>();
    for (text, place) in [
        (body(&format!("(*state)[0] = 0u{};", " + turn".repeat(30_000))), "12:"),
        (body(&format!("(*state)[0] = {}1u;", "~".repeat(60_000))), "12:"),
        (body(&format!("if turn > 7u {{ }}{}", " else if turn > 8u { }".repeat(10_000))), "12:"),
        (body(&format!("(*state)[0] = {}turn{};", "(".repeat(9000), ")".repeat(9000))), "12:"),
        (body(&"{".repeat(9000)), "12:"),
        (body(&"loop { ".repeat(9000)), "12:"),
        (HEAP.to_owned() + &chain(5000), "20"),
        (HEAP.to_owned() + &"fn f() {}\n".repeat(9000), "20"),
        (HEAP.to_owned() + &format!("alias T = {}u32{};", "array<".repeat(900), ", 1>".repeat(900)), "18:"),
        (HEAP.to_owned() + &"// long\n".repeat(33_000), " the file has more than 256 KiB"),
    ] {
        let printed = refusal(&text);
        assert!(printed.starts_with(&format!("game.wgsl:{place}")), "{}", &printed[..printed.len().min(300)]);
    }
    let twice: String = (0..40).map(|n| format!("fn g{n}() {{ g{0}(); g{0}(); }}\n", n + 1)).collect();
    assert_refused(&format!("{HEAP}{twice}fn g40() {{ }}\n"), "4", &["g", "drivers inline"]);
    // Texts just below the limits are read, also on a thread's small stack.
    assert_read(&body(&format!("(*state)[0] = 0u{};", " + turn".repeat(190))));
    assert_read(&body(&format!("if turn > 7u {{ }}{}", " else if turn > 8u { }".repeat(37))));
    assert_read(&format!("{HEAP}{}fn g1900() {{}}\n", chain(1900)));
    assert_read(&body(&format!("(*state)[0] = {}1u;", "~".repeat(190))));
}

/// Drivers keep all values for every lane, and recurse into nested conditions: with too large functions, they take all
/// memory, end the program, or change the rules.
#[test]
fn modules_without_measure() {
    let with = |lines: &str, items: &str| with_lines(HEAP, "is_action_legal", lines) + items;
    let returns = |count: usize| {
        let some: String = (0..count).map(|n| format!(" if turn == {n}u {{ return false; }}")).collect();
        format!("{}return true; ", some)
    };
    let own = |count| format!("fn mine(turn: u32) -> bool {{{}}}\n", returns(count));
    let nested = |depth: usize, length: usize| {
        format!("const TABLE = {}u32{}();\n", "array<".repeat(depth), format!(", {length}>").repeat(depth))
    };
    let copies = |words: usize| {
        format!(
            "fn mine() {{ var own = array<u32, {words}>(); own[0] = 1u; }}\nfn eight() {{ {} }}\n",
            "mine(); ".repeat(8)
        )
    };
    let aliases = (0..300).map(|n| format!("alias A{} = array<A{n}, 1>;\n", n + 1));
    let aliases = "alias A0 = u32;\n".to_owned() + &aliases.collect::<String>();
    let own_array = "var own: array<u32, 40000>; own[turn] = 1u;";
    let conditions = "if mine(turn) { return true; } ".repeat(45) + "return false;";
    let sixty = own(160) + &format!("fn sixty(turn: u32) -> bool {{ {conditions} }}\n");
    let table = |words: u32| format!("const TABLE = array<u32, {words}>();\n");
    let large = "19:1: a constant of more than 32768 words";
    for (lines, items, printed) in [
        ("", table(1_000_000), large),
        ("", nested(20, 2), large),
        ("", nested(20, 1), "19:1: a constant of more than 32768 words, or of more than 16 nested types"),
        (own_array, "".into(), "7:4: is_action_legal has variables, constants"),
        ("", copies(5000), "20:4: eight has variables, constants and values of 8"),
        ("var own: A300; ", aliases, "7:4: is_action_legal has a value of 300 nested types"),
        ("", own(201), "19:4: mine has 201 nested conditions"),
        (&returns(5000), "".into(), "7:4: is_action_legal has 5"),
        ("", sixty, "20:4: sixty has 2"),
    ] {
        let refused = refusal(&with(lines, &items));
        let begin = &refused[..refused.len().min(400)];
        assert!(refused.starts_with(&format!("game.wgsl:{printed}")), "{printed}\n{begin}");
    }
    for items in [table(30000), nested(15, 2), own(199), copies(2000)] {
        assert_read(&with("", &items));
    }
}

/// Comments in the head of a function, and variables with the name of its result type, do not affect guards.
#[test]
fn guards_stand_in_any_function() {
    for function in [
        "fn mine(turn: u32) -> u32 // note\n{\n    while turn > 7u { }\n    return 1u;\n}\n",
        "fn mine(turn: u32) -> /* while { */ u32 {\n    let u32 = turn;\n    while turn > 7u { }\n    return u32;\n}\n",
        "fn mine(turn: u32) -> Mine {\n    var Mine = array<u32, 2>();\n    while turn > 7u { }\n    return Mine;\n}\n\
         alias Mine = array<u32, 2>;\n",
    ] {
        assert_read(&format!("{HEAP}{function}"));
    }
}

#[test]
fn files_that_are_no_text() {
    let refused = |name: &str, bytes: Option<&[u8]>, part: &str| {
        _ = bytes.map(|bytes| write_file(name, bytes));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let printed = message(GameFile::open(&path, &Engine::cpu()), name);
        assert!(printed.contains(name) && printed.contains(part), "{printed}");
    };
    refused("no-such-game.wgsl", None, "No such file");
    refused("", None, "Is a directory");
    refused("binary.wgsl", Some(&[0xff, 0xfe, 0, 1]), "not text in UTF-8");
    refused("empty.wgsl", Some(&[]), "there is no header");
    refused("long.wgsl", Some(&[b' '; 10 << 20]), "more than 256 KiB");
}
