//! Twin of `shaders/search/leaves/allot_leaves.wgsl`: allots nodes to the children of a step's leaves.

use super::super::{
    TreeView,
    forest::{stream_of, stream_words},
};
use crate::forest::{
    Shape,
    layout::{ACTION_BITS, FAULT_TOO_LONG, LEFT_OUT, Link, NO_CHILDREN, TREE_FOLLOWS, TREE_FULL},
};

/// Allots nodes in the order of the selections, to all children of a leaf or to none. A node that was selected more
/// than once is expanded once: its later leaves share the children of the first one, their leader.
pub fn allot_leaves(shape: &Shape, view: &mut TreeView<'_>) {
    for place in 0..view.leaves.len() {
        let leader = view.leaves[place].first_child as usize;
        let (first, count) = if leader < place {
            (view.leaves[leader].first_child, view.leaves[leader].expanded)
        } else {
            allot_children(shape, view, place)
        };
        let leaf = &mut view.leaves[place];
        (leaf.first_child, leaf.expanded, leaf.drawn) = (first, count, 0);
        if leader < place {
            leaf.flags |= TREE_FOLLOWS;
        }
        if !shape.config.variant.all_children && count > 0 {
            let mut stream = stream_of(leaf.expansion_stream);
            leaf.drawn = stream.pick_child(count);
            leaf.expansion_stream = stream_words(stream);
        }
    }
}

/// The first child and the number of children that a leaf gets; also writes them to its node's link.
fn allot_children(shape: &Shape, view: &mut TreeView<'_>, place: usize) -> (u32, u32) {
    let leaf = view.leaves[place];
    let (count, left_out, depth) = (leaf.expanded & !LEFT_OUT, leaf.expanded & LEFT_OUT, leaf.path_length);
    let tree = &mut *view.tree;
    let first = tree.size;
    if count == 0 {
        return (NO_CHILDREN, 0);
    }
    if depth > shape.max_plies() {
        view.leaves[place].flags |= FAULT_TOO_LONG;
        return (NO_CHILDREN, 0);
    }
    if count > shape.capacity - first {
        tree.flags |= TREE_FULL;
        return (NO_CHILDREN, 0);
    }
    tree.append(count, depth);
    let link = &mut view.links[leaf.selected as usize];
    *link = Link { first_child: first, info: link.info | count << ACTION_BITS | left_out };
    (first, count)
}
