//! Twin of `shaders/search/staged/select.wgsl`: descends to a leaf, always to the child of greatest UCB, and computes
//! the position there.

use super::{TreeView, expand_1::player};
use crate::{
    forest::{
        Shape,
        layout::{NO_CHILDREN, ROOT, ROOT_HEADER, split},
    },
    rules::Game,
};

/// Selects a leaf, records the path to it and its position (specification, "One step", 1).
pub fn select<G: Game>(game: &G, shape: &Shape, view: &mut TreeView<'_>) {
    if view.tree.root_is_proven() {
        return;
    }
    let (mut node, mut depth) = (ROOT, 0);
    let mut state = game.unpack(&view.root[ROOT_HEADER as usize..]);
    let mut turn = player(view.tree.root_turn());
    view.path[0] = ROOT;
    loop {
        record_position(game, shape, view.state, depth, &state);
        let link = view.links[node as usize];
        if link.first_child == NO_CHILDREN {
            break;
        }
        node = link.best_child();
        depth += 1;
        game.take_action(&mut state, turn, view.links[node as usize].action());
        turn = turn.opponent();
        view.path[depth] = node;
    }
    game.pack(&state, &mut view.state[..shape.state_words as usize]);
    view.tree.selected = node;
    view.tree.path_length = depth as u32 + 1;
}

/// Twin of `record_position` in `shaders/slots/history.wgsl`.
pub(super) fn record_position<G: Game>(
    game: &G,
    shape: &Shape,
    words: &mut [u32],
    depth: usize,
    state: &G::State,
) {
    if shape.history_words > 0 {
        let at = shape.state_words as usize + 2 * depth;
        words[at..at + 2].copy_from_slice(&split(game.position_key(state)).to_array());
    }
}
