//! Stages of a step for many trees, by the game itself: the edge at which an engine for any game calls the twins.

use super::{Forest, TreeView, back_up, descend, leaves, playout, step, twin};
use crate::{
    host::parallel::in_tasks,
    rules::{Game, GameVisitor},
};
use std::{
    ops::Range,
    sync::atomic::{AtomicU32, Ordering},
};

/// A stage of a step.
#[derive(Debug, Clone)]
pub enum Stage {
    /// This many whole steps.
    Steps(u32),
    /// The stages before an evaluator's call.
    Ask,
    /// The stages after it.
    Enter,
    /// The stages before the playouts or the evaluation.
    Descent,
    /// Evaluation of a range of the leaves, counted over all trees.
    Evaluation(Range<u32>),
    /// The stages after them.
    Backup,
    /// The twin of a kernel that works on each tree by itself.
    Kernel(&'static str),
}

/// All trees of a forest.
pub const ALL_TREES: Range<usize> = 0..usize::MAX;

impl Stage {
    /// Carries it out in these trees, by the game itself.
    pub fn make<G: Game>(self, game: &G, forest: &mut Forest, trees: Range<usize>) {
        game.reveal(Stages { forest, stage: self, trees });
    }
}

/// A stage of some of the trees.
struct Stages<'a> {
    forest: &'a mut Forest,
    stage: Stage,
    trees: Range<usize>,
}

impl GameVisitor for Stages<'_> {
    type Output = ();

    fn visit<G: Game>(self, game: &G) {
        let Self { forest, stage, trees } = self;
        let shape = forest.shape.clone();
        forest.for_some_trees(trees, |mut tree| match &stage {
            Stage::Steps(steps) => (0..*steps).for_each(|_| step(game, &shape, &mut tree)),
            Stage::Ask => leaves::ask(game, &shape, &mut tree),
            Stage::Enter => leaves::enter(game, &shape, &mut tree),
            Stage::Descent => descend(game, &shape, &mut tree),
            Stage::Evaluation(wanted) => {
                let (first, count) = (tree.index * shape.config.leaf_batch, shape.config.leaf_batch);
                let within = |at: u32| (at.clamp(first, first + count) - first) as usize;
                leaves::evaluate_some(game, &shape, &mut tree, within(wanted.start)..within(wanted.end));
            }
            Stage::Backup => back_up(game, &shape, &mut tree),
            Stage::Kernel(kernel) => {
                if let Some(twin) = twin(kernel) {
                    twin(game, &shape, &mut tree);
                }
            }
        });
    }
}

/// Playouts of a range of a step's nodes, counted over all trees; the range may go beyond the last one.
pub struct Playouts<'a> {
    /// The trees, with the counts of [`count_jobs`](super::count_jobs).
    pub forest: &'a mut Forest,
    /// The range.
    pub wanted: Range<u32>,
}

impl GameVisitor for Playouts<'_> {
    type Output = ();

    fn visit<G: Game>(self, game: &G) {
        let Self { forest, wanted } = self;
        let shape = forest.shape.clone();
        let before = std::mem::take(&mut forest.jobs);
        let leaves = shape.config.leaf_batch as usize;
        let first = before.partition_point(|&jobs| jobs <= wanted.start).saturating_sub(1) / leaves;
        let end = before.partition_point(|&jobs| jobs < wanted.end).div_ceil(leaves);
        let within =
            |at: u32, leaf: usize| (at.clamp(before[leaf], before[leaf + 1]) - before[leaf]) as usize;
        let views = forest.trees().skip(first).take(end.saturating_sub(first));
        let jobs = views.flat_map(TreeView::into_plays).flat_map(|view| {
            let (skipped, end) = (within(wanted.start, view.leaf), within(wanted.end, view.leaf));
            playout::jobs(game, &shape, view).take(end).skip(skipped)
        });
        let faults = AtomicU32::new(0);
        in_tasks(jobs.collect(), 1..=1, &|job| {
            faults.fetch_or(job.play(game, &shape), Ordering::Relaxed);
        });
        let faults = faults.into_inner();
        // A run with faults has no result, whichever tree has them. A rank may have no trees.
        forest.trees.iter_mut().take(1).for_each(|tree| tree.flags |= faults);
        forest.jobs = before;
    }
}
