//! Monte Carlo Tree Search wholly on the GPU, on any vendor's GPU through wgpu: exact and reproducible.
//!
//! ```text
//! host (Rust)                            device (WGSL): Vulkan, Metal, DX12, GL; or the CPU twins of the same stages
//! -----------                            --------------------------------------------------------------------------
//! Game, Position  ── packed root ─────►  reset     every tree is its root alone
//! Config          ── sizes, seed ─────►  seed      a random stream for every playout lane
//!                                       ┌───────────────────────────────────────────────────────────────┐
//! Budget          ── many steps a ────► │ select   ► expand        ► playout         ► backup           │
//!                    submission         │ root to    all children    m random games    n, n_wins along  │
//!                                       │ a leaf     at once         a child           the path         │
//!                                       └───────────────────────────── no read-back in the loop ────────┘
//! Report          ◄── one read-back ──   reduce over trees, reduce over actions, fingerprint
//! ```
//!
//! All T trees make the same step side by side; they differ in their random streams alone. What a search finds
//! depends on the game, the position, the [`Config`] and the number of steps: not on the adapter, its driver or its
//! limits, to the last bit. [`Report::fingerprint`] is a hash of all trees to see it by.
//!
//! ```
//! use mcts_wgpu::{Budget, Config, Engine, Position, Search, games::Connect4};
//!
//! # fn main() -> mcts_wgpu::Result<()> {
//! let game = Connect4::default();
//! // X has three in a column, and wins by a fourth.
//! let position = Position::from_moves(&game, &["3", "2", "3", "2", "3", "2"])?;
//!
//! let engine = Engine::auto(); // the best GPU there is, or the CPU
//! let config = Config { trees: 2, memory: 16 << 20, ..Config::default() };
//! let mut search = Search::new(&engine, game, config)?;
//! let report = search.run(&position, Budget::steps(100))?;
//!
//! let best = report.best.expect("the game goes on");
//! assert_eq!((best.name.as_str(), best.win_flag, best.q), ("3", true, 1.0));
//! # Ok(())
//! # }
//! ```
//!
//! - [`game`]: the contract of a game, and positions; [`games`]: the games that come with the crate.
//! - [`search`]: engine, config, budget, report.
//! - [`pvsplit`]: alpha-beta for Go; [`patterns`]: how good moves of Go are by their neighbours.
//! - [`mod@bench`]: how fast machines are.
//! - [`gpu`]: adapters and devices, shaders, buffers; [`mod@reference`]: the CPU twin of every stage.
//! - [`modules`]: the WGSL of a game, whole, as adapters get it.
//! - [`rng`] and [`ucb`]: the two things that make results exact; [`layout`]: what Rust and WGSL share.

pub mod bench;
pub mod error;
mod fault;
pub mod game;
pub mod games;
pub mod gpu;
pub mod layout;
pub mod modules;
mod pace;
pub mod patterns;
pub mod pvsplit;
pub mod reference;
pub mod rng;
pub mod rollout;
pub mod search;
pub mod ucb;

pub use error::{Error, Result};
pub use game::{Game, Outcome, Player, Policy, Position, Setting};
pub use search::{Budget, Config, Engine, Progress, Report, Schedule, Search, Variant};
