//! What makes results exact: random streams, and the bound by which a search chooses.

pub mod rng;
pub mod ucb;
