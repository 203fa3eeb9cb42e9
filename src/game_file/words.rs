//! Errors of modules in words for authors of games: naga describes them by internal numbers.

use naga::valid::{CallError, ExpressionError, FunctionError, ValidationError};

pub(super) fn of(wrong: &ValidationError) -> String {
    let ValidationError::Function { name, source, .. } = wrong else { return chain(wrong) };
    match source {
        FunctionError::InvalidReturnType { expression: None, expected_ty: Some(_) } => {
            format!("{name} comes to its end, or to a return, without a value: return one")
        }
        FunctionError::InvalidReturnType { expression: Some(_), expected_ty: None } => {
            format!("{name} returns a value, and its head names no type for one: write -> and the type")
        }
        FunctionError::InvalidReturnType { .. } => {
            format!("{name} returns a value of another type than its head says")
        }
        FunctionError::InvalidIfType(_) => {
            "the condition is not true or false: compare it with something".into()
        }
        FunctionError::InvalidSwitchType(_) => "switch is for values of i32 and u32".into(),
        FunctionError::InvalidStoreTypes { .. } => {
            "a value of another type than what it is assigned to".into()
        }
        FunctionError::InvalidCall { error: CallError::ArgumentCount { required, seen }, .. } => {
            format!("a call with {seen} arguments of a function that takes {required}")
        }
        FunctionError::InvalidCall { error: CallError::ArgumentType { index, .. }, .. } => {
            format!("argument {} of the call has another type than the function takes", index + 1)
        }
        FunctionError::Expression { source: ExpressionError::IndexOutOfBounds(_, index), .. } => {
            format!("there is no element {index}: the first one is 0")
        }
        FunctionError::Expression { source: ExpressionError::InvalidBinaryOperandTypes { .. }, .. } => {
            "an operation on values of two types, or of one that it is not for: convert one, such as by u32()"
                .into()
        }
        FunctionError::MissingCapability(needed)
        | FunctionError::Expression { source: ExpressionError::MissingCapabilities(needed), .. } => {
            let needed = format!("{needed:?}");
            let needed = needed.trim_start_matches("Capabilities(").trim_end_matches(')');
            format!("this needs {needed}, which not every adapter has")
        }
        other => format!("{name}: {}", chain(other)),
    }
}

/// An error and its causes, without naga's numbers of expressions and types.
fn chain(error: &dyn std::error::Error) -> String {
    let mut what = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        what = format!("{what}: {inner}");
        cause = inner.source();
    }
    without_numbers(&what)
}

/// A text without `[12]` and `Some([12])`.
fn without_numbers(text: &str) -> String {
    let mut words = Vec::new();
    for word in text.split(' ') {
        let inner = word.trim_start_matches("Some(").trim_end_matches([')', ',', ':']);
        let number = inner.strip_prefix('[').and_then(|inner| inner.strip_suffix(']'));
        let is_number = number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
        match words.last_mut() {
            Some(last) if is_number => {
                *last = format!("{last}{}", &word[word.trim_end_matches([',', ':']).len()..])
            }
            _ if is_number => {}
            _ => words.push(word.to_owned()),
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_left_out() {
        for (text, expected) in [
            ("Expression [3] is invalid: Division by zero", "Expression is invalid: Division by zero"),
            ("The `return` Some([5]) of [1]: no", "The `return` of: no"),
            ("index 7 of [a] and 3]", "index 7 of [a] and 3]"),
            ("[1]", ""),
        ] {
            assert_eq!(without_numbers(text), expected);
        }
    }
}
