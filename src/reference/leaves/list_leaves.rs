//! Twin of `shaders/search/leaves/list_leaves.wgsl`: follows the paths to the leaves' positions and lists the actions
//! that lead to their children.

use super::super::{
    LeafView, TreeView,
    expand_1::{known_keys, listed_actions, player},
    select::record_position,
    spread::{self, AN_ACTION},
};
use crate::{
    forest::{Shape, layout::ROOT_HEADER},
    rules::Game,
};

/// Stores each leaf's position and its list of actions; in the header the number of its children and, in the place of
/// the first child, its leader: the first of the step's leaves that is the same node.
pub fn list_leaves<G: Game>(game: &G, shape: &Shape, view: &mut TreeView<'_>) {
    for place in 0..view.leaves.len() {
        let selected = view.leaves[place].selected;
        let leader = view.leaves[..place].iter().position(|leaf| leaf.selected == selected);
        view.leaves[place].first_child = leader.unwrap_or(place) as u32;
    }
    let cost = AN_ACTION * shape.max_actions;
    spread::for_each(shape, cost, view.leaf_views(), |mut leaf| list_leaf(game, shape, &mut leaf));
}

fn list_leaf<G: Game>(game: &G, shape: &Shape, leaf: &mut LeafView<'_>) {
    let mut state = game.unpack(&leaf.root[ROOT_HEADER as usize..]);
    let mut turn = player(leaf.tree.turn_at(0));
    record_position(game, shape, leaf.state, 0, &state);
    for depth in 1..leaf.tree.path_length as usize {
        let node = leaf.path[depth] as usize;
        game.take_action(&mut state, turn, leaf.links[node].action());
        turn = turn.opponent();
        record_position(game, shape, leaf.state, depth, &state);
    }
    let over = leaf.links[leaf.tree.selected as usize].outcome() != 0;
    let (tried, left_out) = if over || leaf.tree.path_length == 0 {
        (Vec::new(), 0)
    } else {
        let keys = known_keys(shape, leaf.root, (leaf.state, leaf.tree.path_length));
        listed_actions(game, shape, &keys, (&state, turn))
    };
    let bits = leaf.state.len() - shape.action_words();
    leaf.state[bits..].fill(0);
    tried.iter().for_each(|&action| leaf.state[bits + action as usize / 32] |= 1 << (action % 32));
    game.pack(&state, &mut leaf.state[..shape.state_words as usize]);
    leaf.tree.expanded = tried.len() as u32 | left_out;
}
