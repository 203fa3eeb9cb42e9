//! What a run found and what it cost.

use crate::{
    game::{Game, Outcome, Position},
    gpu::AdapterInfo,
    layout::{NO_ACTION, RootSum, Tree, join},
    search::Config,
};
use serde::Serialize;
use std::time::Duration;

/// What made the steps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EngineInfo {
    /// The adapter's name, several joined by ` + `, or the CPU engine's.
    pub adapter: String,
    /// `vulkan`, `metal`, `dx12`, `gl`, or `cpu`.
    pub backend: String,
    /// Driver and version, empty where the backend does not tell.
    pub driver: String,
    /// The schedule that ran: `staged`, `fused`, or `reference` on the CPU.
    pub schedule: String,
    /// The adapters, in the order in which they were given; none on the CPU.
    pub adapters: Vec<AdapterShare>,
}

/// An adapter's share of the work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AdapterShare {
    /// Its place in the list of [`adapters()`](crate::gpu::adapters()): adapters of the same kind have the same name.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// Its driver and version, empty where the backend does not tell.
    pub driver: String,
    /// Trees it carried, those of all positions of a batch counted; none where the work has no trees.
    pub trees: Option<u32>,
}

impl AdapterShare {
    pub(super) fn new(adapter: &AdapterInfo, trees: Option<u32>) -> Self {
        let AdapterInfo { index, name, driver, .. } = adapter.clone();
        Self { index, name, driver, trees }
    }
}

/// A root action, summed over trees.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ActionReport {
    /// The action.
    pub index: u32,
    /// Its name.
    pub name: String,
    /// Playouts through it.
    pub n: u64,
    /// Of those, won by the player to move at the root.
    pub n_wins: u64,
    /// n_wins / n; 0 where n = 0.
    pub q: f64,
    /// q + C sqrt(ln(n_root) / n); none (infinite) where n = 0.
    pub ucb: Option<f64>,
    /// The action wins at once.
    pub win_flag: bool,
}

/// Milliseconds a run took.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Times {
    /// From the call of `run` to the report.
    pub total: f64,
    /// All steps.
    pub r#loop: f64,
    /// Sum-reduction over trees.
    pub reduce_over_trees: f64,
    /// Max/argmax-reduction over actions.
    pub reduce_over_actions: f64,
    /// One step.
    pub mean_loop: f64,
    /// One selection, where the stages were timed.
    pub mean_select: Option<f64>,
    /// One expansion, both substages.
    pub mean_expand: Option<f64>,
    /// One stage of playouts.
    pub mean_playout: Option<f64>,
    /// One backup, both substages.
    pub mean_backup: Option<f64>,
}

/// Counts and times of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Performance {
    /// Steps made; every tree makes each of them.
    pub steps: u64,
    /// Steps per second of the loop.
    pub steps_per_second: f64,
    /// Playouts of this run: n of the roots summed over trees, without those that reused trees brought along.
    pub playouts: u64,
    /// Playouts per second of the loop.
    pub playouts_per_second: f64,
    /// Milliseconds.
    pub times_ms: Times,
}

/// Sizes and depths of a position's trees.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TreesInfo {
    /// Number of trees.
    pub count: usize,
    /// Mean depth over all nodes of all trees; the root has depth 0.
    pub mean_depth: f64,
    /// Greatest depth of a node.
    pub max_depth: u32,
    /// Mean number of nodes.
    pub mean_size: f64,
    /// Greatest number of nodes.
    pub max_size: u32,
    /// Nodes of each tree.
    pub sizes: Vec<u32>,
    /// Some tree had no room for an expansion: its leaves were played out unexpanded from then on.
    pub full: bool,
    /// Nodes below the roots that the trees had when the run began, kept from the run before; over all trees.
    pub reused_nodes: u64,
    /// Playouts that the roots had then; over all trees. n of the report has them, the run's performance has not.
    pub reused_playouts: u64,
}

/// What trees keep of an earlier run, over all of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Kept {
    /// Nodes below the roots.
    pub nodes: u64,
    /// The roots' n.
    pub playouts: u64,
}

impl Kept {
    /// From the trees' headers and the sum of their roots.
    pub fn of(trees: &[Tree], root: RootSum) -> Self {
        let nodes = trees.iter().map(|tree| u64::from(tree.size) - 1).sum();
        Self { nodes, playouts: root.stats.counts().0 }
    }
}

/// The result of a search from one position.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// What made the steps.
    pub engine: EngineInfo,
    /// The game's name.
    pub game: String,
    /// The variant's name.
    pub variant: String,
    /// T.
    pub trees: u32,
    /// m.
    pub playouts: u32,
    /// The seed.
    pub seed: u64,
    /// C.
    pub ucb_c: f32,
    /// The best action: greatest by (win_flag, n, n_wins). None where the game is over at the root.
    pub best: Option<ActionReport>,
    /// Sum of the roots' n.
    pub n_root: u64,
    /// The legal root actions, ascending.
    pub actions: Vec<ActionReport>,
    /// Counts and times.
    pub performance: Performance,
    /// Sizes and depths.
    pub trees_info: TreesInfo,
    /// A hash of all trees, 16 hexadecimal digits: equal on every engine for the same seed and steps.
    pub fingerprint: String,
}

/// What an engine hands over for one position once its loop has ended.
#[derive(Debug, Clone)]
pub(crate) struct Outcomes {
    /// B + 1 sums, the last one of the root itself.
    pub sums: Vec<RootSum>,
    /// Ordinal of the best action, or [`NO_ACTION`].
    pub best: u32,
    /// Headers of the position's trees.
    pub trees: Vec<Tree>,
    /// Digest of each of those trees.
    pub digests: Vec<u64>,
}

/// What a run cost, measured by the engine.
#[derive(Debug, Clone, Default)]
pub(crate) struct Costs {
    pub steps: u64,
    pub looping: Duration,
    pub reduce_over_trees: Duration,
    pub reduce_over_actions: Duration,
    /// Mean milliseconds of select, expand, playout, backup.
    pub stages: [Option<f64>; 4],
    pub total: Duration,
}

pub(crate) fn report<G: Game>(
    engine: &EngineInfo,
    config: &Config,
    position: &Position<G>,
    outcomes: &Outcomes,
    kept: Kept,
    costs: &Costs,
) -> Report {
    let legal = position.legal_actions();
    let n_root = outcomes.sums.last().map_or(0, |root| root.stats.counts().0);
    let actions: Vec<_> = legal
        .iter()
        .zip(&outcomes.sums)
        .map(|(&action, sum)| action_report(position, config, n_root, action, sum))
        .collect();
    let best = (outcomes.best != NO_ACTION).then(|| actions[outcomes.best as usize].clone());
    Report {
        engine: engine.clone(),
        game: position.game().name().into(),
        variant: config.variant.name().into(),
        trees: config.trees,
        playouts: config.playouts,
        seed: config.seed,
        ucb_c: config.ucb_c,
        best,
        n_root,
        actions,
        performance: performance(n_root - kept.playouts, costs),
        trees_info: trees_info(&outcomes.trees, kept),
        fingerprint: format!("{:016x}", crate::reference::fingerprint::combine(&outcomes.digests)),
    }
}

fn action_report<G: Game>(
    position: &Position<G>,
    config: &Config,
    n_root: u64,
    action: u32,
    sum: &RootSum,
) -> ActionReport {
    let (n, n_wins) = sum.stats.counts();
    let q = if n == 0 { 0.0 } else { n_wins as f64 / n as f64 };
    let width = f64::from(config.ucb_c) * ((n_root as f64).ln() / n as f64).sqrt();
    let outcome = Outcome::from_code(sum.link().outcome());
    ActionReport {
        index: action,
        name: position.game().action_name(action),
        n,
        n_wins,
        q,
        ucb: (n > 0).then_some(q + width),
        win_flag: sum.present == 1 && outcome == Some(position.turn().wins()),
    }
}

fn performance(playouts: u64, costs: &Costs) -> Performance {
    let ms = |d: Duration| d.as_secs_f64() * 1e3;
    let seconds = costs.looping.as_secs_f64().max(1e-9);
    let [mean_select, mean_expand, mean_playout, mean_backup] = costs.stages;
    Performance {
        steps: costs.steps,
        steps_per_second: costs.steps as f64 / seconds,
        playouts,
        playouts_per_second: playouts as f64 / seconds,
        times_ms: Times {
            total: ms(costs.total),
            r#loop: ms(costs.looping),
            reduce_over_trees: ms(costs.reduce_over_trees),
            reduce_over_actions: ms(costs.reduce_over_actions),
            mean_loop: ms(costs.looping) / costs.steps.max(1) as f64,
            mean_select,
            mean_expand,
            mean_playout,
            mean_backup,
        },
    }
}

fn trees_info(trees: &[Tree], kept: Kept) -> TreesInfo {
    let sizes: Vec<_> = trees.iter().map(|tree| tree.size).collect();
    let nodes: u64 = sizes.iter().map(|&size| u64::from(size)).sum();
    let depths: u64 = trees.iter().map(|tree| join(tree.depth_sum)).sum();
    TreesInfo {
        count: trees.len(),
        mean_depth: depths as f64 / nodes.max(1) as f64,
        max_depth: trees.iter().map(|tree| tree.max_depth).max().unwrap_or(0),
        mean_size: nodes as f64 / trees.len().max(1) as f64,
        max_size: sizes.iter().copied().max().unwrap_or(0),
        full: trees.iter().any(|tree| tree.flags & crate::layout::TREE_FULL != 0),
        sizes,
        reused_nodes: kept.nodes,
        reused_playouts: kept.playouts,
    }
}
