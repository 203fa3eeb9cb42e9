//! Twin of `shaders/search/net/write_planes.wgsl`: writes the network's input for each leaf.

use super::super::{
    LeafView, TreeView,
    expand_1::player,
    spread::{self, AN_ACTION},
};
use crate::{
    forest::{Shape, layout::TREE_FOLLOWS},
    rules::Game,
};

/// Writes the planes of each leaf's position, and whether the leaf is evaluated: not if its tree makes no more steps,
/// its game is over, or an earlier leaf is the same node (specification, "Networks").
pub fn write_planes<G: Game>(game: &G, shape: &Shape, view: &mut TreeView<'_>) {
    let cost = AN_ACTION * shape.planes_per_leaf() as u32;
    spread::for_each(shape, cost, view.leaf_views(), |leaf| write(game, shape, leaf));
}

fn write<G: Game>(game: &G, shape: &Shape, leaf: LeafView<'_>) {
    let Some((evaluated, planes)) = leaf.leaf_planes.split_last_mut() else { return };
    let header = &*leaf.tree;
    let is_new = header.path_length > 0 && header.flags & TREE_FOLLOWS == 0;
    *evaluated = (is_new && leaf.links[header.selected as usize].outcome() == 0).into();
    if *evaluated == 1 {
        let state = game.unpack(&leaf.state[..shape.state_words as usize]);
        let turn = player(header.selected_turn());
        (0..).zip(planes).for_each(|(cell, planes)| *planes = game.cell_planes(&state, turn, cell));
    }
}
