//! The environment of players: engines, programs, network files, and the flag that stops games.

use super::{Contestant, spec::External};
use crate::{engine::Engine, error::Result, rules::Game};
use std::{
    fmt::{self, Debug, Formatter},
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// The environment in which players are opened.
pub trait Host: Sync {
    /// The engine on a named adapter, or on the default one. Players on the same adapter should share an engine, which
    /// keeps the compiled kernels.
    ///
    /// # Errors
    /// No adapter.
    fn engine(&self, adapter: Option<&str>) -> Result<Engine>;

    /// A player that runs as another program.
    ///
    /// # Errors
    /// The program can't be started, or does not play this game.
    fn external<G: Game>(&self, external: &External, game: &G) -> Result<Box<dyn Contestant<G>>>;

    /// The path of the network file with this digest, for games that are searched again where the file has another
    /// path.
    fn network(&self, _digest: &str) -> Option<String> {
        None
    }

    /// The flag that stops the games in progress.
    fn stop(&self) -> Stop;
}

/// A flag that stops games in progress; players poll it while they search. Clones share the flag.
#[derive(Clone)]
pub struct Stop {
    set: Arc<AtomicBool>,
    also: Arc<dyn Fn() -> bool + Send + Sync>,
}

impl Stop {
    /// A flag that is also set once `also` returns true, for instance after a Ctrl-C.
    pub fn when(also: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { set: Arc::default(), also: Arc::new(also) }
    }

    /// Stops the games.
    pub fn set(&self) {
        self.set.store(true, Ordering::Relaxed);
    }

    /// Whether the games are to stop.
    pub fn is_set(&self) -> bool {
        self.set.load(Ordering::Relaxed) || (self.also)()
    }

    /// Ends a search once the games are to stop.
    pub(super) fn flow(&self) -> ControlFlow<()> {
        if self.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// A flag that only [`set`](Self::set) sets.
impl Default for Stop {
    fn default() -> Self {
        Self::when(|| false)
    }
}

impl Debug for Stop {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stop").field("is_set", &self.is_set()).finish()
    }
}
