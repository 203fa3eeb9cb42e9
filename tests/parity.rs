//! Device against CPU reference: every kernel from the same snapshot, whole searches node by node, and what a search
//! promises whatever runs it. Integers throughout, so that equal means equal in every word.

#[path = "support/adapters.rs"]
mod adapters;
#[path = "parity/budgets.rs"]
mod budgets;
#[path = "support/corrupted.rs"]
mod corrupted;
#[path = "parity/counters.rs"]
mod counters;
#[path = "parity/deep.rs"]
mod deep;
#[path = "parity/devices.rs"]
mod devices;
#[path = "parity/full_trees.rs"]
mod full_trees;
#[path = "parity/kernels.rs"]
mod kernels;
#[path = "parity/planted.rs"]
mod planted;
#[path = "parity/positions.rs"]
mod positions;
#[path = "parity/reuse.rs"]
mod reuse;
#[path = "parity/rig.rs"]
mod rig;
#[path = "parity/rows.rs"]
mod rows;
#[path = "parity/searches.rs"]
mod searches;
#[path = "support/shape.rs"]
mod shape;
#[path = "parity/slices.rs"]
mod slices;
#[path = "parity/snapshot.rs"]
mod snapshot;
#[path = "parity/trees.rs"]
mod trees;
