//! What both engines share of a search's trees: layout, sizes, variants, root records, the sizes of work.

pub mod fault;
pub mod layout;
pub mod nodes;
pub mod proof;
pub mod root;
pub mod shape;
pub mod variant;

pub use proof::Proof;
pub use shape::Shape;
pub use variant::{Draws, Picking, Schedule, Variant};
