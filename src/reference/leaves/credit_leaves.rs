//! Twin of `shaders/search/leaves/credit_leaves.wgsl`: credits the children of the leaves' paths with the playouts in
//! which their actions were played later.

use super::super::TreeView;
use crate::{forest::Shape, rules::Game};

/// Every child of a node of a leaf's path gets the playouts below that node in which the player to move there was the
/// first to play at the place of the child's action, and their points (specification, "Rapid action values").
pub fn credit_leaves<G: Game>(game: &G, shape: &Shape, view: &mut TreeView<'_>) {
    if shape.config.rave == 0 || view.tree.is_resting() {
        return;
    }
    for place in 0..view.leaves.len() {
        credit_leaf(game, shape, &mut view.leaf(place));
    }
}

fn credit_leaf<G: Game>(game: &G, shape: &Shape, leaf: &mut TreeView<'_>) {
    // [place]: who has been the first to play there in the tree below a node.
    let mut owners = vec![None; 32 * shape.first_words as usize];
    let drawn = leaf.tree.first_child + leaf.tree.drawn;
    let mut below = (leaf.tree.expanded > 0).then_some(drawn);
    for depth in (0..leaf.tree.path_length).rev() {
        let (node, turn) = (leaf.path[depth as usize], leaf.turn_at(depth));
        let place = below.and_then(|child| game.first_place(leaf.links[child as usize].action()));
        if let Some(place) = place {
            owners[place as usize] = Some(turn);
        }
        if leaf.stats[node as usize].counts_amaf() {
            credit_children(game, shape, leaf, (node, turn), &owners);
        }
        below = Some(node);
    }
}

fn credit_children<G: Game>(
    game: &G,
    shape: &Shape,
    leaf: &mut TreeView<'_>,
    (node, turn): (u32, u32),
    owners: &[Option<u32>],
) {
    let link = leaf.links[node as usize];
    for child in (link.first_child as usize..).take(link.count() as usize) {
        let Some(place) = game.first_place(leaf.links[child].action()) else { continue };
        let (mut n, mut points) = (0, 0);
        for record in leaf.firsts.chunks(shape.record_words()) {
            let word = 1 + turn * shape.first_words + place / 32;
            let is_first = match owners[place as usize] {
                Some(owner) => owner == turn,
                None => record[word as usize] >> (place % 32) & 1 == 1,
            };
            if is_first {
                n += 1;
                points += record[0] >> (16 * turn) & 0xffff;
            }
        }
        leaf.stats[child].add_amaf(n, points);
    }
}
