//! The games that come with the crate, each the twin of `games/<game>.wgsl`.

pub mod go;
pub mod othello;

pub use go::{Go, GoState};
pub use othello::{Othello, OthelloState};
