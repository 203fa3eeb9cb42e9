//! Texts of the library with spans removed, repeated and replaced: the result is a game or an error.

use super::library;
use crate::support::{prelude::*, strange};
use proptest::{collection::vec, prelude::*, test_runner::TestRunner};

/// A span, as parts of the text's length, and its change.
type Change = (f64, usize, Edit);

#[derive(Debug, Clone)]
enum Edit {
    Delete,
    Double,
    Replace(String),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let words = prop_oneof![
        Just("loop {"),
        Just("}"),
        Just("("),
        Just("for (;;) {"),
        Just("return;"),
        Just("0u"),
        Just("\0"),
        Just("//! "),
        Just("/*"),
        Just("->"),
        Just("@"),
        Just("fn f"),
        Just("\u{fe0f}é"),
        Just("continuing {"),
        Just("Playout"),
        Just("ptr<function, State>"),
        Just("[board]"),
        Just("\""),
        Just("rules_"),
    ];
    let edit = prop_oneof![
        Just(Edit::Delete),
        Just(Edit::Double),
        words.prop_map(|word| Edit::Replace(word.into())),
        "\\PC{0,8}".prop_map(Edit::Replace),
    ];
    vec((0.0..1.0, 0usize..40, edit), 1..4)
}

fn edited(text: &str, changes: &[Change]) -> String {
    let mut text = text.to_owned();
    for (place, length, edit) in changes {
        let boundary = |byte| (0..=byte).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let start = boundary((place * text.len() as f64) as usize);
        let end = boundary((start + length).min(text.len()));
        let span = text[start..end].to_owned();
        let new = match edit {
            Edit::Delete => String::new(),
            Edit::Double => span.repeat(2),
            Edit::Replace(new) => new.clone(),
        };
        text.replace_range(start..end, &new);
    }
    text
}

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(strange::cases(cases))
}

#[test]
fn no_text_is_too_strange() {
    let library = library();
    let cpu = Engine::cpu();
    let strategy = (0..library.len(), changes());
    let result = runner(400).run(&strategy, |(which, changes)| {
        let text = edited(&library[which].1, &changes);
        let error = GameFile::from_wgsl("game.wgsl", &text, &cpu).expect_err("no adapter");
        let told = error.to_string();
        prop_assert!(told.starts_with("game.wgsl:") || error.is_no_adapter(), "{}", told);
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn valid_files_are_compiled_or_refused() {
    let library = library();
    each_adapter(|adapter| {
        let (engine, cpu) = (opened(adapter), Engine::cpu());
        let mut compiled = 0;
        let result = runner(60).run(&(0..library.len(), changes()), |(which, changes)| {
            let text = edited(&library[which].1, &changes);
            let is_valid =
                GameFile::from_wgsl("game.wgsl", &text, &cpu).is_err_and(|error| error.is_no_adapter());
            if is_valid {
                GameFile::from_wgsl("game.wgsl", &text, &engine).ok();
            }
            Ok(())
        });
        result.unwrap_or_else(|error| panic!("{error}"));
        for (name, text) in &library {
            compiled += u32::from(GameFile::from_wgsl(name, text, &engine).is_ok());
        }
        assert_eq!(compiled as usize, library.len(), "the device goes on");
    });
}

/// The header is TOML, whose numbers size all buffers.
#[test]
fn no_header_is_too_strange() {
    let (library, cpu) = (library(), Engine::cpu());
    let words = &[
        "max_actions = ",
        "state_words = ",
        "max_plies = ",
        "start = [",
        "]",
        "[board]",
        "rows = ",
        "columns = ",
        "glyphs = \"",
        "\"",
        "[tuning]",
        "playout_words = ",
        "ply_iterations = ",
        "action_names = [\"a\"]",
        "[constants]",
        "513",
        "512",
        "//! ",
        "name",
    ];
    let strategy = (0..library.len(), strange::edits(words));
    let result = runner(300).run(&strategy, |(which, edits)| {
        let (head, rules): (Vec<_>, Vec<_>) =
            library[which].1.lines().partition(|line| line.starts_with("//!"));
        let head = head.iter().map(|line| line.trim_start_matches("//!")).collect::<Vec<_>>().join("\n");
        let head: String =
            strange::edited(&head, &edits).lines().map(|line| format!("//!{line}\n")).collect();
        let text = head + &rules.join("\n");
        let told = GameFile::from_wgsl("game.wgsl", &text, &cpu).expect_err("no adapter");
        prop_assert!(told.to_string().starts_with("game.wgsl:") || told.is_no_adapter(), "{}", told);
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}
