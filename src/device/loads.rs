//! How much work a step is, and its halves.

use super::AdapterKind;
use crate::forest::Shape;

/// A step that is cut can be taken back as long as none of its trees has been backed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// All stages up to the playouts.
    Play,
    /// The backup.
    Backup,
}

/// Products of a network that take as long as a ply, about.
const PRODUCTS: u64 = 1000;

/// Plies of a step's games, were all of them as long as the longest, and all children of all trees played out. Where a
/// network judges the leaves, as many as take about as long.
pub fn plies_of_step(shape: &Shape) -> u64 {
    let games = u64::from(shape.n_trees) * shape.streams_per_tree() as u64;
    let judging = shape.net().map_or(0, |net| u64::from(shape.all_leaves()) * (net.products() / PRODUCTS));
    games.saturating_mul(shape.path_capacity.into()).saturating_add(judging)
}

/// Work of a dispatch: plies of games as [`plies_of_step`] counts them, and trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// Plies.
    pub plies: u64,
    /// Trees.
    pub trees: u32,
}

/// What is safe to hand over at a time to a machine whose speed is not known yet. Not measured and not exact: slow
/// machines of a kind are a hundred times slower than fast ones, and games end long before the longest one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loads {
    /// A few milliseconds at most.
    pub first: Load,
    /// A step of no more than this is not cut before it has been seen to take long.
    pub short: Load,
    /// Never more at a time, whatever has been measured: finished games, and trees that others wait for, take no time,
    /// and what follows them may take long.
    pub most: Load,
}

impl Loads {
    /// By the kind of machine.
    pub fn of(kind: AdapterKind) -> Self {
        let (plies, trees, growth) = match kind {
            AdapterKind::Software | AdapterKind::Cpu => (1 << 18, 1 << 12, 4),
            AdapterKind::Discrete => (1 << 24, 1 << 18, 64),
            _ => (1 << 21, 1 << 15, 64),
        };
        Self {
            first: Load { plies: plies / 16, trees: trees / 16 },
            short: Load { plies, trees },
            most: Load { plies: plies * growth, trees: trees * growth as u32 },
        }
    }

    /// Is a step short?
    pub fn is_short(self, shape: &Shape) -> bool {
        plies_of_step(shape) <= self.short.plies && shape.n_trees <= self.short.trees
    }
}
