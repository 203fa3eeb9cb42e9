//! Steps that have several leaves a tree: twins of `shaders/search/leaves/`.

pub mod allot_leaves;
pub mod append_leaves;
pub mod back_up_leaves;
pub mod choose_leaves;
pub mod credit_leaves;
pub mod list_leaves;
pub mod prove_leaves;
pub mod select_leaves;
pub mod settle_leaves;
pub mod withdraw_leaves;

use super::TreeView;
use crate::{forest::Shape, rules::Game};

/// The stages before the playouts.
pub(super) fn descend<G: Game>(game: &G, shape: &Shape, tree: &mut TreeView<'_>) {
    select_leaves::select_leaves(shape, tree);
    list_leaves::list_leaves(game, shape, tree);
    allot_leaves::allot_leaves(shape, tree);
    append_leaves::append_leaves(game, shape, tree);
}

/// The stages after them.
pub(super) fn back_up<G: Game>(game: &G, shape: &Shape, tree: &mut TreeView<'_>) {
    credit_leaves::credit_leaves(game, shape, tree);
    back_up_leaves::back_up_leaves(shape, tree);
    prove_leaves::prove_leaves(shape, tree);
    choose_leaves::choose_leaves(shape, tree);
    settle_leaves::settle_leaves(tree);
}
