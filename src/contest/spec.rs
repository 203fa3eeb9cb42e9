//! Players as short texts: `vanilla:time=5`, `acp-prodigal:trees=4,steps=2000`, `gtp:gnugo --mode gtp`.

use super::VanillaConfig;
use crate::{
    error::{Error, Result},
    forest::{Settings, Variant},
    names::named,
    pvsplit::SplitLimit,
    search::{Budget, time_of},
};
use std::{
    fmt::{self, Display, Formatter},
    str::FromStr,
    time::Duration,
};

/// A player, parsed from a text. `Display` shows the text as it was given.
///
/// ```
/// use mcts_wgpu::contest::{Spec, Kind};
/// let spec: Spec = "vanilla:steps=500,c=1.4".parse()?;
/// assert!(matches!(spec.kind(), Kind::Vanilla { .. }));
/// let error = "vanilla:trees=4".parse::<Spec>().unwrap_err();
/// assert!(error.to_string().contains("vanilla takes time, steps"));
/// # Ok::<(), mcts_wgpu::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    text: String,
    kind: Kind,
}

/// A kind of player.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Kind {
    /// Random legal actions.
    Random {
        /// Seed of its choices.
        seed: u64,
    },
    /// Vanilla MCTS.
    Vanilla {
        /// Settings of the search.
        config: VanillaConfig,
        /// The policy of its playouts, by name or file; `None` for the game's.
        policy: Option<String>,
    },
    /// A search on an engine.
    Search {
        /// Settings of the search.
        settings: Box<Settings>,
        /// Limits of a move.
        budget: Budget,
        /// Its adapters; `None` for those of the host.
        adapter: Option<String>,
        /// q of the best action below which it resigns, 0 for never; `None` for the game's default.
        resign: Option<f64>,
    },
    /// Alpha-beta.
    Split {
        /// Depth and time of a move.
        limit: SplitLimit,
        /// Its adapter; `None` for that of the host.
        adapter: Option<String>,
    },
    /// Another program.
    External(External),
}

/// A player that is another program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct External {
    /// The protocol that it speaks.
    pub protocol: Protocol,
    /// Its command line.
    pub command: String,
}

named! {
    /// A protocol of programs that play.
    #[non_exhaustive]
    pub enum Protocol: "protocol" {
        /// The Go Text Protocol, version 2.
        Gtp = "gtp",
        /// The protocol of Gomocup.
        Gomocup = "gomocup",
    }
}

/// Players other than searches on an engine, and their keys.
const OTHERS: [(&str, &[&str]); 3] = [
    ("random", &["seed"]),
    ("vanilla", &["time", "steps", "ucb_c", "seed", "policy", "draw_value"]),
    ("pvsplit", &["depth", "time", "adapter"]),
];
/// Keys of searches on an engine besides [`Settings`].
const SEARCH: [&str; 5] = ["time", "steps", "adapter", "original", "resign"];
/// The name of the search with the game's default settings.
const DEFAULT: &str = "default";
/// Default depth of alpha-beta in plies: with a time limit, and without one.
const DEPTHS: [u32; 2] = [crate::pvsplit::MAX_DEPTH, 4];

impl Spec {
    /// The kind of player.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// The text that it was parsed from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether its moves depend on the speed of the machine.
    pub fn is_timed(&self) -> bool {
        match &self.kind {
            Kind::Random { .. } => false,
            Kind::Vanilla { config, .. } => config.budget.time.is_some(),
            Kind::Search { budget, .. } => budget.time.is_some(),
            Kind::Split { limit, .. } => limit.time.is_some(),
            Kind::External(_) => true,
        }
    }

    /// Whether it uses one core only.
    pub fn is_on_one_core(&self) -> bool {
        matches!(self.kind, Kind::Random { .. } | Kind::Vanilla { .. })
    }
}

impl Display for Spec {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl FromStr for Spec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let text = text.trim();
        Ok(Self { text: text.into(), kind: kind(text)? })
    }
}

fn kind(text: &str) -> Result<Kind> {
    let (name, rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
    let lower = name.trim().to_lowercase();
    if let Ok(protocol) = lower.parse::<Protocol>() {
        return external(protocol, rest.unwrap_or_default());
    }
    let of_player = |error: Error| error.of(format!("player '{text}'"));
    let variant = lower.parse::<Variant>().ok();
    let known = OTHERS.iter().find(|(other, _)| *other == lower).map(|(_, keys)| *keys);
    let of_search: Vec<_> = SEARCH.iter().chain(Settings::NAMES).copied().collect();
    let keys = if variant.is_some() || lower == DEFAULT { Some(&of_search[..]) } else { known };
    let Some(keys) = keys else { return Err(unknown(name)) };
    let settings = Pairs::parse(&lower, keys, rest).map_err(of_player)?;
    let kind = match lower.as_str() {
        "random" => settings.seed().map(|seed| Kind::Random { seed }),
        "vanilla" => settings.vanilla(),
        "pvsplit" => settings.split(),
        _ => settings.search(variant),
    };
    kind.map_err(of_player)
}

fn external(protocol: Protocol, command: &str) -> Result<Kind> {
    let command = command.trim();
    if command.is_empty() {
        return Err(Error::invalid(format!(
            "{protocol} needs the command line of a program: {protocol}:COMMAND"
        )));
    }
    Ok(Kind::External(External { protocol, command: command.into() }))
}

fn unknown(name: &str) -> Error {
    let mut known: Vec<_> = OTHERS.iter().map(|(name, _)| (*name).to_owned()).collect();
    known.extend(Variant::ALL.iter().map(|variant| variant.name().to_owned()));
    known.push(DEFAULT.into());
    known.extend(Protocol::ALL.iter().map(|protocol| format!("{protocol}:COMMAND")));
    let distance = |other: &&String| strsim::damerau_levenshtein(other, &name.to_lowercase());
    let alike = known.iter().min_by_key(distance).filter(|other| distance(other) <= other.len() / 3);
    let hint = alike.map_or(String::new(), |alike| format!("did you mean {alike}? "));
    Error::invalid(format!("unknown player '{name}': {hint}choose one of {}", known.join(", ")))
}

/// Keys and values; no key occurs twice.
struct Pairs<'a>(Vec<(&'a str, String)>);

impl<'a> Pairs<'a> {
    fn parse(name: &str, keys: &[&'static str], rest: Option<&'a str>) -> Result<Self> {
        let mut settings: Vec<(&str, String)> = Vec::new();
        for part in rest.into_iter().flat_map(|rest| rest.split(',')).map(str::trim) {
            let Some((key, value)) = part.split_once('=') else {
                match settings.last_mut() {
                    // The names of several adapters are separated by commas, too.
                    Some(("adapter", value)) if !part.is_empty() => *value = format!("{value},{part}"),
                    _ => return Err(Error::invalid(format!("'{part}' is not a setting: write key=value"))),
                }
                continue;
            };
            let (key, value) = (key.trim(), value.trim());
            let key = Settings::name_now(key);
            let Some(&key) = keys.iter().find(|known| **known == key) else {
                return Err(Error::invalid(format!(
                    "there is no setting '{key}': {name} takes {}",
                    keys.join(", ")
                )));
            };
            if settings.iter().any(|(known, _)| *known == key) {
                return Err(Error::invalid(format!("{key} is given twice: give it once")));
            }
            settings.push((key, value.into()));
        }
        Ok(Self(settings))
    }

    fn text(&self, key: &str) -> Option<String> {
        self.0.iter().find(|(known, _)| *known == key).map(|(_, value)| value.clone())
    }

    fn number<T: FromStr>(&self, key: &str, what: &str) -> Result<Option<T>> {
        let Some(text) = self.text(key) else { return Ok(None) };
        let bad = || Error::invalid(format!("{key}={text}: give {what}"));
        text.parse().map(Some).map_err(|_| bad())
    }

    fn seed(&self) -> Result<u64> {
        Ok(self.number("seed", "a whole number from 0 to 2^64 - 1")?.unwrap_or(0))
    }

    fn time(&self) -> Result<Option<Duration>> {
        let what = "a positive number of seconds";
        let Some(seconds) = self.number::<f64>("time", what)? else { return Ok(None) };
        time_of(seconds).map(Some).ok_or_else(|| Error::invalid(format!("time={seconds}: give {what}")))
    }

    fn budget(&self) -> Result<Budget> {
        let steps = self.number::<u64>("steps", "a number of steps, at least 1")?;
        if steps == Some(0) {
            return Err(Error::invalid("steps=0: give a number of steps, at least 1"));
        }
        Ok(Budget::of(steps, self.time()?))
    }

    fn vanilla(&self) -> Result<Kind> {
        let usual = VanillaConfig::default();
        let ucb_c = self.number("ucb_c", "a number, 0 or more")?.unwrap_or(usual.ucb_c);
        if !(0.0..=1e6).contains(&ucb_c) {
            return Err(Error::invalid(format!("c={ucb_c}: give a number from 0 to 1000000")));
        }
        let (seed, draws) = (self.seed()?, self.number("draw_value", "half (a draw is half a win) or none")?);
        let draw_value = draws.unwrap_or(usual.draw_value);
        let config = VanillaConfig { ucb_c, seed, draw_value, budget: self.budget()? };
        Ok(Kind::Vanilla { config, policy: self.text("policy") })
    }

    fn search(&self, variant: Option<Variant>) -> Result<Kind> {
        let mut settings = Settings { variant, ..Settings::default() };
        for (key, value) in self.0.iter().filter(|(key, _)| !SEARCH.contains(key)) {
            settings.set(key, value)?;
        }
        if self.number("original", "true or false")?.unwrap_or(false) {
            settings = settings.or(Settings::original());
        }
        settings.validate()?;
        let (budget, adapter) = (self.budget()?, self.text("adapter"));
        let (settings, resign) = (Box::new(settings), self.resign()?);
        Ok(Kind::Search { settings, budget, adapter, resign })
    }

    fn resign(&self) -> Result<Option<f64>> {
        let what = "a number from 0 (never) to 0.5";
        match self.number("resign", what)? {
            Some(q) if !(0.0..=0.5).contains(&q) => Err(Error::invalid(format!("resign={q}: give {what}"))),
            resign => Ok(resign),
        }
    }

    fn split(&self) -> Result<Kind> {
        let time = self.time()?;
        let usual = if time.is_some() { DEPTHS[0] } else { DEPTHS[1] };
        let limit = SplitLimit::depth(self.number("depth", "a number of plies")?.unwrap_or(usual));
        limit.validate()?;
        let limit = time.map_or(limit, |time| limit.within(time));
        Ok(Kind::Split { limit, adapter: self.text("adapter") })
    }
}
