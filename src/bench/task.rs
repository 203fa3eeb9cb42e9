//! The interface of the work of a case.

use super::{BenchGame, Figures};
#[cfg(not(target_arch = "wasm32"))]
use crate::game_file::GameFile;
use crate::{
    any_game::{AnyGame, BoardOptions, GameChoice},
    engine::Engine,
    error::{Error, Result},
    host::Instant,
};
use futures_util::future::LocalBoxFuture;
use std::{ops::ControlFlow, path::Path, time::Duration};

/// Called repeatedly during work; breaks to end it.
pub(super) type OnProgress<'a> = &'a mut dyn FnMut() -> ControlFlow<()>;

/// The result of a part of a task; `None` if it was interrupted.
pub(super) type Done<'a, T> = LocalBoxFuture<'a, Result<Option<T>>>;

/// Work that can be repeated. Each run begins from new trees, or with new games.
pub(super) trait Task {
    /// The result of this much work, the same on every machine. Called before any run.
    fn check<'a>(&'a mut self, amount: u64, on_progress: OnProgress<'a>) -> Done<'a, String>;

    /// The figures of a run that takes about `time`.
    fn run<'a>(&'a mut self, time: Duration, on_progress: OnProgress<'a>) -> Done<'a, Figures>;
}

/// The game of a case.
#[cfg_attr(target_arch = "wasm32", expect(unused_variables, reason = "a page has no game files"))]
pub(super) fn game_of(game: BenchGame, file: Option<&Path>, engine: &Engine) -> Result<AnyGame> {
    match (game, file) {
        (BenchGame::BuiltIn(name, size), _) => {
            GameChoice { game: name.into(), board: BoardOptions { size, ..BoardOptions::default() } }.open()
        }
        #[cfg(not(target_arch = "wasm32"))]
        (BenchGame::File, Some(path)) => Ok(GameFile::open(path, engine)?.into()),
        (BenchGame::File, _) => Err(Error::invalid("no game file to measure: the settings name none")),
    }
}

/// The mean seconds of work that is repeated for about `time`, at least once; `None` if it was interrupted.
pub(super) async fn mean_seconds(
    time: Duration,
    mut work: impl AsyncFnMut() -> Result<Option<f64>>,
) -> Result<Option<f64>> {
    let (began, mut count, mut sum) = (Instant::now(), 0.0, 0.0);
    while count == 0.0 || began.elapsed() < time {
        let Some(seconds) = work().await? else { return Ok(None) };
        sum += seconds;
        count += 1.0;
    }
    Ok(Some(sum / count))
}

/// The result of work; `None` once `on_progress` breaks.
pub(super) async fn unless_interrupted<T>(
    on_progress: OnProgress<'_>,
    work: impl AsyncFnOnce(OnProgress<'_>) -> Result<T>,
) -> Result<Option<T>> {
    let mut interrupted = false;
    let mut noting = || {
        let flow = on_progress();
        interrupted |= flow.is_break();
        flow
    };
    let result = work(&mut noting).await?;
    Ok((!interrupted).then_some(result))
}
