//! What is done in a case, ready to be measured.

use super::{BenchGame, Figures};
#[cfg(not(target_arch = "wasm32"))]
use crate::game_file::GameFile;
use crate::{
    engine::Engine,
    error::{Error, Result},
    games::{BoardOptions, GameChoice, GameVisitor},
};
use futures_util::future::LocalBoxFuture;
use std::{ops::ControlFlow, path::Path, time::Duration};

/// Told from time to time that work goes on; breaks where it should not.
pub(super) type Told<'a> = &'a mut dyn FnMut() -> ControlFlow<()>;

/// A task, once it is ready.
pub(super) type Ready<'a> = LocalBoxFuture<'a, Result<Box<dyn Task>>>;

/// What comes of a part of a task; none where it was interrupted.
pub(super) type Done<'a, T> = LocalBoxFuture<'a, Result<Option<T>>>;

/// Work that can be repeated. A run begins as the last one did: from new trees, or with new games.
pub(super) trait Task {
    /// What so much of the work comes to: on every machine the same, in a task that has done nothing before.
    fn check<'a>(&'a mut self, amount: u64, told: Told<'a>) -> Done<'a, String>;

    /// The figures of a run that takes about so long.
    fn run<'a>(&'a mut self, time: Duration, told: Told<'a>) -> Done<'a, Figures>;
}

/// Makes a task of a game.
#[cfg_attr(target_arch = "wasm32", expect(unused_variables, reason = "a page has no game files"))]
pub(super) async fn on_game<'a>(
    game: BenchGame,
    file: Option<&Path>,
    engine: &Engine,
    job: impl GameVisitor<Output = Ready<'a>>,
) -> Result<Box<dyn Task>> {
    match (game, file) {
        (BenchGame::BuiltIn(name, size), _) => {
            GameChoice { game: name.into(), board: BoardOptions { size, ..BoardOptions::default() } }
                .visit(job)?
                .await
        }
        #[cfg(not(target_arch = "wasm32"))]
        (BenchGame::File, Some(path)) => job.visit(GameFile::open(path, engine)?).await,
        (BenchGame::File, _) => Err(Error::invalid("no game file to measure: the settings name none")),
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
