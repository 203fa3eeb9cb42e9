//! Twin of `shaders/net/heads.wgsl` with `evaluate_by_dots.wgsl` or `evaluate_by_matrices.wgsl`: evaluates the leaves.

use super::super::{
    LeafView, TreeView,
    spread::{self, PRODUCTS},
};
use crate::forest::Shape;
use std::ops::Range;

/// Evaluates the leaves marked for it (specification, "Networks"), unless the search knows the evaluations of their
/// positions.
pub fn evaluate(shape: &Shape, view: &mut TreeView<'_>) {
    let all = 0..view.leaves.len();
    evaluate_some(shape, view, all);
}

/// The same for some of the leaves.
pub fn evaluate_some(shape: &Shape, view: &mut TreeView<'_>, leaves: Range<usize>) {
    let Some(net) = shape.net() else { return };
    let cost = (net.products() / PRODUCTS).min(u32::MAX.into()) as u32;
    let known = view.evaluations;
    let unknown = |leaf: &mut LeafView<'_>| {
        leaf.leaf_planes.ends_with(&[1]) && !known.recall(leaf.leaf_planes, leaf.outputs)
    };
    let leaves = view.leaf_views().skip(leaves.start).take(leaves.len());
    let leaves: Vec<_> = leaves.filter_map(|mut leaf| unknown(&mut leaf).then_some(leaf)).collect();
    spread::for_each(shape, cost, leaves.into_iter(), |leaf| {
        net.evaluate(&leaf.leaf_planes[..leaf.leaf_planes.len() - 1], leaf.outputs);
        known.note(leaf.leaf_planes, leaf.outputs);
    });
}
