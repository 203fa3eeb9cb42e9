//! The parts of a search that both engines share: layout of the trees, sizes, settings, variants, root records.

pub mod config;
pub mod fault;
pub mod layout;
pub mod nodes;
pub mod proof;
pub mod root;
pub mod shape;
pub mod variant;

pub use config::{Config, MAX_PLAYOUTS, MAX_TREES, Settings};
pub use proof::Proof;
pub use shape::Shape;
pub use variant::{DrawValue, Schedule, Variant};
