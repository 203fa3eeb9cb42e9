//! The result of a run and its cost.

use crate::{
    engine::EngineInfo,
    exact::puct,
    forest::{
        Config, DrawValue, Proof,
        layout::{Link, NO_ACTION, RootSum, Stats, Tree, join},
        shape::Shape,
    },
    names::named,
    rules::{Game, Outcome, Player, Position, RuleValue, names_of, rules_of},
    search::{Budget, improved},
};
use serde::{Deserialize, Serialize, Serializer};
use std::{collections::BTreeMap, time::Duration};

/// Fewer steps hardly search beyond the first move.
const FEW_STEPS: u64 = 10;

/// A root action, summed over trees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ActionReport {
    /// The action.
    pub index: u32,
    /// Its name.
    pub name: String,
    /// Visits: playouts through it, and its [prior visits](Self::prior_visits).
    pub n: u64,
    /// The prior visits in n ([`Settings`](crate::Settings::prior_visits)), over the trees that have the action; the
    /// rest of n are playouts.
    #[serde(default)]
    pub prior_visits: u64,
    /// Wins, among n, of the player who takes the action; a draw is half a win, where draws count.
    #[serde(serialize_with = "as_short")]
    pub n_wins: f64,
    /// n_wins / n; 0 where n = 0.
    pub q: f64,
    /// q + C sqrt(ln(n_root) / n); `None` (infinite) where n = 0. With a network q + C prior sqrt(n_root) / (1 + n).
    pub ucb: Option<f64>,
    /// The network's prior of a root action; `None` without a network, and below the root.
    #[serde(default)]
    pub prior: Option<f64>,
    /// The improved policy of a root action, in a search with [`gumbel`](crate::Settings::gumbel): the softmax of its
    /// logit and its value, a target to train policies on (Danihelka et al. 2022, equation 11).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<f64>,
    /// Whether the action wins at once.
    pub win_flag: bool,
    /// The outcome under best play for the player who takes it, if it is proven.
    #[serde(default)]
    pub proven: Option<ProvenValue>,
    /// Plies to that outcome, including the action, on the best line that was found.
    #[serde(default)]
    pub proven_in: Option<u32>,
}

named! {
    /// A proven outcome for a player.
    pub enum ProvenValue: "proven outcome" {
        /// The player wins.
        Win = "win",
        /// Neither player wins.
        Draw = "draw",
        /// The opponent wins.
        Loss = "loss",
    }
}

impl ActionReport {
    /// Playouts through it.
    pub fn playouts(&self) -> u64 {
        self.n.saturating_sub(self.prior_visits)
    }
}

impl ProvenValue {
    /// Its value for the player: 1, one half, 0.
    pub fn points(self) -> f64 {
        match self {
            Self::Win => 1.0,
            Self::Draw => 0.5,
            Self::Loss => 0.0,
        }
    }

    /// An outcome from a player's view.
    pub(crate) fn of(outcome: Outcome, player: Player) -> Self {
        match outcome {
            Outcome::Draw => Self::Draw,
            outcome if outcome == player.wins() => Self::Win,
            _ => Self::Loss,
        }
    }
}

/// Serializes whole numbers without a fraction.
fn as_short<S: Serializer>(number: &f64, to: S) -> Result<S::Ok, S::Error> {
    match *number as u64 {
        whole if whole as f64 == *number => to.serialize_u64(whole),
        _ => to.serialize_f64(*number),
    }
}

/// Milliseconds a run took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
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
    /// One selection, if the stages were timed.
    pub mean_select: Option<f64>,
    /// One expansion, both substages.
    pub mean_expand: Option<f64>,
    /// One stage of playouts.
    pub mean_playout: Option<f64>,
    /// One backup, both substages.
    pub mean_backup: Option<f64>,
}

/// Counts and times of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Performance {
    /// Steps made; every tree makes each of them.
    pub steps: u64,
    /// The run ended by its time, or by its caller, after fewer than 10 steps: its result is mostly chance.
    pub few_steps: bool,
    /// Steps per second of the loop.
    pub steps_per_second: f64,
    /// Playouts of this run: n of the roots summed over trees, without those of reused trees.
    pub playouts: u64,
    /// Playouts per second of the loop.
    pub playouts_per_second: f64,
    /// Milliseconds.
    pub times_ms: Times,
}

/// Sizes and depths of a position's trees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
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
    /// The greatest number of nodes of each tree.
    pub capacity: u32,
    /// Bytes of trees with this capacity, including the data besides their nodes.
    pub bytes: u64,
    /// A tree had no room for an expansion: its leaves were played out unexpanded from then on.
    pub full: bool,
    /// Nodes below the roots at the start of the run, kept from the run before; over all trees.
    pub reused_nodes: u64,
    /// Playouts of the roots at the start of the run, over all trees. The report's n counts them; the run's performance
    /// does not.
    pub reused_playouts: u64,
}

/// Totals of reused trees.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Reused {
    /// Nodes below the roots.
    pub nodes: u64,
    /// The roots' n.
    pub playouts: u64,
}

impl Reused {
    /// From the trees' headers and the sum of their roots.
    pub fn of(trees: &[Tree], root: RootSum) -> Self {
        let nodes = trees.iter().map(|tree| u64::from(tree.size) - 1).sum();
        Self { nodes, playouts: root.stats.counts().0 }
    }
}

/// The position that was searched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PositionReport {
    /// Names of the moves from the start of the game; `None` for a position given as a board.
    pub moves: Option<Vec<String>>,
    /// Its rows, the top one first, joined by `/`: `.` empty, `X` first player, `O` second.
    pub board: String,
    /// The player to move, `X` or `O`.
    pub turn: Player,
    /// Names of the only actions that the search considered
    /// ([`Position::restricted_to`](crate::Position::restricted_to)).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restricted_to: Option<Vec<String>>,
    /// Its line in a file of positions, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

/// The limits of a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BudgetReport {
    /// Steps; `None` where only time was limited.
    pub steps: Option<u64>,
    /// Seconds; `None` where only steps were limited.
    pub seconds: Option<f64>,
}

/// The result of a search from one position. [`serde`] reads back what it has written.
///
/// ```
/// use mcts_wgpu::{Budget, Engine, Position, Report, Search, games::Connect4};
///
/// let game = Connect4::default();
/// let mut search = Search::new(&Engine::cpu(), game.clone(), Default::default())?;
/// let report = search.run(&Position::start(&game), Budget::steps(10))?;
/// // The root was evaluated once; every other evaluation went through one of the seven actions.
/// assert_eq!(report.actions.iter().map(|action| action.n).sum::<u64>() + 1, report.n_root);
///
/// let text = serde_json::to_string(&report).expect("a report is JSON");
/// assert_eq!(serde_json::from_str::<Report>(&text).expect("and read back"), report);
/// # Ok::<(), mcts_wgpu::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// The version of this crate.
    pub version: String,
    /// The engine of the run.
    pub engine: EngineInfo,
    /// The game's name.
    pub game: String,
    /// The game's sizes and rules.
    pub rules: BTreeMap<String, RuleValue>,
    /// The policy of the playouts, by name.
    pub policy: String,
    /// The network or the evaluator of the leaves, by name; `None` where playouts evaluated them.
    #[serde(default)]
    pub net: Option<String>,
    /// A hash of that network, 16 hexadecimal digits ([`Network::digest`](crate::Network::digest)).
    #[serde(default)]
    pub net_digest: Option<String>,
    /// Whether the trees are the same on every engine: not with an [evaluator](crate::net::Evaluator), whose values may
    /// differ.
    #[serde(default = "yes")]
    pub exact: bool,
    /// The position that was searched.
    pub position: PositionReport,
    /// The limits of the run.
    pub budget: BudgetReport,
    /// All settings of the search. In JSON they are fields of the report.
    #[serde(flatten)]
    pub config: Config,
    /// The settings by their former names, for scripts.
    #[serde(flatten)]
    former: FormerNames,
    /// The outcome under best play for the player to move, if the root is proven.
    #[serde(default)]
    pub proven: Option<ProvenValue>,
    /// Plies to that outcome on the best line that was found.
    #[serde(default)]
    pub proven_in: Option<u32>,
    /// The best action: the shortest proven win, or the greatest by (win_flag, n, n_wins) among the actions that are
    /// open (specification, "The result"); a certain draw where those have a q below one half; the longest proven loss.
    /// `None` where the game is over at the root.
    pub best: Option<ActionReport>,
    /// Sum of the roots' n.
    pub n_root: u64,
    /// The root actions in the trees, ascending: the legal ones without those that
    /// [`pruning`](crate::Settings::pruning) leaves out.
    pub actions: Vec<ActionReport>,
    /// The principal variation: from the best action on, the moves with the most playouts. For positions searched side
    /// by side it is the best action alone. From the second move on, its counts are sums over those of the position's
    /// first [`LINE_TREES`](super::LINE_TREES) trees that have followed the line; a move's n_wins and q are those of
    /// the player who takes it.
    pub principal_variation: Vec<ActionReport>,
    /// Counts and times.
    pub performance: Performance,
    /// Sizes and depths.
    pub trees_info: TreesInfo,
    /// A hash of all trees, 16 hexadecimal digits: equal on every engine for the same seed and steps.
    pub fingerprint: String,
}

/// The default for earlier reports, which lack the field.
fn yes() -> bool {
    true
}

/// Settings by the names that they had in version 0.1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct FormerNames {
    leaves: u32,
    draws: DrawValue,
    proofs: bool,
    prunes: bool,
    knowledge: u32,
}

impl FormerNames {
    fn of(config: &Config) -> Self {
        let &Config { leaf_batch, draw_value, solver, pruning, prior_visits, .. } = config;
        Self {
            leaves: leaf_batch,
            draws: draw_value,
            proofs: solver,
            prunes: pruning,
            knowledge: prior_visits,
        }
    }
}

/// An engine's result for one position.
#[derive(Debug, Clone)]
pub(crate) struct Outcomes {
    /// B + 1 sums, the last one for the root itself.
    pub sums: Vec<RootSum>,
    /// Ordinal of the best action, or [`NO_ACTION`].
    pub best: u32,
    /// Headers of the position's trees.
    pub trees: Vec<Tree>,
    /// Digest of each of those trees.
    pub digests: Vec<u64>,
}

impl Outcomes {
    /// Whether the root has no children, or children for exactly these actions. This is false only if the game gives
    /// different results each time.
    pub fn has_actions(&self, actions: &[u32]) -> bool {
        let (_, sums) = self.sums.split_last().unwrap_or((&RootSum::default(), &[]));
        let found: Vec<_> =
            sums.iter().filter(|sum| sum.present != 0).map(|sum| sum.link().action()).collect();
        found.is_empty() && actions.len() <= sums.len() || found == actions
    }

    /// Outcomes by position, from rows of sums, the best ordinal of each, and the trees of each position with their
    /// digests.
    pub fn by_position(
        (sums, row): (&[RootSum], usize),
        best: impl IntoIterator<Item = u32>,
        (trees, digests): (&[Tree], &[u64]),
        per_position: u32,
    ) -> Vec<Self> {
        let per_position = per_position as usize;
        let trees = trees.chunks(per_position).zip(digests.chunks(per_position));
        let rows = sums.chunks(row).zip(best).zip(trees);
        rows.map(|((sums, best), (trees, digests))| Self {
            sums: sums.to_vec(),
            best,
            trees: trees.to_vec(),
            digests: digests.to_vec(),
        })
        .collect()
    }
}

/// The cost of a run, as the engine measures it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Costs {
    pub steps: u64,
    /// Whether the run ended before the last step of its budget.
    pub cut_short: bool,
    pub looping: Duration,
    pub reduce_over_trees: Duration,
    pub reduce_over_actions: Duration,
    /// Mean milliseconds of select, expand, playout, backup.
    pub stages: [Option<f64>; 4],
    pub total: Duration,
}

pub(crate) fn report<G: Game>(
    engine: &EngineInfo,
    shape: &Shape,
    (game, budget): (&G, Budget),
    (position, (tried, left_out)): (&Position<G>, &(Vec<u32>, bool)),
    outcomes: &Outcomes,
    kept: Reused,
    costs: &Costs,
) -> Report {
    let n_root = outcomes.sums.last().map_or(0, |root| root.stats.counts().0);
    let improved = improved::policies(shape, outcomes);
    let expanded = outcomes.trees.iter().filter(|tree| tree.size > 1).count() as u64;
    let actions = tried.iter().zip(&outcomes.sums).enumerate().map(|(ordinal, (&action, sum))| {
        let noted = shape.evaluation.as_ref().and(sum.present.checked_sub(1));
        let improved = improved.as_ref().and_then(|improved| improved.get(ordinal).copied()).unzip();
        let (prior, policy) = (improved.0.or(noted), improved.1);
        let proof = Proof::from_word(sum.proof);
        let trees = if sum.present == 0 { 0 } else { expanded };
        let node = Seen { link: sum.link(), stats: sum.stats, trees, proof, prior, policy };
        action_report(game, shape, n_root, action, &node, position.turn())
    });
    let actions: Vec<_> = actions.collect();
    let best = (outcomes.best != NO_ACTION).then(|| actions[outcomes.best as usize].clone());
    let proof = root_proof(position.turn(), &outcomes.sums, actions.len(), *left_out);
    Report {
        version: env!("CARGO_PKG_VERSION").into(),
        engine: engine.clone(),
        game: game.name().into(),
        rules: rules_of(game),
        policy: game.policy(),
        net: shape.evaluation.as_ref().map(|evaluation| evaluation.name().into()),
        net_digest: shape.net().map(|net| format!("{:016x}", net.digest())),
        exact: shape.evaluation.as_ref().is_none_or(|evaluation| evaluation.network().is_some()),
        position: PositionReport::of(position),
        budget: budget.report(),
        config: shape.config,
        former: FormerNames::of(&shape.config),
        proven: proof.map(|proof| ProvenValue::of(proof.outcome, position.turn())),
        proven_in: proof.map(|proof| proof.plies),
        principal_variation: best.iter().cloned().collect(),
        best,
        n_root,
        actions,
        performance: performance(n_root - kept.playouts, costs),
        trees_info: trees_info(&outcomes.trees, shape, kept),
        fingerprint: format!("{:016x}", crate::reference::fingerprint::combine(&outcomes.digests)),
    }
}

/// The proof of the root, from the proofs of its `actions` actions over all trees, or else from a tree that has proven
/// the root: a draw may be proven while some actions are only half proven. If legal actions were left out, the others
/// prove neither a loss nor a draw.
pub(super) fn root_proof(mover: Player, sums: &[RootSum], actions: usize, left_out: bool) -> Option<Proof> {
    let of_actions = &sums[..actions];
    let best = of_actions
        .iter()
        .filter_map(|sum| Proof::from_word(sum.proof))
        .max_by_key(|proof| proof.rank(mover))?;
    let all = !left_out && of_actions.iter().all(|sum| sum.proof != 0);
    let decides = all || best.outcome == mover.wins();
    let of_root = sums.last().and_then(|root| Proof::from_word(root.proof));
    if decides { Some(best.after_a_ply()) } else { of_root }
}

/// An action's child, summed over the trees.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    pub link: Link,
    pub stats: Stats,
    /// Trees that have it.
    pub trees: u64,
    pub proof: Option<Proof>,
    /// In units of 1/65536.
    pub prior: Option<u32>,
    /// In units of 1/65536.
    pub policy: Option<u32>,
}

/// The report of an action of `mover`; its parent has `n_parent` playouts.
pub(super) fn action_report<G: Game>(
    game: &G,
    shape: &Shape,
    n_parent: u64,
    action: u32,
    node: &Seen,
    mover: Player,
) -> ActionReport {
    let (n, points) = node.stats.counts();
    let n_wins = points as f64 / f64::from(shape.win_points());
    let q = if n == 0 { 0.0 } else { n_wins / n as f64 };
    // In a node with children, these bits have the outcome of its proof.
    let ends = Outcome::from_code(node.link.outcome()).filter(|_| node.link.count() == 0);
    let prior_visits = if ends.is_none() { node.trees * u64::from(shape.config.prior_visits) } else { 0 };
    let proof = node.proof.map(Proof::after_a_ply);
    let (c, n_parent, visits) = (f64::from(shape.config.ucb_c), n_parent as f64, n as f64);
    let [prior, policy] =
        [node.prior, node.policy].map(|of| of.map(|of| f64::from(of) / f64::from(puct::ONE)));
    let width = match prior {
        Some(prior) => Some(c * prior * n_parent.sqrt() / (1.0 + visits)),
        None => (n > 0 && shape.evaluation.is_none()).then(|| c * (n_parent.ln() / visits).sqrt()),
    };
    ActionReport {
        index: action,
        name: game.action_name(action),
        n,
        prior_visits,
        n_wins,
        q,
        ucb: width.map(|width| q + width),
        prior,
        policy,
        // Children with a solved outcome end some plies later.
        win_flag: ends == Some(mover.wins()) && node.proof.is_none_or(|proof| proof.plies == 0),
        proven: proof.map(|proof| ProvenValue::of(proof.outcome, mover)),
        proven_in: proof.map(|proof| proof.plies),
    }
}

impl PositionReport {
    fn of<G: Game>(position: &Position<G>) -> Self {
        let game = position.game();
        let replayed = Position::start(game).after(position.moves()).ok();
        let is_same = |other: &Position<G>| {
            (other.state(), other.turn(), other.keys())
                == (position.state(), position.turn(), position.keys())
        };
        Self {
            moves: replayed.is_some_and(|replayed| is_same(&replayed)).then(|| position.move_names()),
            board: game.board_rows(position.state()).join("/"),
            turn: position.turn(),
            restricted_to: position.restriction().map(|actions| names_of(game, actions)),
            line: None,
        }
    }
}

fn performance(playouts: u64, costs: &Costs) -> Performance {
    let ms = |d: Duration| d.as_secs_f64() * 1e3;
    let seconds = costs.looping.as_secs_f64().max(1e-9);
    let [mean_select, mean_expand, mean_playout, mean_backup] = costs.stages;
    Performance {
        steps: costs.steps,
        few_steps: costs.cut_short && costs.steps < FEW_STEPS,
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

fn trees_info(trees: &[Tree], shape: &Shape, kept: Reused) -> TreesInfo {
    let sizes: Vec<_> = trees.iter().map(|tree| tree.size).collect();
    let nodes: u64 = sizes.iter().map(|&size| u64::from(size)).sum();
    let tree_bytes = u64::from(shape.capacity) * shape.node_bytes() + shape.tree_bytes();
    let depths: u64 = trees.iter().map(|tree| join(tree.depth_sum)).sum();
    TreesInfo {
        count: trees.len(),
        mean_depth: depths as f64 / nodes.max(1) as f64,
        max_depth: trees.iter().map(|tree| tree.max_depth).max().unwrap_or(0),
        mean_size: nodes as f64 / trees.len().max(1) as f64,
        max_size: sizes.iter().copied().max().unwrap_or(0),
        capacity: shape.capacity,
        bytes: trees.len() as u64 * tree_bytes + shape.position_bytes(),
        full: trees.iter().any(|tree| tree.flags & crate::forest::layout::TREE_FULL != 0),
        sizes,
        reused_nodes: kept.nodes,
        reused_playouts: kept.playouts,
    }
}
