//! The CPU reference: a Rust twin of every kernel, with the same name and the same results, bit for bit.
//!
//! It is also the CPU engine. Twins work on a [`TreeView`], the slices of one tree, so that rayon can give every tree a
//! core, and where trees are few, parts of a step, too. The buffers are those of `shaders/README.md`, word for word, so
//! that a snapshot of one engine is one of the other.

pub mod backup_1;
pub mod backup_2;
pub mod choose;
pub mod count_jobs;
mod evaluation_cache;
pub mod expand_1;
pub mod expand_2;
pub mod fingerprint;
mod forest;
pub mod lanes;
pub mod leaves;
pub mod playout;
pub mod prove;
pub mod reduce_over_actions;
pub mod reduce_over_trees;
pub mod renew_noise;
pub mod reset;
pub mod restrict;
pub mod reuse;
pub mod rollout;
pub mod seed;
pub mod select;
mod spread;
pub mod stages;
pub mod withdraw;

pub use evaluation_cache::EvaluationCache;
pub use forest::{Forest, LeafView, PlayView, TreeView};

use crate::{
    forest::{Shape, layout::Tree},
    rules::Game,
};

/// Undoes a step that was abandoned before its backup; `kept` are all headers of the chunk before the step.
pub fn take_back(shape: &Shape, tree: &mut TreeView<'_>, kept: &[Tree]) {
    let (headers, of_leaves) = kept.split_at(shape.n_trees as usize);
    let (index, count) = (tree.index as usize, tree.leaves.len());
    match count {
        0 => withdraw::withdraw(tree, &headers[index]),
        _ => {
            let own = &of_leaves[index * count..][..count];
            leaves::withdraw_leaves::withdraw_leaves(shape, tree, (&headers[index], own));
        }
    }
}

/// A kernel's twin, for one tree.
pub type Twin<G> = fn(&G, &Shape, &mut TreeView<'_>);

/// The twin of a kernel that works on each tree by itself; `None` if there is no such kernel.
pub fn twin<G: Game>(kernel: &str) -> Option<Twin<G>> {
    Some(match kernel {
        "reset" => |_, _, tree| reset::reset(tree),
        "select_leaf" => select::select,
        "expand_1" => expand_1::expand_1,
        "expand_2" => expand_2::expand_2,
        "playout" => playout::playout,
        "backup_1" => |_, shape, tree| backup_1::backup_1(shape, tree),
        "backup_2" => |_, shape, tree| backup_2::backup_2(shape, tree),
        "select_leaves" => |_, shape, tree| leaves::select_leaves::select_leaves(shape, tree),
        "list_leaves" => leaves::list_leaves::list_leaves,
        "allot_leaves" => |_, shape, tree| leaves::allot_leaves::allot_leaves(shape, tree),
        "append_leaves" => leaves::append_leaves::append_leaves,
        "write_planes" => leaves::write_planes::write_planes,
        "evaluate" => |_, shape, tree| leaves::evaluate::evaluate(shape, tree),
        "enter_evaluations" => |_, shape, tree| leaves::enter_evaluations::enter_evaluations(shape, tree),
        "credit_leaves" => leaves::credit_leaves::credit_leaves,
        "back_up_leaves" => |_, shape, tree| leaves::back_up_leaves::back_up_leaves(shape, tree),
        "prove_leaves" => |_, shape, tree| leaves::prove_leaves::prove_leaves(shape, tree),
        "choose_leaves" => |_, shape, tree| leaves::choose_leaves::choose_leaves(shape, tree),
        "settle_leaves" => |_, _, tree| leaves::settle_leaves::settle_leaves(tree),
        _ => return None,
    })
}

/// One step of one tree: the stages in their order (algorithms 1 and 2 of the paper).
///
/// A tree whose root is proven makes no step.
pub fn step<G: Game>(game: &G, shape: &Shape, tree: &mut TreeView<'_>) {
    descend(game, shape, tree);
    match shape.evaluation {
        Some(_) => leaves::evaluate(game, shape, tree),
        None => playout::playout(game, shape, tree),
    }
    back_up(game, shape, tree);
}

/// The stages before the playouts.
pub fn descend<G: Game>(game: &G, shape: &Shape, tree: &mut TreeView<'_>) {
    if shape.has_leaves() {
        return leaves::descend(game, shape, tree);
    }
    select::select(game, shape, tree);
    expand_1::expand_1(game, shape, tree);
    expand_2::expand_2(game, shape, tree);
}

/// The stages after them.
pub fn back_up<G: Game>(game: &G, shape: &Shape, tree: &mut TreeView<'_>) {
    if shape.has_leaves() {
        return leaves::back_up(game, shape, tree);
    }
    backup_1::backup_1(shape, tree);
    backup_2::backup_2(shape, tree);
}
