//! From the text of a player to the player.

use super::{
    Contestant, Host, RandomPlayer, Searcher, Vanilla,
    ending::Resignation,
    spec::{Kind, Spec},
    split::split_player,
};
use crate::{
    error::{Error, Result},
    rules::Game,
    search::Choices,
};
use std::path::Path;

impl Spec {
    /// The player that it means, for a game.
    ///
    /// # Errors
    /// Bad input where it can't play the game; no adapter; shader; device lost. The message begins with the text of
    /// the player.
    pub fn open<G: Game>(&self, game: &G, host: &impl Host) -> Result<Box<dyn Contestant<G>>> {
        self.open_kind(game, host).map_err(|error| error.of(format!("player '{self}'")))
    }

    fn open_kind<G: Game>(&self, game: &G, host: &impl Host) -> Result<Box<dyn Contestant<G>>> {
        Ok(match self.kind() {
            Kind::Random { seed } => Box::new(RandomPlayer::new(self.text(), *seed)),
            Kind::Vanilla { .. } => Box::new(self.open_vanilla(game, host)?),
            Kind::Search { .. } => Box::new(self.open_search(game, host)?),
            Kind::Split { limit, adapter } => {
                let engine = host.engine(adapter.as_deref())?;
                split_player(self.text(), (&engine, game), *limit, host.stop())?
            }
            Kind::External(external) => host.external(external, game)?,
        })
    }

    /// The vanilla player that it means.
    pub(super) fn open_vanilla<G: Game>(&self, game: &G, host: &impl Host) -> Result<Vanilla<G>> {
        let Kind::Vanilla { config, policy } = self.kind() else { return Err(other_kind()) };
        let game = with_policy(game, policy.as_deref())?;
        Vanilla::new(self.text(), game, config.clone(), host.stop())
    }

    /// The search that it means.
    pub(super) fn open_search<G: Game>(&self, game: &G, host: &impl Host) -> Result<Searcher<G>> {
        self.open_chosen(game, host, |_| {})
    }

    /// The same with other choices.
    pub(super) fn open_chosen<G: Game>(
        &self,
        game: &G,
        host: &impl Host,
        choose: impl FnOnce(&mut Choices),
    ) -> Result<Searcher<G>> {
        let Kind::Search { choices, budget, policy, adapter, resign } = self.kind() else {
            return Err(other_kind());
        };
        let game = searched(game, policy.as_deref(), choices)?;
        let mut choices = (**choices).clone();
        choose(&mut choices);
        let engine = host.engine(adapter.as_deref())?;
        let resignation = resign.map_or_else(|| Resignation::usual(&game), Resignation::below);
        let config = choices.config(&game, &engine);
        let player = Searcher::new(self.text(), (engine, game), config, *budget, host.stop())?;
        Ok(player.with_resignation(resignation))
    }

    /// Which of its settings change nothing in this game?
    pub fn idle<G: Game>(&self, game: &G) -> Vec<&'static str> {
        match self.kind() {
            Kind::Search { choices, .. } => choices.idle(game),
            _ => Vec::new(),
        }
    }

    /// Checks, without an engine, that it can play a game.
    ///
    /// # Errors
    /// As those of [`open`](Self::open) that need no engine.
    pub fn check<G: Game>(&self, game: &G) -> Result<()> {
        let checked = match self.kind() {
            Kind::Vanilla { config, policy } => with_policy(game, policy.as_deref())
                .and_then(|game| Vanilla::new("", game, config.clone(), Default::default()))
                .map(|_| ()),
            Kind::Search { choices, policy, .. } => {
                searched(game, policy.as_deref(), choices).and_then(|game| choices.check(&game, 1))
            }
            _ => Ok(()),
        };
        checked.map_err(|error| error.of(format!("player '{self}'")))
    }
}

fn other_kind() -> Error {
    Error::invalid("the player is of another kind")
}

/// The game as a search plays it.
fn searched<G: Game>(game: &G, policy: Option<&str>, choices: &Choices) -> Result<G> {
    if policy.is_none() { choices.tuned(game.clone()) } else { with_policy(game, policy) }
}

/// The game with a policy of its own, or one from a file.
fn with_policy<G: Game>(game: &G, policy: Option<&str>) -> Result<G> {
    let game = game.clone();
    match policy {
        None => Ok(game),
        Some(name) if !game.policies().contains(&name) && Path::new(name).exists() => {
            game.with_policy_file(Path::new(name))
        }
        Some(name) => game.with_policy(name),
    }
}
