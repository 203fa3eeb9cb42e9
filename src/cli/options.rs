//! Options that several commands share: where to run, and what a search is to do.

use super::{
    contest::setup::at,
    environment::Choice,
    failure::{Failure, Result},
    help::{ENGINE, SEARCH},
    output::notice,
    ranks,
    wayland::without_complaint,
};
use crate::{
    engine::{Backend, Checks, Engine},
    forest::Settings,
    input::read_text,
    rules::{Game, with_policy},
    search::Budget,
};
use clap::{ArgAction, Args};
use std::{
    cell::OnceCell,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// The longest file of settings.
const LONGEST_SETTINGS: u64 = 1 << 16;

/// Where to run.
#[derive(Debug, Args)]
#[command(next_help_heading = ENGINE)]
pub struct EngineOptions {
    /// Where to run: auto, cpu, all, a part of an adapter's name, or its index in `mcts-wgpu adapters`; several joined
    /// by commas [default: auto]
    ///
    /// auto takes a discrete GPU, else an integrated one, else the CPU engine, which is faster than software adapters
    /// (with --backend those are taken, too); all takes every adapter of that kind. Several adapters, such as 0,1 or
    /// nvidia,nvidia, share the trees, or the games of rollouts, with the result of one. A name that comes again means
    /// the next adapter that has it; an index that comes again, the same adapter once more. Of many ranks of an MPI job
    /// on a host, with auto, each takes the next adapter of the kind. Where the option is left out, WGPU_ADAPTER_NAME
    /// and WGPU_BACKEND of the environment choose, if they are set.
    #[arg(long)]
    adapter: Option<String>,
    /// Only adapters reached through vulkan, metal, dx12 or gl
    #[arg(long, value_parser = a_backend)]
    backend: Option<Backend>,
    /// Look for faults of kernels and drivers; the results are the same, and come later
    ///
    /// All memory of the adapter begins with a pattern, so that a kernel that reads what it has not written gets
    /// another result; words behind each buffer are looked at when a run ends; and the built-in games run with the
    /// run-time checks that they do without otherwise (--checked=memory leaves these out). The CPU engine has nothing
    /// to check.
    #[arg(long, value_name = "CHECKS", num_args = 0..=1, require_equals = true, default_missing_value = "all",
        value_parser = checks, hide_short_help = true)]
    checked: Option<Checks>,
    /// The engine, once it is open.
    #[arg(skip)]
    opened: OnceCell<Engine>,
}

/// The engines that were opened, and the notices that were told.
static OPENED: Mutex<Vec<Engine>> = Mutex::new(Vec::new());
static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Tells what engines have noticed since the last call: adapters that could not be opened, kernels that drivers have
/// refused.
pub fn tell_notices() {
    let engines = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    for new in engines.iter().flat_map(Engine::notices) {
        if !told.contains(&new) {
            notice(&format!("notice: {new}"));
            told.push(new);
        }
    }
}

/// [`tell_notices`] for the last time: devices are given back before the program ends.
pub fn close_engines() {
    tell_notices();
    OPENED.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self { adapter: None, backend: None, checked: None, opened: OnceCell::new() }
    }
}

/// A backend that reaches adapters from a program: not the CPU engine's own, and not a browser's.
pub fn a_backend(name: &str) -> std::result::Result<Backend, String> {
    let found = name.parse().ok().filter(|backend| ![Backend::Cpu, Backend::WebGpu].contains(backend));
    found.ok_or_else(|| format!("unknown backend '{name}': choose one of vulkan, metal, dx12, gl"))
}

fn checks(name: &str) -> std::result::Result<Checks, String> {
    name.parse().map_err(|_| format!("unknown checks '{name}': give --checked, or --checked=memory"))
}

impl EngineOptions {
    /// An engine with the checks that were asked for.
    pub fn checked(&self, engine: Engine) -> Engine {
        match self.checked {
            Some(checks) => engine.checked(checks),
            None => engine,
        }
    }

    /// Opens the engine, if it is not open yet; tells where `auto` found no adapter.
    pub fn open(&self) -> Result<Engine> {
        if let Some(engine) = self.opened.get() {
            return Ok(engine.clone());
        }
        let engine = self.checked(self.open_anew()?);
        Ok(self.opened.get_or_init(|| engine).clone())
    }

    /// Opens the engine that answers for the rules of a game file, too: where there is no GPU, `auto` takes a software
    /// adapter.
    pub fn open_for_rules(&self) -> Result<Engine> {
        if self.adapter() != "auto" || self.has_backend() || self.opened.get().is_some() {
            return self.open();
        }
        let any = || match ranks::adapter_of(ranks::of_job(), None) {
            Ok(engine) if !engine.is_cpu() => Ok(engine),
            _ => Engine::any(),
        };
        let engine = self.checked(without_complaint(any).unwrap_or_else(|_| Engine::cpu()));
        let software =
            engine.devices().and_then(|devices| devices.first()).filter(|device| device.info().is_software());
        if let Some(device) = software {
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
            return Err(Failure::message("the CPU engine has no backend: leave out --backend"));
        }
        let engine = without_complaint(|| match &*adapter {
            "auto" => ranks::adapter_of(ranks::of_job(), backend),
            adapter => Engine::open(adapter, backend),
        })?;
        OPENED.lock().unwrap_or_else(PoisonError::into_inner).push(engine.clone());
        tell_notices();
        if engine.is_cpu() && adapter != "cpu" {
            notice("notice: no usable GPU adapter found, so this runs on the CPU engine");
        }
        Ok(engine)
    }

    /// The same options, with another adapter where one is named.
    pub fn with_adapter(&self, adapter: Option<&str>) -> Self {
        let adapter = adapter.map(str::to_owned).or_else(|| self.adapter.clone());
        let opened = if adapter == self.adapter { self.opened.clone() } else { OnceCell::new() };
        Self { adapter, backend: self.backend, checked: self.checked, opened }
    }

    /// What the options and the environment choose.
    fn choice(&self) -> Choice {
        Choice::of(self.adapter.as_deref(), self.backend)
    }

    /// The adapter that was asked for.
    pub fn adapter(&self) -> String {
        self.choice().adapter.unwrap_or_else(|| "auto".into())
    }

    /// Was a backend asked for?
    pub fn has_backend(&self) -> bool {
        self.choice().backend.is_some()
    }

    /// Opens an engine for work that can't be spread over adapters.
    pub fn open_one(&self) -> Result<Engine> {
        let engine = self.open()?;
        match engine.devices() {
            Some([_, _, ..]) => Err(Failure::message(format!(
                "--adapter {} means several adapters, and this runs on one: give its index",
                self.adapter()
            ))),
            _ => Ok(engine),
        }
    }
}

/// How games of Go are scored.
#[derive(Debug, Args)]
pub struct EndingOptions {
    /// Take dead stones off the board at the end of a game of go: chains on points that the opponent has at the end of
    /// most playouts; with false the board is scored as it stands
    #[arg(long, value_name = "BOOL", default_value_t = true, action = ArgAction::Set)]
    pub dead_stones: bool,
}

/// How playouts choose their moves.
#[derive(Debug, Args)]
#[command(next_help_heading = SEARCH)]
pub struct PolicyOptions {
    /// The policy that playouts draw their moves by: random, or (connect4, go) tactical, or (go) pattern3x3, m2 or a
    /// FILE [default: random]
    ///
    /// random takes all candidates alike. In Connect 4, tactical wins at once where it can, else stops a line, and else
    /// drops no disc below a cell in which a line can be made. In Go the policies take a point in proportion to the
    /// rating of its neighbours, pattern3x3 of all eight, m2 of the twelve within Manhattan distance 2; tactical is
    /// pattern3x3 with more of what takes or saves stones or answers the last one. A FILE is a table of such ratings,
    /// as `mcts-wgpu learn-patterns` writes it; a file named as a policy is given with its folder, such as ./m2.
    #[arg(long)]
    policy: Option<String>,
}

impl PolicyOptions {
    /// The game with that policy.
    pub fn apply<G: Game>(&self, game: G) -> Result<G> {
        let Some(name) = self.policy.as_deref() else { return Ok(game) };
        Ok(with_policy(game, name)?)
    }
}

/// Settings of a search.
#[derive(Debug, Args)]
#[command(next_help_heading = SEARCH)]
pub struct SettingsOptions {
    #[command(flatten, next_help_heading = SEARCH)]
    settings: Settings,
    /// Settings from a file, TOML or (.json) JSON, as far as no option gives them
    #[arg(long, value_name = "FILE")]
    settings_file: Option<PathBuf>,
    /// Search as the original program does
    ///
    /// Draws count nothing, nothing is proven, left out or known before, one leaf a step, acp-prodigal, 8 x 128, C = 2.
    #[arg(long)]
    original: bool,
    /// The former --solver false
    #[arg(long, hide = true, conflicts_with = "solver")]
    no_proof: bool,
    /// The former --pruning false
    #[arg(long, hide = true, conflicts_with = "pruning")]
    no_pruning: bool,
}

impl SettingsOptions {
    /// The settings of the search that are given.
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

/// What a search is to do.
#[derive(Debug, Args)]
#[command(next_help_heading = SEARCH)]
pub struct SearchOptions {
    #[command(flatten)]
    settings: SettingsOptions,
    /// End after so many steps; the result is then the same on every machine
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// End after so many seconds [default: 5, unless --steps is given]
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
}

impl SearchOptions {
    /// The settings of the search that are given.
    pub fn settings(&self) -> Result<Settings> {
        self.settings.settings()
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
}

/// Says which settings of a search, or of a player, change nothing in a game.
pub fn tell_idle<G: Game>(whose: &str, idle: &[&str], game: &G) {
    if !idle.is_empty() {
        let (names, change) = (idle.join(" and "), if idle.len() == 1 { "changes" } else { "change" });
        notice(&format!("notice: {whose}{names} {change} nothing in {}", game.name()));
    }
}

/// The settings in a file.
fn settings_of(path: &Path) -> Result<Settings> {
    let text = read_text(path, LONGEST_SETTINGS)
        .map_err(|error| Failure::message(format!("{} can't be read: {error}", path.display())))?;
    let settings = match path.extension().is_some_and(|extension| extension == "json") {
        true => serde_json::from_str(&text).map_err(Failure::message),
        false => toml::from_str(&text).map_err(|error| at(&text, error.span(), error.message().trim())),
    };
    settings.map_err(|failure| failure.of(path.display()))
}

/// A positive number of seconds, as --time has it.
pub fn duration(seconds: f64) -> Result<Duration> {
    let time = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero());
    time.ok_or_else(|| Failure::message(format!("--time {seconds:?}: give a positive number of seconds")))
}
