//! Connect 4 and Gomoku: the rules against independent programs and naive ones, random play against exact and measured
//! distributions, and the WGSL against its Rust twin on every adapter.

#[path = "games/conformance.rs"]
mod conformance;
#[path = "games/connect4.rs"]
mod connect4;
#[path = "games/device.rs"]
mod device;
#[path = "games/gomoku.rs"]
mod gomoku;
#[path = "support/compute.rs"]
mod kernel;
#[path = "games/play.rs"]
mod play;
