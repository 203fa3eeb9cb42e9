//! Loops that end: those of a game file that might not are made to count their turns, and once a call of the rules has
//! made too many, it returns. Behind `continuing`, where nothing may return, they are left instead.

use super::{
    contract::{self, Signature},
    tokens::{Token, name_after, tokens},
};
use crate::{
    device::compose::constants,
    rules::{Game, Vouch},
};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Turns that the loops of one call of the rules may make: fewer than after which software adapters end loops
/// themselves.
const MOST_TURNS: u32 = 1 << 15;

/// The loops of some rules end. [`guard`] alone makes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LoopsEnd(());

impl LoopsEnd {
    /// What the crate knows of a game that has these rules.
    pub fn vouch<G: Game>(self) -> Vouch<G> {
        Vouch::loops_end()
    }
}

/// Rules whose loops end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Guarded {
    /// They do.
    pub loops_end: LoopsEnd,
    /// The rules, in which the functions of the contract have other names if `wrappers` is not empty. Lines stay where
    /// they are.
    pub rules: String,
    /// Functions of the contract's names, which begin the count anew.
    pub wrappers: String,
    /// Turns of loops that a ply takes, about; loops whose turns are counted as they run are taken for short ones.
    pub ply_turns: u32,
    /// The function of the most words and signs, those of what it calls included.
    pub largest: Option<(String, u64)>,
}

/// Turns that a loop is taken for whose end can't be seen.
const USUAL_TURNS: u64 = 16;

/// A loop of a function, or the function itself.
#[derive(Debug, Default)]
struct Block<'a> {
    /// The most turns that it makes; none where that can't be seen. A function makes one.
    turns: Option<u64>,
    /// Behind its opening brace.
    body: usize,
    /// It stands behind `continuing`.
    continuing: bool,
    inner: Vec<Block<'a>>,
    calls: Vec<&'a str>,
}

/// How a loop ends that has made too many turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leave<'a> {
    /// The function returns; with a value of this type, unless it is empty.
    Return(&'a str),
    Break,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Guard<'a> {
    /// What a turn counts: itself, and those of loops in it that are not counted as they run.
    turns: u64,
    leave: Leave<'a>,
}

/// Loops that need a guard, by the ends of their opening braces.
type Guards<'a> = BTreeMap<usize, Guard<'a>>;

#[derive(Debug)]
struct Function<'a> {
    name: &'a str,
    /// What it returns, as it is written; empty for nothing.
    result: &'a str,
    /// Words and signs.
    size: u64,
    block: Block<'a>,
}

/// What a call takes, or a block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Cost {
    /// Turns of loops, about.
    turns: u64,
    /// Those that are not counted as they run, at most.
    uncounted: u64,
    /// Words and signs, those of what is called included, as often as it is: drivers write all calls out.
    size: u64,
}

impl Cost {
    fn plus(self, other: Self) -> Self {
        Self {
            turns: self.turns.saturating_add(other.turns),
            uncounted: self.uncounted.saturating_add(other.uncounted),
            size: self.size.saturating_add(other.size),
        }
    }
}

/// Looks at every loop of the rules. `numbers` are the constants whose values are known.
pub(super) fn guard(text: &str, numbers: &HashMap<String, u64>, max_actions: u32) -> Guarded {
    let tokens = tokens(text);
    let shadowed = locals(&tokens);
    let numbers: HashMap<&str, u64> = numbers
        .iter()
        .map(|(name, value)| (name.as_str(), *value))
        .filter(|(name, _)| !shadowed.contains(name))
        .collect();
    let functions = functions(text, &tokens, &numbers);
    let most = u64::from(MOST_TURNS);
    let (mut costs, mut guards) = costs(&functions, most);
    // Many loops one after another that are short ones each: then all are counted.
    if costs.values().any(|cost| cost.uncounted > most) {
        (costs, guards) = self::costs(&functions, 0);
    }
    let of = |name: &str| costs.get(name).map_or(0, |cost| cost.turns);
    let questions = u64::from(max_actions).saturating_mul(of("is_action_legal"));
    let ply = of("take_action").saturating_add(of("compute_outcome")).saturating_add(questions);
    let (rules, wrappers) =
        if guards.is_empty() { (text.into(), String::new()) } else { rewritten(text, &tokens, &guards) };
    let largest = costs.iter().max_by_key(|(name, cost)| (cost.size, **name));
    let largest = largest.map(|(name, cost)| ((*name).to_owned(), cost.size));
    Guarded { loops_end: LoopsEnd(()), rules, wrappers, ply_turns: ply.min(u32::MAX.into()) as u32, largest }
}

/// What calls of functions take, and the loops that need a guard: those of `most` turns, all that is in them counted.
/// Functions may stand in any order, and none calls itself.
fn costs<'a>(functions: &[Function<'a>], most: u64) -> (HashMap<&'a str, Cost>, Guards<'a>) {
    let names: HashSet<&str> = functions.iter().map(|function| function.name).collect();
    let (mut costs, mut guards) = (HashMap::new(), Guards::new());
    let mut left: Vec<&Function<'a>> = functions.iter().collect();
    loop {
        let before = left.len();
        left.retain(|function| {
            let known = |name| costs.contains_key(name) || !names.contains(name);
            if !callees(&function.block).all(known) {
                return true;
            }
            let mut all = cost(&function.block, function.result, most, &costs, &mut guards);
            all.size = all.size.saturating_add(function.size);
            costs.insert(function.name, all);
            false
        });
        if left.is_empty() || left.len() == before {
            return (costs, guards);
        }
    }
}

/// Names of variables and parameters: a constant of that name may be hidden behind them.
fn locals<'a>(tokens: &[Token<'a>]) -> HashSet<&'a str> {
    let mut depth = 0;
    let mut found = HashSet::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            "{" | "(" => depth += 1,
            "}" | ")" => depth -= 1,
            _ if depth == 0 => {}
            "let" | "const" | "var" => found.extend(name_after(tokens, at, token.text).map(|name| name.text)),
            ":" => found.extend(at.checked_sub(1).map(|before| tokens[before].text)),
            _ => {}
        }
    }
    found
}

fn callees<'a>(block: &'a Block<'a>) -> Box<dyn Iterator<Item = &'a str> + 'a> {
    Box::new(block.calls.iter().copied().chain(block.inner.iter().flat_map(callees)))
}

/// What a block takes; notes the loops that need a guard, each with what their function returns.
fn cost<'a>(
    block: &Block<'a>,
    result: &'a str,
    most: u64,
    costs: &HashMap<&str, Cost>,
    guards: &mut Guards<'a>,
) -> Cost {
    let calls = block.calls.iter().filter_map(|name| costs.get(name)).copied();
    let mut once = calls.fold(Cost::default(), Cost::plus);
    for inner in &block.inner {
        once = once.plus(cost(inner, result, most, costs, guards));
    }
    if block.turns == Some(1) && block.body == 0 {
        return once;
    }
    let times = |own: u64, of: u64| own.saturating_mul(of.saturating_add(1));
    match block.turns.filter(|&own| times(own, once.turns) < most) {
        Some(own) => {
            Cost { turns: times(own, once.turns), uncounted: times(own, once.uncounted), size: once.size }
        }
        None => {
            let leave = if block.continuing { Leave::Break } else { Leave::Return(result) };
            let turns = once.uncounted.saturating_add(1).min(MOST_TURNS.into());
            guards.insert(block.body, Guard { turns, leave });
            let turns = times(USUAL_TURNS, once.turns).min(MOST_TURNS.into());
            Cost { turns, uncounted: 0, size: once.size }
        }
    }
}

/// The functions of a text.
fn functions<'a>(text: &'a str, tokens: &[Token<'a>], numbers: &HashMap<&str, u64>) -> Vec<Function<'a>> {
    let mut functions = Vec::new();
    let mut at = 0;
    while at + 1 < tokens.len() {
        if tokens[at].text != "fn" {
            at += 1;
            continue;
        }
        let Some(open) = tokens[at..].iter().position(|token| token.text == "{").map(|open| at + open) else {
            break;
        };
        let arrow = (at..open).rev().find(|&at| tokens[at].text == ">" && tokens[at - 1].text == "-");
        let result = arrow.map_or("", |arrow| text[tokens[arrow].place.end..tokens[open].place.start].trim());
        let mut block = Block { turns: Some(1), ..Block::default() };
        let end = read_block(tokens, open + 1, numbers, &mut block);
        functions.push(Function { name: tokens[at + 1].text, result, size: (end - at) as u64, block });
        at = end;
    }
    functions
}

/// Reads what is in a block, from behind its brace to behind the one that closes it.
fn read_block<'a>(
    tokens: &[Token<'a>],
    mut at: usize,
    numbers: &HashMap<&str, u64>,
    block: &mut Block<'a>,
) -> usize {
    let mut depth = 0;
    // Loops behind `continuing` are so to all that they hold.
    let mut continuing = block.continuing;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token.text {
            "{" => depth += 1,
            "}" if depth == 0 => break,
            "}" => depth -= 1,
            "continuing" => continuing = true,
            "for" | "while" | "loop" => {
                let Some(open) =
                    tokens[at..].iter().position(|token| token.text == "{").map(|open| at + open)
                else {
                    break;
                };
                // What the head calls, it calls every turn.
                let body = tokens[open].place.end;
                let mut inner = Block { turns: None, body, continuing, ..Block::default() };
                inner.calls.extend(called(&tokens[at..open]));
                let end = read_block(tokens, open + 1, numbers, &mut inner);
                if token.text == "for" {
                    inner.turns = bounded_turns(&tokens[at..open], &tokens[open..end], numbers);
                }
                block.inner.push(inner);
                at = end;
            }
            _ => block.calls.extend(called(&tokens[at - 1..tokens.len().min(at + 1)])),
        }
    }
    at
}

/// Names before an opening parenthesis.
fn called<'a>(tokens: &[Token<'a>]) -> impl Iterator<Item = &'a str> {
    let pairs = tokens.windows(2).filter(|pair| pair[0].is_word() && pair[1].text == "(");
    pairs.map(|pair| pair[0].text).collect::<Vec<_>>().into_iter()
}

/// The turns of `for (var i = A; i < B; i++)`, and of `i += C`, where A and B are known and nothing in the body changes
/// i.
fn bounded_turns(head: &[Token<'_>], body: &[Token<'_>], numbers: &HashMap<&str, u64>) -> Option<u64> {
    let inside = head.strip_prefix(&head[..1])?.split_last()?.1;
    let parts: Vec<&[Token<'_>]> = inside.split(|token| token.text == ";").collect();
    let [first, condition, step] = parts[..] else { return None };
    let words = |tokens: &[Token<'_>]| tokens.iter().map(|token| token.text.to_owned()).collect::<Vec<_>>();
    let (first, condition, step) = (words(first), words(condition), words(step));
    let name = first.get(1).filter(|_| first[0] == "var")?;
    let start = first.iter().position(|text| text == "=")?;
    let [start] = &first[start + 1..] else { return None };
    number(start, numbers)?;
    let (bound, extra) = match &condition.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [i, "<", bound] if i == name => (*bound, 0),
        [i, "<", "=", bound] if i == name => (*bound, 1),
        _ => return None,
    };
    let is_step = match &step.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [i, "+", "+"] => i == name,
        [i, "+", "=", by] => i == name && number(by, numbers).is_some_and(|by| by > 0),
        _ => false,
    };
    let changes = body.windows(3).any(|three| changes(three, name))
        || body.windows(4).any(|four| in_parentheses(four, name));
    (is_step && !changes).then(|| number(bound, numbers).map(|bound| bound + extra))?
}

/// Might these tokens change a variable of this name, or take its address?
fn changes(three: &[Token<'_>], name: &str) -> bool {
    let [a, b, c] = [three[0].text, three[1].text, three[2].text];
    let assigns = a == name
        && (b == "=" && c != "=" || c == "=" && "+-*/%&|^".contains(b) || b == c && (b == "+" || b == "-"));
    // Shifts have one more sign than three tokens show.
    assigns || a == "&" && b == name || a == name && b == c && (b == "<" || b == ">")
}

/// Is this a variable in parentheses of its own, which might be assigned to? Those behind a name are of a call.
fn in_parentheses(four: &[Token<'_>], name: &str) -> bool {
    !four[0].is_word() && four[1].text == "(" && four[2].text == name && four[3].text == ")"
}

/// A literal, or a constant whose value is known.
fn number(text: &str, numbers: &HashMap<&str, u64>) -> Option<u64> {
    let digits = text.trim_end_matches(['u', 'i']);
    let literal = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    literal.ok().or_else(|| numbers.get(text).copied())
}

/// The text with guards, and the functions of the contract under other names; and functions that have those names.
fn rewritten(text: &str, tokens: &[Token<'_>], guards: &Guards<'_>) -> (String, String) {
    let defined: Vec<Signature> = contract::all()
        .filter(|signature| {
            tokens.windows(2).any(|pair| pair[0].text == "fn" && pair[1].text == signature.name)
        })
        .collect();
    let (mut rules, mut copied) = (String::new(), 0);
    for token in tokens {
        // What lies between tokens stays as it is.
        rules.push_str(&text[copied..token.place.start]);
        copied = token.place.end;
        if defined.iter().any(|signature| signature.name == token.text) {
            rules.push_str("rules_");
        }
        rules.push_str(token.text);
        if let Some(Guard { turns, leave }) = guards.get(&token.place.end).filter(|_| token.text == "{") {
            let leave = match leave {
                Leave::Break => "break".into(),
                Leave::Return("") => "return".into(),
                Leave::Return(result) => format!("return {result}()"),
            };
            rules.push_str(&format!(" if rules_loop_ends({turns}u) {{ {leave}; }}"));
        }
    }
    rules.push_str(&text[copied..]);
    let wrappers =
        constants([("MOST_RULES_TURNS", MOST_TURNS)]) + &defined.into_iter().map(wrapper).collect::<String>();
    (rules, wrappers)
}

fn wrapper(signature: Signature) -> String {
    let names: Vec<_> = signature.parameters.iter().map(|(name, _)| *name).collect();
    let call = format!("rules_{}({})", signature.name, names.join(", "));
    let body = match signature.name {
        // A playout that has made too many turns is over.
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

    fn guarded(text: &str) -> Guarded {
        let numbers = HashMap::from([("N".to_owned(), 10), ("MANY".to_owned(), 1 << 30)]);
        guard(text, &numbers, 4)
    }

    /// What each guard says, in the order of the text.
    fn guards(text: &str) -> Vec<String> {
        let rules = guarded(text).rules;
        let said = rules.split("if rules_loop_ends(").skip(1);
        said.map(|rest| rest.split(" }").next().unwrap_or_default().replace("u) {", "")).collect()
    }

    #[test]
    fn loops_that_end_need_no_guard() {
        for body in [
            "for (var i = 0u; i < 10u; i++) { }",
            "for (var i = 0; i <= N; i += 3) { f(i); }",
            "for (var i: u32 = 0x1u; i < N; i += N) { let j = i + 1u; }",
            "for (var i = 0u; i < N; i++) { for (var j = 0u; j < N; j++) { a[i] = j; if i == j { break; } } }",
        ] {
            assert_eq!(guards(&format!("fn g() {{ {body} }}")), [""; 0], "{body}");
        }
    }

    #[test]
    fn loops_that_might_not_end_are_counted() {
        for body in [
            "while a { }",
            "loop { }",
            "for (;;) { }",
            "for (var i = 0u; i < MANY; i++) { }",
            "for (var i = 0u; i < n; i++) { }",
            "for (var i = 0u; i < N; i--) { }",
            "for (var i = 0u; i < N; i += 0u) { }",
            "for (var i = 0u; i < N; i++) { i = 0u; }",
            "for (var i = 0u; i < N; i++) { i -= 1u; }",
            "for (var i = 0u; i < N; i++) { i--; }",
            "for (var i = 0u; i < N; i++) { i >>= 1u; }",
            "for (var i = 0u; i < N; i++) { (i) = 0u; }",
            "for (var i = 0u; i < N; i++) { f(&i); }",
            "for (var i = 0u; i < N; i++) { let p = &(i); }",
            "for (var i = 0u; i < 40000u; i++) { }",
            "var N = 7u; for (var i = 0u; i < N; i++) { }",
        ] {
            assert_eq!(guards(&format!("fn g() {{ {body} }}")), ["1 return;"], "{body}");
        }
        assert_eq!(guards("fn g(N: u32) -> S { for (var i = 0u; i < N; i++) { } }"), ["1 return S();"]);
        assert_eq!(guards("fn g() -> array<u32, 3> { loop { } }"), ["1 return array<u32, 3>();"]);
        assert_eq!(guards("fn g() { loop { continuing { while a { } } } }"), ["1 return;", "1 break;"]);
        assert_eq!(guards("fn g() { loop { loop { continuing { } } while b { } } }"), ["1 return;"; 3]);
    }

    #[test]
    fn turns_of_inner_loops_count() {
        let inner = "for (var i = 0u; i < 300u; i++) { }";
        assert_eq!(guards(&format!("fn g() {{ while a {{ {inner} }} }}")), ["301 return;"]);
        assert_eq!(
            guards(&format!("fn g() {{ while a {{ f(); }} }} fn f() {{ {inner} {inner} }}")),
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
        assert_eq!(found.largest, Some(("f9".into(), u64::MAX)), "calls of calls of calls");
        assert!(found.rules.contains("rules_loop_ends"));
    }

    #[test]
    fn plies_are_estimated() {
        let loops = |turns: u32| format!("for (var i = 0u; i < {turns}u; i++) {{ }}");
        let text = format!(
            "fn take_action() {{ {} }} fn is_action_legal() {{ {} }} fn compute_outcome() {{ while a {{ }} }}",
            loops(100),
            loops(7)
        );
        assert_eq!(guarded(&text).ply_turns, 100 + 4 * 7 + 16);
    }

    #[test]
    fn lines_stay_and_wrappers_have_the_names() {
        let text =
            "// while\nfn take_action(a: u32) { /* loop { */\nwhile a {\n\t}\n}\nfn f() { take_action(1u); }";
        let Guarded { rules, wrappers, .. } = guarded(text);
        assert_eq!(
            rules,
            "// while\nfn rules_take_action(a: u32) { /* loop { */\n\
             while a { if rules_loop_ends(1u) { return; }\n\t}\n}\n\
             fn f() { rules_take_action(1u); }"
        );
        assert!(wrappers.contains(
            "fn take_action(state: ptr<function, State>, turn: u32, action: u32) {\n    rules_begin();"
        ));
        assert_eq!(guarded("fn take_action() { }").wrappers, "");
    }

    /// The library: every line is where it was, and what comes of it is WGSL.
    #[test]
    fn the_librarys_games_are_wgsl_afterwards() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/games");
        let mut guarded_files = 0;
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.extension().is_none_or(|extension| extension != "wgsl") {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a text");
            let Guarded { rules, wrappers, .. } = guard(&text, &HashMap::new(), 9);
            assert_eq!(rules.lines().count(), text.lines().count(), "{path:?}");
            let changed = rules.lines().zip(text.lines()).filter(|(new, old)| new != old);
            let is_ours = |line: &str| line.contains("rules_");
            assert!(changed.clone().all(|(new, _)| is_ours(new)), "{path:?}");
            guarded_files += usize::from(!wrappers.is_empty());
            let all = format!("{rules}\n{wrappers}");
            // What the rules stand beside is missing here: syntax alone is looked at.
            if let Err(error) = naga::front::wgsl::parse_str(&all) {
                assert!(error.message().contains("no definition in scope"), "{path:?}: {error:?}");
            }
        }
        assert!(guarded_files >= 3, "{guarded_files}");
    }
}
