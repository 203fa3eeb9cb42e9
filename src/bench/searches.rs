//! Tasks of searches, from the start of a game or from many positions side by side.

use super::{
    Figures, Spread, Work,
    task::{Done, OnProgress, Task, unless_interrupted},
};
use crate::{
    device::AdapterKind,
    engine::Engine,
    error::{Error, Result},
    net::{Network, Sizes, Trunk},
    reference::fingerprint::combine,
    rules::{Game, Position},
    search::{Budget, Config, Report, Search, Settings},
};
use rand_pcg::{
    Pcg64,
    rand_core::{Rng, SeedableRng},
};
use std::{sync::Arc, time::Duration};

/// Seed of the random positions of a batch.
const POSITIONS_SEED: u64 = 1;
/// Seed of the random networks.
const NETWORK_SEED: u64 = 1;

/// The search of a case, before its engine is known.
#[derive(Debug)]
pub(super) struct Workload<G> {
    /// The game with its policy.
    pub game: G,
    config: Config,
    positions: u32,
    net: Option<Arc<Network>>,
}

impl<G: Game> Workload<G> {
    /// The search of a case; `kind` determines the settings of a default search, `usual_memory` is the limit of cases
    /// without one of their own.
    pub fn new(game: G, work: Work, kind: AdapterKind, usual_memory: u64) -> Result<Self> {
        if let Work::Network { blocks, channels, positions, leaf_batch, .. } = work {
            let settings =
                Settings { memory: Some(usual_memory), leaf_batch: Some(leaf_batch), ..Settings::default() };
            let sizes = Sizes::of_game(&game, Trunk::Conv, blocks, channels)?;
            let net = Some(Arc::new(Network::random(sizes, NETWORK_SEED)?));
            return Ok(Self { config: settings.resolve_for(kind, &game, true), game, positions, net });
        }
        if let Work::Default { by_playouts, .. } = work {
            let net = by_playouts.then(|| "none".to_owned());
            let settings = Settings { memory: Some(usual_memory), net, ..Settings::default() };
            let config = settings.resolve_on(kind, &game);
            let net =
                settings.net_on_kind(&game, kind).map(Network::named_or_read).transpose()?.map(Arc::new);
            return Ok(Self { game: settings.with_policy(game)?, config, positions: 1, net });
        }
        let Work::Search { variant, trees, playouts, positions, schedule, memory, .. } = work else {
            return Err(Error::invalid("this case is no search"));
        };
        let memory = Some(memory.unwrap_or(usual_memory));
        // Without pruning, as in the original program: it would reduce the work of a step.
        let config = Config { variant, trees, playouts, schedule, memory, pruning: false, ..Config::paper() };
        Ok(Self { game, config, positions, net: None })
    }

    /// Leaves of a step in all trees.
    fn leaves(&self) -> u64 {
        let Config { trees, leaf_batch, .. } = self.config;
        u64::from(self.positions) * u64::from(trees) * u64::from(leaf_batch)
    }

    /// Playouts of a step, if every action is legal.
    pub fn playouts(&self) -> u64 {
        let Config { variant, playouts, .. } = self.config;
        let children = if variant.all_children { u64::from(self.game.max_actions()) } else { 1 };
        self.leaves() * children * u64::from(playouts)
    }

    /// The task on an engine.
    pub async fn task(self, engine: &Engine) -> Result<Box<dyn Task>> {
        let roots = roots(&self.game, self.positions);
        let leaves = self.leaves();
        let engine = engine.clone().with_network(self.net);
        let search = Search::with_config_async(&engine, self.game, self.config).await?;
        Ok(Box::new(SearchTask { search, roots, leaves }))
    }
}

/// Checks that a case with a memory limit of its own uses a GPU's memory: other programs need that of the host.
///
/// # Errors
/// Bad input if it does not.
pub(super) fn check_memory(engine: &Engine, work: Work) -> Result<()> {
    if engine.kind() == AdapterKind::Discrete || !matches!(work, Work::Search { memory: Some(_), .. }) {
        return Ok(());
    }
    Err(Error::invalid("cases of so much memory are measured on GPUs alone"))
}

struct SearchTask<G: Game> {
    search: Search<G>,
    roots: Vec<Position<G>>,
    leaves: u64,
}

impl<G: Game> SearchTask<G> {
    async fn reports(&mut self, budget: Budget, on_progress: OnProgress<'_>) -> Result<Option<Vec<Report>>> {
        unless_interrupted(on_progress, async |on_progress| {
            self.search.run_async(&self.roots, budget, |_| on_progress()).await
        })
        .await
    }
}

impl<G: Game> Task for SearchTask<G> {
    fn check<'a>(&'a mut self, steps: u64, on_progress: OnProgress<'a>) -> Done<'a, String> {
        Box::pin(async move {
            let Some(reports) = self.reports(Budget::steps(steps), on_progress).await? else {
                return Ok(None);
            };
            if reports.iter().any(|report| report.trees_info.full) {
                return Err(Error::invalid("too little memory for the steps of its check"));
            }
            Ok(Some(fingerprint(&reports)))
        })
    }

    fn run<'a>(&'a mut self, time: Duration, on_progress: OnProgress<'a>) -> Done<'a, Figures> {
        Box::pin(async move {
            self.search.forget_evaluations();
            let Some(mut reports) = self.reports(Budget::time(time), on_progress).await? else {
                return Ok(None);
            };
            // The time is shorter than a step: a run without steps has no rate.
            if reports.iter().all(|report| report.performance.steps == 0) {
                let Some(one_step) = self.reports(Budget::steps(1), on_progress).await? else {
                    return Ok(None);
                };
                reports = one_step;
            }
            let figures = figures_of(&reports, self.leaves);
            Ok(figures.map(|figures| Figures { node_bytes: Some(self.search.node_bytes()), ..figures }))
        })
    }
}

/// The fingerprint of a report, or a hash of the fingerprints of several.
fn fingerprint(reports: &[Report]) -> String {
    if let [report] = reports {
        return report.fingerprint.clone();
    }
    let digest = |report: &Report| u64::from_str_radix(&report.fingerprint, 16).unwrap_or_default();
    format!("{:016x}", combine(&reports.iter().map(digest).collect::<Vec<_>>()))
}

/// The figures of a run. The positions of a batch share the search loop: all reports have the same times.
fn figures_of(reports: &[Report], leaves: u64) -> Option<Figures> {
    let shared = &reports.first()?.performance;
    let times = &shared.times_ms;
    let playouts: u64 = reports.iter().map(|report| report.performance.playouts).sum();
    let sizes = reports.iter().flat_map(|report| &report.trees_info.sizes);
    let one = |value: f64| Spread::of([value]);
    Some(Figures {
        steps_per_second: one(shared.steps_per_second),
        leaves_per_second: one(leaves as f64 * shared.steps_per_second),
        playouts_per_second: one(playouts as f64 / (1e-3 * times.r#loop).max(1e-9)),
        select_ms: times.mean_select.and_then(one),
        expand_ms: times.mean_expand.and_then(one),
        playout_ms: times.mean_playout.and_then(one),
        backup_ms: times.mean_backup.and_then(one),
        host_ms: one(times.total - times.r#loop),
        nodes: one(sizes.map(|&size| f64::from(size)).sum()),
        trees_full: Some(reports.iter().any(|report| report.trees_info.full)),
        ..Figures::default()
    })
}

/// The start of the game, or `count` ongoing positions of random games, the same on every machine.
fn roots<G: Game>(game: &G, count: u32) -> Vec<Position<G>> {
    if count == 1 {
        return vec![Position::start(game)];
    }
    let mut random = Pcg64::seed_from_u64(POSITIONS_SEED);
    let mut roots = Vec::new();
    while roots.len() < count as usize {
        let mut position = Position::start(game);
        // If the next position is the end of the game, the one before it is kept.
        for _ in 0..random.next_u32() % (game.max_plies() / 2).max(1) {
            let mut next = position.clone();
            let legal = position.legal_actions();
            let action = legal[random.next_u32() as usize % legal.len()];
            if next.play(action).is_err() || next.outcome().is_some() {
                break;
            }
            position = next;
        }
        roots.push(position);
    }
    roots
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Connect4;

    #[test]
    fn random_positions_differ_and_are_ongoing() {
        let game = Connect4::default();
        let positions = roots(&game, 1000);
        assert_eq!(positions.len(), 1000);
        assert!(positions.iter().all(|position| position.outcome().is_none()));
        let plies: Vec<_> = positions.iter().map(|position| position.moves().len()).collect();
        assert!(plies.contains(&0) && plies.iter().any(|&plies| plies > 15));
        assert_eq!(positions, roots(&game, 1000));
    }
}
