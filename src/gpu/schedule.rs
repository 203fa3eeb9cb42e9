//! The order of dispatches of a step: the algorithm as a recording.

use crate::{
    gpu::shaders::{GROUP_ROW, Widths},
    reference::Shape,
    search::Variant,
};

/// The four stages that are timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// From the root to a leaf.
    Select,
    /// Both substages of the expansion, and the plan between them.
    Expand,
    /// The playouts.
    Playout,
    /// Both substages of the backup.
    Backup,
}

impl Stage {
    /// In the order of a step.
    pub const ALL: [Self; 4] = [Self::Select, Self::Expand, Self::Playout, Self::Backup];
}

/// How many workgroups a dispatch has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grid {
    /// This many.
    Groups(u32),
    /// As many as the device itself has written at this byte of `dispatches`.
    Planned(u64),
}

/// One dispatch of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    /// The stage it is timed with.
    pub stage: Stage,
    /// Its entry point.
    pub kernel: &'static str,
    /// Its workgroups.
    pub grid: Grid,
    /// As many as there can be: with more of them than the device plans, the others end at once.
    pub most: u32,
}

/// A step that is cut can be taken back as long as none of its trees has been backed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// All stages up to the playouts.
    Play,
    /// The backup.
    Backup,
}

/// A dispatch of a step that is cut. No workgroup of it waits for another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Its entry point.
    pub kernel: &'static str,
    /// Its workgroups.
    pub groups: u32,
}

/// A step of the staged schedule (seed document, Table 1): thrifty variants launch exactly the legal children,
/// prodigal ones all B.
pub fn staged_step(shape: &Shape, widths: Widths) -> Vec<Launch> {
    use Stage::{Backup, Expand, Playout, Select};
    let launch = |stage, kernel, most| Launch { stage, kernel, grid: Grid::Groups(most), most };
    let planned = |stage, kernel, most, at| Launch { grid: Grid::Planned(at), ..launch(stage, kernel, most) };
    let a_tree = shape.n_trees;
    let a_child = (shape.n_trees * shape.max_actions).div_ceil(widths.tree);
    let a_game = playout_groups(shape, widths);

    let mut step = vec![launch(Select, "select_leaf", a_tree), launch(Expand, "expand_1", a_tree)];
    if shape.variant.thrifty {
        step.push(launch(Expand, "plan", 1));
        step.push(planned(Expand, "expand_2", a_child, 0));
    } else {
        step.push(launch(Expand, "expand_2", a_child));
    }
    step.push(match shape.variant {
        Variant { thrifty: true, all_children: true } => planned(Playout, "playout", a_game, 12),
        _ => launch(Playout, "playout", a_game),
    });
    step.push(launch(Backup, "backup_1", a_tree));
    step.push(launch(Backup, "backup_2", a_tree));
    step
}

/// Workgroups of the playouts of a step, where all children of all trees are played out.
pub fn playout_groups(shape: &Shape, widths: Widths) -> u32 {
    (shape.n_trees * shape.stream_sets() * shape.playouts).div_ceil(widths.games)
}

/// Plies of a step's games, were all of them as long as the longest, and all children of all trees played out.
pub fn plies_of_step(shape: &Shape) -> u64 {
    let games = u64::from(shape.n_trees) * shape.streams_per_tree() as u64;
    games.saturating_mul(shape.path_capacity.into())
}

/// Work of a dispatch: plies of games as [`plies_of_step`] counts them, and trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// Plies.
    pub plies: u64,
    /// Trees.
    pub trees: u32,
}

/// What is safe to hand over at a time to a machine whose speed is not known yet. Not measured and not exact: slow machines
/// of a kind are a hundred times slower than fast ones, and games end long before the longest one.
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
    /// By the type of an adapter ([`AdapterInfo::type`](crate::gpu::AdapterInfo)); processors are `software`.
    pub fn of(adapter_type: &str) -> Self {
        let (plies, trees, growth) = match adapter_type {
            "software" => (1 << 18, 1 << 12, 4),
            "discrete" => (1 << 24, 1 << 18, 64),
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

/// The rows that a number of workgroups is laid out in.
pub fn rows(groups: u32) -> (u32, u32) {
    (groups.min(GROUP_ROW), groups.div_ceil(GROUP_ROW))
}
