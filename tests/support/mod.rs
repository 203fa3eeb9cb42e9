//! What several test files share.

pub mod compute;
mod corrupted;

pub use corrupted::corrupted;
