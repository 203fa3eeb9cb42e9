//! Twin of `shaders/search/staged/expand_2.wgsl`: gives the new children their outcomes and empty statistics.

use super::{TreeView, expand_1::player};
use crate::{
    forest::{
        Shape,
        layout::{OUTCOME_SHIFT, Stats},
    },
    rules::{Game, Outcome, Player},
};

/// Fills in the children that [`expand_1`](super::expand_1) appended.
pub fn expand_2<G: Game>(game: &G, shape: &Shape, view: &mut TreeView<'_>) {
    if view.tree.is_resting() {
        return;
    }
    let parent = game.unpack(&view.state[..shape.state_words as usize]);
    let turn = player(view.selected_turn());
    for child in (view.tree.first_child as usize..).take(view.tree.expanded as usize) {
        let (outcome, stats) = new_child(game, shape, &parent, turn, view.links[child].action());
        view.links[child].info |= outcome << OUTCOME_SHIFT;
        view.stats[child] = stats;
    }
}

/// The outcome code and the empty statistics of the child that an action leads to.
pub(super) fn new_child<G: Game>(
    game: &G,
    shape: &Shape,
    parent: &G::State,
    turn: Player,
    action: u32,
) -> (u32, Stats) {
    let mut state = parent.clone();
    game.take_action(&mut state, turn, action);
    let outcome = Outcome::code(game.compute_outcome(&state, turn.opponent(), Some(action)));
    (outcome, if shape.proves { Stats::new(outcome) } else { Stats::default() })
}
