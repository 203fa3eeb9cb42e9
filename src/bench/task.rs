//! What is done in a case, ready to be measured.

use super::{BenchGame, Figures};
use crate::{
    engine::Engine,
    error::{Error, Result},
    game_file::GameFile,
    games::{BoardOptions, GameChoice, GameVisitor},
};
use std::{ops::ControlFlow, path::Path, time::Duration};

/// Told from time to time that work goes on; breaks where it should not.
pub(super) type Told<'a> = &'a mut dyn FnMut() -> ControlFlow<()>;

/// Work that can be repeated. A run begins as the last one did: from new trees, or with new games.
pub(super) trait Task {
    /// What so much of the work comes to: on every machine the same, in a task that has done nothing before. None where
    /// it was interrupted.
    fn check(&mut self, amount: u64, told: Told<'_>) -> Result<Option<String>>;

    /// The figures of a run that takes about so long; none where it was interrupted.
    fn run(&mut self, time: Duration, told: Told<'_>) -> Result<Option<Figures>>;
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

/// Makes `told` tell whether it has broken.
pub(super) fn noting<'a>(
    told: Told<'a>,
    interrupted: &'a mut bool,
) -> impl FnMut() -> ControlFlow<()> + use<'a> {
    move || {
        let flow = told();
        *interrupted |= flow.is_break();
        flow
    }
}
