//! The order of dispatches of a step: the algorithm as a recording.

use crate::{
    gpu::shaders::{GROUP_ROW, Widths},
    reference::Shape,
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
}

/// A step of the staged schedule (seed document, Table 1): thrifty variants launch exactly the legal children,
/// prodigal ones all B.
pub fn staged_step(shape: &Shape, widths: Widths) -> Vec<Launch> {
    use Stage::{Backup, Expand, Playout, Select};
    let launch = |stage, kernel, grid| Launch { stage, kernel, grid };
    let a_tree = Grid::Groups(shape.n_trees);
    let a_child = Grid::Groups((shape.n_trees * shape.max_actions).div_ceil(widths.tree));
    let games = shape.n_trees * shape.stream_sets() * shape.playouts;
    let a_game = Grid::Groups(games.div_ceil(widths.games));

    let mut step = vec![launch(Select, "select_leaf", a_tree), launch(Expand, "expand_1", a_tree)];
    if shape.variant.thrifty {
        step.push(launch(Expand, "plan", Grid::Groups(1)));
        step.push(launch(Expand, "expand_2", Grid::Planned(0)));
    } else {
        step.push(launch(Expand, "expand_2", a_child));
    }
    let planned = shape.variant.thrifty && shape.variant.all_children;
    step.push(launch(Playout, "playout", if planned { Grid::Planned(12) } else { a_game }));
    step.push(launch(Backup, "backup_1", a_tree));
    step.push(launch(Backup, "backup_2", a_tree));
    step
}

/// The rows that a number of workgroups is laid out in.
pub fn rows(groups: u32) -> (u32, u32) {
    (groups.min(GROUP_ROW), groups.div_ceil(GROUP_ROW))
}
