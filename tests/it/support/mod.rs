//! Helpers of several subjects.

pub mod adapters;
pub mod circle;
pub mod compute;
pub mod corrupted;
pub mod eyes;
pub mod files;
pub mod networks;
pub mod own;
pub mod play;
pub mod positions;
pub mod prelude;
pub mod program;
pub mod ranks;
pub mod search;
pub mod shape;
pub mod strange;
pub mod transfer;
