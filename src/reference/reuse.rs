//! Twin of `shaders/search/run/reuse.wgsl`: once moves have been played, the subtree below them becomes the tree.

use super::{TreeView, reset::reset};
use crate::forest::layout::{ACTION_BITS, Link, NO_CHILDREN, ROOT, TREE_PROVEN, split};

/// A node of the old tree that the new one keeps.
#[derive(Debug, Clone, Copy)]
struct Mark {
    /// Index in the new tree.
    place: u32,
    /// Depth in the new tree, in plies.
    depth: u32,
}

/// Makes the node that `moves` lead to the root, whose record must have been written before. Kept nodes keep their
/// order, their statistics and their choices. A tree without such a node, or with one whose outcome was solved without
/// a search, becomes its root alone. The random streams continue.
pub fn reuse(view: &mut TreeView<'_>, moves: &[u32]) {
    let root = follow_moves(view, moves).filter(|&node| {
        let link = view.links[node as usize];
        link.count() > 0 || link.outcome() == 0
    });
    let Some(root) = root else { return reset(view) };
    let marks = mark(view, root);
    let (mut size, mut max_depth, mut depth_sum) = (0, 0, 0);
    for (node, mine) in (root as usize..).zip(&marks) {
        let Some(Mark { place, depth }) = *mine else { continue };
        let to = place as usize;
        view.stats[to] = view.stats[node];
        view.links[to] = linked_anew(view.links[node], root, &marks);
        size += 1;
        max_depth = max_depth.max(depth);
        depth_sum += u64::from(depth);
    }
    // No action leads to a root.
    let link = &mut view.links[ROOT as usize];
    link.info = link.info >> ACTION_BITS << ACTION_BITS;
    enter(view, size, max_depth, depth_sum);
}

/// The node that the moves lead to, if the tree has it.
fn follow_moves(view: &TreeView<'_>, moves: &[u32]) -> Option<u32> {
    moves.iter().try_fold(ROOT, |node, &action| {
        let link = view.links[node as usize];
        (link.first_child..link.first_child + link.count())
            .find(|&child| view.links[child as usize].action() == action)
    })
}

/// The mark of each node from the new root on; nodes before it are not below it.
fn mark(view: &TreeView<'_>, root: u32) -> Vec<Option<Mark>> {
    let mut marks = vec![None; (view.tree.size - root) as usize];
    marks[0] = Some(Mark { place: 0, depth: 0 });
    let mut place = 0;
    for node in 0..marks.len() {
        let Some(mine) = &mut marks[node] else { continue };
        mine.place = place;
        place += 1;
        // Children have greater indexes than their parents.
        let child = Mark { place: 0, depth: mine.depth + 1 };
        let link = view.links[root as usize + node];
        let first = link.first_child.saturating_sub(root) as usize;
        marks[first..][..link.count() as usize].fill(Some(child));
    }
    marks
}

/// The link of a kept node in the new tree.
fn linked_anew(link: Link, root: u32, marks: &[Option<Mark>]) -> Link {
    if link.first_child == NO_CHILDREN {
        return link;
    }
    let first = marks[(link.first_child - root) as usize];
    Link { first_child: first.map_or(NO_CHILDREN, |first| first.place), ..link }
}

/// Writes the header.
fn enter(view: &mut TreeView<'_>, size: u32, max_depth: u32, depth_sum: u64) {
    let root = (view.stats[ROOT as usize], view.links[ROOT as usize]);
    reset(view);
    (view.stats[ROOT as usize], view.links[ROOT as usize]) = root;
    if view.stats[ROOT as usize].is_proven() {
        view.tree.flags |= TREE_PROVEN;
    }
    view.tree.size = size;
    view.tree.max_depth = max_depth;
    view.tree.depth_sum = split(depth_sum);
}
