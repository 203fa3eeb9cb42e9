//! Opens players from their texts.

use super::{
    Contestant, Host, RandomPlayer, Searcher, Stop, Vanilla, VanillaConfig,
    ending::Resignation,
    spec::{Kind, Spec},
    split::split_player,
};
use crate::{
    error::{Error, Result},
    forest::Settings,
    rules::{Game, with_policy},
};

impl Spec {
    /// Opens the player for a game.
    ///
    /// # Errors
    /// Bad input if it can't play the game; no adapter; shader; device lost. The message begins with the text of the
    /// player.
    pub fn open<G: Game>(&self, game: &G, host: &impl Host) -> Result<Box<dyn Contestant<G>>> {
        self.open_kind(game, host).map_err(|error| error.of(format!("player '{self}'")))
    }

    fn open_kind<G: Game>(&self, game: &G, host: &impl Host) -> Result<Box<dyn Contestant<G>>> {
        Ok(match self.kind() {
            Kind::Random { seed } => Box::new(RandomPlayer::new(*seed)),
            Kind::Vanilla { config, policy } => {
                Box::new(open_vanilla(game, (config, policy.as_deref()), host.stop())?)
            }
            Kind::Search { .. } => Box::new(self.open_search(game, host, |_| {})?),
            Kind::Split { limit, adapter } => {
                let engine = host.engine(adapter.as_deref())?;
                split_player((&engine, game), *limit, host.stop())?
            }
            Kind::External(external) => host.external(external, game)?,
        })
    }

    /// Opens the search with its settings as `choose` changes them.
    pub(super) fn open_search<G: Game>(
        &self,
        game: &G,
        host: &impl Host,
        choose: impl FnOnce(&mut Settings),
    ) -> Result<Searcher<G>> {
        let Kind::Search { settings, budget, adapter, resign } = self.kind() else {
            return Err(Error::invalid("the player is no search on an engine"));
        };
        let game = &settings.with_policy(game.clone())?;
        let mut settings = (**settings).clone();
        let given = settings.clone();
        choose(&mut settings);
        if settings != given {
            // The policy set above, or the game's own: other sizes have another default.
            settings.policy = Some(game.policy()).filter(|policy| game.policies().contains(&policy.as_str()));
        }
        let engine = host.engine(adapter.as_deref())?;
        let resignation = resign.map_or_else(|| Resignation::usual(game), Resignation::below);
        let player = Searcher::new((engine, game.clone()), settings, *budget, host.stop())?;
        Ok(player.with_resignation(resignation))
    }

    /// Names of the settings given here that have no effect in this game.
    pub fn idle<G: Game>(&self, game: &G) -> Vec<&'static str> {
        match self.kind() {
            Kind::Search { settings, .. } => settings.idle(game),
            _ => Vec::new(),
        }
    }

    /// Checks, without an engine, that the player can play a game.
    ///
    /// # Errors
    /// The errors of [`open`](Self::open) that can be found without an engine.
    pub fn check<G: Game>(&self, game: &G) -> Result<()> {
        let checked = match self.kind() {
            Kind::Vanilla { config, policy } => {
                open_vanilla(game, (config, policy.as_deref()), Stop::default()).map(drop)
            }
            Kind::Search { settings, .. } => settings.check(game, 1),
            _ => Ok(()),
        };
        checked.map_err(|error| error.of(format!("player '{self}'")))
    }
}

/// Vanilla MCTS with a policy of its own, or that of the game.
pub(super) fn open_vanilla<G: Game>(
    game: &G,
    (config, policy): (&VanillaConfig, Option<&str>),
    stop: Stop,
) -> Result<Vanilla<G>> {
    let game = policy.map_or_else(|| Ok(game.clone()), |policy| with_policy(game.clone(), policy))?;
    Vanilla::new(game, config.clone(), stop)
}
