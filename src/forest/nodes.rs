//! A request for a few nodes of many trees.

use super::layout::{Link, Stats};

/// Neighbouring nodes of a tree, such as the children of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeRun {
    /// The tree.
    pub tree: u32,
    /// The first node.
    pub first: u32,
    /// The number of nodes.
    pub count: u32,
}

/// The data of a node that are the same on every engine.
pub type Node = (Link, Stats);
