//! The networks that the crate includes, trained as described in `games/nets/README.md`.

use super::Network;
use crate::error::Result;
use mcts_wgpu_nets::NAMES;
use std::path::Path;

#[cfg(not(all(target_arch = "wasm32", feature = "web")))]
mod files {
    use super::{Network, Result};
    use mcts_wgpu_nets::FILES;

    pub fn parse(place: usize, name: &str) -> Result<Network> {
        Network::parse(name, FILES[place])
    }
}

/// The page's module does not contain the networks: they would be a third of its size, and few searches need them.
#[cfg(all(target_arch = "wasm32", feature = "web"))]
mod files {
    use super::{NAMES, Network, Result};
    use crate::error::Error;
    use std::sync::OnceLock;

    static FILES: [OnceLock<Vec<u8>>; NAMES.len()] = [const { OnceLock::new() }; NAMES.len()];

    pub fn parse(place: usize, name: &str) -> Result<Network> {
        let bytes = FILES[place].get();
        let missing = || Error::invalid(format!("the network {name} is not loaded: reload the page"));
        Network::parse(name, bytes.ok_or_else(missing)?)
    }

    impl Network {
        /// Sets the file of an [included network](Self::names).
        pub(crate) fn provide(name: &str, bytes: Vec<u8>) {
            if let Some(place) = NAMES.iter().position(|own| *own == name) {
                FILES[place].set(bytes).ok();
            }
        }
    }
}

impl Network {
    /// Names of the included networks: those of their games.
    ///
    /// ```
    /// use mcts_wgpu::{Budget, Engine, Position, Search, Settings, games::Connect4};
    /// let game = Connect4::default();
    /// let settings = Settings { net: Some("connect4".into()), ..Settings::default() };
    /// let mut search = Search::new(&Engine::cpu(), game.clone(), settings)?;
    /// let report = search.run(&Position::start(&game), Budget::steps(10))?;
    /// assert_eq!(report.net.as_deref(), Some("connect4"));
    /// # Ok::<(), mcts_wgpu::Error>(())
    /// ```
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.into_iter()
    }

    /// The included network with this name, else that of a file. Give a file with the name of a network with its
    /// folder, such as `./connect4`.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn named_or_read(text: &str) -> Result<Self> {
        match NAMES.iter().position(|name| *name == text) {
            Some(place) => files::parse(place, text),
            None => Self::read(Path::new(text)),
        }
    }
}
