//! Twin of `shaders/search/leaves/credit_leaves.wgsl`: credits the children of the leaves' paths with the playouts in
//! which their actions were played later.

use super::super::{
    LeafView, TreeView,
    spread::{self, A_CREDIT},
};
use crate::{forest::Shape, rules::Game};

/// Adds to every child of a node of a leaf's path the playouts below that node in which the player to move there was
/// the first to play at the place of the child's action, and their points (specification, "Rapid action values").
pub fn credit_leaves<G: Game>(game: &G, shape: &Shape, view: &mut TreeView<'_>) {
    if shape.config.rave == 0 || view.tree.root_is_proven() {
        return;
    }
    // Leaves share nodes: the credits of each leaf are collected first, and then added up.
    let mut credits = vec![Vec::new(); view.leaves.len()];
    let cost = A_CREDIT * shape.max_actions * shape.config.playouts;
    spread::for_each(shape, cost, view.leaf_views().zip(&mut credits), |(leaf, credits)| {
        *credits = credits_of(game, shape, &leaf);
    });
    for Credit { child, n, points } in credits.into_iter().flatten() {
        view.stats[child].add_amaf(n, points);
    }
}

/// The credit of a child from a leaf's playouts.
#[derive(Debug, Clone, Copy)]
struct Credit {
    child: usize,
    n: u32,
    points: u32,
}

fn credits_of<G: Game>(game: &G, shape: &Shape, leaf: &LeafView<'_>) -> Vec<Credit> {
    // [place]: the first player to play there in the tree below a node.
    let mut owners = vec![None; 32 * shape.first_words as usize];
    let mut credits = Vec::new();
    let drawn = leaf.tree.first_child + leaf.tree.drawn;
    let mut below = (leaf.tree.expanded > 0).then_some(drawn);
    for depth in (0..leaf.tree.path_length).rev() {
        let (node, turn) = (leaf.path[depth as usize], leaf.tree.turn_at(depth));
        let place = below.and_then(|child| game.first_place(leaf.links[child as usize].action()));
        if let Some(place) = place {
            owners[place as usize] = Some(turn);
        }
        if leaf.stats[node as usize].counts_amaf() {
            credit_children(game, shape, leaf, (node, turn), (&owners, &mut credits));
        }
        below = Some(node);
    }
    credits
}

fn credit_children<G: Game>(
    game: &G,
    shape: &Shape,
    leaf: &LeafView<'_>,
    (node, turn): (u32, u32),
    (owners, credits): (&[Option<u32>], &mut Vec<Credit>),
) {
    let link = leaf.links[node as usize];
    credits.reserve(link.count() as usize);
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
        if n > 0 {
            credits.push(Credit { child, n, points });
        }
    }
}
