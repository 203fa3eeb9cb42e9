//! Contests: `match`, `tournament`, `experiment` and `replay`, and their common parts.

pub mod experiment;
mod host;
pub mod matches;
mod openings;
mod play;
pub mod replay;
pub mod setup;
mod tables;
pub mod tournament;
mod written;
