//! The amount of work of a step, and its halves.

use super::AdapterKind;
use crate::forest::Shape;

/// A step that is cut into slices can be undone as long as none of its trees has been backed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// All stages up to the playouts.
    Play,
    /// The backup.
    Backup,
}

/// Products of a network that take about as long as a ply.
const PRODUCTS: u64 = 1000;

/// An upper bound of the plies of a step: all games have the greatest number of plies, and all children of all trees
/// are played out. With a network, the number of plies that take about as long as its evaluations.
pub fn plies_of_step(shape: &Shape) -> u64 {
    let games = u64::from(shape.n_trees) * shape.streams_per_tree() as u64;
    let evaluation = shape.net().map_or(0, |net| u64::from(shape.all_leaves()) * (net.products() / PRODUCTS));
    games.saturating_mul(shape.path_capacity.into()).saturating_add(evaluation)
}

/// Work of a dispatch: plies of games, as [`plies_of_step`] counts them, and trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// Plies.
    pub plies: u64,
    /// Trees.
    pub trees: u32,
}

/// Amounts of work that are safe to submit to a machine of unknown speed. Rough estimates: slow machines of a kind are
/// a hundred times slower than fast ones, and games end long before the greatest number of plies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loads {
    /// Work of a few milliseconds at most.
    pub first: Load,
    /// A step of at most this work is not cut before it has been measured to take long.
    pub short: Load,
    /// The greatest work of a submission, independent of measurements: finished games and trees take no time, so that
    /// the next submission may take much longer than the last one.
    pub most: Load,
}

impl Loads {
    /// The loads for a kind of machine.
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

    /// Whether a step is short.
    pub fn is_short(self, shape: &Shape) -> bool {
        plies_of_step(shape) <= self.short.plies && shape.n_trees <= self.short.trees
    }
}
