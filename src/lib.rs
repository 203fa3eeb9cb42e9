//! Monte Carlo tree search on the GPU of any vendor, through wgpu: exact and reproducible.
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
//!                                       └─────────────── the host reads headers, no nodes ──────────────┘
//! Report          ◄── one read-back ──   reduce over trees, reduce over actions, fingerprint
//! ```
//!
//! All T trees make the same step side by side; they differ in their random streams only. The result of a search
//! depends on the game, the position, the [`Config`] and the number of steps, and not on the adapter, its driver or its
//! limits, to the last bit. [`Report::fingerprint`] is a hash of all trees, by which results are compared.
//!
//! ```
//! use mcts_wgpu::{Budget, Engine, Position, Search, Settings, games::Connect4};
//!
//! # fn main() -> mcts_wgpu::Result<()> {
//! let game = Connect4::default();
//! // X has three in a column, and wins by a fourth.
//! let position = Position::from_moves(&game, &["3", "2", "3", "2", "3", "2"])?;
//!
//! let engine = Engine::auto(); // the best GPU there is, or the CPU
//! let settings = Settings { seed: Some(7), ..Settings::default() }; // others by the game and the engine
//! let mut search = Search::new(&engine, game, settings)?;
//! let report = search.run(&position, Budget::steps(100))?;
//!
//! let best = report.best.expect("the game goes on");
//! assert_eq!((best.name.as_str(), best.win_flag), ("3", true));
//! # Ok(())
//! # }
//! ```
//!
//! - [`games`]: the built-in games; [`Game`]: the contract of a game; [`Position`]: a position and its moves.
//! - [`engine`]: adapters and engines; [`search`]: settings, budget, report.
//! - [`rollout`]: outcomes of random games; [`pvsplit`]: alpha-beta to a fixed depth or to the end.
//! - [`contest`]: players, matches, tournaments, replay, statistics.
//! - [`selfplay`]: games side by side, and training data for networks.
//! - [`ranks`]: one search, one rollout, one tournament over the processes of an MPI job.
//! - [`protocols`]: GTP and Gomocup, as a server for front ends and as a player that is another program.
//! - [`GameFile`]: a game of your own, one file of WGSL; [`conformance`]: checks of a game's contract.
//! - [`verify`]: checks of an adapter's results; [`mod@bench`]: its speed.
//! - [`net`]: integer networks that evaluate positions, with the same bits everywhere.
//! - [`patterns`]: ratings of Go moves by their neighbours, learnt from game records.
//! - [`documentation`]: the specification of a search, to the last bit; architecture, performance, portability,
//!   glossary, games, players and matches, networks, clusters.
//!
//! Features: `cli` (default) is the program, `patterns` the learning of Go patterns. Off by default are `mpi`
//! (clusters), `static-dxc` (Microsoft's shader compiler DXC, built in, for Direct3D 12) and `web` (the entry point of
//! the page that plays in a browser). A library needs none of them: `default-features = false`.

#![cfg_attr(
    target_arch = "wasm32",
    allow(dead_code, unused_imports, reason = "of modules that a page has no use for")
)]

pub mod any_game;
pub mod bench;
/// The program, for `src/main.rs`.
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
pub mod conformance;
#[cfg(not(target_arch = "wasm32"))]
pub mod contest;
mod device;
pub mod documentation;
pub mod engine;
mod error;
mod exact;
mod forest;
#[cfg(not(target_arch = "wasm32"))]
mod game_file;
pub mod games;
mod gpu;
mod hash;
mod host;
mod input;
#[cfg(not(target_arch = "wasm32"))]
mod modules;
mod names;
pub mod net;
#[cfg(feature = "patterns")]
pub mod patterns;
#[cfg(not(target_arch = "wasm32"))]
pub mod protocols;
pub mod pvsplit;
pub mod ranks;
mod reference;
pub mod rollout;
mod rules;
pub mod search;
#[cfg(not(target_arch = "wasm32"))]
pub mod selfplay;
pub mod verify;
mod web;

pub use engine::Engine;
pub use error::{Error, ErrorKind, Result};
pub use forest::{Config, DrawValue, Schedule, Settings, Variant};
#[cfg(not(target_arch = "wasm32"))]
pub use game_file::{GameFile, GameFilePlayout};
pub use net::Network;
pub use ranks::Ranks;
pub use rules::{
    ACTION_WORDS, ActionBits, Game, GameShader, GroupShader, Outcome, Planes, Player, Position, RuleValue,
    SearchDefaults, perft,
};
pub use search::{Budget, Progress, ProvenValue, Report, Search};

/// Internals, for the crate's own tests and benches. Not stable.
#[doc(hidden)]
pub mod internals {
    pub mod device {
        pub use crate::device::*;
    }
    pub mod exact {
        pub use crate::exact::*;
    }
    pub mod forest {
        pub use crate::forest::*;
    }
    pub mod gpu {
        pub use crate::gpu::*;
    }
    #[cfg(not(target_arch = "wasm32"))]
    pub mod modules {
        pub use crate::modules::*;
    }
    pub mod reference {
        pub use crate::reference::*;
    }
    pub mod rules {
        pub use crate::rules::{Played, Plies, SideBySide, is_unchecked, with_policy};
    }
    pub mod web {
        pub use crate::web::*;
    }
}
