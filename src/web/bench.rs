//! The page's benchmark: a few cases, each run for a given time.

use super::Listener;
use crate::{
    engine::Engine,
    error::Result,
    forest::Variant,
    games::{BoardOptions, GameChoice, GameVisitor},
    rollout::{RolloutConfig, Rollouts},
    rules::{Game, Position},
    search::{Budget, Config, Search},
};
use futures_util::future::LocalBoxFuture;
use serde::Serialize;
use std::time::Duration;

/// Trees and playouts of the searches: the library's defaults.
const TREES: u32 = 8;
const PLAYOUTS: u32 = 128;
/// Bytes that the trees of a case take.
const MEMORY: u64 = 256 << 20;

/// A case. It has the name that `mcts-wgpu bench` gives the same work.
#[derive(Debug, Clone)]
pub struct Case {
    /// `connect4 acp 8x128`, `go 9 rollout`.
    pub name: String,
    of: GameChoice,
    /// `None`: games without a tree.
    variant: Option<Variant>,
}

/// The speed of a case.
#[derive(Debug, Clone, Serialize)]
pub struct Figure {
    /// The case.
    pub name: String,
    /// `staged`, `fused`, or the like.
    pub schedule: String,
    /// Steps per second; `None` without steps.
    pub steps_per_second: Option<f64>,
    /// Random games per second.
    pub playouts_per_second: f64,
    /// Seconds of the run.
    pub seconds: f64,
}

/// All cases.
pub fn cases() -> Vec<Case> {
    let case = |game: &str, variant: Option<Variant>| {
        let label = if game == "go" { "go 9" } else { game };
        let name = match variant {
            None => format!("{label} rollout"),
            Some(variant) => {
                let kind = if variant.all_children { "acp" } else { "ocp" };
                format!("{label} {kind} {TREES}x{PLAYOUTS}")
            }
        };
        Case { name, of: GameChoice { game: game.into(), board: BoardOptions::default() }, variant }
    };
    let (ocp, acp) = (Some(Variant::OCP_PRODIGAL), Some(Variant::ACP_PRODIGAL));
    let searches = [("connect4", ocp), ("connect4", acp), ("othello", acp), ("gomoku", ocp), ("go", ocp)];
    let rollouts = ["connect4", "othello", "gomoku", "go"].map(|game| (game, None));
    searches.into_iter().chain(rollouts).map(|(game, variant)| case(game, variant)).collect()
}

impl Case {
    /// Runs the case for a time.
    ///
    /// # Errors
    /// Those of searches and rollouts.
    pub async fn run(&self, engine: &Engine, time: Duration, listener: Listener<'_>) -> Result<Figure> {
        self.of.visit(Run { case: self, engine, time, listener })?.await
    }
}

struct Run<'a> {
    case: &'a Case,
    engine: &'a Engine,
    time: Duration,
    listener: Listener<'a>,
}

impl<'a> GameVisitor for Run<'a> {
    type Output = LocalBoxFuture<'a, Result<Figure>>;

    fn visit<G: Game>(self, game: G) -> Self::Output {
        Box::pin(async move {
            match self.case.variant {
                Some(variant) => self.search(game, variant).await,
                None => self.rollout(game).await,
            }
        })
    }
}

impl Run<'_> {
    async fn search<G: Game>(self, game: G, variant: Variant) -> Result<Figure> {
        let (trees, playouts, memory) = (TREES, PLAYOUTS, Some(MEMORY));
        let config = Config { variant, trees, playouts, memory, ..Config::paper() };
        let start = [Position::start(&game)];
        let mut search = Search::with_config_async(self.engine, game, config).await?;
        // The first run allocates the memory, and measures the cost of a step.
        search.run_async(&start, Budget::steps(1), |_| (self.listener)(None)).await?;
        let budget = Budget::time(self.time);
        let report = search.run_async(&start, budget, |_| (self.listener)(None)).await?.remove(0);
        Ok(Figure {
            name: self.case.name.clone(),
            schedule: report.engine.schedule.name().into(),
            steps_per_second: Some(report.performance.steps_per_second),
            playouts_per_second: report.performance.playouts_per_second,
            seconds: report.performance.times_ms.r#loop / 1e3,
        })
    }

    async fn rollout<G: Game>(self, game: G) -> Result<Figure> {
        let start = Position::start(&game);
        let mut rollouts = Rollouts::new_async(self.engine, game, RolloutConfig::default()).await?;
        let (most, time) = (u64::MAX >> 1, Some(self.time));
        let report = rollouts.run_async(&start, most, time, |_| (self.listener)(None)).await?;
        Ok(Figure {
            name: self.case.name.clone(),
            schedule: String::new(),
            steps_per_second: None,
            playouts_per_second: report.games_per_second,
            seconds: report.seconds,
        })
    }
}
