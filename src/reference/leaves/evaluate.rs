//! Twin of `shaders/net/heads.wgsl` with `evaluate_by_dots.wgsl` or `evaluate_by_matrices.wgsl`: evaluates the leaves.

use super::super::{
    TreeView,
    spread::{self, PRODUCTS},
};
use crate::forest::Shape;
use std::ops::Range;

/// Evaluates the leaves marked for it (specification, "Networks").
pub fn evaluate(shape: &Shape, view: &mut TreeView<'_>) {
    let all = 0..view.leaves.len();
    evaluate_some(shape, view, all);
}

/// The same for some of the leaves.
pub fn evaluate_some(shape: &Shape, view: &mut TreeView<'_>, leaves: Range<usize>) {
    let Some(net) = shape.net() else { return };
    let cost = (net.products() / PRODUCTS).min(u32::MAX.into()) as u32;
    let leaves = view.leaf_views().skip(leaves.start).take(leaves.len());
    spread::for_each(shape, cost, leaves, |leaf| {
        if let Some((1, planes)) = leaf.leaf_planes.split_last() {
            net.evaluate(planes, leaf.outputs);
        }
    });
}
