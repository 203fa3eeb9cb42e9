//! Twin of `shaders/search/best_child/choose.wgsl`: notes the best child of every node of a path, the second half of
//! `backup_2`.

use super::TreeView;
use crate::{
    exact::ucb,
    forest::{Shape, layout::BEST_SHIFT},
};

/// The child that a selection goes on to from a node depends only on the counts of the node and of its children. Only
/// a backup changes those, so that only the choices of the nodes of its path have to be made anew. A proven node has
/// its choice from its proof; no other one chooses a closed child.
pub fn choose(shape: &Shape, view: &mut TreeView<'_>) {
    for depth in 0..view.tree.path_length as usize {
        let node = view.path[depth] as usize;
        if view.stats[node].is_proven() {
            continue;
        }
        if let Some(ordinal) = best_ordinal(shape, view, node) {
            let link = &mut view.links[node];
            link.info = link.lasting_info() | ordinal << BEST_SHIFT;
        }
    }
}

/// The ordinal of the child of greatest UCB (specification, "One step", 1); none where no child is open
/// (specification, "Proofs").
pub(super) fn best_ordinal(shape: &Shape, view: &TreeView<'_>, node: usize) -> Option<u32> {
    let link = view.links[node];
    let ln_parent = ucb::ln(shape.plain(view.stats[node]).counts().0);
    let key = |&ordinal: &u32| {
        let child = (link.first_child + ordinal) as usize;
        let (n, n_wins) = shape.rated_counts(view.stats[child]);
        let action = view.links[child].action();
        // UCB values are never negative, so that their bits order as they do.
        (ucb::ucb(ln_parent, n, n_wins, shape.scaled_c()).to_bits(), !action.reverse_bits())
    };
    let is_open =
        |ordinal: &u32| !view.stats[(link.first_child + ordinal) as usize].is_closed(&view.stats[node]);
    (0..link.count()).filter(is_open).max_by_key(key)
}
