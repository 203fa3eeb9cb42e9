//! Reading a few nodes out of many trees.

use super::layout::{Link, Stats};

/// Nodes that lie side by side in a tree, as the children of a node do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeRun {
    /// The tree.
    pub tree: u32,
    /// The first node.
    pub first: u32,
    /// How many there are.
    pub count: u32,
}

/// A node, as far as it is the same on every engine.
pub type Node = (Link, Stats);
