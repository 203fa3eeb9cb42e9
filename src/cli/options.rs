//! Options of several commands: engine, game policy, settings and budget of a search.

use super::{
    contest::setup::at,
    environment::Choice,
    failure::{Failure, Result},
    help::{ENGINE, SEARCH},
    output::notice,
    ranks,
    wayland::without_wayland_error,
};
use crate::{
    engine::{Backend, Checks, Engine},
    forest::Settings,
    host::locked,
    input::read_text,
    rules::{Game, with_policy},
    search::{Budget, time_of},
};
use clap::{ArgAction, Args};
use std::{
    cell::OnceCell,
    path::{Path, PathBuf},
    sync::Mutex,
    time::Duration,
};

/// The greatest size of a file of settings in bytes.
const LONGEST_SETTINGS: u64 = 1 << 16;

/// Options of the engine.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = ENGINE)]
pub struct EngineOptions {
    /// Adapter: auto, cpu, all, a part of an adapter's name, or its index in `mcts-wgpu adapters`; separate several by
    /// commas [default: auto]
    ///
    /// auto selects a discrete GPU, else an integrated one, else the CPU engine, which is faster than software adapters
    /// (with --backend, software adapters, too); all selects every adapter of that kind. Several adapters, such as 0,1
    /// or nvidia,nvidia, share the trees, or the games of rollouts; the result is that of one. A repeated name selects
    /// the next adapter with that name, a repeated index the same adapter again. With auto, each rank of an MPI job on
    /// a host gets the next adapter of the kind. Without the option, the environment variables WGPU_ADAPTER_NAME and
    /// WGPU_BACKEND choose, if they are set.
    #[arg(long)]
    adapter: Option<String>,
    /// Only adapters of this backend: vulkan, metal, dx12 or gl
    #[arg(long, value_parser = a_backend)]
    backend: Option<Backend>,
    /// Check for faults of kernels and drivers; slower, with the same results
    ///
    /// The memory of the adapter is filled with a pattern, so that reads of unwritten memory change the results; guard
    /// words after each buffer are compared at the end of a run; and built-in games run with run-time checks, which are
    /// otherwise off (--checked=memory leaves them off). There are no such checks on the CPU engine.
    #[arg(long, value_name = "CHECKS", num_args = 0..=1, require_equals = true, default_missing_value = "all",
        value_parser = checks, hide_short_help = true)]
    checked: Option<Checks>,
    /// The engine, once it is open.
    #[arg(skip)]
    opened: OnceCell<Engine>,
}

/// Open engines.
static OPENED: Mutex<Vec<Engine>> = Mutex::new(Vec::new());
/// Notices that were printed.
static PRINTED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Prints the notices of engines since the last call: adapters that could not be opened, kernels that drivers refused.
pub fn print_notices() {
    let engines = locked(&OPENED);
    let mut printed = locked(&PRINTED);
    for new in engines.iter().flat_map(Engine::notices) {
        if !printed.contains(&new) {
            notice(&format!("notice: {new}"));
            printed.push(new);
        }
    }
}

/// Prints the remaining notices, and closes the devices before the program ends.
pub fn close_engines() {
    print_notices();
    locked(&OPENED).clear();
}

/// A backend of adapters: neither that of the CPU engine nor that of browsers.
pub fn a_backend(name: &str) -> std::result::Result<Backend, String> {
    let found = name.parse().ok().filter(|backend| ![Backend::Cpu, Backend::WebGpu].contains(backend));
    found.ok_or_else(|| format!("unknown backend '{name}': choose one of vulkan, metal, dx12, gl"))
}

/// The failure of a backend of the CPU engine.
pub fn no_backend() -> Failure {
    Failure::message("the CPU engine has no backend: leave out --backend")
}

fn checks(name: &str) -> std::result::Result<Checks, String> {
    name.parse().map_err(|_| format!("unknown checks '{name}': give --checked, or --checked=memory"))
}

impl EngineOptions {
    /// An engine with the requested checks.
    pub fn checked(&self, engine: Engine) -> Engine {
        match self.checked {
            Some(checks) => engine.checked(checks),
            None => engine,
        }
    }

    /// Opens the engine, if it is not open. Prints a notice if `auto` finds no adapter.
    pub fn open(&self) -> Result<Engine> {
        if let Some(engine) = self.opened.get() {
            return Ok(engine.clone());
        }
        let engine = self.checked(self.open_anew()?);
        Ok(self.opened.get_or_init(|| engine).clone())
    }

    /// Opens an engine that can run the rules of a game file: without a GPU, `auto` selects a software adapter.
    pub fn open_for_rules(&self) -> Result<Engine> {
        if self.adapter() != "auto" || self.has_backend() || self.opened.get().is_some() {
            return self.open();
        }
        let any = || match ranks::adapter_of(ranks::of_job(), None) {
            Ok(engine) if !engine.is_cpu() => Ok(engine),
            _ => Engine::any(),
        };
        let engine = self.checked(without_wayland_error(any).unwrap_or_else(|_| Engine::cpu()));
        if let Some(device) = engine.first_device().filter(|device| device.info().is_software()) {
            let name = &device.info().name;
            notice(&format!(
                "notice: no usable GPU adapter found, so this game file runs on a software one, {name}"
            ));
        }
        Ok(self.opened.get_or_init(|| engine).clone())
    }

    fn open_anew(&self) -> Result<Engine> {
        let (adapter, backend) = (self.adapter(), self.choice().backend);
        if adapter == "cpu" && self.backend.is_some() {
            return Err(no_backend());
        }
        let engine = without_wayland_error(|| match &*adapter {
            "auto" => ranks::adapter_of(ranks::of_job(), backend),
            adapter => Engine::open(adapter, backend),
        })?;
        locked(&OPENED).push(engine.clone());
        print_notices();
        if engine.is_cpu() && adapter != "cpu" {
            notice("notice: no usable GPU adapter found, so this runs on the CPU engine");
        }
        Ok(engine)
    }

    /// The same options, with this adapter if it is not `None`.
    pub fn with_adapter(&self, adapter: Option<&str>) -> Self {
        let adapter = adapter.map(str::to_owned).or_else(|| self.adapter.clone());
        let opened = if adapter == self.adapter { self.opened.clone() } else { OnceCell::new() };
        Self { adapter, backend: self.backend, checked: self.checked, opened }
    }

    /// The choice by options and environment.
    fn choice(&self) -> Choice {
        Choice::of(self.adapter.as_deref(), self.backend)
    }

    pub fn adapter(&self) -> String {
        self.choice().adapter.unwrap_or_else(|| "auto".into())
    }

    /// Whether a backend was requested.
    pub fn has_backend(&self) -> bool {
        self.choice().backend.is_some()
    }

    /// Opens an engine for work that can't be spread over adapters.
    pub fn open_one(&self) -> Result<Engine> {
        let engine = self.open()?;
        if engine.has_several_devices() {
            return Err(Failure::message(format!(
                "--adapter {} means several adapters, and this runs on one: give its index",
                self.adapter()
            )));
        }
        Ok(engine)
    }
}

/// Options of the scoring of Go.
#[derive(Debug, Args)]
pub struct EndingOptions {
    /// Remove dead stones at the end of a game of go: chains on points that the opponent owns at the end of most
    /// playouts; false scores the board as it stands
    #[arg(long, value_name = "BOOL", default_value_t = true, action = ArgAction::Set)]
    pub dead_stones: bool,
}

/// Options of playouts.
#[derive(Debug, Args)]
#[command(next_help_heading = SEARCH)]
pub struct PolicyOptions {
    /// Policy of playouts: random, or (connect4, go) tactical, or (go) pattern3x3, m2 or a FILE [default: random]
    ///
    /// random draws all candidates with equal probability. In Connect 4, tactical wins at once if it can, else blocks a
    /// line, and else avoids cells below one that completes a line. In Go, the probability of a point is proportional
    /// to the rating of its neighbours: of all eight with pattern3x3, of the twelve within Manhattan distance 2 with
    /// m2; tactical is pattern3x3 with higher ratings of captures, rescues and replies to the last move. A FILE is a
    /// table of ratings, as `mcts-wgpu learn-patterns` writes it; give a file with the name of a policy with its
    /// folder, such as ./m2.
    #[arg(long)]
    policy: Option<String>,
}

impl PolicyOptions {
    /// The game with the policy.
    pub fn apply<G: Game>(&self, game: G) -> Result<G> {
        let Some(name) = self.policy.as_deref() else { return Ok(game) };
        Ok(with_policy(game, name)?)
    }
}

/// Options of the settings of a search.
#[derive(Debug, Args)]
#[command(next_help_heading = SEARCH)]
pub struct SettingsOptions {
    #[command(flatten, next_help_heading = SEARCH)]
    settings: Settings,
    /// Read settings from a file, TOML or (.json) JSON; options override it
    #[arg(long, value_name = "FILE")]
    settings_file: Option<PathBuf>,
    /// Search like the original program, MCTS-NC
    ///
    /// Draws count 0; no solver, pruning or priors; one leaf per step; acp-prodigal, 8 trees x 128 playouts, C = 2.
    #[arg(long)]
    original: bool,
    /// Former name of --solver false
    #[arg(long, hide = true, conflicts_with = "solver")]
    no_proof: bool,
    /// Former name of --pruning false
    #[arg(long, hide = true, conflicts_with = "pruning")]
    no_pruning: bool,
}

impl SettingsOptions {
    /// The settings that are given.
    pub fn settings(&self) -> Result<Settings> {
        let former = Settings {
            solver: self.no_proof.then_some(false),
            pruning: self.no_pruning.then_some(false),
            ..Settings::default()
        };
        let mut settings = self.settings.clone().or(former);
        if let Some(path) = &self.settings_file {
            settings = settings.or(settings_of(path)?);
        }
        Ok(if self.original { settings.or(Settings::original()) } else { settings })
    }
}

/// Options of a search.
#[derive(Debug, Args)]
#[command(next_help_heading = SEARCH)]
pub struct SearchOptions {
    #[command(flatten)]
    settings: SettingsOptions,
    /// End after N steps; the result is then the same on every machine
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// End after SECONDS [default: 5, unless --steps is given]
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
}

impl SearchOptions {
    /// The settings that are given.
    pub fn settings(&self) -> Result<Settings> {
        self.settings.settings()
    }

    /// Steps, time, or both; by default five seconds.
    pub fn budget(&self) -> Result<Budget> {
        Failure::refuse_0("--steps", self.steps.unwrap_or(1))?;
        Ok(Budget::of(self.steps, self.time.map(|time| duration("--time", time)).transpose()?))
    }
}

/// Prints a notice on settings of a search, or of a player, that have no effect in a game.
pub fn print_idle<G: Game>(whose: &str, idle: &[&str], game: &G) {
    if !idle.is_empty() {
        let (names, have) = (idle.join(" and "), if idle.len() == 1 { "has" } else { "have" });
        notice(&format!("notice: {whose}{names} {have} no effect in {}", game.name()));
    }
}

fn settings_of(path: &Path) -> Result<Settings> {
    let text = read_text(path, LONGEST_SETTINGS).map_err(|error| Failure::unreadable(path, &error))?;
    let settings = match path.extension().is_some_and(|extension| extension == "json") {
        true => serde_json::from_str(&text).map_err(Failure::message),
        false => toml::from_str(&text).map_err(|error| at(&text, error.span(), error.message().trim())),
    };
    settings.map_err(|failure| failure.of(path.display()))
}

/// The duration of an option, a positive number of seconds.
pub fn duration(option: &str, seconds: f64) -> Result<Duration> {
    time_of(seconds)
        .ok_or_else(|| Failure::message(format!("{option} {seconds:?}: give a positive number of seconds")))
}
