//! Exact arithmetic: random streams, the bounds by which a search chooses, and probabilities in whole numbers.

pub mod halving;
pub mod puct;
pub mod rng;
pub mod root_noise;
pub mod softmax;
pub mod ucb;
