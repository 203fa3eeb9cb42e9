//! Device against CPU reference: every kernel from the same snapshot, whole searches node by node; and both against the
//! original program. Integers throughout, so that equal means equal in every word.

mod ahead;
mod counters;
mod deep;
mod faults;
mod full_trees;
pub mod golden;
mod half_proofs;
mod kernels;
mod leaves;
mod networks;
mod packed;
mod planted;
mod proofs;
mod rave;
mod relay;
mod reuse;
mod reuse_edges;
mod rig;
mod rows;
mod slices;
mod snapshot;
mod trees;
