//! A suite that checks the contract of any [`Game`].
//!
//! The suite plays random games and checks every position: packing and unpacking, names, boards, and the agreement of
//! legal actions, playouts and outcomes. On the devices of an [`Engine`] it then calls the functions of the game's WGSL
//! one by one, and compares them with the same functions in Rust, word by word. Its results are data: a [`Finding`]
//! has the fault, the moves before it, and the seed that reproduces it.
//!
//! ```
//! use mcts_wgpu::{Engine, conformance::Conformance, games::Connect4};
//!
//! # fn main() -> mcts_wgpu::Result<()> {
//! let suite = Conformance::of(&Connect4::default()).with_games(20);
//! assert_eq!(suite.run(), []); // the rules in Rust
//! for finding in suite.run_on(&Engine::auto())? {
//!     println!("{finding}"); // the rules in WGSL, if there is a GPU
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Not checked: rules that are wrong in the same way everywhere, and loops that never end. The order of a playout's
//! list is compared between Rust and WGSL alone. A game that plays one game per workgroup
//! ([`GroupShader`](crate::GroupShader)) is compared by its rollouts instead.

#[cfg(not(target_arch = "wasm32"))]
mod blocking;
#[cfg(not(target_arch = "wasm32"))]
mod claims;
pub(crate) mod device;
#[cfg(not(target_arch = "wasm32"))]
mod file;
mod twin;
mod walk;

#[cfg(not(target_arch = "wasm32"))]
pub use file::{FileCheck, FileReport, Statistics};

use crate::{
    engine::Engine,
    error::Result,
    host::parallel,
    rules::{self, Game, Position},
};
use serde::{Deserialize, Serialize};
use std::fmt;
use walk::{Line, Walk};

/// The suite for a game: random games, and lines of play of the caller's.
#[derive(Debug, Clone)]
pub struct Conformance<G: Game> {
    game: G,
    games: u32,
    seed: u64,
    lines: Vec<Line<G>>,
}

impl<G: Game> Conformance<G> {
    /// 100 random games from the start, of seed 0.
    pub fn of(game: &G) -> Self {
        Self { game: game.clone(), games: 100, seed: 0, lines: Vec::new() }
    }

    /// Changes the number of random games.
    #[must_use]
    pub fn with_games(self, games: u32) -> Self {
        Self { games, ..self }
    }

    /// Changes the random games: game `n` is the first one of seed `seed + n`.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Adds a line of these actions, taken from `start` by the rules of the tree; on devices, also a playout from
    /// `start` that first takes these places of its list, each modulo the length of the list.
    ///
    /// # Errors
    /// Bad input if an action is not legal.
    pub fn with_line(mut self, start: Position<G>, actions: &[u32], places: &[u32]) -> Result<Self> {
        self.lines.push(Line::new(start, actions, places)?);
        Ok(self)
    }

    /// Violations of the contract by the rules in Rust, and by WGSL that does not compile. No adapter is needed.
    pub fn run(&self) -> Vec<Finding> {
        if let Err(error) = rules::check(&self.game) {
            return vec![Finding::general(Part::Numbers, error)];
        }
        let walks = self.walks();
        let mut findings = twin::check_names(&self.game);
        let found = parallel::map(walks.len(), &|walk| twin::check(&self.game, &walks[walk]));
        findings.extend(found.into_iter().flatten());
        findings.extend(twin::check_keys(&self.game, &walks));
        findings.extend(device::compose(&self.game).err().map(|error| Finding::general(Part::Shader, error)));
        first_of_each(findings)
    }

    /// [`run`](Self::run), and comparisons of the WGSL with Rust on a device of the engine, for async programs. The CPU
    /// engine has no device.
    ///
    /// # Errors
    /// Out of memory; device lost.
    pub async fn run_on_async(&self, engine: &Engine) -> Result<Vec<Finding>> {
        let mut findings = self.run();
        // Buffers have the sizes of the stated numbers, and no device accepts invalid WGSL.
        if findings.iter().any(|finding| matches!(finding.part, Part::Numbers | Part::Shader)) {
            return Ok(findings);
        }
        let walks = self.walks();
        for device in engine.devices().unwrap_or_default() {
            match device::compare(&self.game, &walks, device).await {
                Ok(found) => findings.extend(found),
                Err(error) if error.is_shader() || error.is_refused() => {
                    findings.push(Finding::general(Part::Shader, error));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(first_of_each(findings))
    }

    fn walks(&self) -> Vec<Walk<G>> {
        let start = Line::from_start(&self.game);
        let given = self.lines.len();
        parallel::map(given + self.games as usize, &|walk| {
            let number = walk.saturating_sub(given) as u64;
            Walk::new(self.lines.get(walk).unwrap_or(&start), self.seed.wrapping_add(number))
        })
    }
}

/// A part of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Part {
    /// The sizes of a game: `max_actions`, `state_words` and the others.
    Numbers,
    /// `action_name` and `parse_action`.
    Names,
    /// `pack` and `unpack`.
    Packing,
    /// `board_rows` and `parse_board`.
    Boards,
    /// `check_state`.
    States,
    /// `is_action_legal`.
    Legality,
    /// `action_urgency`.
    Pruning,
    /// `action_prior`.
    Priors,
    /// `solved_outcome`.
    Foresight,
    /// `planes`, `cell_planes`.
    Planes,
    /// `take_action`.
    Actions,
    /// `compute_outcome`.
    Outcome,
    /// `max_plies`.
    Length,
    /// `playout_begin`, `legal_actions_playout`, `take_action_playout`.
    Playouts,
    /// `run_playout`, which only WGSL has.
    Runs,
    /// `playout_score`, `is_playout_cut_off`.
    Scores,
    /// `position_key`, `may_repeat`.
    Keys,
    /// The text of the WGSL.
    Shader,
    /// Loops that do not end.
    Loops,
    /// Searches and rollouts, which are the same on every adapter and by both schedules.
    Searches,
}

/// A violation of the contract: the first of its part and adapter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Finding {
    /// The part of the contract that is broken.
    pub part: Part,
    /// The violation, as text.
    pub what: String,
    /// The moves to the position of the violation, by name; empty if it needs no game.
    pub moves: Vec<String>,
    /// The seed of a suite of one game that reproduces it; `None` for lines of the caller's, and for violations without
    /// a game.
    pub seed: Option<u64>,
    /// The adapter whose WGSL differs from Rust; `None` for the rules in Rust.
    pub adapter: Option<String>,
}

impl Finding {
    fn general(part: Part, what: impl fmt::Display) -> Self {
        Self { part, what: what.to_string(), moves: Vec::new(), seed: None, adapter: None }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if !self.moves.is_empty() {
            write!(f, ", after {}", self.moves.join(" "))?;
        }
        self.seed.iter().try_for_each(|seed| write!(f, " (seed {seed})"))?;
        self.adapter.iter().try_for_each(|adapter| write!(f, ", on {adapter}"))
    }
}

/// The first finding of each part and adapter: a single mistake shows in many games.
fn first_of_each(findings: Vec<Finding>) -> Vec<Finding> {
    let mut first: Vec<Finding> = Vec::new();
    for finding in findings {
        if !first.iter().any(|known| known.part == finding.part && known.adapter == finding.adapter) {
            first.push(finding);
        }
    }
    first
}
