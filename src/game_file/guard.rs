//! Guards of loops: loops of a game file that might not end count their iterations. If a call of the rules has made
//! too many, the guard returns; in `continuing` blocks, in which WGSL does not allow that, it breaks.
//!
//! The loops and their properties are those of the parsed module. Guards are written to the text, and the resulting
//! module is checked again: a loop without a required guard is an error.

use super::{
    contract::{self, Signature},
    loops::{self, COUNTS, Loop},
    parsed::Parsed,
    text::Text,
    tokens::{Token, tokens},
};
use crate::{
    device::compose::constants,
    error::{Error, Result},
    rules::{Game, Vouch},
};
use naga::{Function, Handle};
use std::collections::{HashMap, HashSet};

/// Greatest number of iterations of all loops of one call of the rules: fewer than the number after which software
/// adapters end loops themselves.
const MOST_ITERATIONS: u32 = 1 << 15;
/// The assumed number of iterations of a loop whose end is unknown.
const USUAL_ITERATIONS: u64 = 16;
/// Iterations of the kernels' own loops in a ply, besides those of the rules and of the list of legal actions.
const OWN_ITERATIONS: u64 = 16;

/// Proof that the loops of some rules end; created by [`check`] only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LoopsEnd(());

impl LoopsEnd {
    /// The crate's guarantees for a game with these rules.
    pub fn vouch<G: Game>(self) -> Vouch<G> {
        Vouch::loops_end()
    }
}

/// Rules with their guards; [`check`] verifies that their loops end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Guarded {
    /// The rules. The functions of the contract are renamed if `wrappers` is not empty. Lines keep their numbers.
    pub rules: String,
    /// Functions with the contract's names, which reset the count, and functions that return the values of early
    /// returns.
    pub wrappers: String,
    /// Approximate number of loop iterations per ply; loops that count their iterations are assumed to be short.
    pub ply_iterations: u32,
}

/// The statement that leaves a loop after too many iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leave<'a> {
    /// The function returns nothing.
    Return,
    /// The function with this name returns a value.
    ReturnValue(&'a str),
    Break,
}

/// The guard of a loop that might make too many iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Guard<'a> {
    /// The place of the loop's keyword.
    place: Option<usize>,
    /// The amount to count per iteration: 1, and the iterations of uncounted loops in it.
    iterations: u64,
    /// The amount that the text already counts.
    counted: Option<u64>,
    leave: Leave<'a>,
}

/// The cost of a call, or of a block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Cost {
    /// Approximate number of loop iterations.
    iterations: u64,
    /// Greatest number of iterations that are not counted.
    uncounted: u64,
}

impl Cost {
    fn plus(self, other: Self) -> Self {
        Self {
            iterations: self.iterations.saturating_add(other.iterations),
            uncounted: self.uncounted.saturating_add(other.uncounted),
        }
    }
}

type Costs = HashMap<Handle<Function>, Cost>;

/// Adds guards to the loops of the rules.
///
/// # Errors
/// Shader, pointing at a loop that can't be guarded.
pub(super) fn guard(text: &Text, parsed: &Parsed, max_actions: u32, own_playout: bool) -> Result<Guarded> {
    let (costs, guards) = needed(parsed);
    let ply = ply_iterations(parsed, &costs, max_actions.into(), own_playout);
    let (rules, wrappers) = match guards.is_empty() {
        true => (text.text.clone(), String::new()),
        false => rewritten(text, &guards)?,
    };
    Ok(Guarded { rules, wrappers, ply_iterations: ply.min(u32::MAX.into()) as u32 })
}

/// Approximate number of loop iterations in a ply of a playout.
fn ply_iterations(parsed: &Parsed, costs: &Costs, actions: u64, own_playout: bool) -> u64 {
    let found =
        |name: &str| parsed.functions().find(|(_, function, _)| function.name.as_deref() == Some(name));
    let of = |name: &str| found(name).map_or(0, |(handle, ..)| costs[&handle].iterations);
    let question = of("is_action_legal").saturating_add(1);
    let list = if own_playout {
        // The end of the loop over the plies of a run is unknown.
        let run = of("run_playout").div_ceil(USUAL_ITERATIONS);
        run.saturating_add(of("legal_actions_playout")).saturating_add(of("take_action_playout"))
    } else if found("action_weight").is_some() {
        // Once for the sum of the weights, and once for the drawn action.
        actions.saturating_mul(question.saturating_add(of("action_weight"))).saturating_mul(2)
    } else {
        // Bits of actions, word by word: set, scanned, and the bits of a word halved five times.
        actions.saturating_mul(question).saturating_add(2 * actions.div_ceil(32) + 5)
    };
    let rules = of("take_action").saturating_add(of("compute_outcome"));
    rules.saturating_add(list).saturating_add(OWN_ITERATIONS)
}

/// Verifies that the loops of guarded rules end.
///
/// # Errors
/// Shader, pointing at the first loop that may not end.
pub(super) fn check(text: &Text, guarded: &Parsed) -> Result<LoopsEnd> {
    match needed(guarded).1.iter().find(|guard| guard.counted != Some(guard.iterations)) {
        Some(guard) => Err(unguarded(text, guard)),
        None => Ok(LoopsEnd(())),
    }
}

fn unguarded(text: &Text, guard: &Guard<'_>) -> Error {
    let what = "this loop can't be given a limit of iterations";
    match guard.place {
        Some(at) => text.error_at(at..at + 1, what, "", "write the loop in another form"),
        None => text.error(what),
    }
}

/// The costs of functions, and the loops that need a guard.
fn needed(parsed: &Parsed) -> (Costs, Vec<Guard<'_>>) {
    let most = u64::from(MOST_ITERATIONS);
    let (costs, guards) = costs(parsed, most);
    // Counts all loops if short ones add up to too many iterations.
    match costs.values().any(|cost| cost.uncounted > most) {
        true => self::costs(parsed, 0),
        false => (costs, guards),
    }
}

/// The costs of functions, and the loops that need a guard: those with more than `most` iterations, including those of
/// inner loops.
fn costs(parsed: &Parsed, most: u64) -> (Costs, Vec<Guard<'_>>) {
    let (mut costs, mut guards) = (Costs::new(), Vec::new());
    for (handle, function, _) in parsed.functions() {
        let name = function.name.as_deref().unwrap_or_default();
        let leave = if function.result.is_some() { Leave::ReturnValue(name) } else { Leave::Return };
        let body = loops::of_function(parsed, function);
        let all = once(&body, leave, most, &costs, &mut guards);
        costs.insert(handle, all);
    }
    (costs, guards)
}

/// The cost of an iteration of a loop, or of a call of a function; adds the loops in it that need a guard.
fn once<'a>(a_loop: &Loop, leave: Leave<'a>, most: u64, costs: &Costs, guards: &mut Vec<Guard<'a>>) -> Cost {
    let calls = a_loop.calls.iter().filter_map(|callee| costs.get(callee)).copied();
    let own = calls.fold(Cost::default(), Cost::plus);
    a_loop.inner.iter().fold(own, |sum, inner| sum.plus(cost(inner, leave, most, costs, guards)))
}

fn cost<'a>(a_loop: &Loop, leave: Leave<'a>, most: u64, costs: &Costs, guards: &mut Vec<Guard<'a>>) -> Cost {
    let once = once(a_loop, leave, most, costs, guards);
    let times = |own: u64, of: u64| own.saturating_mul(of.saturating_add(1));
    match a_loop.most.filter(|&own| times(own, once.iterations) < most) {
        Some(own) => Cost { iterations: times(own, once.iterations), uncounted: times(own, once.uncounted) },
        None => {
            let iterations = once.uncounted.saturating_add(1).min(MOST_ITERATIONS.into());
            let leave = if a_loop.continuing { Leave::Break } else { leave };
            guards.push(Guard { place: a_loop.place, iterations, counted: a_loop.counted, leave });
            Cost {
                iterations: times(USUAL_ITERATIONS, once.iterations).min(MOST_ITERATIONS.into()),
                uncounted: 0,
            }
        }
    }
}

/// The text with guards and with renamed functions of the contract; and functions with the contract's names.
fn rewritten(text: &Text, guards: &[Guard<'_>]) -> Result<(String, String)> {
    let tokens = tokens(&text.text);
    let defined: Vec<Signature> = contract::all()
        .filter(|signature| {
            tokens.windows(2).any(|pair| pair[0].text == "fn" && pair[1].text == signature.name)
        })
        .collect();
    let mut bodies = HashMap::new();
    for guard in guards {
        bodies.insert(body(&tokens, guard.place).ok_or_else(|| unguarded(text, guard))?, guard);
    }
    let (mut rules, mut copied) = (String::new(), 0);
    for token in &tokens {
        // Text between tokens is copied.
        rules.push_str(&text.text[copied..token.place.start]);
        copied = token.place.end;
        if defined.iter().any(|signature| signature.name == token.text) {
            rules.push_str("rules_");
        }
        rules.push_str(token.text);
        if let Some(Guard { iterations, leave, .. }) = bodies.get(&token.place.end) {
            let leave = match leave {
                Leave::Break => "break".into(),
                Leave::Return => "return".into(),
                Leave::ReturnValue(name) => format!("return {}()", nothing(name)),
            };
            rules.push_str(&format!(" if {COUNTS}({iterations}u) {{ {leave}; }}"));
        }
    }
    rules.push_str(&text.text[copied..]);
    let mut wrappers = constants([("MOST_RULES_ITERATIONS", MOST_ITERATIONS)]);
    wrappers.extend(defined.into_iter().map(wrapper));
    let early: HashSet<&str> = guards
        .iter()
        .filter_map(|guard| match guard.leave {
            Leave::ReturnValue(name) => Some(name),
            _ => None,
        })
        .collect();
    wrappers.extend(
        heads(&tokens)
            .filter(|(name, _)| early.contains(name))
            .map(|(name, result)| format!("fn {}() -> {result} {{ return {result}(); }}\n", nothing(name))),
    );
    Ok((rules, wrappers))
}

/// The end of the opening brace of a loop's body; `place` is that of the loop's keyword.
fn body(tokens: &[Token<'_>], place: Option<usize>) -> Option<usize> {
    let place = place?;
    let at = tokens.binary_search_by_key(&place, |token| token.place.start).ok()?;
    if !["for", "while", "loop"].contains(&tokens[at].text) {
        return None;
    }
    tokens[at..].iter().find(|token| token.text == "{").map(|brace| brace.place.end)
}

/// The name of the function whose value `name` returns early. It is a function since a type's name might be shadowed at
/// the loop.
fn nothing(name: &str) -> String {
    format!("rules_nothing_of_{name}")
}

/// The names of functions and their result types.
fn heads<'a>(tokens: &'a [Token<'a>]) -> impl Iterator<Item = (&'a str, String)> {
    let starts = (0..tokens.len()).filter(|&at| tokens[at].text == "fn" && at + 1 < tokens.len());
    starts.filter_map(|at| {
        let head = tokens[at..].split(|token| token.text == "{").next()?;
        let arrow = head.windows(2).rposition(|pair| pair[0].text == "-" && pair[1].text == ">")?;
        let mut result = String::new();
        for pair in head[arrow + 1..].windows(2) {
            // Without comments and line breaks.
            let gap = if pair[0].place.end < pair[1].place.start { " " } else { "" };
            result += gap;
            result += pair[1].text;
        }
        Some((tokens[at + 1].text, result.trim().to_owned()))
    })
}

fn wrapper(signature: Signature) -> String {
    let names: Vec<_> = signature.parameters.iter().map(|(name, _)| *name).collect();
    let call = format!("rules_{}({})", signature.name, names.join(", "));
    let body = match signature.name {
        // A playout whose rules have made too many loop iterations ends.
        "take_action_playout" => {
            format!("let outcome = {call};\n    return select(outcome, DRAW, rules_have_faults());")
        }
        "advance_playout" => format!("let over = {call};\n    return over || rules_have_faults();"),
        "run_playout" => format!(
            "let run = {call};\n    return PlayoutRun(select(run.outcome, DRAW, rules_have_faults()), run.plies);"
        ),
        _ if signature.result.is_empty() => format!("{call};"),
        _ => format!("return {call};"),
    };
    format!("{signature} {{\n    rules_begin();\n    {body}\n}}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Declarations for the tests, not part of the rules.
    const BEFORE: &str = "\
        const MOST_RULES_ITERATIONS: u32 = 1u;\n\
        const N = 10; const MANY = 1073741824u; const LANES: u32 = 4u;\n\
        struct S { m: u32 }\nalias State = u32;\n\
        fn rules_loop_ends(iterations: u32) -> bool { return iterations > 7u; }\nfn rules_begin() { }\n\
        fn is_so() -> bool { return true; }\nfn put_zero(p: ptr<function, u32>) { *p = 0u; }\n";

    fn text_of(text: &str) -> Text {
        Text { file: "a.wgsl".into(), text: text.into() }
    }

    fn guarded(text: &str) -> Guarded {
        guarded_by(text, false)
    }

    fn guarded_by(text: &str, own_playout: bool) -> Guarded {
        let text = text_of(text);
        let parsed = Parsed::new(&text, BEFORE).unwrap_or_else(|error| panic!("{error}"));
        guard(&text, &parsed, 4, own_playout).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The statement of each guard, in the order of the text. The loops of the resulting module are checked to end.
    fn guards(text: &str) -> Vec<String> {
        let Guarded { rules, wrappers, .. } = guarded(text);
        let wrappers =
            wrappers.lines().filter(|line| !line.starts_with("const ")).collect::<Vec<_>>().join("\n");
        let after = text_of(&rules);
        let parsed =
            Parsed::new(&after, &format!("{BEFORE}{wrappers}\n")).unwrap_or_else(|error| panic!("{error}"));
        check(&after, &parsed).unwrap_or_else(|error| panic!("{error}"));
        let said = rules.split("if rules_loop_ends(").skip(1);
        said.map(|rest| rest.split(" }").next().unwrap_or_default().replace("u) {", "")).collect()
    }

    #[test]
    fn loops_that_end_need_no_guard() {
        for body in [
            "for (var i = 0u; i < 10u; i++) { }",
            "for (var i = 0; i <= N; i += 3) { if i == 2 { continue; } }",
            "for (var i: u32 = 0x1u; i < N; i += N) { let j = i + 1u; }",
            "for (var i = -2; i < 2 * N; i++) { }",
            "for (var i = a; i < 2u * LANES; i++) { }",
            "for (var i = 0u; i < N; i++) { for (var j = 0u; j < N; j++) { if i == j { break; } } }",
            "var i = 7u; for (i = a; i < N; i++) { }",
        ] {
            assert_eq!(guards(&format!("fn g(a: u32) {{ {body} }}")), [""; 0], "{body}");
        }
    }

    #[test]
    fn loops_that_might_not_end_are_counted() {
        for body in [
            "while is_so() { }",
            "while a > 7u { }",
            "while a > 7u && is_so() { continue; }",
            "loop { if is_so() { break; } }",
            "for (;;) { if is_so() { break; } }",
            "for (var i = 0u; i < MANY; i++) { }",
            "for (var i = 0u; i < a; i++) { }",
            "for (var i = 0u; i < N; i--) { }",
            "for (var i = 0u; i < N; i += 0u) { }",
            "for (var i = 0u; i < N; i += 4294967290u) { }",
            "for (var i = 0; i < N; i += 2147483647) { }",
            "for (var i = i32(a); i < N; i++) { }",
            "for (var i = 0u; i < N; i++) { i = 0u; }",
            "for (var i = 0u; i < N; i++) { i -= 1u; }",
            "for (var i = 0u; i < N; i++) { i--; }",
            "for (var i = 0u; i < N; i++) { i >>= 1u; }",
            "for (var i = 0u; i < N; i++) { (i) = 0u; }",
            "for (var i = 0u; i < N; i++) { put_zero(&i); }",
            "for (var i = 0u; i < N; i++) { let p = &(i); *p = 0u; }",
            "var i = 0u; let old = i; for (; old < N; i++) { }",
            "var i = 0u; let old = i; for (; i < N; i = old + 1u) { }",
            "var i = 0u; loop { if i < N { } else { break; } continuing { if is_so() { i++; } } }",
            "for (var i = 0u; i < 40000u; i++) { }",
            "var N = 7u; for (var i = 0u; i < N; i++) { }",
        ] {
            assert_eq!(guards(&format!("fn g(a: u32) {{ {body} }}")), ["1 return;"], "{body}");
        }
        assert_eq!(
            guards("fn g(N: u32) -> S { for (var i = 0u; i < N; i++) { } return S(); }"),
            ["1 return rules_nothing_of_g();"]
        );
        assert_eq!(
            guards("fn g() { loop { if is_so() { break; } continuing { while is_so() { } } } }"),
            ["1 return;", "1 break;"]
        );
        assert_eq!(
            guards("fn g() { loop { loop { break; continuing { } } while is_so() { } break; } }"),
            ["1 return;"; 3]
        );
    }

    /// An early return has the function's result type, even where the name of the type is shadowed or the head has
    /// comments.
    #[test]
    fn types_are_taken_from_heads() {
        for head in [
            "-> u32 // while {\n",
            "-> /* a { comment */ array<u32, 3>",
            "-> S",
            "->\n  vec2 < u32 >\n  /* { */",
            "-> array<array<u32, (1 << 2)>, N>",
        ] {
            let ty = if head.contains("-> S") { "S" } else { "u32" };
            let text = format!(
                "fn h(n: u32) {head} {{ var out: Out; let {ty} = n; while is_so() {{ }} return out; }}\n\
                 alias Out = {};",
                head.replace("->", "").split("//").next().unwrap_or_default()
            );
            assert_eq!(guards(&text), ["1 return rules_nothing_of_h();"], "{text}");
        }
    }

    #[test]
    fn iterations_of_inner_loops_count() {
        let inner = "for (var i = 0u; i < 300u; i++) { }";
        assert_eq!(guards(&format!("fn g() {{ while is_so() {{ {inner} }} }}")), ["301 return;"]);
        assert_eq!(
            guards(&format!("fn g() {{ while is_so() {{ f(); }} }} fn f() {{ {inner} {inner} }}")),
            ["601 return;"]
        );
        assert_eq!(
            guards(&format!("fn g() {{ for (var j = 0u; j < 300u; j++) {{ {inner} }} }}")),
            ["301 return;"]
        );
        let long = "for (var i = 0u; i < 30000u; i++) { }";
        assert_eq!(
            guards(&format!("fn g() {{ {long} {long} }}")),
            ["1 return;"; 2],
            "together they are too long"
        );
        let calls: String = (0..70).map(|n| format!("fn f{n}() {{ f{0}(); f{0}(); }}\n", n + 1)).collect();
        let found = guarded(&format!("{calls}fn f70() {{ {inner} }}"));
        assert!(found.rules.contains("rules_loop_ends"));
    }

    #[test]
    fn plies_are_estimated() {
        let loops = |iterations: u32| format!("for (var i = 0u; i < {iterations}u; i++) {{ }}");
        let text = format!(
            "fn take_action() {{ {} }} fn is_action_legal() {{ {} }} \
             fn compute_outcome() {{ while is_so() {{ }} }}",
            loops(100),
            loops(7)
        );
        assert_eq!(guarded(&text).ply_iterations, 100 + 4 * (1 + 7) + 2 + 5 + 16 + 16);
        let weighed = format!("{text} fn action_weight() {{ {} }}", loops(3));
        assert_eq!(guarded(&weighed).ply_iterations, 100 + 2 * 4 * (1 + 7 + 3) + 16 + 16);
        let own = format!("{text} fn legal_actions_playout() {{ {} }}", loops(50));
        assert_eq!(guarded_by(&own, true).ply_iterations, 100 + 50 + 16 + 16, "a playout of its own");
    }

    #[test]
    fn lines_stay_and_wrappers_have_the_names() {
        let text = "// while\nfn take_action(a: u32) { /* loop { */\nwhile a > 3u {\n\t}\n}\n\
            fn f() { take_action(1u); }";
        let Guarded { rules, wrappers, .. } = guarded(text);
        assert_eq!(
            rules,
            "// while\nfn rules_take_action(a: u32) { /* loop { */\n\
             while a > 3u { if rules_loop_ends(1u) { return; }\n\t}\n}\n\
             fn f() { rules_take_action(1u); }"
        );
        assert!(wrappers.contains(
            "fn take_action(state: ptr<function, State>, turn: u32, action: u32) {\n    rules_begin();"
        ));
        assert_eq!(guarded("fn take_action() { }").wrappers, "");
    }

    /// The check reads the module, not the text: it refuses rules with a loop without its guard.
    #[test]
    fn loops_without_their_guards_are_refused() {
        let refused = |text: &str| {
            let text = text_of(text);
            let parsed = Parsed::new(&text, BEFORE).unwrap_or_else(|error| panic!("{error}"));
            check(&text, &parsed).is_err()
        };
        assert!(!refused("fn g() { while is_so() { if rules_loop_ends(1u) { return; } } }"));
        assert!(!refused("fn g() { loop { if rules_loop_ends(1u) { return; } } }"));
        for text in [
            "fn g() { while is_so() { } }",
            "fn g() { while is_so() { if rules_loop_ends(2u) { return; } } }",
            "fn g() { while is_so() { if rules_loop_ends(1u) { } } }",
            "fn g() { while is_so() { if is_so() { continue; } if rules_loop_ends(1u) { return; } } }",
            "fn g() { while is_so() { if is_so() { if rules_loop_ends(1u) { return; } } } }",
            "fn g() { while is_so() { if rules_loop_ends(1u) { return; } while is_so() { } } }",
        ] {
            assert!(refused(text), "{text}");
        }
    }
}
