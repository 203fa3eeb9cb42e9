//! Monte Carlo Tree Search wholly on the GPU.

pub mod error;
pub mod game;
pub mod games;
pub mod pvsplit;
pub mod rng;
pub mod ucb;
