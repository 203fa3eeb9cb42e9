//! Every module of WGSL that the crate composes for a game: for bug reports, for other compilers, and for the tests.
//!
//! A module is one text with some entry points ([`shaders`](crate::gpu::shaders), `shaders/README.md`). It depends on
//! the game, on the sizes of the search and on the adapter: workgroups are as wide as the adapter's limits allow, and
//! narrower on software adapters. [`Target`] has an adapter of each kind.

use crate::{
    bench, conformance,
    device::{Machine, compose::Composed},
    error::Result,
    forest::{shape::Shape, variant::Variant},
    game_file::GameFile,
    gpu::{
        network::dots_module,
        shaders::{
            apart_module, can_be_packed, packed_module, relay_module, reuse_module, staged_module,
            whole_module,
        },
    },
    host::parallel::in_tasks,
    net::{LeafEvaluation, NetKernel, Network, Sizes, Trunk},
    pvsplit::{self, Connect4Board, DeviceBoard, GoBoard, OthelloBoard},
    rollout::{self, Mapping, RolloutConfig},
    rules::{Game, GameShader, Position},
    search::{Config, shape_of},
    verify,
};
use std::{any::Any, sync::Arc};

/// Plies of the PV-Split module, which determine the size of its stack.
const SPLIT_DEPTH: u32 = 10;

/// Leaf batch of the modules with several leaves.
const SEVERAL_LEAVES: u32 = 32;

/// Weight of rapid action values, and leaf batch, of the modules that have them. The lists of the selections are in
/// storage.
const RAVE: u32 = 1_000;
const RATED_LEAVES: u32 = 1_024;

/// Lanes of a subgroup in the modules that have them.
const SUBGROUP: u32 = 32;

/// Lanes of a tree in the modules of steps of several trees a workgroup.
const TEAM: u32 = 8;

/// Networks of the modules that evaluate leaves: their trunks, channels and kernels. The activations of the second one
/// exceed the workgroup memory of the WebGPU default limits.
const NETWORKS: [(&str, Trunk, u32, NetKernel); 3] = [
    ("small", Trunk::Conv, 16, NetKernel::Dot),
    ("large", Trunk::Conv, 256, NetKernel::Plain),
    ("dense", Trunk::Dense, 16, NetKernel::Dot),
];

/// A composed module.
#[derive(Debug)]
pub struct Module {
    /// Its purpose: `search-ocp-thrifty-fused-whole-large-limits`, `rollout-group-software`, `pvsplit`, ...
    pub name: String,
    /// The module.
    pub composed: Composed,
}

/// A kind of adapter, as a target of modules.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// `default-limits`, `large-limits` or `software`.
    pub name: &'static str,
    /// Its limits.
    pub limits: wgpu::Limits,
    /// Whether the adapter computes on the processor.
    pub software: bool,
}

impl Target {
    fn machine(&self) -> Machine<'_> {
        Machine { limits: &self.limits, software: self.software, subgroup: 0, matrices: false }
    }

    /// A GPU with the WebGPU default limits, one with those of today's large GPUs, and a software adapter.
    pub fn all() -> [Self; 3] {
        let limits = wgpu::Limits::defaults();
        let large = wgpu::Limits {
            max_compute_invocations_per_workgroup: 1024,
            max_compute_workgroup_storage_size: 48 << 10,
            ..limits.clone()
        };
        [
            Self { name: "default-limits", limits, software: false },
            Self { name: "large-limits", limits: large.clone(), software: false },
            Self { name: "software", limits: large, software: true },
        ]
    }
}

/// Composes a module, if the game has one.
type Compose<'a> = Box<dyn Fn() -> Result<Option<Composed>> + Sync + Send + 'a>;

/// The modules of a game, for every [`Target`]: searches of all variants and schedules, tree reuse, searches by
/// networks and the networks themselves where the game has planes, rollouts of all mappings, the functions of the rules
/// and the helpers of the shaders one by one, the referee of a game file, and PV-Split where it has a board for the
/// game. Of the config, the numbers of trees and of playouts have an effect.
///
/// Some modules are the same text under two names, as not every module depends on all parts of its name.
///
/// ```
/// use mcts_wgpu::{Config, games::Othello, internals::modules::modules};
/// let modules = modules(&Othello, &Config::paper())?;
/// let one = modules.iter().find(|module| module.name == "search-acp-prodigal-staged-default-limits");
/// assert!(one.is_some_and(|module| module.composed.text().contains("fn select_leaf(")));
/// # Ok::<(), mcts_wgpu::Error>(())
/// ```
///
/// # Errors
/// Bad input for a config out of range; shader, naming the author's file and line.
pub fn modules<G: Game>(game: &G, config: &Config) -> Result<Vec<Module>> {
    config.validate()?;
    let targets = Target::all();
    let mut wanted = Vec::new();
    for target in &targets {
        for variant in Variant::ALL {
            wanted.extend(of_search(game, &Config { variant, ..*config }, target));
        }
        wanted.extend(of_networks(game, config, target)?);
        wanted.extend(of_rollouts(game, target));
    }
    let conformance: Compose<'_> = Box::new(|| conformance::device::compose(game).map(Some));
    wanted.push(("conformance".to_owned(), conformance));
    let verify: Compose<'_> = Box::new(|| verify::arithmetic::module().map(Some));
    wanted.push(("verify".to_owned(), verify));
    let roofline: Compose<'_> = Box::new(|| bench::roofline::module().map(Some));
    wanted.push(("roofline".to_owned(), roofline));
    wanted.extend(of_file(game.as_any()).map(|compose| ("referee".to_owned(), compose)));
    wanted.extend(of_split(game.as_any()).map(|compose| ("pvsplit".to_owned(), compose)));
    let module = |(name, compose): (String, Compose<'_>)| {
        compose().map(|composed| Some(Module { name, composed: composed? })).transpose()
    };
    in_tasks(wanted, 1..=usize::MAX, &module).into_iter().flatten().collect()
}

/// The modules of one variant.
fn of_search<'a, G: Game>(game: &G, config: &Config, target: &'a Target) -> Vec<(String, Compose<'a>)> {
    let config = Config { leaf_batch: 1, ..*config };
    let (shader, mut shape) = (GameShader::of(game), shape_of(game, &config));
    shape.n_trees = config.trees;
    let (of, variant) = (Arc::new((shader, shape)), config.variant.name());
    let module = |what: &str, compose: fn(&_, &_, Machine<'_>) -> Result<Option<Composed>>| {
        let of = of.clone();
        let compose: Compose<'a> = Box::new(move || compose(&of.0, &of.1, target.machine()));
        (format!("{what}-{}", target.name), compose)
    };
    vec![
        module(&format!("search-{variant}-staged"), |game, shape, machine| {
            Ok(Some(staged_module(game, shape, machine)?.1))
        }),
        module(&format!("search-{variant}-leaves"), |game, shape, machine| {
            let shape = several_leaves(shape);
            Ok(Some(staged_module(game, &shape, machine)?.1))
        }),
        module(&format!("search-{variant}-leaves-by-subgroups"), |game, shape, machine| {
            let shape = several_leaves(shape);
            by_subgroups(game, &shape, machine)
        }),
        module(&format!("search-{variant}-rave"), |game, shape, machine| {
            Ok(match rated(shape) {
                Some(shape) => Some(staged_module(game, &shape, machine)?.1),
                None => None,
            })
        }),
        module(&format!("search-{variant}-rave-by-subgroups"), |game, shape, machine| {
            rated(shape).map_or(Ok(None), |shape| by_subgroups(game, &shape, machine))
        }),
        module(&format!("search-{variant}-fused-apart"), |game, shape, machine| {
            Ok(Some(apart_module(game, shape, machine)?.1))
        }),
        module(&format!("search-{variant}-fused-relay"), |game, shape, machine| {
            Ok(relay_module(game, shape, machine.limits)?.map(|(_, module)| module))
        }),
        module(&format!("search-{variant}-fused-whole"), |game, shape, machine| {
            Ok(whole_module(game, shape, machine.limits)?.map(|(_, module)| module))
        }),
        module(&format!("search-{variant}-fused-packed"), |game, shape, machine| {
            let packed = can_be_packed(shape).then(|| packed_module(game, shape, machine.limits, TEAM));
            Ok(packed.transpose()?.flatten().map(|(_, module)| module))
        }),
        module(&format!("reuse-{variant}"), |game, shape, machine| {
            Ok(Some(reuse_module(game, shape, machine.limits)?.1))
        }),
    ]
}

/// The shape with several leaves.
fn several_leaves(shape: &Shape) -> Shape {
    shape.with(Config { leaf_batch: SEVERAL_LEAVES, ..shape.config })
}

/// The shape with rapid action values, where there is one.
fn rated(shape: &Shape) -> Option<Shape> {
    let can_rate = shape.first_words > 0 && !shape.config.variant.all_children;
    can_rate.then(|| shape.with(Config { leaf_batch: RATED_LEAVES, rave: RAVE, ..shape.config }))
}

/// The module for a GPU whose subgroups have [`SUBGROUP`] lanes, where it differs.
fn by_subgroups(game: &GameShader, shape: &Shape, machine: Machine<'_>) -> Result<Option<Composed>> {
    if machine.software {
        return Ok(None);
    }
    let machine = Machine { subgroup: SUBGROUP, ..machine };
    let (widths, module) = staged_module(game, shape, machine)?;
    Ok((widths.subgroup > 0).then_some(module))
}

/// The modules of searches with networks, and of the networks.
fn of_networks<'a, G: Game>(
    game: &G,
    config: &Config,
    target: &'a Target,
) -> Result<Vec<(String, Compose<'a>)>> {
    let mut wanted = Vec::new();
    if game.planes().is_none() {
        return Ok(wanted);
    }
    for (name, trunk, channels, kernel) in NETWORKS {
        let net = Arc::new(Network::random(Sizes::of_game(game, trunk, 1, channels)?, 1)?);
        let (shader, shape) = (GameShader::of(game), evaluated(&shape_of(game, config), &net));
        let compose: Compose<'a> =
            Box::new(move || dots_module(&shader, &shape, &net, (kernel, &target.limits)).map(Some));
        wanted.push((format!("network-{name}-{}", target.name), compose));
    }
    // A search's other kernels depend on the network's number of cells alone.
    let net = Arc::new(Network::random(Sizes::of_game(game, Trunk::Dense, 0, 16)?, 1)?);
    for variant in [Variant::OCP_PRODIGAL, Variant::OCP_THRIFTY] {
        let shape = evaluated(&shape_of(game, &Config { variant, ..*config }), &net);
        let of = Arc::new((GameShader::of(game), shape));
        let (by_lanes, by_subgroup) = (of.clone(), of);
        let name = format!("search-{}-net", variant.name());
        let compose: Compose<'a> = Box::new(move || {
            staged_module(&by_lanes.0, &by_lanes.1, target.machine()).map(|(_, module)| Some(module))
        });
        wanted.push((format!("{name}-{}", target.name), compose));
        let compose: Compose<'a> =
            Box::new(move || by_subgroups(&by_subgroup.0, &by_subgroup.1, target.machine()));
        wanted.push((format!("{name}-by-subgroups-{}", target.name), compose));
    }
    Ok(wanted)
}

/// The shape with several leaves and a network.
fn evaluated(shape: &Shape, net: &Arc<Network>) -> Shape {
    let config = Config { playouts: 1, prior_visits: 0, ..several_leaves(shape).config };
    let evaluation = Some(LeafEvaluation::Network(net.clone(), NetKernel::Auto));
    Shape { evaluation, ..shape.with(config) }
}

fn of_rollouts<'a, G: Game>(game: &'a G, target: &'a Target) -> Vec<(String, Compose<'a>)> {
    let plain = RolloutConfig::default();
    let mut wanted = vec![("thread", plain.clone())];
    wanted.extend(
        (game.owned_points() > 0).then(|| ("owners", RolloutConfig { owners: true, ..plain.clone() })),
    );
    let grouped = game.shader().group.map(|_| ("group", RolloutConfig { mapping: Mapping::Group, ..plain }));
    wanted.extend(grouped);
    let module = |(what, config): (&str, RolloutConfig)| {
        let Target { name, limits, software } = target;
        let compose: Compose<'a> =
            Box::new(move || rollout::module_of(game, &config, limits, *software).map(Some));
        (format!("rollout-{what}-{name}"), compose)
    };
    wanted.into_iter().map(module).collect()
}

/// The referee of a game file.
fn of_file(game: &dyn Any) -> Option<Compose<'_>> {
    let file: &GameFile = game.downcast_ref()?;
    Some(Box::new(|| file.referee_module().map(Some)))
}

/// PV-Split, for the games and sizes that it supports.
fn of_split(game: &dyn Any) -> Option<Compose<'static>> {
    fn module<B: DeviceBoard + 'static>(game: &B::Game) -> Option<Compose<'static>> {
        let board = B::from_position(&Position::start(game)).ok()?;
        Some(Box::new(move || pvsplit::module(&board, SPLIT_DEPTH).map(Some)))
    }
    let go = game.downcast_ref().and_then(module::<GoBoard>);
    let connect4 = || game.downcast_ref().and_then(module::<Connect4Board>);
    go.or_else(connect4).or_else(|| game.downcast_ref().and_then(module::<OthelloBoard>))
}
