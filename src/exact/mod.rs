//! What makes results exact: random streams, and the bound by which a search chooses.

pub mod halving;
pub mod puct;
pub mod rng;
pub mod root_noise;
pub mod softmax;
pub mod ucb;
