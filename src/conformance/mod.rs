//! Does a game keep its contract? One suite for any [`Game`].
//!
//! The suite plays random games and looks at every position: is what is packed unpacked again, are names and boards
//! read back, do legal actions, playouts and outcomes agree with one another? On the devices of an [`Engine`] it then
//! calls the functions of the game's WGSL one by one, and compares them with the same functions in Rust, word by word.
//! What it finds is data: a [`Finding`] says what is wrong, after which moves, and with which seed it shows again.
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
//! What it cannot see: rules that are wrong in the same way everywhere, and loops that never end. The order of a
//! playout's list is compared between Rust and WGSL alone. A game that plays with a workgroup a game
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
    rules::{self, Game, Position},
};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::fmt;
use walk::{Line, Walk};

/// What is tried with a game: random games, and lines of play that the caller names.
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

    /// Another number of random games.
    #[must_use]
    pub fn with_games(self, games: u32) -> Self {
        Self { games, ..self }
    }

    /// Other random games: game `n` is the first one of seed `seed + n`.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// And these actions, taken from `start` by the rules of the tree; beside them, on devices, a playout from `start`
    /// that takes these places of its list first, each modulo the length of the list.
    ///
    /// # Errors
    /// Bad input where an action is not legal.
    pub fn with_line(mut self, start: Position<G>, actions: &[u32], places: &[u32]) -> Result<Self> {
        self.lines.push(Line::new(start, actions, places)?);
        Ok(self)
    }

    /// What is wrong with the rules in Rust, and whether the WGSL compiles. No adapter is needed.
    pub fn run(&self) -> Vec<Finding> {
        if let Err(error) = rules::check(&self.game) {
            return vec![Finding::general(Part::Numbers, error)];
        }
        let walks = self.walks();
        let mut findings = twin::check_names(&self.game);
        findings.par_extend(walks.par_iter().flat_map_iter(|walk| twin::check(&self.game, walk)));
        findings.extend(twin::check_keys(&self.game, &walks));
        findings.extend(device::compose(&self.game).err().map(|error| Finding::general(Part::Shader, error)));
        first_of_each(findings)
    }

    /// [`run`](Self::run), and where the WGSL differs from Rust on a device of the engine, for async programs. The CPU
    /// engine has none.
    ///
    /// # Errors
    /// Out of memory; device lost.
    pub async fn run_on_async(&self, engine: &Engine) -> Result<Vec<Finding>> {
        let mut findings = self.run();
        // Buffers have the sizes that the numbers say, and no device takes a text that is not WGSL.
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
        let random = (0..self.games).into_par_iter().map(|number| (&start, u64::from(number)));
        let lines = self.lines.par_iter().map(|line| (line, 0));
        lines.chain(random).map(|(line, number)| Walk::new(line, self.seed.wrapping_add(number))).collect()
    }
}

/// A part of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Part {
    /// The numbers that a game states: `max_actions`, `state_words` and the others.
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
    /// Searches and rollouts, which are the same on every adapter and by either schedule.
    Searches,
}

/// Something that breaks the contract: the first of its part and adapter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Finding {
    /// The part of the contract that is broken.
    pub part: Part,
    /// What is wrong, for people.
    pub what: String,
    /// The moves to the position where it shows, by name; none where it shows without a game.
    pub moves: Vec<String>,
    /// A suite of one game and this seed finds it; none for lines of the caller's, and where it shows without a game.
    pub seed: Option<u64>,
    /// The adapter whose WGSL differs from Rust; none for the rules in Rust.
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

/// Games with one mistake show it many times over.
fn first_of_each(findings: Vec<Finding>) -> Vec<Finding> {
    let mut first: Vec<Finding> = Vec::new();
    for finding in findings {
        if !first.iter().any(|known| known.part == finding.part && known.adapter == finding.adapter) {
            first.push(finding);
        }
    }
    first
}
