//! Tasks of rollouts and of PV-Split.

use super::{
    Figures, Spread,
    task::{Done, OnProgress, Task, mean_seconds, unless_interrupted},
};
use crate::{
    engine::Engine,
    error::{Error, Result},
    pvsplit::{GoBoard, PvSplit, SplitLimit, SplitReport, sequential_with},
    rollout::{RolloutConfig, RolloutReport, Rollouts},
    rules::{Game, Position},
};
use std::time::Duration;

/// Rollouts from the start of a game.
struct RolloutTask<G: Game> {
    rollouts: Rollouts<G>,
    start: Position<G>,
}

pub(super) async fn rollouts<G: Game>(engine: &Engine, game: G, policy: &str) -> Result<Box<dyn Task>> {
    let game = game.with_policy(policy)?;
    let start = Position::start(&game);
    let rollouts = Rollouts::new_async(engine, game, RolloutConfig::default()).await?;
    Ok(Box::new(RolloutTask { rollouts, start }))
}

impl<G: Game> RolloutTask<G> {
    async fn report(
        &mut self,
        games: u64,
        time: Option<Duration>,
        on_progress: OnProgress<'_>,
    ) -> Result<Option<RolloutReport>> {
        unless_interrupted(on_progress, async |on_progress| {
            self.rollouts.run_async(&self.start, games, time, |_| on_progress()).await
        })
        .await
    }
}

impl<G: Game> Task for RolloutTask<G> {
    fn check<'a>(&'a mut self, games: u64, on_progress: OnProgress<'a>) -> Done<'a, String> {
        Box::pin(async move {
            Ok(self.report(games, None, on_progress).await?.map(|report| {
                let RolloutReport { games, first_wins, second_wins, draws, mean_length, .. } = report;
                let plies = (mean_length * games as f64).round();
                format!("{first_wins} to {second_wins}, {draws} draws, {plies} plies")
            }))
        })
    }

    fn run<'a>(&'a mut self, time: Duration, on_progress: OnProgress<'a>) -> Done<'a, Figures> {
        Box::pin(async move {
            let report = self.report(u64::from(u32::MAX), Some(time), on_progress).await?;
            Ok(report.map(|report| Figures {
                playouts_per_second: Spread::of([report.games_per_second]),
                ..Figures::default()
            }))
        })
    }
}

/// PV-Split of Go from [`GoBoard::centre`]; the sequential search on the CPU engine.
struct PvSplitTask {
    board: GoBoard,
    limit: SplitLimit,
    split: Option<PvSplit<GoBoard>>,
}

pub(super) async fn pvsplit(engine: &Engine, size: u32, depth: u32) -> Result<Box<dyn Task>> {
    let (board, limit) = (GoBoard::centre(size)?, SplitLimit::depth(depth));
    let split = match engine.devices() {
        None => None,
        Some([device]) => Some(PvSplit::new_async(device, &board, depth, None).await?),
        Some(_) => return Err(Error::invalid("PV-Split is measured on one adapter at a time")),
    };
    Ok(Box::new(PvSplitTask { board, limit, split }))
}

impl PvSplitTask {
    async fn report(&mut self, on_progress: OnProgress<'_>) -> Result<Option<SplitReport>> {
        unless_interrupted(on_progress, async |on_progress| match &mut self.split {
            None => sequential_with(&self.board, self.limit, |_| on_progress()),
            Some(split) => split.run_async(&self.board, self.limit, |_| on_progress()).await,
        })
        .await
    }
}

impl Task for PvSplitTask {
    /// A search to the depth of the case, which `_depth` is.
    fn check<'a>(&'a mut self, _depth: u64, on_progress: OnProgress<'a>) -> Done<'a, String> {
        Box::pin(async move {
            Ok(self.report(on_progress).await?.map(|report| format!("score {}", report.score())))
        })
    }

    /// Searches repeatedly, since a GPU searches small boards in a few milliseconds; the mean of their times.
    fn run<'a>(&'a mut self, time: Duration, on_progress: OnProgress<'a>) -> Done<'a, Figures> {
        Box::pin(async move {
            let split = async || Ok(self.report(on_progress).await?.map(|report| report.seconds()));
            Ok(mean_seconds(time, split)
                .await?
                .map(|seconds| Figures { pvsplit_ms: Spread::of([1e3 * seconds]), ..Figures::default() }))
        })
    }
}
