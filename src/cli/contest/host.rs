//! Engines and programs for players.

use crate::{
    cli::{failure::Failure, options::EngineOptions, signals},
    contest::{Contestant, External, Host, Protocol, Stop},
    engine::Engine,
    error::{Error, Result},
    host::locked,
    net::Network,
    protocols::{ExternalGomocup, ExternalGtp},
    rules::Game,
};
use std::{collections::HashMap, sync::Mutex};

/// The host of players in this program. Players with the same adapter share its engine.
pub struct PlayerHost {
    /// The options, and engines by their adapters.
    opened: Mutex<(EngineOptions, HashMap<String, Engine>)>,
    /// Files of networks by digest, for games that are searched again. All players then use the adapter of the options.
    networks: Option<HashMap<String, String>>,
    stop: Stop,
}

impl PlayerHost {
    /// Players without an adapter of their own use that of the options.
    pub fn new(options: &EngineOptions) -> Self {
        let opened = Mutex::new((options.with_adapter(None), HashMap::new()));
        Self { opened, networks: None, stop: Stop::when(|| signals::arrived().is_some()) }
    }

    /// All players use the adapter of the options, and read networks from these files, by digest.
    pub fn to_replay(options: &EngineOptions, networks: &[String]) -> Result<Self> {
        let network = |file: &String| {
            let digest = Network::named_or_read(file)?.digest();
            Ok((format!("{digest:016x}"), file.clone()))
        };
        let networks = networks.iter().map(network).collect::<Result<_>>()?;
        Ok(Self { networks: Some(networks), ..Self::new(options) })
    }
}

impl Host for PlayerHost {
    fn engine(&self, adapter: Option<&str>) -> Result<Engine> {
        let (of_program, engines) = &mut *locked(&self.opened);
        let options = of_program.with_adapter(adapter.filter(|_| self.networks.is_none()));
        if let Some(engine) = engines.get(&options.adapter()) {
            return Ok(engine.clone());
        }
        let engine = options.open().map_err(|failure| match failure {
            Failure::Message(message) => Error::invalid(message),
            Failure::Check | Failure::Elsewhere | Failure::OutputClosed => {
                Error::invalid("the engine can't be opened")
            }
        })?;
        engines.insert(options.adapter(), engine.clone());
        Ok(engine)
    }

    fn external<G: Game>(&self, external: &External, _game: &G) -> Result<Box<dyn Contestant<G>>> {
        let command = external.command.as_str();
        match external.protocol {
            Protocol::Gtp => Ok(Box::new(ExternalGtp::new(command, None).with_stop(self.stop()))),
            Protocol::Gomocup => Ok(Box::new(ExternalGomocup::new(command, None).with_stop(self.stop()))),
        }
    }

    fn network(&self, digest: &str) -> Option<String> {
        self.networks.as_ref()?.get(digest).cloned()
    }

    fn stop(&self) -> Stop {
        self.stop.clone()
    }
}
