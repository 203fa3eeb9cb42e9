//! The games that come with the crate, each the twin of `games/<game>.wgsl`.

pub mod othello;

pub use othello::{Othello, OthelloState};
