//! Twin of `shaders/search/leaves/select_leaves.wgsl`: selects one leaf after another; each selection adds virtual
//! visits for the later ones.

use super::super::{TreeView, choose::best_ordinal};
use crate::forest::{
    Shape,
    layout::{BEST_SHIFT, NO_CHILDREN, ROOT, TREE_PROVEN, TREE_SECOND_MOVES, TREE_UNDER_WAY},
};

/// Selects the leaves of a step, records their paths, and counts their playouts as visits of the paths (specification,
/// "Several leaves a step"). The choices that follow from these visits are undone after the selections.
pub fn select_leaves(shape: &Shape, view: &mut TreeView<'_>) {
    let flags = view.tree.flags & (TREE_SECOND_MOVES | TREE_PROVEN);
    let mut before = Vec::new();
    for place in 0..view.leaves.len() {
        let mut leaf = view.leaf(place);
        leaf.tree.flags = flags;
        follow_choices(&mut leaf);
        for depth in 0..leaf.tree.path_length as usize {
            leaf.stats[leaf.path[depth] as usize].add(u64::from(shape.config.playouts), 0);
        }
        choose_path(shape, &mut leaf, &mut before);
    }
    before.into_iter().rev().for_each(|(node, info): (usize, u32)| view.links[node].info = info);
    if !view.tree.root_is_proven() {
        view.tree.flags |= TREE_UNDER_WAY;
    }
}

/// Follows the choices to a leaf. A tree whose root is proven has none.
fn follow_choices(leaf: &mut TreeView<'_>) {
    (leaf.tree.selected, leaf.tree.path_length) = (ROOT, 0);
    if leaf.tree.root_is_proven() {
        return;
    }
    let (mut node, mut depth) = (ROOT, 0);
    leaf.path[0] = node;
    while leaf.links[node as usize].first_child != NO_CHILDREN {
        node = leaf.links[node as usize].best_child();
        depth += 1;
        leaf.path[depth] = node;
    }
    (leaf.tree.selected, leaf.tree.path_length) = (node, depth as u32 + 1);
}

/// Chooses the best children of a path's nodes anew; notes their former links.
fn choose_path(shape: &Shape, leaf: &mut TreeView<'_>, before: &mut Vec<(usize, u32)>) {
    for depth in 0..leaf.tree.path_length as usize {
        let node = leaf.path[depth] as usize;
        if !leaf.stats[node].is_proven()
            && let Some(ordinal) = best_ordinal(shape, (leaf.stats, leaf.links), node)
        {
            before.push((node, leaf.links[node].info));
            let link = &mut leaf.links[node];
            link.info = link.lasting_info() | ordinal << BEST_SHIFT;
        }
    }
}
