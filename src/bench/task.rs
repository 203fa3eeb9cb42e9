//! The work of a case, ready to be measured.

use super::{BenchGame, Figures};
use crate::{
    engine::Engine,
    error::{Error, Result},
    game_file::GameFile,
    games::{BoardOptions, GameChoice, GameVisitor},
};
use std::{ops::ControlFlow, path::Path, time::Duration};

/// Called from time to time during work; breaks to stop.
pub(super) type OnProgress<'a> = &'a mut dyn FnMut() -> ControlFlow<()>;

/// Work that can be repeated. Each run begins from new trees, or with new games.
pub(super) trait Task {
    /// The result of this much work, by a task that has done nothing before: the same on every machine. `None` if it
    /// was interrupted.
    fn check(&mut self, amount: u64, on_progress: OnProgress<'_>) -> Result<Option<String>>;

    /// The figures of a run of about this time; `None` if it was interrupted.
    fn run(&mut self, time: Duration, on_progress: OnProgress<'_>) -> Result<Option<Figures>>;
}

/// Makes a task of a game.
pub(super) fn on_game(
    game: BenchGame,
    file: Option<&Path>,
    engine: &Engine,
    job: impl GameVisitor<Output = Result<Box<dyn Task>>>,
) -> Result<Box<dyn Task>> {
    match (game, file) {
        (BenchGame::BuiltIn(name, size), _) => {
            GameChoice { game: name.into(), board: BoardOptions { size, ..BoardOptions::default() } }
                .visit(job)?
        }
        (BenchGame::File, Some(path)) => job.visit(GameFile::open(path, engine)?),
        (BenchGame::File, None) => Err(Error::invalid("no game file to measure: the settings name none")),
    }
}

/// Wraps a callback, to note whether it has broken.
pub(super) fn noting_break<'a>(
    on_progress: OnProgress<'a>,
    interrupted: &'a mut bool,
) -> impl FnMut() -> ControlFlow<()> + use<'a> {
    move || {
        let flow = on_progress();
        *interrupted |= flow.is_break();
        flow
    }
}
