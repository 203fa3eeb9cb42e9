//! Limits of game files. Readers of WGSL recurse into nested code, and are slow on very long code. Code beyond all that
//! people write by hand is refused first, so that no file crashes the program.

use super::{
    parsed::{Parsed, any_statement, blocks},
    text::{Text, is_format},
    tokens::{items, tokens},
};
use crate::error::Result;
use naga::{ArraySize, Block, Function, Handle, Module, Statement, Type, TypeInner};
use std::collections::HashMap;

/// Greatest number of bytes of a file.
pub(super) const MOST_BYTES: usize = 1 << 18;
/// Greatest number of declarations, of nested brackets with the chains of `else` in each, and of tokens in a part of an
/// expression: readers of WGSL recurse as deep. A thread's stack of 2 MiB suffices for more than twice as many, even in
/// a build without optimization.
const MOST_ITEMS: usize = 2000;
const MOST_DEPTH: usize = 40;
const MOST_TOKENS: usize = 400;
/// Greatest number of statements and operations of a function with all its calls, which drivers inline; of nested
/// conditions, with which a driver fails (Mesa's from about 550 on); and of words of its values, which an adapter may
/// store for every lane.
const MOST_STEPS: u64 = 50_000;
const MOST_NESTED: u64 = 200;
const MOST_WORDS: u64 = 1 << 15;
/// Greatest depth of nested arrays and structures.
const MOST_TYPES: u64 = 16;

/// The error of a file with more than [`MOST_BYTES`].
pub(super) fn too_long() -> String {
    format!("the file has more than {} KiB, which is the most that a game can have", MOST_BYTES >> 10)
}

/// Checks that the text can be read.
///
/// # Errors
/// Shader, pointing at the place that exceeds a limit.
pub(super) fn check(text: &Text) -> Result<()> {
    if text.text.len() > MOST_BYTES {
        return Err(text.error(&too_long()));
    }
    if let Some((at, c)) = odd_character(&text.text) {
        let what = format!("the invisible character U+{:04X}", u32::from(c));
        let help = "remove it: readers of WGSL may treat it as the end of a line, a blank, or nothing";
        return Err(text.error_at(at..at + c.len_utf8(), &what, "", help));
    }
    let tokens = tokens(&text.text);
    if let Some(item) = items(&tokens).get(MOST_ITEMS) {
        let what = format!("a game has at most {MOST_ITEMS} declarations");
        return Err(text.error_at(
            item.place.clone(),
            &what,
            "",
            "join functions, or put constants into arrays",
        ));
    }
    let mut open = vec![Open::default()];
    for (at, token) in tokens.iter().enumerate() {
        let goes_on = token.text == "else" || tokens.get(at + 1).is_some_and(|next| next.text == "else");
        read(&mut open, token.text, goes_on);
        // An `else` is nested in the one before it.
        let depth: usize = open.iter().map(|bracket| 1 + bracket.elses).sum();
        let (what, help) = if depth > MOST_DEPTH {
            let what = format!("more than {MOST_DEPTH} nested brackets and chained else");
            (what, "use functions and variables, switch, or an array")
        } else if open.last().is_some_and(|bracket| bracket.part > MOST_TOKENS) {
            let what = format!("an expression of more than {MOST_TOKENS} words and signs");
            (what, "use variables for its parts")
        } else {
            continue;
        };
        return Err(text.error_at(token.place.clone(), &what, "", help));
    }
    Ok(())
}

/// An open bracket, or the text.
#[derive(Debug, Clone, Copy, Default)]
struct Open {
    /// Chained `else`.
    elses: usize,
    /// Tokens since the last comma or semicolon, and the greatest number between two of them: an expression is as deep
    /// as its longest part, to which brackets at its front add theirs.
    part: usize,
    longest: usize,
}

/// Reads a token; `goes_on`: the next one is `else`.
fn read(open: &mut Vec<Open>, token: &str, goes_on: bool) {
    let is_outermost = open.len() == 1;
    let Some(last) = open.last_mut() else { return };
    last.part += 1;
    match token {
        "(" | "[" | "{" => {
            last.part *= usize::from(token != "{");
            open.push(Open::default());
        }
        ")" | "]" | "}" if !is_outermost => {
            let inner = open.pop().unwrap_or_default();
            if let Some(outer) = open.last_mut() {
                outer.part = (outer.part + inner.part.max(inner.longest)) * usize::from(token != "}");
            }
        }
        "," | ";" => (last.part, last.longest) = (0, last.longest.max(last.part)),
        _ => {}
    }
    if let Some(last) = open.last_mut() {
        last.elses = match token {
            "else" => last.elses + 1,
            ";" | "}" if !goes_on => 0,
            _ => last.elses,
        };
    }
}

/// A character that readers treat differently, as a blank, the end of a line or nothing, or that hides text beside it.
fn odd_character(text: &str) -> Option<(usize, char)> {
    let is_odd = |(at, c): &(usize, char)| match c {
        '\n' | '\t' => false,
        '\r' => !text[at + 1..].starts_with('\n'),
        &c => c.is_control() || is_format(c),
    };
    text.char_indices().find(is_odd)
}

/// The size of a function with all its calls, each counted as often as it is made: drivers inline them.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    /// Statements and operations.
    steps: u64,
    /// Nested conditions, including one for each return, break or continue under a condition: the code after it is
    /// nested in the opposite condition.
    nested: u64,
    /// Words of variables, of constants and of other values that are no plain numbers or vectors.
    words: u64,
}

/// [type]: its words, and its depth.
type Types = HashMap<Handle<Type>, (u64, u64)>;

/// Checks that the module can be compiled.
///
/// # Errors
/// Shader, pointing at the first function, or the first constant, that is too large.
pub(super) fn check_module(text: &Text, parsed: &Parsed) -> Result<()> {
    let types = types(&parsed.module);
    let is_large = |ty: Handle<Type>| types[&ty].0 > MOST_WORDS || types[&ty].1 > MOST_TYPES;
    let constants = &parsed.module.constants;
    if let Some((place, _)) = constants
        .iter()
        .filter_map(|(handle, constant)| Some((parsed.place(constants.get_span(handle))?, constant)))
        .find(|(_, constant)| is_large(constant.ty))
    {
        let what =
            format!("a constant of more than {MOST_WORDS} words, or of more than {MOST_TYPES} nested types");
        return Err(text.error_at(place, &what, "", "compute its values, or make it smaller"));
    }
    let mut sizes = HashMap::new();
    for (handle, function, place) in parsed.functions() {
        let size = size(parsed, (handle, function), &types, &sizes);
        let deepest = values(parsed, handle, function).map(|ty| types[&ty].1).max().unwrap_or(0);
        let all = "including the functions that it calls, which drivers inline";
        let (what, help) = if size.steps > MOST_STEPS {
            let what = format!("{} statements and operations {all}: {MOST_STEPS} at most", size.steps);
            (what, "call functions in a loop instead of many times")
        } else if size.nested > MOST_NESTED {
            let what = format!("{} nested conditions {all}: {MOST_NESTED} at most", size.nested);
            (
                what,
                "code after a conditional return counts as nested in a condition: use switch, an array, or variables",
            )
        } else if size.words > MOST_WORDS {
            let what = format!(
                "variables, constants and values of {} words {all}: {MOST_WORDS} at most",
                size.words
            );
            (what, "make them smaller, and pass them by pointers")
        } else if deepest > MOST_TYPES {
            (format!("a value of {deepest} nested types: {MOST_TYPES} at most"), "use fewer")
        } else {
            sizes.insert(handle, size);
            continue;
        };
        let name = function.name.as_deref().unwrap_or_default();
        let tokens = tokens(&text.text);
        let item = items(&tokens).into_iter().find(|item| item.kind == "fn" && item.name == name);
        let place = item.map_or(place, |item| item.place);
        return Err(text.error_at(place, &format!("{name} has {what}"), "", help));
    }
    Ok(())
}

fn types(module: &Module) -> Types {
    let mut types = Types::new();
    for (handle, ty) in module.types.iter() {
        // A type follows its parts.
        let of = |inner: &Handle<Type>| types.get(inner).copied().unwrap_or_default();
        let size = match &ty.inner {
            TypeInner::Vector { size, .. } => (*size as u64, 0),
            TypeInner::Matrix { columns, rows, .. } => (*columns as u64 * *rows as u64, 1),
            TypeInner::Array { base, size, .. } => {
                let count = if let ArraySize::Constant(count) = size { count.get() } else { 1 };
                (of(base).0.saturating_mul(count.into()), of(base).1 + 1)
            }
            TypeInner::Struct { members, .. } => {
                let inner = members.iter().map(|member| of(&member.ty));
                inner.fold((0_u64, 1), |(words, depth), (more, inner)| {
                    (words.saturating_add(more), depth.max(inner + 1))
                })
            }
            TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. } => (0, 0),
            _ => (1, 0),
        };
        types.insert(handle, size);
    }
    types
}

/// The types of a function's variables and values.
fn values(
    parsed: &Parsed,
    handle: Handle<Function>,
    function: &Function,
) -> impl Iterator<Item = Handle<Type>> {
    let info = &parsed.info[handle];
    let values = function.expressions.iter().filter_map(move |(expression, _)| info[expression].ty.handle());
    function.local_variables.iter().map(|(_, variable)| variable.ty).chain(values)
}

fn size(
    parsed: &Parsed,
    (handle, function): (Handle<Function>, &Function),
    types: &Types,
    sizes: &HashMap<Handle<Function>, Size>,
) -> Size {
    let mut size = Size { nested: nested(&function.body, sizes), ..Size::default() };
    size.steps = function.expressions.len() as u64;
    size.words = values(parsed, handle, function)
        .map(|ty| types[&ty])
        .filter(|(_, depth)| *depth > 0)
        .fold(0, |sum: u64, (words, _)| sum.saturating_add(words));
    add_calls(&function.body, sizes, &mut size);
    size
}

/// Adds the statements of a block, and those of its calls.
fn add_calls(block: &Block, sizes: &HashMap<Handle<Function>, Size>, size: &mut Size) {
    for statement in block {
        size.steps = size.steps.saturating_add(1);
        if let Statement::Call { function, .. } = statement {
            let called = sizes.get(function).copied().unwrap_or_default();
            size.steps = size.steps.saturating_add(called.steps);
            size.words = size.words.saturating_add(called.words);
        }
        blocks(statement).for_each(|inner| add_calls(inner, sizes, size));
    }
}

/// The depth of nested conditions.
fn nested(block: &Block, sizes: &HashMap<Handle<Function>, Size>) -> u64 {
    let (mut level, mut most) = (0, 0);
    for statement in block {
        let inner = match statement {
            Statement::Call { function, .. } => sizes.get(function).map_or(0, |size| size.nested),
            other => blocks(other).map(|inner| 1 + nested(inner, sizes)).max().unwrap_or(0),
        };
        most = most.max(level + inner);
        let jumps = |statement: &Statement| {
            matches!(statement, Statement::Return { .. } | Statement::Break | Statement::Continue)
        };
        level += u64::from(blocks(statement).any(|inner| any_statement(inner, &jumps)));
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: String) -> Option<String> {
        check(&Text { file: "a.wgsl".into(), text }).err().map(|error| error.to_string())
    }

    #[test]
    fn what_is_too_much_is_pointed_at() {
        let chain = |count| format!("fn f() {{ if a {{ b; }}{} c; }}", " else if a { b; }".repeat(count));
        let nested = |count| format!("const A = {}1{};", "(".repeat(count), ")".repeat(count));
        let sum = |count| format!("const A = 1{};", " + 1".repeat(count));
        let calls = |depth, count| {
            format!(
                "const A = {}1{};",
                "max(".repeat(depth),
                format!("{}, 1)", " + 1".repeat(count)).repeat(depth)
            )
        };
        let functions = |count| "fn f() {}\n".repeat(count);
        let table = |count| format!("const A = array({});", "1, ".repeat(count));
        for (text, what) in [
            (chain(37), None),
            (chain(39), Some("a.wgsl:1:661: more than 40 nested brackets and chained else")),
            (format!("fn f() {{ {} }}", "if a { b; } else { c; } ".repeat(300)), None),
            (nested(39), None),
            (nested(40), Some("a.wgsl:1:50: more than 40 nested brackets")),
            (sum(195), None),
            (sum(200), Some("a.wgsl:1:805: an expression of more than 400")),
            (calls(20, 8), None),
            (calls(20, 10), Some("a.wgsl:1:857: an expression of more than 400")),
            (functions(2000), None),
            (functions(2001), Some("a.wgsl:2001:4: a game has at most 2000 declarations")),
            (table(50_000), None),
            (table(100_000), Some("a.wgsl: the file has more than 256 KiB")),
            (")]}".repeat(5), None),
        ] {
            let found = wrong(text.clone());
            let fits = match (&found, what) {
                (Some(found), Some(what)) => found.starts_with(what),
                (found, what) => found.is_none() && what.is_none(),
            };
            assert!(fits, "{what:?}: {found:?}");
        }
    }
}
