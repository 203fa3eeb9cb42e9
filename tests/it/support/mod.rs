//! What several subjects use.

pub mod adapters;
pub mod compute;
pub mod corrupted;
pub mod own;
pub mod play;
pub mod positions;
pub mod program;
pub mod shape;
pub mod strange;
pub mod transfer;
