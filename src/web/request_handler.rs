//! The requests of a page and their answers, as JSON.

use super::{
    Listener,
    live_game::{Limit, LiveGame},
};
use crate::{
    any_game::GameChoice,
    bench::{self, BenchReport, BenchSettings, Target},
    device::AdapterKind,
    engine::{Engine, EngineInfo},
    error::{Error, Result},
    forest::Settings,
    net::Network,
    search::time_of,
    verify::{self, VerifyReport},
};
use serde::{Deserialize, Serialize};
use std::{ops::ControlFlow, time::Duration};

/// A request.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase")]
enum Request {
    /// Opens an engine: `auto`, `gpu` or `cpu`. Answer: a [`Machine`].
    Open { adapter: String },
    /// Starts a new game on the engine. Answer: the board, as for the next two.
    Game {
        #[serde(flatten)]
        of: GameChoice,
        #[serde(default)]
        settings: Box<Settings>,
    },
    /// Takes an action of the player to move.
    Play { action: u32 },
    /// Takes back the last action.
    Undo,
    /// Searches the position. Progress and answer: a [`Progress`](super::live_game::Progress).
    Search(Limit),
    /// Runs all checks of `verify`, or some by name, in about this many seconds. Progress: a [`Stage`]; answer: the
    /// report.
    Verify {
        seconds: f64,
        #[serde(default)]
        filter: String,
    },
    /// Runs the quick cases of `mcts-wgpu bench`, or some by name, in runs of so many seconds. Progress as above;
    /// answer: a [`Measured`].
    Bench {
        seconds: f64,
        #[serde(default)]
        filter: String,
        #[serde(default)]
        seen: Seen,
    },
}

/// Names that only the page uses; an empty name has no effect.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Seen {
    adapter: String,
    system: String,
}

/// A result in the form of `bench --share`: a name for files, the Markdown, and the JSON.
#[derive(Debug, Serialize)]
struct Measured {
    name: String,
    markdown: String,
    report: BenchReport,
}

/// The opened engine.
#[derive(Debug, Serialize)]
struct Machine {
    version: &'static str,
    is_cpu: bool,
    is_software: bool,
    engine: EngineInfo,
    notices: Vec<String>,
}

/// The progress of checks or cases.
#[derive(Debug, Serialize)]
struct Stage<'a> {
    done: usize,
    of: usize,
    /// The next one.
    next: &'a str,
}

/// Handles the requests of a page; holds its engine and its game.
#[derive(Default)]
pub struct RequestHandler {
    engine: Option<Engine>,
    game: Option<LiveGame>,
}

impl RequestHandler {
    /// Handles a request; both request and answer are JSON.
    ///
    /// # Errors
    /// Bad input for an invalid request or one at the wrong time; errors of the work.
    pub async fn handle(&mut self, request: &str, listener: Listener<'_>) -> Result<String> {
        let request = serde_json::from_str(request)
            .map_err(|error| Error::invalid(format!("not a request: {error}: {request}")))?;
        match request {
            Request::Open { adapter } => written(&self.open(&adapter).await?),
            Request::Game { of, settings } => {
                self.game = None;
                self.game = Some(LiveGame::open(self.engine()?, of.open()?, *settings).await?);
                self.board()
            }
            Request::Play { action } => {
                self.game()?.play(action)?;
                self.board()
            }
            Request::Undo => {
                self.game()?.undo()?;
                self.board()
            }
            Request::Search(limit) => written(&self.game()?.search(limit, listener).await?),
            Request::Verify { seconds, filter } => written(&self.verify(seconds, filter, listener).await?),
            Request::Bench { seconds, filter, seen } => {
                written(&self.bench(seconds, filter, seen, listener).await?)
            }
        }
    }

    /// The networks of the library that a request needs, by name: the page has to load them first.
    pub fn networks(&self, request: &str) -> Vec<String> {
        let all = || Network::names().map(String::from).collect();
        match (serde_json::from_str(request), &self.engine) {
            (Ok(Request::Game { of, settings }), Some(engine)) => {
                let net = of.open().ok().and_then(|game| settings.net_on(&game, engine).map(String::from));
                net.into_iter().filter(|net| Network::names().any(|name| name == net)).collect()
            }
            // The searches by each of them.
            (Ok(Request::Verify { .. }), Some(_)) => all(),
            (Ok(Request::Bench { .. }), Some(engine)) if engine.kind() != AdapterKind::Software => all(),
            _ => Vec::new(),
        }
    }

    async fn open(&mut self, adapter: &str) -> Result<Machine> {
        (self.engine, self.game) = (None, None);
        let engine = match adapter {
            // Also a software adapter, which `auto` does not open.
            "gpu" => Engine::open_async("all", None).await?,
            "auto" | "cpu" => Engine::open_async(adapter, None).await?,
            other => {
                return Err(Error::invalid(format!("unknown engine '{other}': choose auto, gpu or cpu")));
            }
        };
        if adapter == "gpu" && engine.is_cpu() {
            let notices = engine.notices().join("; ");
            return Err(Error::no_adapter(format!("no GPU is available here: choose the CPU. {notices}")));
        }
        let machine = Machine {
            version: env!("CARGO_PKG_VERSION"),
            is_cpu: engine.is_cpu(),
            is_software: engine.kind() == AdapterKind::Software,
            engine: engine.info(),
            notices: engine.notices(),
        };
        self.engine = Some(engine);
        Ok(machine)
    }

    async fn verify(&self, seconds: f64, filter: String, listener: Listener<'_>) -> Result<VerifyReport> {
        let settings = verify::VerifySettings { filter, time: Some(duration(seconds)?) };
        let report = verify::run_async(self.engine()?, &settings, |progress| {
            let next = format!("{}: {}", progress.check, progress.case);
            report_progress(listener, &next, (progress.done, progress.of))
        });
        let report = report.await?;
        if report.interrupted { Err(stopped()) } else { Ok(report) }
    }

    async fn bench(
        &self,
        seconds: f64,
        filter: String,
        seen: Seen,
        listener: Listener<'_>,
    ) -> Result<Measured> {
        let settings = BenchSettings { seconds: duration(seconds)?, filter, ..BenchSettings::quick() };
        let targets = [match self.engine()?.devices() {
            Some(devices) => Target::Devices(devices.to_vec()),
            None => Target::Cpu,
        }];
        let mut last_done = None;
        let report = bench::run_async(&targets, &settings, |progress| {
            if last_done.replace(progress.done) == Some(progress.done) {
                return listener(None);
            }
            report_progress(listener, &progress.case.name, (progress.done, progress.of))
        });
        let mut report = report.await?;
        if report.interrupted {
            return Err(stopped());
        }
        let fields = report.machines.iter_mut().flat_map(|machine| {
            [(&mut machine.adapter, &seen.adapter), (&mut machine.system.os, &seen.system)]
        });
        fields.filter(|(_, seen)| !seen.is_empty()).for_each(|(field, seen)| field.clone_from(seen));
        Ok(Measured { name: report.file_name(), markdown: report.markdown(), report })
    }

    fn engine(&self) -> Result<&Engine> {
        self.engine.as_ref().ok_or_else(|| Error::invalid("no engine: open one first"))
    }

    fn game(&mut self) -> Result<&mut LiveGame> {
        self.game.as_mut().ok_or_else(|| Error::invalid("no game: start one first"))
    }

    fn board(&mut self) -> Result<String> {
        written(&self.game()?.board())
    }
}

fn duration(seconds: f64) -> Result<Duration> {
    time_of(seconds).ok_or_else(|| Error::invalid(format!("{seconds} seconds: give a positive number")))
}

/// Reports the progress; breaks to end the work.
fn report_progress(listener: Listener<'_>, next: &str, (done, of): (usize, usize)) -> ControlFlow<()> {
    written(&Stage { done, of, next }).map_or(ControlFlow::Break(()), |stage| listener(Some(stage)))
}

fn stopped() -> Error {
    Error::invalid("stopped")
}

fn written(answer: &impl Serialize) -> Result<String> {
    serde_json::to_string(answer).map_err(|error| Error::invalid(format!("no JSON: {error}")))
}
