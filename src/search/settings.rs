//! Settings resolved for a game and an engine.

use super::Search;
use crate::{
    device::AdapterKind,
    engine::Engine,
    error::{Error, Result},
    forest::{Config, Schedule, Settings, Variant},
    net::{HostEvaluation, LeafEvaluation, Network, Sizes, Trunk},
    rules::{Game, Planes, RANDOM_POLICY, SearchDefaults, planes_of, with_policy},
};
use std::sync::Arc;

/// The value of `net` for no network.
const NO_NET: &str = "none";

impl Settings {
    /// The config of a search of this game on this engine; [`with_net`](Self::with_net) gives the engine its network
    /// beforehand. The defaults depend on the settings that are given.
    pub fn resolve<G: Game>(&self, game: &G, engine: &Engine) -> Config {
        let evaluated = engine.network().is_some() || engine.evaluator().is_some();
        self.resolve_for(engine.kind(), game, evaluated)
    }

    /// [`resolve`](Self::resolve) for one adapter of this kind.
    pub(crate) fn resolve_on<G: Game>(&self, kind: AdapterKind, game: &G) -> Config {
        self.resolve_for(kind, game, self.net_on_kind(game, kind).is_some())
    }

    /// [`resolve`](Self::resolve) for a kind of adapter; `evaluated`: a network or an evaluator replaces playouts.
    pub(crate) fn resolve_for<G: Game>(&self, kind: AdapterKind, game: &G, evaluated: bool) -> Config {
        suited(self.filled(kind, &game.search_defaults(), evaluated), game)
    }

    fn filled(&self, kind: AdapterKind, defaults: &SearchDefaults, evaluated: bool) -> Config {
        match evaluated {
            true => {
                Config { playouts: 1, prior_visits: 0, rave: 0, ..self.fill(evaluated_usual(kind, defaults)) }
            }
            // Settings of networks have no effect, and are reported as idle.
            false => {
                let config = self.fill(self.usual(kind, defaults));
                Config { root_noise: 0.0, gumbel: 0, playout_weight: 0.0, ..config }
            }
        }
    }

    /// The name or the file of the given network.
    fn net_name(&self) -> Option<&str> {
        self.net.as_deref().filter(|&net| net != NO_NET)
    }

    /// The name or the file of the network of a search; `None` for playouts, or for the network or the evaluator that
    /// the engine has. The game's own network is the default on one adapter: its search has one tree.
    pub(crate) fn net_on<G: Game>(&self, game: &G, engine: &Engine) -> Option<&str> {
        let has_own = engine.network().is_some() || engine.evaluator().is_some();
        let is_one = engine.ranks().is_alone() && engine.devices().is_none_or(|devices| devices.len() == 1);
        if self.net.is_none() && (has_own || !is_one) {
            return None;
        }
        self.net_on_kind(game, engine.kind())
    }

    /// As [`net_on`](Self::net_on), on one adapter of this kind. Software adapters evaluate networks so slowly that
    /// playouts win at equal time.
    pub(crate) fn net_on_kind<G: Game>(&self, game: &G, kind: AdapterKind) -> Option<&str> {
        let by_playouts = self.are_sizes_by_hand()
            || self.policy.is_some()
            || self.prior_visits.or(self.rave).is_some()
            || kind == AdapterKind::Software;
        match &self.net {
            Some(_) => self.net_name(),
            None => game.search_defaults().net.filter(|_| !by_playouts),
        }
    }

    /// The engine with the network of a search of this game: the given one, none if `net` is "none", or by default the
    /// engine's own one, else the game's ([`SearchDefaults::net`]).
    ///
    /// # Errors
    /// Bad input for an unknown network.
    pub fn with_net<G: Game>(&self, game: &G, engine: Engine) -> Result<Engine> {
        let engine = match self.net_kernel {
            Some(kernel) => engine.with_net_kernel(kernel),
            None => engine,
        };
        match self.net_on(game, &engine).map(Network::named_or_read).transpose()? {
            None if self.net.is_none() => Ok(engine),
            net => Ok(engine.with_network(net.map(Arc::new))),
        }
    }

    /// The defaults of settings that are not given.
    fn usual(&self, kind: AdapterKind, defaults: &SearchDefaults) -> Config {
        let &SearchDefaults { ucb_c, rave, .. } = defaults;
        let paper = Config { ucb_c, ..Config::paper() };
        if self.are_sizes_by_hand() {
            return paper;
        }
        let config = Config { variant: Variant::OCP_PRODIGAL, rave, ..paper };
        if is_cpu(kind) {
            // Few trees, since a few cores make few playouts.
            let &SearchDefaults { cpu_playouts, cpu_leaf_batch, cpu_prior_visits, .. } = defaults;
            let config = Config { trees: 4, playouts: cpu_playouts, leaf_batch: cpu_leaf_batch, ..config };
            return Config { prior_visits: cpu_prior_visits, ..config };
        }
        let &SearchDefaults { trees, playouts, prior_visits, .. } = defaults;
        let leaf_batch = self.leaf_batch.unwrap_or(defaults.leaf_batch);
        let config = Config { trees, playouts, leaf_batch, ..config };
        // Steps of one leaf are fused, and have neither priors nor rapid action values.
        if leaf_batch > 1 { Config { prior_visits, ..config } } else { Config { rave: 0, ..config } }
    }

    /// Trees and playouts, if the settings determine them for every game and engine.
    pub fn trees_and_playouts(&self) -> Option<(u32, u32)> {
        let Config { trees, playouts, .. } = self.fill(Config::paper());
        self.are_sizes_by_hand().then_some((trees, playouts))
    }

    /// Whether sizes that are not given are those of the paper.
    fn are_sizes_by_hand(&self) -> bool {
        self.variant.is_some()
            || self.trees.or(self.playouts).is_some()
            || self.schedule == Some(Schedule::Fused)
    }

    /// The game with the given policy, else with its default policy. The default is not used if given sizes do not suit
    /// it ([`SearchDefaults::policy_suits_all_sizes`]), or if the game has another policy already.
    ///
    /// # Errors
    /// Bad input for a policy that the game does not have.
    pub fn with_policy<G: Game>(&self, game: G) -> Result<G> {
        if let Some(policy) = &self.policy {
            return with_policy(game, policy);
        }
        let SearchDefaults { policy, policy_suits_all_sizes, .. } = game.search_defaults();
        let suits = policy_suits_all_sizes || !self.are_sizes_by_hand();
        if suits && game.policy() == RANDOM_POLICY { game.with_policy(policy) } else { Ok(game) }
    }

    /// Checks all settings.
    ///
    /// # Errors
    /// Bad input, naming the setting and its range.
    pub fn validate(&self) -> Result<()> {
        self.check_ranges()?;
        let evaluated = self.net_name().is_some();
        self.filled(AdapterKind::Cpu, &SearchDefaults::default(), evaluated).validate()
    }

    /// Checks the ranges of given settings, including idle ones.
    pub(super) fn check_ranges(&self) -> Result<()> {
        self.fill(Config::paper()).check_ranges()
    }

    /// Checks, without an engine, that the settings are valid for a search of this game with `positions` positions side
    /// by side on the CPU engine or on a GPU. [`Search::new`] checks sizes that are valid on one of them only.
    ///
    /// # Errors
    /// Bad input, naming the setting and its range.
    pub fn check<G: Game>(&self, game: &G, positions: u32) -> Result<()> {
        self.with_policy(game.clone())?;
        let check = |kind| {
            let config = self.resolve_on(kind, game);
            if let Some(net) = self.net_on_kind(game, kind).map(Network::named_or_read).transpose()? {
                check_net(game, &net).and_then(|()| check_evaluated(&config))?;
            }
            Search::check(game, &config, positions)
        };
        check(AdapterKind::Cpu).or_else(|error| check(AdapterKind::Discrete).map_err(|_| error))
    }

    /// Names of settings without effect in this game.
    ///
    /// ```
    /// use mcts_wgpu::{Settings, games::{Go, Othello}};
    /// let settings = Settings { rave: Some(1000), ..Settings::default() };
    /// assert_eq!(settings.idle(&Othello), ["rave"]);
    /// assert!(settings.idle(&Go::new(9, 7.5)?).is_empty());
    /// # Ok::<(), mcts_wgpu::Error>(())
    /// ```
    pub fn idle<G: Game>(&self, game: &G) -> Vec<&'static str> {
        let rave = self.rave.is_some_and(|rave| rave > 0) && game.first_words() == 0;
        let pruning = self.pruning == Some(true) && !game.shader().has_urgency;
        let evaluated = self.net_on_kind(game, AdapterKind::Cpu).is_some();
        let playouts = evaluated && self.playouts.is_some_and(|playouts| playouts > 1);
        let prior_visits = evaluated && self.prior_visits.is_some_and(|visits| visits > 0);
        let plays = self.playout_weight.is_some_and(|weight| weight > 0.0);
        let policy = evaluated && self.policy.is_some() && !plays;
        let rave = rave || evaluated && self.rave.is_some_and(|rave| rave > 0);
        let root_noise = !evaluated && self.root_noise.is_some_and(|noise| noise > 0.0);
        let considers = self.gumbel.is_some_and(|moves| moves > 0);
        let usual = Config::paper().gumbel_visits;
        let gumbel_visits =
            self.gumbel_visits.is_some_and(|visits| visits != usual) && !(evaluated && considers);
        let playout_weight = !evaluated && plays;
        let all = [
            ("playouts", playouts),
            ("prior_visits", prior_visits),
            ("policy", policy),
            ("root_noise", root_noise),
            ("gumbel", considers && !evaluated),
            ("gumbel_visits", gumbel_visits),
            ("playout_weight", playout_weight),
            ("net_kernel", self.net_kernel.is_some() && !evaluated),
        ];
        let named =
            [("rave", rave), ("pruning", pruning)].into_iter().chain(all).filter(|(_, is_idle)| *is_idle);
        named.map(|(name, _)| name).collect()
    }
}

/// The config without settings that have no effect in the game.
pub(super) fn suited<G: Game>(config: Config, game: &G) -> Config {
    let rave = if game.first_words() > 0 { config.rave } else { 0 };
    Config { rave, pruning: config.pruning && game.shader().has_urgency, ..config }
}

/// The defaults with a network. It has one tree: several trees of a position would be equal.
fn evaluated_usual(kind: AdapterKind, defaults: &SearchDefaults) -> Config {
    let leaf_batch = if is_cpu(kind) { 8 } else { 128 };
    Config {
        variant: Variant::OCP_PRODIGAL,
        trees: 1,
        playouts: 1,
        leaf_batch,
        ucb_c: defaults.net_ucb_c,
        ..Config::paper()
    }
}

impl Sizes {
    /// The sizes of a network for a game with this many blocks and channels. Its policy head has two channels, its
    /// value head one channel and 32 hidden values.
    ///
    /// ```
    /// use mcts_wgpu::{Network, games::Othello, net::{Sizes, Trunk}};
    /// let sizes = Sizes::of_game(&Othello, Trunk::Conv, 2, 32)?;
    /// assert_eq!((sizes.rows, sizes.planes, sizes.actions), (8, 5, 65));
    /// let file = Network::random(sizes, 1)?.to_bytes();
    /// assert_eq!(Network::parse("othello", &file)?.sizes().game, "othello");
    /// # Ok::<(), mcts_wgpu::Error>(())
    /// ```
    ///
    /// # Errors
    /// Bad input for a game without planes.
    pub fn of_game<G: Game>(game: &G, trunk: Trunk, blocks: u32, channels: u32) -> Result<Self> {
        let Planes { rows, columns, count } = planes_of(game)?;
        Ok(Self {
            game: game.name().into(),
            rows,
            columns,
            planes: count,
            actions: game.max_actions(),
            trunk,
            blocks,
            channels,
            policy_channels: 2,
            value_channels: 1,
            value_hidden: 32,
        })
    }
}

/// The network or evaluator of the leaves of a search; `None` for playouts.
pub(super) fn evaluation_of<G: Game>(
    game: &G,
    config: &Config,
    engine: &Engine,
) -> Result<Option<LeafEvaluation>> {
    let evaluation = match (engine.network(), engine.evaluator()) {
        (None, None) => return Ok(None),
        (Some(net), _) => {
            check_net(game, net)?;
            LeafEvaluation::Network(net.clone(), engine.net_kernel())
        }
        (None, Some(evaluator)) => {
            if !engine.ranks().is_alone() || engine.has_several_devices() {
                return Err(Error::invalid(
                    "an evaluator needs one adapter or the CPU engine, and no ranks: name one adapter",
                ));
            }
            let shape = planes_of(game).map(|Planes { rows, columns, count }| [count, rows, columns])?;
            let (shape, actions) = (shape.map(|size| size as usize), game.max_actions() as usize);
            LeafEvaluation::Evaluator(HostEvaluation { evaluator: evaluator.clone(), shape, actions })
        }
    };
    check_evaluated(config)?;
    Ok(Some(evaluation))
}

/// Checks that a network fits the game.
fn check_net<G: Game>(game: &G, net: &Network) -> Result<()> {
    let Planes { rows, columns, count } = planes_of(game)?;
    net.check(game.name(), rows, columns, count, game.max_actions())
}

/// Checks the settings of a search with a network or an evaluator.
fn check_evaluated(config: &Config) -> Result<()> {
    let bad = |what: &str| Err(Error::invalid(format!("with a network or an evaluator, {what}")));
    if config.variant.all_children {
        return bad("choose ocp-prodigal or ocp-thrifty");
    }
    if config.playouts > 1 || config.prior_visits > 0 || config.rave > 0 {
        return bad("give 1 playout, 0 prior visits and rave 0");
    }
    if config.schedule == Schedule::Fused {
        return bad("choose the staged schedule");
    }
    Ok(())
}

/// Whether this is the CPU engine or a software adapter.
fn is_cpu(kind: AdapterKind) -> bool {
    matches!(kind, AdapterKind::Cpu | AdapterKind::Software)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Go;

    #[test]
    fn one_tree_with_a_network_is_the_default_where_it_wins() {
        let [small, go] = [5, 9].map(|size| Go::new(size, 7.5).expect("a board"));
        let none = Settings::default();
        for (kind, leaf_batch) in [(AdapterKind::Discrete, 128), (AdapterKind::Cpu, 8)] {
            let found = none.resolve_on(kind, &go);
            assert_eq!(none.net_on_kind(&go, kind), Some("go"));
            assert_eq!((found.trees, found.leaf_batch, found.ucb_c), (1, leaf_batch, 1.0));
        }
        let kind = AdapterKind::Discrete;
        for settings in [
            Settings { net: Some("none".into()), ..none.clone() },
            Settings { playouts: Some(8), ..none.clone() },
            Settings { policy: Some("m2".into()), ..none.clone() },
            Settings { prior_visits: Some(0), ..none.clone() },
            Settings { rave: Some(0), ..none.clone() },
            Settings::original(),
        ] {
            assert_eq!(settings.net_on_kind(&go, kind), None, "{settings:?}");
        }
        assert_eq!(none.net_on_kind(&go, AdapterKind::Software), None);
        let far = Go::new(9, 0.5).expect("a board");
        assert_eq!([&small, &far].map(|game| none.net_on_kind(game, kind)), [None; 2]);
    }

    #[test]
    fn leaf_batches_of_a_gpu_have_more_playouts_and_priors() {
        let go = Go::new(9, 7.5).expect("a board");
        let of = |settings: Settings, kind| {
            let found = settings.resolve_on(kind, &go);
            (found.trees, found.playouts, found.leaf_batch, found.prior_visits, found.rave)
        };
        let none = Settings { net: Some(NO_NET.into()), ..Settings::default() };
        assert_eq!(of(none.clone(), AdapterKind::Discrete), (16, 8, 64, 96, 1000));
        assert_eq!(of(none.clone(), AdapterKind::Software), (4, 1, 8, 48, 1000));
        // A leaf batch of 1 can be given or a default.
        let one = Settings { leaf_batch: Some(1), ..none };
        assert_eq!(of(one.clone(), AdapterKind::Integrated), (16, 8, 1, 0, 0));
        assert_eq!(of(one.clone(), AdapterKind::Cpu), (4, 1, 1, 48, 1000));
        assert_eq!(of(Settings { prior_visits: Some(5), ..one }, AdapterKind::Discrete), (16, 8, 1, 5, 0));
        let gpu = SearchDefaults { leaf_batch: 1, ..go.search_defaults() };
        let of_one = Settings::default().usual(AdapterKind::Discrete, &gpu);
        assert_eq!((of_one.leaf_batch, of_one.prior_visits, of_one.rave), (1, 0, 0));
    }
}
