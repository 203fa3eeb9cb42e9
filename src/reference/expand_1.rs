//! Twin of `shaders/search/staged/expand_1.wgsl`: lists the actions of the selected node's children, and allots nodes
//! to these.

use super::{
    TreeView,
    forest::{stream_of, stream_words},
};
use crate::{
    forest::root::keys,
    forest::{
        Shape,
        layout::{ACTION_BITS, FAULT_TOO_LONG, LEFT_OUT, Link, ROOT_HEADER, TREE_FULL},
    },
    rules::{Game, Player, tried_actions},
};

/// Appends a node for every legal action, or, in a search that prunes, for each of the most urgent ones: all or none
/// (specification, "One step", 2). A node without legal actions stays a leaf, even if the game goes on there.
pub fn expand_1<G: Game>(game: &G, shape: &Shape, view: &mut TreeView<'_>) {
    if view.tree.root_is_proven() {
        return;
    }
    view.tree.expanded = 0;
    view.tree.drawn = 0;
    let selected = view.tree.selected;
    let link = view.links[selected as usize];
    if link.outcome() != 0 {
        return;
    }
    let state = game.unpack(&view.state[..shape.state_words as usize]);
    let turn = player(view.selected_turn());
    let keys = known_keys(shape, view.root, (view.state, view.tree.path_length));
    let (tried, left_out) = listed_actions(game, shape, &keys, (&state, turn));
    let (count, first) = (tried.len() as u32, view.tree.size);
    if count == 0 {
        return;
    }
    if shape.capacity - first < count {
        view.tree.flags |= TREE_FULL;
        return;
    }
    if view.tree.path_length > shape.max_plies() {
        view.tree.flags |= FAULT_TOO_LONG;
        return;
    }
    for (child, &action) in (first..).zip(&tried) {
        view.links[child as usize] = Link::leaf(action, 0);
    }
    let info = link.info | count << ACTION_BITS | left_out;
    view.links[selected as usize] = Link { first_child: first, info };
    // The children's depth is the length of the path to their parent.
    view.tree.append(count, view.tree.path_length);
    (view.tree.first_child, view.tree.expanded) = (first, count);
    if !shape.config.variant.all_children {
        let mut stream = stream_of(view.tree.expansion_stream);
        view.tree.drawn = stream.pick_child(count);
        view.tree.expansion_stream = stream_words(stream);
    }
}

/// The actions of the children of the selected node, at which the game goes on, and [`LEFT_OUT`] if actions that might
/// be better are left out. The sizes are the game's at the start of the search.
pub(super) fn listed_actions<G: Game>(
    game: &G,
    shape: &Shape,
    keys: &[u64],
    (state, turn): (&G::State, Player),
) -> (Vec<u32>, u32) {
    let (mut tried, left_out) = tried_actions((game, shape.config.pruning), keys, state, turn);
    tried.retain(|&action| action < shape.max_actions);
    (tried, if left_out { LEFT_OUT } else { 0 })
}

/// Keys of all positions of the game up to the selected node's, from the words of the root and of that node, whose path
/// has this many nodes; none for a game without superko.
pub(super) fn known_keys(shape: &Shape, root: &[u32], (selected, path_length): (&[u32], u32)) -> Vec<u64> {
    if shape.history_words == 0 {
        return Vec::new();
    }
    let state_words = shape.state_words as usize;
    let earlier = &root[ROOT_HEADER as usize + state_words..];
    let path = &selected[state_words..][..2 * path_length as usize];
    keys(&earlier[1..1 + 2 * earlier[0] as usize]).chain(keys(path)).collect()
}

/// The player with this index.
pub(super) fn player(index: u32) -> Player {
    if index == 0 { Player::First } else { Player::Second }
}
