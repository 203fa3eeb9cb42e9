//! Steps that have several leaves a tree: twins of `shaders/search/leaves/`.

pub mod allot_leaves;
pub mod append_leaves;
pub mod back_up_leaves;
pub mod choose_leaves;
pub mod credit_leaves;
pub mod enter_evaluations;
pub mod evaluate;
pub mod list_leaves;
pub mod prove_leaves;
pub mod select_leaves;
pub mod settle_leaves;
pub mod withdraw_leaves;
pub mod write_planes;

use super::{TreeView, playout};
use crate::{forest::Shape, rules::Game};
use std::ops::Range;

/// The stages before the playouts.
pub(super) fn descend<G: Game>(game: &G, shape: &Shape, tree: &mut TreeView<'_>) {
    select_leaves::select_leaves(shape, tree);
    list_leaves::list_leaves(game, shape, tree);
    allot_leaves::allot_leaves(shape, tree);
    append_leaves::append_leaves(game, shape, tree);
}

/// The stages instead of the playouts, with a network.
pub(super) fn evaluate<G: Game>(game: &G, shape: &Shape, tree: &mut TreeView<'_>) {
    let all = 0..tree.leaves.len();
    evaluate_some(game, shape, tree, all);
}

/// The same for some of a tree's leaves; the earlier ones have been evaluated.
pub fn evaluate_some<G: Game>(game: &G, shape: &Shape, tree: &mut TreeView<'_>, leaves: Range<usize>) {
    if leaves.start == 0 {
        write_planes::write_planes(game, shape, tree);
    }
    let is_last = leaves.end == tree.leaves.len();
    if shape.has_playouts() {
        playout::playout_some(game, shape, tree, leaves.clone());
    }
    evaluate::evaluate_some(shape, tree, leaves);
    if is_last {
        enter_evaluations::enter_evaluations(shape, tree);
    }
}

/// The stages of a step before the call of an evaluator, which has the leaves of all trees.
pub fn ask<G: Game>(game: &G, shape: &Shape, tree: &mut TreeView<'_>) {
    descend(game, shape, tree);
    write_planes::write_planes(game, shape, tree);
}

/// The stages after the call.
pub fn enter<G: Game>(game: &G, shape: &Shape, tree: &mut TreeView<'_>) {
    enter_evaluations::enter_evaluations(shape, tree);
    back_up(game, shape, tree);
}

/// The stages after the playouts, or after the evaluation.
pub(super) fn back_up<G: Game>(game: &G, shape: &Shape, tree: &mut TreeView<'_>) {
    credit_leaves::credit_leaves(game, shape, tree);
    back_up_leaves::back_up_leaves(shape, tree);
    prove_leaves::prove_leaves(shape, tree);
    choose_leaves::choose_leaves(shape, tree);
    settle_leaves::settle_leaves(tree);
}
