//! Twin of `shaders/select.wgsl`: goes down to a leaf, always to the child of greatest UCB.

use super::{Shape, TreeView};
use crate::{
    layout::{Link, NO_CHILDREN, ROOT},
    ucb,
};

/// Selects a leaf and records the path to it (SPEC, "One step", 1).
pub fn select(shape: &Shape, view: &mut TreeView<'_>) {
    let (mut node, mut depth) = (ROOT, 0);
    view.path[0] = ROOT;
    loop {
        let link = view.links[node as usize];
        if link.first_child == NO_CHILDREN {
            break;
        }
        node = best_child(shape, view, node, link);
        depth += 1;
        view.path[depth] = node;
    }
    view.tree.selected = node;
    view.tree.path_length = depth as u32 + 1;
}

fn best_child(shape: &Shape, view: &TreeView<'_>, node: u32, link: Link) -> u32 {
    let ln_parent = ucb::ln(view.stats[node as usize].counts().0);
    let key = |child: u32| {
        let (n, n_wins) = view.stats[child as usize].counts();
        let action = view.links[child as usize].action();
        // UCB values are never negative, so that their bits order as they do.
        (ucb::ucb(ln_parent, n, n_wins, shape.ucb_c).to_bits(), !action.reverse_bits())
    };
    (link.first_child..link.first_child + link.count()).max_by_key(|&child| key(child)).unwrap_or(node)
}
