//! Texts of the library with spans removed, repeated and replaced: the result is a game or an error.

use super::library;
use crate::support::{prelude::*, strange};
use proptest::{prelude::*, test_runner::TestRunner};

/// Parts of the rules.
fn changes() -> impl Strategy<Value = Vec<strange::Edit>> {
    strange::edits_up_to(
        40,
        "loop {|}|(|for (;;) {|return;|0u|\0|//! |/*|->|@|fn f|\u{fe0f}é|continuing {|Playout|\
        ptr<function, State>|[board]|\"|rules_",
    )
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
        let text = strange::edited(&library[which].1, &changes);
        let error = GameFile::from_wgsl("game.wgsl", &text, &cpu).expect_err("no adapter");
        let message = error.to_string();
        prop_assert!(message.starts_with("game.wgsl:") || error.is_no_adapter(), "{}", message);
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
            let text = strange::edited(&library[which].1, &changes);
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
    let strategy = (
        0..library.len(),
        strange::edits(
            "max_actions = |state_words = |max_plies = |start = [|]|[board]|rows = |columns = |glyphs = \"|\
            \"|[tuning]|playout_words = |ply_iterations = |action_names = [\"a\"]|[constants]|513|512|//! |\
            name",
        ),
    );
    let result = runner(300).run(&strategy, |(which, edits)| {
        let (head, rules): (Vec<_>, Vec<_>) =
            library[which].1.lines().partition(|line| line.starts_with("//!"));
        let head = head.iter().map(|line| line.trim_start_matches("//!")).collect::<Vec<_>>().join("\n");
        let head: String =
            strange::edited(&head, &edits).lines().map(|line| format!("//!{line}\n")).collect();
        let text = head + &rules.join("\n");
        let message = GameFile::from_wgsl("game.wgsl", &text, &cpu).expect_err("no adapter");
        prop_assert!(message.to_string().starts_with("game.wgsl:") || message.is_no_adapter(), "{}", message);
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}
