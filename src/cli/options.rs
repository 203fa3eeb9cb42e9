//! Options that several commands share: where to run, and what a search is to do.

use super::{
    failure::{Failure, Result},
    output::notice,
    wayland::without_complaint,
};
use clap::Args;
use mcts_wgpu::{
    Budget, Config, Engine, Game, Policy, Schedule, Variant, gpu::Backend, patterns::PatternTable,
};
use std::{path::Path, time::Duration};

/// The most memory that can be asked for, in GiB.
const MOST_MEMORY: f64 = 4096.0;

/// Where to run.
#[derive(Debug, Args)]
pub struct EngineOptions {
    /// auto, cpu, all, a part of the adapter's name, or its index in `mcts-wgpu adapters`; several joined by commas
    ///
    /// auto takes a discrete GPU, else an integrated one, else the CPU engine, which is faster than software adapters (with
    /// --backend those are taken, too); all takes every
    /// adapter of that kind. Several adapters, such as 0,1 or nvidia,nvidia, share the trees, or the games of rollouts,
    /// with the result of one. A name that comes again means the next adapter that has it; an index that comes again, the
    /// same adapter once more.
    #[arg(long, default_value = "auto")]
    adapter: String,
    /// Only adapters reached through vulkan, metal, dx12 or gl
    #[arg(long)]
    backend: Option<Backend>,
}

impl EngineOptions {
    /// Opens the engine; tells where `auto` found no adapter.
    pub fn open(&self) -> Result<Engine> {
        if self.adapter == "cpu" && self.backend.is_some() {
            return Err(Failure::message("the CPU engine has no backend: leave out --backend"));
        }
        let engine = without_complaint(|| Engine::open(&self.adapter, self.backend))?;
        engine.notices().iter().for_each(|left_out| notice(&format!("notice: {left_out}")));
        if engine.is_cpu() && self.adapter != "cpu" {
            notice("notice: no usable GPU adapter found, so this runs on the CPU engine");
        }
        Ok(engine)
    }

    /// Opens an engine for work that can't be spread over adapters.
    pub fn open_one(&self) -> Result<Engine> {
        let engine = self.open()?;
        match engine.devices() {
            Some([_, _, ..]) => Err(Failure::message(format!(
                "--adapter {} means several adapters, and this runs on one: give its index",
                self.adapter
            ))),
            _ => Ok(engine),
        }
    }
}

/// How playouts choose their moves.
#[derive(Debug, Args)]
pub struct PolicyOptions {
    /// How playouts draw their moves: random, or (go) pattern3x3, m2 or a FILE
    ///
    /// random takes all candidates alike. The others take a point in proportion to the rating of its neighbours,
    /// pattern3x3 of all eight, m2 of the twelve within Manhattan distance 2. A FILE is a table of such ratings, as
    /// `mcts-wgpu learn-patterns` writes it; a file named as a policy is given with its folder, such as ./m2.
    #[arg(long, value_name = "POLICY", default_value = "random")]
    policy: String,
}

impl PolicyOptions {
    /// The game with that policy.
    pub fn apply<G: Game>(&self, game: G) -> Result<G> {
        let path = Path::new(&self.policy);
        match self.policy.parse::<Policy>() {
            Ok(policy) => Ok(game.with_policy(policy)?),
            Err(_) if path.exists() => Ok(game.with_table(&PatternTable::load(path)?)?),
            Err(error) => Err(Failure::message(format!(
                "{error}, or a file that learn-patterns wrote (there is no file of that name)"
            ))),
        }
    }
}

/// What a search is to do.
#[derive(Debug, Args)]
pub struct SearchOptions {
    /// ocp-thrifty, ocp-prodigal, acp-thrifty or acp-prodigal
    ///
    /// OCP plays out one new child, ACP all of them; thrifty launches exactly the legal children, prodigal all.
    #[arg(long, default_value = "acp-prodigal")]
    variant: Variant,
    /// Independent trees
    #[arg(long, default_value_t = 8)]
    trees: u32,
    /// Playouts per played-out node, a power of two up to 512
    #[arg(long, default_value_t = 128)]
    playouts: u32,
    /// The UCB constant
    #[arg(long, value_name = "C", default_value_t = 2.0)]
    ucb_c: f32,
    /// Seed of the random streams
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// End after so many steps; the result is then reproducible
    #[arg(long)]
    steps: Option<u64>,
    /// End after so many seconds [default: 5, unless --steps is given]
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    /// Memory for the trees in GiB, on every adapter. More than one binding holds (3 GiB on most) is searched in chunks, one
    /// after another
    #[arg(long, value_name = "GIB", default_value_t = 2.0)]
    memory: f64,
    /// auto, staged (one kernel a stage) or fused (stages joined); the result is the same
    #[arg(long, default_value = "auto")]
    schedule: Schedule,
}

impl SearchOptions {
    /// The search's config. Where the steps are limited, so are the nodes: a step adds at most B of them, and no
    /// memory is taken for more.
    pub fn config(&self, game: &impl Game) -> Result<Config> {
        let most_nodes = |steps: u64| steps.saturating_mul(game.max_actions().into()).saturating_add(1);
        Ok(Config {
            variant: self.variant,
            trees: self.trees,
            playouts: self.playouts,
            ucb_c: self.ucb_c,
            seed: self.seed,
            memory: self.memory_bytes()?,
            node_limit: self.steps.map(|steps| u32::try_from(most_nodes(steps)).unwrap_or(u32::MAX)),
            schedule: self.schedule,
            reuse: false,
        })
    }

    /// Steps, time, or both; five seconds where neither is given.
    pub fn budget(&self) -> Result<Budget> {
        if self.steps == Some(0) {
            return Err(Failure::message("--steps 0: give at least 1"));
        }
        Ok(match (self.steps, self.time.map(duration).transpose()?) {
            (None, None) => Budget::default(),
            (None, Some(time)) => Budget::time(time),
            (Some(steps), None) => Budget::steps(steps),
            (Some(steps), Some(time)) => Budget::steps(steps).within(time),
        })
    }

    fn memory_bytes(&self) -> Result<u64> {
        let gib = self.memory;
        if gib > 0.0 && gib <= MOST_MEMORY {
            return Ok((gib * f64::from(1 << 30)) as u64);
        }
        Err(Failure::message(format!("--memory {gib:?}: give a positive number of GiB up to {MOST_MEMORY}")))
    }
}

/// A positive number of seconds, as --time has it.
pub fn duration(seconds: f64) -> Result<Duration> {
    let time = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero());
    time.ok_or_else(|| Failure::message(format!("--time {seconds:?}: give a positive number of seconds")))
}
