//! Twin of `shaders/search/leaves/list_leaves.wgsl`: follows the paths to the leaves' positions and lists the actions
//! that lead to their children.

use super::super::{TreeView, expand_1::listed_actions, expand_1::player, select::record_position};
use crate::{
    forest::{Shape, layout::ROOT_HEADER},
    rules::Game,
};

/// Stores each leaf's position and its list, and tells in the header how many children it is to have.
pub fn list_leaves<G: Game>(game: &G, shape: &Shape, view: &mut TreeView<'_>) {
    for place in 0..view.leaves.len() {
        list_leaf(game, shape, &mut view.leaf(place));
    }
}

fn list_leaf<G: Game>(game: &G, shape: &Shape, leaf: &mut TreeView<'_>) {
    let mut state = game.unpack(&leaf.root[ROOT_HEADER as usize..]);
    let mut turn = player(leaf.turn_at(0));
    record_position(game, shape, leaf, 0, &state);
    for depth in 1..leaf.tree.path_length as usize {
        let node = leaf.path[depth] as usize;
        game.take_action(&mut state, turn, leaf.links[node].action());
        turn = turn.opponent();
        record_position(game, shape, leaf, depth, &state);
    }
    let over = leaf.links[leaf.tree.selected as usize].outcome() != 0;
    let (tried, left_out) = if over || leaf.tree.path_length == 0 {
        (Vec::new(), 0)
    } else {
        listed_actions(game, shape, leaf, (&state, turn))
    };
    let bits = leaf.state.len() - shape.action_words();
    leaf.state[bits..].fill(0);
    tried.iter().for_each(|&action| leaf.state[bits + action as usize / 32] |= 1 << (action % 32));
    game.pack(&state, &mut leaf.state[..shape.state_words as usize]);
    leaf.tree.expanded = tried.len() as u32 | left_out;
}
