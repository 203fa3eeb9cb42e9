//! The config of self-play, and its resolution for a game and a network.

use super::numbers::{Purpose, number};
use crate::{
    device::AdapterKind,
    engine::Engine,
    error::{Error, Result},
    forest,
    forest::Settings,
    rules::{Game, planes_of, rules_of},
    search::Budget,
};
use serde_json::{Map, Value, json};

/// Rows of a file of training data, about: files have whole games.
const ROWS_PER_FILE: u32 = 100_000;
/// The default share of noise in the priors of the root, that of AlphaZero.
const ROOT_NOISE: f32 = 0.25;
/// A quick round has this part of the steps of a full one.
const QUICK_PART: u64 = 4;
/// One game in `PLAYED_OUT` is played without resignation.
const PLAYED_OUT: u64 = 10;
/// Greatest number of games side by side.
const MOST_PARALLEL: u32 = 1 << 16;

/// The config of self-play. The games, and their training data, depend on it, on the game and on the network alone: not
/// on the engine. A quick round is one that is not full; its searches have a quarter of the steps.
///
/// ```
/// use mcts_wgpu::{Settings, selfplay::SelfPlayConfig};
/// let settings = Settings { seed: Some(1), net: Some("mine.safetensors".into()), ..Settings::default() };
/// let config = SelfPlayConfig { settings, games: 1000, steps: 64, ..SelfPlayConfig::default() };
/// assert_eq!((config.full_every, config.opening_plies, config.resign), (4, 2, 0.0));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct SelfPlayConfig {
    /// Settings of the searches. The defaults are those of the CPU engine, on every engine, with a leaf batch of 1, as
    /// positions are searched side by side, and a root noise of 0.25 or, with `gumbel`, the visits of a round. Quick
    /// rounds have no noise.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub settings: Settings,
    /// Games to play.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub games: u64,
    /// Steps of a search in a full round
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Self::default().steps))]
    pub steps: u64,
    /// Games side by side [default: connect4 2048, othello 1024, others 512]
    #[cfg_attr(feature = "cli", arg(long, value_name = "G"))]
    pub parallel: Option<u32>,
    /// One round of N is full, on average, at random
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Self::default().full_every))]
    pub full_every: u32,
    /// First plies of a game, whose moves are drawn in proportion to visits; then the best move is played [default:
    /// connect4 10, othello 12, gomoku 12, go 20, others 10]
    #[cfg_attr(feature = "cli", arg(long, value_name = "N"))]
    pub temperature_plies: Option<u32>,
    /// Begin each game with 0 to N random plies
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Self::default().opening_plies))]
    pub opening_plies: u32,
    /// Resign if the value of the root was below P in three consecutive moves of a player; 0: never
    ///
    /// A tenth of the games are played to the end, to count wrong resignations.
    #[cfg_attr(feature = "cli", arg(long, value_name = "P", default_value_t = Self::default().resign))]
    pub resign: f64,
    /// Rows of a file of training data; the last game of a file may exceed them.
    #[cfg_attr(feature = "cli", arg(skip = ROWS_PER_FILE))]
    pub rows_per_file: u32,
}

impl Default for SelfPlayConfig {
    fn default() -> Self {
        Self {
            settings: Settings::default(),
            games: 1000,
            steps: 128,
            parallel: None,
            full_every: 4,
            temperature_plies: None,
            opening_plies: 2,
            resign: 0.0,
            rows_per_file: ROWS_PER_FILE,
        }
    }
}

impl SelfPlayConfig {
    /// Checks, without an engine, that a game can be played with this config.
    ///
    /// # Errors
    /// Bad input, naming a setting out of its range; a game without planes, which has no training data.
    pub fn check<G: Game>(&self, game: &G) -> Result<()> {
        let bad = |what: String| Err(Error::invalid(what));
        let &Self { games, steps, full_every, resign, .. } = self;
        if games == 0 || u32::try_from(games).is_err() {
            return bad(format!("games {games}: give 1 to {}", u32::MAX));
        }
        Budget::steps(steps).validate()?;
        let parallel = self.parallel(game);
        if !(1..=MOST_PARALLEL).contains(&parallel) {
            return bad(format!("{parallel} games side by side: give 1 to {MOST_PARALLEL}"));
        }
        if full_every == 0 || self.rows_per_file == 0 {
            return bad("a full round in every 0 rounds, or 0 rows a file: give at least 1".into());
        }
        if !(0.0..=0.5).contains(&resign) {
            return bad(format!("resignation below a value of {resign}: give 0 (never) to 0.5"));
        }
        if self.settings.reuse == Some(true) {
            return bad("self-play searches from new trees in every round: leave out reuse".into());
        }
        if game.max_plies() > u16::MAX.into() {
            return bad(format!(
                "games of {} may have {} plies, and training data count them in 16 bits",
                game.name(),
                game.max_plies()
            ));
        }
        planes_of(game)?;
        self.searches().check(game, parallel)
    }

    fn parallel<G: Game>(&self, game: &G) -> u32 {
        let games = u32::try_from(self.games).unwrap_or(u32::MAX);
        self.parallel.unwrap_or(usual(game).0).min(games)
    }

    /// The settings of the searches of full rounds.
    pub(super) fn searches(&self) -> Settings {
        let leaf_batch = self.settings.leaf_batch.or(Some(1));
        let has_gumbel = self.settings.gumbel.is_some_and(|moves| moves > 0);
        let root_noise = self.settings.root_noise.or((!has_gumbel).then_some(ROOT_NOISE));
        let planned = leaf_batch.filter(|_| has_gumbel).map(|leaves| visits(self.steps, leaves));
        let gumbel_visits = self.settings.gumbel_visits.or(planned);
        let reuse = Some(false);
        Settings { leaf_batch, reuse, root_noise, gumbel_visits, ..self.settings.clone() }
    }

    fn quick_steps(&self) -> u64 {
        (self.steps / QUICK_PART).max(1)
    }
}

/// The visits of the root's children in a search: the first step is the root's own.
fn visits(steps: u64, leaf_batch: u32) -> u32 {
    (steps.saturating_sub(1) * u64::from(leaf_batch)).clamp(1, u32::MAX.into()) as u32
}

/// The default numbers of games side by side, and of plies whose moves are drawn.
fn usual<G: Game>(game: &G) -> (u32, u32) {
    match game.name() {
        "connect4" => (2048, 10),
        "othello" => (1024, 12),
        "gomoku" => (512, 12),
        "go" => (512, 20),
        _ => (512, 10),
    }
}

/// A config for a game and a network, with all defaults resolved.
#[derive(Debug)]
pub struct ResolvedConfig {
    pub config: SelfPlayConfig,
    /// The config of the searches of full rounds and of quick ones; the same on every engine.
    pub search: forest::Config,
    pub quick_search: forest::Config,
    pub parallel: u32,
    pub temperature_plies: u64,
    /// The network's digest, or none.
    pub net: String,
}

/// The kind and the seed of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Round {
    /// Whether the game's positions become training data.
    pub is_full: bool,
    pub steps: u64,
    /// Of the searches.
    pub seed: u64,
}

impl ResolvedConfig {
    /// With the network of the engine.
    pub fn new<G: Game>(config: &SelfPlayConfig, game: &G, engine: &Engine) -> Self {
        let net = engine.network();
        let search = config.searches().resolve_for(AdapterKind::Cpu, game, net.is_some());
        let gumbel_visits = visits(config.quick_steps(), search.leaf_batch);
        Self {
            search,
            quick_search: forest::Config { root_noise: 0.0, gumbel_visits, ..search },
            parallel: config.parallel(game),
            temperature_plies: config.temperature_plies.unwrap_or(usual(game).1).into(),
            net: net.map_or("none".into(), |net| format!("{:016x}", net.digest())),
            config: config.clone(),
        }
    }

    pub fn seed(&self) -> u64 {
        self.search.seed
    }

    pub fn round(&self, round: u64) -> Round {
        let draw = |purpose| number(self.seed(), purpose, round, 0);
        let is_full = draw(Purpose::FullRound).is_multiple_of(self.config.full_every.into());
        let steps = if is_full { self.config.steps } else { self.config.quick_steps() };
        Round { is_full, steps, seed: draw(Purpose::RoundSeed) }
    }

    /// Whether players may resign in this game.
    pub fn may_resign(&self, game: u64) -> bool {
        !number(self.seed(), Purpose::PlayedOut, game, 0).is_multiple_of(PLAYED_OUT)
    }

    /// All properties that the games and their data depend on, by name.
    pub fn task<G: Game>(&self, game: &G) -> Map<String, Value> {
        let SelfPlayConfig { games, steps, full_every, opening_plies, resign, rows_per_file, .. } =
            self.config;
        let of_run = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "game": game.name(),
            "rules": rules_of(game),
            "policy": game.policy(),
            "net": self.net,
            "games": games,
            "steps": steps,
            "parallel": self.parallel,
            "full_every": full_every,
            "temperature_plies": self.temperature_plies,
            "opening_plies": opening_plies,
            "resign": resign,
            "rows_per_file": rows_per_file,
        });
        // Memory and schedule have no effect on the games.
        let open = forest::Config { memory: None, schedule: Default::default(), ..self.search };
        let parts = [of_run, json!(open)].into_iter().filter_map(|part| part.as_object().cloned());
        parts.flatten().collect()
    }
}
