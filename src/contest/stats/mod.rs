//! Statistics of results: scores with their intervals, Elo, a sequential test.

mod elo;
mod score;
mod sprt;

pub use elo::{Rating, Ratings, elo_of, ratings};
pub use score::{Tally, interval};
pub use sprt::{Sprt, SprtState, Verdict};
