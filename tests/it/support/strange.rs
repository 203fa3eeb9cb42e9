//! Random input for readers: valid texts with changed spans, valid JSON with changed values.

use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};

/// So many cases, or the number in the environment variable PROPTEST_CASES.
pub fn cases(few: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|number| number.parse().ok());
    ProptestConfig { cases: asked.unwrap_or(few), failure_persistence: None, ..ProptestConfig::default() }
}

/// A place as a part of the whole, the length of the removed span, and its replacement; `None`: the span twice.
pub type Edit = (f64, usize, Option<String>);

/// One of the words that `|` separates.
pub fn one_of(words: &'static str) -> impl Strategy<Value = String> {
    select(words.split('|').collect::<Vec<_>>()).prop_map(str::to_owned)
}

/// Edits that insert `words`, separated by `|`, other characters, and numbers.
pub fn edits(words: &'static str) -> impl Strategy<Value = Vec<Edit>> {
    edits_up_to(12, words)
}

/// [`edits`] that remove fewer characters than `longest`.
pub fn edits_up_to(longest: usize, words: &'static str) -> impl Strategy<Value = Vec<Edit>> {
    let numbers =
        ["0", "-1", "1e308", "NaN", "18446744073709551616", "0.5", "4294967296", "\u{0}", "\u{fe0f}ä", "\n"];
    let new = prop_oneof![
        3 => one_of(words).prop_map(Some),
        2 => select(numbers.to_vec()).prop_map(|number| Some(number.to_owned())),
        1 => "\\PC{0,6}".prop_map(Some),
        1 => Just(Some(String::new())),
        1 => Just(None),
    ];
    vec((0.0..1.0, 0..longest, new), 1..5)
}

/// The text after the edits.
pub fn edited(text: &str, edits: &[Edit]) -> String {
    let mut text: Vec<char> = text.chars().collect();
    for (place, length, new) in edits {
        let start = (place * text.len() as f64) as usize;
        let end = (start + length).min(text.len());
        let new: Vec<char> = match new {
            Some(new) => new.chars().collect(),
            None => text[start..end].repeat(2),
        };
        text.splice(start..end, new);
    }
    text.into_iter().collect()
}

/// An unexpected value.
pub fn value() -> impl Strategy<Value = Value> {
    let odd = json!([
        null, true, 0, -1, 0.5, 1e308, -1e308, 5e-324, u64::MAX, i64::MIN, 4_294_967_296_u64,
        "", "X", "ä\u{0}\u{202e}\n", "x".repeat(3000), [], [[], {}], {}, {"n": -1, "q": 1e308, "ucb": 1e308}
    ]);
    let odd = odd.as_array().expect("a list").clone();
    prop_oneof![select(odd), any::<f64>().prop_map(|number| json!(number))]
}

/// Replaces values: each is the leaf, list or object at a part of all of them.
pub fn replaced(mut document: Value, changes: &[(f64, Value)]) -> Value {
    for (place, new) in changes {
        let mut left = (place * count(&document) as f64) as usize;
        if let Some(old) = nth(&mut document, &mut left) {
            *old = new.clone();
        }
    }
    document
}

fn count(value: &Value) -> usize {
    let inner = match value {
        Value::Array(values) => values.iter().map(count).sum(),
        Value::Object(fields) => fields.values().map(count).sum(),
        _ => 0,
    };
    1 + inner
}

fn nth<'a>(value: &'a mut Value, left: &mut usize) -> Option<&'a mut Value> {
    if *left == 0 {
        return Some(value);
    }
    *left -= 1;
    match value {
        Value::Array(values) => values.iter_mut().find_map(|value| nth(value, left)),
        Value::Object(fields) => fields.values_mut().find_map(|value| nth(value, left)),
        _ => None,
    }
}
