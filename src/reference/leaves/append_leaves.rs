//! Twin of `shaders/search/leaves/append_leaves.wgsl`: gives the new children their links, outcomes and statistics.

use super::super::{
    TreeView,
    expand_1::player,
    expand_2::{last_action, new_child},
};
use crate::{
    forest::{
        Shape,
        layout::{Link, TREE_FOLLOWS},
    },
    rules::Game,
};

/// Appends the children that [`allot_leaves`](super::allot_leaves) has made room for.
pub fn append_leaves<G: Game>(game: &G, shape: &Shape, view: &mut TreeView<'_>) {
    for place in 0..view.leaves.len() {
        let leaf = view.leaf(place);
        if leaf.tree.expanded > 0 && leaf.tree.flags & TREE_FOLLOWS == 0 {
            append_leaf(game, shape, leaf);
        }
    }
}

fn append_leaf<G: Game>(game: &G, shape: &Shape, leaf: TreeView<'_>) {
    let parent = game.unpack(&leaf.state[..shape.state_words as usize]);
    let (turn, last) = (player(leaf.selected_turn()), last_action(&leaf));
    let bits = leaf.state.len() - shape.action_words();
    let is_listed = |&action: &u32| leaf.state[bits + action as usize / 32] >> (action % 32) & 1 == 1;
    let actions = (0..shape.max_actions).filter(is_listed);
    for (child, action) in (leaf.tree.first_child as usize..).zip(actions) {
        let (outcome, stats) = new_child(game, shape, &parent, (turn, action, last));
        leaf.links[child] = Link::leaf(action, outcome);
        leaf.stats[child] = stats;
    }
}
