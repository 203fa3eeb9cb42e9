//! Work with known results: a small table, which the tests compare with the CPU engine, and a page with its own engine.

use super::Listener;
use crate::{
    engine::Engine,
    error::{Error, Result},
    forest::{Schedule, Variant},
    games::{GameChoice, GameVisitor},
    host::Instant,
    net::Network,
    rollout::{RolloutConfig, Rollouts},
    rules::{Game, Position},
    search::{Budget, Config, Search},
};
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use std::{ops::ControlFlow, sync::Arc};

/// The table.
const KNOWN: &str = include_str!("known.json");

/// Work with a known result.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Its name.
    pub name: String,
    /// The game.
    pub of: GameChoice,
    /// The work.
    pub work: Work,
    /// The known result: a fingerprint of trees, or the games won by the first player, by the second, and drawn.
    pub known: String,
}

/// The work of a check.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Work {
    /// A search from the start of the game.
    Search {
        /// The variant.
        variant: Variant,
        /// T.
        trees: u32,
        /// m.
        playouts: u32,
        /// Steps, and after some moves as many again, on the reused trees.
        steps: u64,
        /// Those moves, if any.
        #[serde(default)]
        moves: Vec<String>,
        /// A network of the crate evaluates the leaves, 8 per step, in staged steps.
        #[serde(default)]
        net: Option<String>,
    },
    /// Random games from the start, counted.
    Rollout {
        /// The number of games.
        games: u64,
    },
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// The check's name.
    pub name: String,
    /// The schedule of its steps; `None` on the CPU, or without steps.
    pub schedule: Option<Schedule>,
    /// The known result.
    pub known: String,
    /// The result.
    pub found: String,
    /// Whether both are equal.
    pub equal: bool,
    /// Its seconds, including compilation.
    pub seconds: f64,
}

/// The table.
///
/// # Errors
/// Bad input for an invalid table, which a test rules out.
pub fn checks() -> Result<Vec<Check>> {
    serde_json::from_str(KNOWN).map_err(|error| Error::invalid(format!("known.json: {error}")))
}

impl Check {
    /// The schedules to check.
    pub fn schedules(&self, engine: &Engine) -> &'static [Option<Schedule>] {
        match self.work {
            Work::Search { .. } if !engine.is_cpu() => &[Some(Schedule::Staged), Some(Schedule::Fused)],
            _ => &[None],
        }
    }

    /// The network of the library that evaluates its leaves.
    pub(super) fn network(&self) -> Option<&str> {
        match &self.work {
            Work::Search { net, .. } => net.as_deref(),
            Work::Rollout { .. } => None,
        }
    }

    /// Runs the check.
    ///
    /// # Errors
    /// Those of searches and rollouts.
    pub async fn run(
        &self,
        engine: &Engine,
        schedule: Option<Schedule>,
        listener: Listener<'_>,
    ) -> Result<Verdict> {
        let began = Instant::now();
        let found = self.of.visit(Run { work: &self.work, engine, schedule, listener })?.await?;
        let (name, known, equal) = (self.name.clone(), self.known.clone(), found == self.known);
        Ok(Verdict { name, schedule, known, found, equal, seconds: began.elapsed().as_secs_f64() })
    }
}

/// The state of a check.
struct Run<'a> {
    work: &'a Work,
    engine: &'a Engine,
    schedule: Option<Schedule>,
    listener: Listener<'a>,
}

impl<'a> GameVisitor for Run<'a> {
    type Output = LocalBoxFuture<'a, Result<String>>;

    fn visit<G: Game>(self, game: G) -> Self::Output {
        Box::pin(async move {
            match self.work {
                Work::Search { .. } => self.search(game).await,
                Work::Rollout { games } => rollout(self.engine, game, *games, self.listener).await,
            }
        })
    }
}

impl Run<'_> {
    async fn search<G: Game>(self, game: G) -> Result<String> {
        let Work::Search { variant, trees, playouts, steps, moves, net } = self.work else {
            return Ok(String::new());
        };
        let config = Config {
            variant: *variant,
            trees: *trees,
            playouts: *playouts,
            memory: Some(64 << 20),
            reuse: !moves.is_empty(),
            schedule: self.schedule.filter(|_| net.is_none()).unwrap_or_default(),
            leaf_batch: if net.is_some() { 8 } else { 1 },
            ..Config::paper()
        };
        let net = net.as_deref().map(Network::named_or_read).transpose()?;
        let engine = self.engine.clone().with_network(net.map(Arc::new));
        let mut search = Search::with_config_async(&engine, game.clone(), config).await?;
        let mut position = Position::start(&game);
        let budget = Budget::steps(*steps);
        let mut report = search.run_async(&[position.clone()], budget, |_| (self.listener)(None)).await?;
        if !moves.is_empty() {
            for name in moves {
                position.play(position.parse_action(name)?)?;
            }
            report = search.run_async(&[position], budget, |_| (self.listener)(None)).await?;
        }
        Ok(report.remove(0).fingerprint)
    }
}

async fn rollout<G: Game>(engine: &Engine, game: G, games: u64, listener: Listener<'_>) -> Result<String> {
    let position = Position::start(&game);
    let mut rollouts = Rollouts::new_async(engine, game, RolloutConfig::default()).await?;
    let progress = |_| -> ControlFlow<()> { listener(None) };
    let report = rollouts.run_async(&position, games, None, progress).await?;
    Ok(format!("{} {} {}", report.first_wins, report.second_wins, report.draws))
}
