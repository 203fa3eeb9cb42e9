//! What players are opened with, and what ends their games early.

use super::{Contestant, spec::External};
use crate::{engine::Engine, error::Result, rules::Game};
use std::{
    fmt::{self, Debug, Formatter},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// What gives players their engines.
pub trait Host: Sync {
    /// The engine of a player that names an adapter, or none. Players of one adapter should share its devices, which
    /// keep the compiled kernels.
    ///
    /// # Errors
    /// No adapter.
    fn engine(&self, adapter: Option<&str>) -> Result<Engine>;

    /// A player that is a program of its own.
    ///
    /// # Errors
    /// Where it can't be started, or does not play this game.
    fn external<G: Game>(&self, external: &External, game: &G) -> Result<Box<dyn Contestant<G>>>;

    /// The file of the network with this digest, where a game that is searched again had it elsewhere.
    fn network(&self, _digest: &str) -> Option<String> {
        None
    }

    /// What ends the games under way.
    fn stop(&self) -> Stop;
}

/// Ends games under way: players look at it while they think. Clones mean the same games.
#[derive(Clone)]
pub struct Stop {
    set: Arc<AtomicBool>,
    also: Arc<dyn Fn() -> bool + Send + Sync>,
}

impl Stop {
    /// Games end once `also` says so, such as after a Ctrl-C.
    pub fn when(also: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { set: Arc::default(), also: Arc::new(also) }
    }

    /// Ends the games.
    pub fn set(&self) {
        self.set.store(true, Ordering::Relaxed);
    }

    /// Are the games to end?
    pub fn is_set(&self) -> bool {
        self.set.load(Ordering::Relaxed) || (self.also)()
    }
}

/// Nothing but [`set`](Self::set) ends the games.
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
