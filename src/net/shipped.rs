//! Networks that come with the crate, trained as described in `games/nets/README.md`.

use super::Network;
use crate::error::Result;
use mcts_wgpu_nets::NETWORKS;
use std::path::Path;

impl Network {
    /// Names of the networks that come with the crate.
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
        NETWORKS.iter().map(|(name, _)| *name)
    }

    /// The network with this name, or of a file. A file with the name of a network is given with its folder, such as
    /// ./connect4.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn named_or_read(text: &str) -> Result<Self> {
        match NETWORKS.iter().find(|(name, _)| *name == text) {
            Some((name, bytes)) => Self::parse(name, bytes),
            None => Self::read(Path::new(text)),
        }
    }
}
