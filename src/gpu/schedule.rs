//! The order of the dispatches of a step.

use crate::{
    forest::{shape::Shape, variant::Variant},
    gpu::shaders::{GROUP_ROW, Widths},
};

/// The four stages that are timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The descent from the root to a leaf.
    Select,
    /// Both kernels of the expansion, and `count_jobs` between them.
    Expand,
    /// The playouts.
    Playout,
    /// Both kernels of the backup.
    Backup,
}

impl Stage {
    /// In the order of a step.
    pub const ALL: [Self; 4] = [Self::Select, Self::Expand, Self::Playout, Self::Backup];
}

/// The number of workgroups of a dispatch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grid {
    /// A fixed number.
    Groups(u32),
    /// The number that the device writes at this byte offset of `dispatches`.
    Planned(u64),
}

/// One dispatch of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    /// The stage whose time includes it.
    pub stage: Stage,
    /// Its entry point.
    pub kernel: &'static str,
    /// Its workgroups.
    pub grid: Grid,
    /// The greatest number of workgroups; those beyond the number that the device writes end at once.
    pub most: u32,
}

/// A dispatch of a step that is cut into slices. No workgroup of it waits for another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Its entry point.
    pub kernel: &'static str,
    /// Its workgroups.
    pub groups: u32,
}

/// A step of the staged schedule (Table 1 of the paper): thrifty variants launch exactly the legal children, prodigal
/// ones all B.
pub fn staged_step(shape: &Shape, widths: Widths) -> Vec<Launch> {
    use Stage::{Backup, Expand, Select};
    if shape.has_leaves() {
        return step_with_leaves(shape, widths);
    }
    let a_tree = shape.n_trees;
    let a_child = (shape.n_trees * shape.max_actions).div_ceil(widths.tree);

    let mut step = vec![launch(Select, "select_leaf", a_tree), launch(Expand, "expand_1", a_tree)];
    if shape.config.variant.thrifty {
        step.push(launch(Expand, "count_jobs", 1));
        step.push(planned(Expand, "expand_2", a_child, 0));
    } else {
        step.push(launch(Expand, "expand_2", a_child));
    }
    step.push(playout(shape, widths));
    step.push(launch(Backup, "backup_1", a_tree));
    step.push(launch(Backup, "backup_2", a_tree));
    step
}

/// A step with several leaves a tree: stages whose leaves depend on one another have a workgroup a tree, the others one
/// a leaf.
fn step_with_leaves(shape: &Shape, widths: Widths) -> Vec<Launch> {
    use Stage::{Backup, Expand, Select};
    let (a_tree, a_leaf) = (shape.n_trees, shape.all_leaves());
    let mut step = vec![
        launch(Select, "select_leaves", a_tree),
        launch(Expand, "list_leaves", a_leaf),
        launch(Expand, "allot_leaves", a_tree),
        launch(Expand, "append_leaves", a_leaf),
    ];
    if shape.config.variant.thrifty && shape.config.variant.all_children {
        step.push(launch(Expand, "count_jobs", 1));
    }
    if shape.has_playouts() {
        step.push(playout(shape, widths));
    }
    if shape.evaluation.is_some() {
        step.push(launch(Stage::Playout, "write_planes", a_leaf));
        if shape.net().is_some() {
            step.push(launch(Stage::Playout, "evaluate", a_leaf.div_ceil(widths.boards)));
        }
        step.push(launch(Stage::Playout, "enter_evaluations", a_leaf));
    }
    if shape.config.rave > 0 {
        step.push(launch(Backup, "credit_leaves", a_leaf));
    }
    step.extend([
        launch(Backup, "back_up_leaves", a_leaf),
        launch(Backup, "prove_leaves", a_tree),
        launch(Backup, "choose_leaves", a_leaf),
        launch(Backup, "settle_leaves", a_leaf),
    ]);
    step
}

fn launch(stage: Stage, kernel: &'static str, most: u32) -> Launch {
    Launch { stage, kernel, grid: Grid::Groups(most), most }
}

/// A dispatch with the number of workgroups that the device writes at this byte offset of `dispatches`.
fn planned(stage: Stage, kernel: &'static str, most: u32, at: u64) -> Launch {
    Launch { grid: Grid::Planned(at), ..launch(stage, kernel, most) }
}

fn playout(shape: &Shape, widths: Widths) -> Launch {
    let a_game = playout_groups(shape, widths);
    match shape.config.variant {
        Variant { thrifty: true, all_children: true } => planned(Stage::Playout, "playout", a_game, 12),
        _ => launch(Stage::Playout, "playout", a_game),
    }
}

/// Workgroups of a step's playouts, where all children of all trees are played out.
pub fn playout_groups(shape: &Shape, widths: Widths) -> u32 {
    (shape.all_leaves() * shape.stream_sets() * shape.config.playouts).div_ceil(widths.games)
}

/// The width and the number of the rows that a number of workgroups is laid out in.
pub fn rows(groups: u32) -> (u32, u32) {
    (groups.min(GROUP_ROW), groups.div_ceil(GROUP_ROW))
}
