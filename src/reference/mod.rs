//! The CPU reference: a twin of every kernel, same names, same bits, no GPU needed.
//!
//! It is also the engine that runs where there is no adapter. Kernels work on a [`TreeView`], the slices of one
//! tree, so that rayon can give every tree its own core; the buffers are those of `shaders/README.md`, word for
//! word, so that a snapshot of one engine is one of the other.

pub mod backup_1;
pub mod backup_2;
pub mod choose;
pub mod expand_1;
pub mod expand_2;
pub mod fingerprint;
mod forest;
pub mod plan;
pub mod playout;
pub mod prove;
pub mod reduce_over_actions;
pub mod reduce_over_trees;
pub mod reset;
pub mod reuse;
pub mod rollout;
pub mod seed;
pub mod select;
pub mod withdraw;

pub use forest::{Forest, TreeView};

use crate::{forest::Shape, rules::Game};

/// One step of one tree: the stages in their order (algorithms 1 and 2 of the paper).
///
/// A tree whose root is proven makes no more of them.
pub fn step<G: Game>(game: &G, shape: &Shape, tree: &mut TreeView<'_>) {
    descend(game, shape, tree);
    playout::playout(game, shape, tree);
    back_up(shape, tree);
}

/// The stages before the playouts.
pub fn descend<G: Game>(game: &G, shape: &Shape, tree: &mut TreeView<'_>) {
    select::select(game, shape, tree);
    expand_1::expand_1(game, shape, tree);
    expand_2::expand_2(game, shape, tree);
}

/// The stages after them.
pub fn back_up(shape: &Shape, tree: &mut TreeView<'_>) {
    backup_1::backup_1(shape, tree);
    backup_2::backup_2(shape, tree);
}
