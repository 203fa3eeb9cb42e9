//! Small searches with known results: those of the original CUDA program (`original.json`, a part of `tests/golden`),
//! and the fingerprints of this version (`fingerprints.json`).
//!
//! A case is a game, [`Settings`] and runs. Cases without settings are the default searches of games.

use super::checker::{Checker, Compared, Stop, Weight};
use crate::{
    any_game::{AnyGame, BoardOptions, GameChoice},
    device::{AdapterKind, Device},
    engine::Engine,
    error::{Error, Result},
    forest::{Schedule, Settings, Variant},
    net::{Network, Sizes, Trunk},
    rules::{Game, Player, Position},
    search::{Budget, Config, Report, Search},
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, ops::ControlFlow, sync::Arc};

/// A search, and the known results of its runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// Its name, for people.
    pub name: String,
    /// The game.
    pub game: String,
    /// Its board.
    #[serde(default, skip_serializing_if = "BoardOptions::is_empty")]
    pub board: BoardOptions,
    /// Whether the default settings are those of GPUs, and not of the CPU engine.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub as_on_gpus: bool,
    /// The trunk of a network of random numbers that evaluates the leaves; `None` for playouts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub net: Option<Trunk>,
    /// The settings.
    #[serde(default)]
    pub settings: Settings,
    /// Runs, one after another.
    pub searches: Vec<Run>,
}

/// A run: a position by moves from the start or by rows from the top, steps, and the known result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Steps.
    pub steps: u64,
    /// Actions from the start, by index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves: Option<Vec<u32>>,
    /// The board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows_top_first: Option<Vec<String>>,
    /// 1 where the first player is to move on that board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<i32>,
    /// The known result.
    pub expected: Expected,
}

/// Fields of a report. Fields that are `None` are not compared.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Expected {
    /// The hash of all trees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// The best action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best_action: Option<u32>,
    /// Playouts of the roots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n_root: Option<u64>,
    /// n and n_wins of the root's actions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actions: Option<BTreeMap<u32, (u64, f64)>>,
    /// Nodes of each tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree_sizes: Option<Vec<u32>>,
    /// Mean depth of the nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_depth: Option<f64>,
    /// Greatest depth of a node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_depth: Option<u32>,
}

fn read(text: &str) -> Result<Vec<Case>> {
    serde_json::from_str(text).map_err(|error| Error::invalid(format!("the table of this version: {error}")))
}

/// Results of the original CUDA program.
///
/// # Errors
/// None: the crate's tests read it, too.
pub fn original() -> Result<Vec<Case>> {
    read(include_str!("original.json"))
}

/// The fingerprints of this version.
///
/// # Errors
/// None: the crate's tests read it, too.
pub fn table() -> Result<Vec<Case>> {
    read(include_str!("fingerprints.json"))
}

/// Runs the searches, in every variation that an engine has for them.
pub(super) async fn check(checker: &mut Checker<'_>, cases: &Result<Vec<Case>>) -> Result<(), Stop> {
    let engine = checker.engine;
    for case in cases.iter().flatten() {
        for Variation { name, engine, schedule } in case.variations(engine) {
            let name = [case.name.as_str(), name].join("");
            checker
                .run_case(&name, case.weight(schedule), async || case.check(&engine, schedule).await)
                .await?;
        }
    }
    Ok(())
}

/// A variation of a search that does not change the result: a suffix of the case's name, its engine and schedule.
struct Variation {
    name: &'static str,
    engine: Engine,
    schedule: Schedule,
}

impl Case {
    /// Steps with several leaves or a network by subgroup operations and without, where both exist; those with one leaf
    /// by both schedules; the default one for cases without settings.
    fn variations(&self, engine: &Engine) -> Vec<Variation> {
        let variation =
            |name, engine: &Engine, schedule| Variation { name, engine: engine.clone(), schedule };
        let Some(devices) = engine.devices() else {
            return vec![variation("", engine, Schedule::Auto)];
        };
        let has_network = self.settings.net.as_ref().is_some_and(|net| net != "none") || self.net.is_some();
        if self.as_on_gpus || has_network || self.settings.leaf_batch.is_some_and(|leaves| leaves > 1) {
            let by_lanes = Engine::devices_of(devices.iter().map(Device::without_subgroups).collect());
            let without = variation(", without subgroups", &by_lanes, Schedule::Auto);
            return match devices.iter().all(|device| device.subgroup() > 0) {
                true => vec![variation(", by subgroups", engine, Schedule::Auto), without],
                false => vec![without],
            };
        }
        if self.settings.variant.is_none() {
            return vec![variation("", engine, Schedule::Auto)];
        }
        vec![variation(", staged", engine, Schedule::Staged), variation(", fused", engine, Schedule::Fused)]
    }

    /// Adapters that compile slowly get one variant and schedule of the smallest game.
    fn weight(&self, schedule: Schedule) -> Weight {
        let Settings { variant, reuse, .. } = self.settings;
        let light = self.game == "connect4" && variant == Some(Variant::OCP_THRIFTY) && reuse.is_none();
        if light && schedule != Schedule::Fused { Weight::Light } else { Weight::Heavy }
    }

    /// The config, with just enough nodes for the runs.
    fn config<G: Game>(&self, game: &G, schedule: Schedule) -> Config {
        let kind = if self.as_on_gpus { AdapterKind::Discrete } else { AdapterKind::Cpu };
        let evaluated = self.net.is_some() || self.settings.net.is_some();
        let config = self.settings.resolve_for(kind, game, evaluated);
        let leaves = self.searches.iter().map(|run| run.steps).sum::<u64>() as u32 * config.leaf_batch;
        let node_limit = Some(1 + leaves.saturating_mul(game.max_actions()));
        Config { schedule, node_limit, ..config }
    }

    async fn check(&self, engine: &Engine, schedule: Schedule) -> Result<Compared> {
        let mut found = Compared::default();
        for (number, (report, run)) in (1..).zip(self.run(engine, schedule).await?.iter().zip(&self.searches))
        {
            let first = run.expected.first_difference(report).or_else(|| refused(report));
            found.and(Compared::of(1, first, |what| {
                format!("search {number} of {} steps: {what}", run.steps)
            }));
        }
        Ok(found)
    }

    /// Makes the runs.
    ///
    /// # Errors
    /// As a search; bad input for an unknown game.
    pub async fn run(&self, engine: &Engine, schedule: Schedule) -> Result<Vec<Report>> {
        let (game, board) = (self.game.clone(), self.board.clone());
        let game = GameChoice { game, board }.open()?;
        let config = self.config(&game, schedule);
        let game = self.settings.with_policy(game)?;
        let net = match (self.net, &self.settings.net) {
            (Some(trunk), _) => Some(network(&game, trunk)?),
            (None, Some(name)) => Some(Arc::new(Network::named_or_read(name)?)),
            (None, None) => None,
        };
        let engine = &engine.clone().with_network(net);
        let mut search = Search::with_config_async(engine, game.clone(), config).await?;
        let mut reports = Vec::new();
        for run in &self.searches {
            let positions = [run.position(&game)?];
            let go_on = |_| ControlFlow::Continue(());
            reports.append(&mut search.run_async(&positions, Budget::steps(run.steps), go_on).await?);
        }
        Ok(reports)
    }
}

/// A network of random numbers for a game: a block of 16 channels.
pub(super) fn network<G: Game>(game: &G, trunk: Trunk) -> Result<Arc<Network>> {
    Ok(Arc::new(Network::random(Sizes::of_game(game, trunk, 1, 16)?, 1)?))
}

/// The kernels that a search left out: the case's own were refused.
fn refused(report: &Report) -> Option<String> {
    let extra = report.engine.adapters.iter().flat_map(|share| &share.left_out).next()?;
    Some(format!("the driver refused kernels with {extra}"))
}

impl Run {
    fn position(&self, game: &AnyGame) -> Result<Position<AnyGame>> {
        if let Some(rows) = &self.rows_top_first {
            let turn = if self.turn == Some(1) { Player::First } else { Player::Second };
            return Position::from_board(game, rows, turn);
        }
        Position::start(game).after(self.moves.as_deref().unwrap_or_default())
    }
}

impl Expected {
    fn first_difference(&self, report: &Report) -> Option<String> {
        let found = Self::of(report);
        let mut first = None;
        let mut check = |what: &str, same: bool, difference: String| {
            if !same && first.is_none() {
                first = Some(format!("{what} {difference}"));
            }
        };
        macro_rules! compare {
            ($($field:ident $what:literal)*) => {$(
                if let (Some(expected), Some(found)) = (&self.$field, &found.$field) {
                    check($what, expected == found, format!("{found:?}, expected {expected:?}"));
                }
            )*};
        }
        compare!(n_root "n_root" best_action "best" tree_sizes "sizes" max_depth "greatest depth");
        if let (Some(expected), Some(found)) = (self.mean_depth, found.mean_depth) {
            check("mean depth", (expected - found).abs() < 1e-12, format!("{found}, expected {expected}"));
        }
        if let (Some(expected), Some(found)) = (&self.actions, &found.actions) {
            let differing = expected.iter().find(|(action, counts)| found.get(action) != Some(counts));
            let differing = differing.map(|(action, counts)| {
                format!("[n, n_wins] of {action} {:?}, expected {counts:?}", found.get(action))
            });
            check("actions:", expected == found, differing.unwrap_or_else(|| "more than expected".into()));
        }
        compare!(fingerprint "fingerprint");
        first
    }

    /// All fields of a report.
    pub fn of(report: &Report) -> Self {
        Self {
            fingerprint: Some(report.fingerprint.clone()),
            best_action: report.best.as_ref().map(|best| best.index),
            n_root: Some(report.n_root),
            actions: Some(report.actions.iter().map(|a| (a.index, (a.n, a.n_wins))).collect()),
            tree_sizes: Some(report.trees_info.sizes.clone()),
            mean_depth: Some(report.trees_info.mean_depth),
            max_depth: Some(report.trees_info.max_depth),
        }
    }
}
