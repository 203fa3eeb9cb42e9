//! Twin of `shaders/search/leaves/append_leaves.wgsl`: writes the links, outcomes and statistics of the new children.

use super::super::{
    TreeView,
    expand_1::player,
    expand_2::{last_action, new_child},
    spread::{self, AN_ACTION},
};
use crate::{
    forest::{
        Shape,
        layout::{Link, Stats, TREE_FOLLOWS, Tree},
    },
    rules::Game,
};

/// Appends the children that [`allot_leaves`](super::allot_leaves) has allotted.
pub fn append_leaves<G: Game>(game: &G, shape: &Shape, view: &mut TreeView<'_>) {
    let count = |leaf: &Tree| if leaf.flags & TREE_FOLLOWS == 0 { leaf.expanded as usize } else { 0 };
    let all: usize = view.leaves.iter().map(count).sum();
    // The new nodes are the last ones of the tree, in the order of the leaves.
    let new = view.tree.size as usize - all;
    let (links, mut new_links) = view.links.split_at_mut(new);
    let mut new_stats = &mut view.stats[new..];
    let states = view.state.chunks(view.state.len() / view.leaves.len().max(1));
    let children = view.leaves.iter().zip(states).filter_map(|(leaf, state)| {
        let links = new_links.split_off_mut(..count(leaf))?;
        let stats = new_stats.split_off_mut(..count(leaf))?;
        (!links.is_empty()).then_some(Children { leaf, state, links, stats })
    });
    let cost = AN_ACTION * shape.max_actions;
    spread::for_each(shape, cost, children, |children| append(game, shape, links, children));
}

/// The new children of a leaf.
struct Children<'a> {
    leaf: &'a Tree,
    /// The words of its position and of the list of actions.
    state: &'a [u32],
    links: &'a mut [Link],
    stats: &'a mut [Stats],
}

fn append<G: Game>(game: &G, shape: &Shape, old: &[Link], children: Children<'_>) {
    let Children { leaf, state, links, stats } = children;
    let parent = game.unpack(&state[..shape.state_words as usize]);
    let (turn, last) = (player(leaf.selected_turn()), last_action(old, leaf.selected));
    let bits = state.len() - shape.action_words();
    let is_listed = |&action: &u32| state[bits + action as usize / 32] >> (action % 32) & 1 == 1;
    let actions = (0..shape.max_actions).filter(is_listed);
    for ((link, stats), action) in links.iter_mut().zip(stats).zip(actions) {
        let (outcome, of_new) = new_child(game, shape, &parent, (turn, action, last));
        *link = Link::leaf(action, outcome);
        *stats = of_new;
    }
}
