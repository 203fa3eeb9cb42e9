//! Monte Carlo Tree Search wholly on the GPU.

pub mod error;
pub mod game;
pub mod games;
pub mod gpu;
pub mod layout;
pub mod reference;
pub mod rng;
pub mod rollout;
pub mod search;
pub mod ucb;

pub use error::{Error, Result};
pub use game::{Game, Outcome, Player, Position};
pub use search::{Budget, Config, Engine, Progress, Report, Schedule, Search, Variant};
