//! How large a game file can be. Whoever reads WGSL goes down into what is nested by calls of its own, and slowly
//! through what is very long: what nobody writes by hand is refused before that, so that no file takes the program
//! down.

use super::{
    guard::Guarded,
    text::Text,
    tokens::{items, tokens},
};
use crate::error::Result;

/// The most bytes of a file.
pub(super) const MOST_BYTES: usize = 1 << 18;
/// The most declarations, brackets in brackets, `else` after `else`, and words and signs without a comma or a
/// semicolon.
const MOST_ITEMS: usize = 2000;
const MOST_DEPTH: usize = 100;
const MOST_ELSES: usize = 100;
const MOST_TOKENS: usize = 1000;
/// The most words and signs of a function, where all that it calls is written out, as drivers do.
const MOST_SIZE: u64 = 100_000;

/// What `file` is told of that has more than [`MOST_BYTES`].
pub(super) fn too_long() -> String {
    format!("the file has more than {} KiB, which is the most that a game can have", MOST_BYTES >> 10)
}

/// Is the text of a size that can be read?
///
/// # Errors
/// Shader, pointing at where it becomes too much.
pub(super) fn check(text: &Text) -> Result<()> {
    if text.text.len() > MOST_BYTES {
        return Err(text.error(&too_long()));
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
    // Of each bracket that is open how many `else` there were in a row.
    let mut elses = vec![0];
    let mut length = 0;
    for (at, token) in tokens.iter().enumerate() {
        length += 1;
        match token.text {
            "(" | "[" | "{" => elses.push(0),
            ")" | "]" | "}" if elses.len() > 1 => drop(elses.pop()),
            _ => {}
        }
        if matches!(token.text, "," | ";" | "{" | "}") {
            length = 0;
        }
        let goes_on = token.text == "else" || tokens.get(at + 1).is_some_and(|next| next.text == "else");
        if let Some(row) = elses.last_mut() {
            *row = match token.text {
                "else" => *row + 1,
                ";" | "}" if !goes_on => 0,
                _ => *row,
            };
        }
        let (what, help) = if elses.len() > MOST_DEPTH {
            (format!("more than {MOST_DEPTH} brackets are open here"), "use functions and variables")
        } else if elses.last().is_some_and(|&row| row > MOST_ELSES) {
            (format!("more than {MOST_ELSES} times else in a row"), "use switch, or an array")
        } else if length > MOST_TOKENS {
            (
                format!("an expression of more than {MOST_TOKENS} words and signs"),
                "use variables for its parts",
            )
        } else {
            continue;
        };
        return Err(text.error_at(token.place.clone(), &what, "", help));
    }
    Ok(())
}

/// Are its functions of a size that can be compiled?
///
/// # Errors
/// Shader, pointing at the largest.
pub(super) fn check_calls(text: &Text, guarded: &Guarded) -> Result<()> {
    let Some((name, size)) = guarded.largest.as_ref().filter(|(_, size)| *size > MOST_SIZE) else {
        return Ok(());
    };
    let tokens = tokens(&text.text);
    let place = items(&tokens).into_iter().find(|item| item.name == name).map_or(0..0, |item| item.place);
    let what = format!(
        "{name} has {size} words and signs with all that it calls, which are written out for a device: \
         {MOST_SIZE} at most"
    );
    Err(text.error_at(place, &what, "", "call functions in a loop instead of many times"))
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
        let functions = |count| "fn f() {}\n".repeat(count);
        let table = |count| format!("const A = array({});", "1, ".repeat(count));
        for (text, what) in [
            (chain(100), None),
            (chain(101), Some("a.wgsl:1:1722: more than 100 times else")),
            (format!("fn f() {{ {} }}", "if a { b; } else { c; } ".repeat(300)), None),
            (nested(99), None),
            (nested(100), Some("a.wgsl:1:110: more than 100 brackets")),
            (sum(490), None),
            (sum(500), Some("a.wgsl:1:2005: an expression of more than 1000")),
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
