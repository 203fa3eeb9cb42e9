//! Helpers of several subjects.

pub mod adapters;
pub mod circle;
pub mod compute;
pub mod corrupted;
pub mod files;
pub mod naive_go;
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
