//! Every module of WGSL that the crate composes for a game: for bug reports, for other compilers, and for the tests.
//!
//! A module is one text with some entry points ([`shaders`](crate::gpu::shaders), `shaders/README.md`). It depends on the
//! game, on the sizes of the search and on the adapter: workgroups are as wide as the adapter's limits allow, and narrower on
//! software adapters. [`Target`] has an adapter of each kind.

use crate::{
    error::Result,
    game::Game,
    games,
    gpu::{
        compose::Composed,
        shaders::{Widths, apart_module, reuse_module, search_module},
        trusted,
    },
    pvsplit,
    rollout::{self, Mapping},
    search::{Config, Variant, shape_of},
};
use rayon::prelude::*;
use std::any::Any;

/// Plies of the PV-Split module: they size its stack alone.
const SPLIT_DEPTH: u32 = 10;

/// A composed module.
#[derive(Debug)]
pub struct Module {
    /// What it is for: `search-ocp-thrifty-fused-whole-large-limits`, `rollout-group-software`, `pvsplit`, ...
    pub name: String,
    /// The module.
    pub composed: Composed,
}

/// A kind of adapter that modules are composed for.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// `default-limits`, `large-limits` or `software`.
    pub name: &'static str,
    /// Its limits.
    pub limits: wgpu::Limits,
    /// It computes on the processor.
    pub software: bool,
}

impl Target {
    /// A GPU with the limits that every WebGPU adapter has, one with those of today's large GPUs, and a software adapter.
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

/// Composes a module.
type Compose<'a> = Box<dyn Fn() -> Result<Composed> + Sync + Send + 'a>;

/// The modules of a game, on every [`Target`]: searches of all variants and schedules, tree reuse, rollouts of all mappings,
/// and PV-Split where there is a board for it. Of the config, the number of trees and of playouts count.
///
/// Some of them are the same text under two names, as not every module depends on all that its name tells.
///
/// ```
/// use mcts_wgpu::{Config, games::Othello, modules::modules};
/// let modules = modules(&Othello, &Config::default())?;
/// let one = modules.iter().find(|module| module.name == "search-acp-prodigal-staged-default-limits");
/// assert!(one.is_some_and(|module| module.composed.text.contains("fn select_leaf(")));
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
            wanted.extend(of_search(game, &Config { variant, ..config.clone() }, target));
        }
        wanted.extend(of_rollouts(game, target));
    }
    wanted.extend(of_split(game).map(|compose| ("pvsplit".to_owned(), compose)));
    wanted.into_par_iter().map(|(name, compose)| Ok(Module { name, composed: compose()? })).collect()
}

/// Those of one variant.
fn of_search<'a, G: Game>(game: &G, config: &Config, target: &'a Target) -> Vec<(String, Compose<'a>)> {
    let (shader, variant) = (trusted::shader_of(game), config.variant.name());
    let mut shape = shape_of(game, config);
    shape.n_trees = config.trees;
    let Target { name, limits, software } = target;
    let staged = Widths::staged(&shape, &shader, limits, *software);
    let whole = Widths::fused(&shape, &shader, limits);
    let module = |what: &str, widths, compose: fn(&_, &_, _) -> _| {
        let (shader, shape) = (shader.clone(), shape.clone());
        let compose: Compose<'a> = Box::new(move || compose(&shader, &shape, widths));
        (format!("{what}-{name}"), compose)
    };
    let mut modules = vec![
        module(&format!("search-{variant}-staged"), staged, search_module),
        module(&format!("search-{variant}-fused-apart"), staged, apart_module),
        module(&format!("reuse-{variant}"), staged, reuse_module),
    ];
    modules
        .extend(whole.map(|widths| module(&format!("search-{variant}-fused-whole"), widths, search_module)));
    modules
}

fn of_rollouts<'a, G: Game>(game: &'a G, target: &'a Target) -> Vec<(String, Compose<'a>)> {
    let mut mappings = vec![Mapping::Thread];
    mappings.extend(game.shader().group.map(|_| Mapping::Group));
    let module = |mapping: Mapping| {
        let Target { name, limits, software } = target;
        let compose: Compose<'a> = Box::new(move || rollout::module_of(game, mapping, limits, *software));
        (format!("rollout-{}-{name}", mapping.name()), compose)
    };
    mappings.into_iter().map(module).collect()
}

/// PV-Split has boards of its own: of Connect 4 the usual one, of Go those it takes.
fn of_split(game: &dyn Any) -> Option<Compose<'static>> {
    fn module<B: pvsplit::gpu::DeviceBoard + 'static>(board: B) -> Compose<'static> {
        Box::new(move || pvsplit::gpu::module(&board, SPLIT_DEPTH))
    }
    if let Some(game) = game.downcast_ref::<games::Go>() {
        return pvsplit::Go::new(game.size() as usize).ok().map(module);
    }
    let usual = games::Connect4::default();
    if game.downcast_ref::<games::Connect4>().is_some_and(|game| *game == usual) {
        return Some(module(pvsplit::Connect4::new()));
    }
    game.is::<games::Othello>().then(|| module(pvsplit::Othello::new()))
}
