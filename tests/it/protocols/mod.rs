//! Games with other programs: servers line by line, and players with correct and with faulty programs.

mod dead_stones;
#[cfg(unix)]
mod faults;
mod front_ends;
mod gomocup;
mod gtp;
mod players;
mod records;
mod setup;

use crate::support::prelude::*;
use mcts_wgpu::protocols::{Brain, GtpServer};
use std::{cell::RefCell, io::Cursor};

thread_local! {
    /// Notices of the servers of this thread.
    static NOTICES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

fn note(line: &str) {
    NOTICES.with_borrow_mut(|notices| notices.push(line.to_owned()));
}

fn go(size: u32) -> Go {
    go_of(size, 7.5)
}

/// Commands, separated by `; `.
fn list(commands: &str) -> Vec<&str> {
    commands.split("; ").collect()
}

fn brain<G: Game>() -> Brain<G> {
    let config = Config { trees: 1, playouts: 1, memory: Some(8 << 20), ..Config::paper() };
    Brain::new(Engine::cpu(), config.into(), Budget::steps(2))
}

fn dialogue<G: Game>(game: G, lines: &[u8]) -> String {
    served(GtpServer::new(game, brain()).with_notice(note), lines)
}

fn served<G: Game>(mut server: GtpServer<G>, lines: impl Into<Vec<u8>>) -> String {
    let mut answers = Vec::new();
    server.serve(Cursor::new(lines.into()), &mut answers).expect("a vector can be written");
    String::from_utf8(answers).expect("answers are text")
}

/// The answers to some commands, one each, without the empty lines at their ends.
fn answers<G: Game>(game: G, commands: &[&str]) -> Vec<String> {
    each_answer(&dialogue(game, (commands.join("\n") + "\n").as_bytes()))
}

fn each_answer(text: &str) -> Vec<String> {
    text.split_terminator("\n\n").map(str::to_owned).collect()
}

fn last<G: Game>(game: G, commands: &[&str]) -> String {
    let answers = answers(game, commands);
    assert_eq!(answers.len(), commands.len(), "{answers:?}");
    answers.last().cloned().unwrap_or_default()
}
