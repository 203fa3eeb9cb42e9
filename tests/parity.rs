//! Device against CPU reference: every kernel from the same snapshot, whole searches node by node, and what a search
//! promises whatever runs it. Integers throughout, so that equal means equal in every word.

#[path = "support/adapters.rs"]
mod adapters;
#[path = "parity/budgets.rs"]
mod budgets;
#[path = "parity/kernels.rs"]
mod kernels;
#[path = "parity/positions.rs"]
mod positions;
#[path = "parity/reuse.rs"]
mod reuse;
#[path = "parity/rig.rs"]
mod rig;
#[path = "parity/searches.rs"]
mod searches;
#[path = "support/shape.rs"]
mod shape;
#[path = "parity/snapshot.rs"]
mod snapshot;
#[path = "parity/trees.rs"]
mod trees;
