//! Learning the ratings of [patterns](crate::games::go::patterns) of Go moves: game records, the model, the fit.

pub mod bradley_terry;
mod learn;
pub mod records;
mod sgf;

pub use crate::games::go::patterns::{Neighbour, PatternShape, PatternTable};
pub use learn::{LearnOptions, LearnReport, Learnt, LogLikelihood, learn, mean_log_likelihood};
