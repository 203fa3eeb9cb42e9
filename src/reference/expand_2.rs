//! Twin of `shaders/search/staged/expand_2.wgsl`: writes the outcomes and first statistics of the new children.

use super::{TreeView, expand_1::player};
use crate::{
    forest::{
        Shape,
        layout::{Link, OUTCOME_SHIFT, ROOT, Stats},
    },
    rules::{Game, MAX_PRIOR, Outcome, Player},
};

/// Writes the children that [`expand_1`](super::expand_1) appended.
pub fn expand_2<G: Game>(game: &G, shape: &Shape, view: &mut TreeView<'_>) {
    if view.tree.root_is_proven() {
        return;
    }
    let parent = game.unpack(&view.state[..shape.state_words as usize]);
    let turn = player(view.selected_turn());
    let last = last_action(view.links, view.tree.selected);
    for child in (view.tree.first_child as usize..).take(view.tree.expanded as usize) {
        let made = (turn, view.links[child].action(), last);
        let (outcome, stats) = new_child(game, shape, &parent, made);
        view.links[child].info |= outcome << OUTCOME_SHIFT;
        view.stats[child] = stats;
    }
}

/// The action that led to the position of the selected node; `None` at the root.
pub(super) fn last_action(links: &[Link], selected: u32) -> Option<u32> {
    (selected != ROOT).then(|| links[selected as usize].action())
}

/// The outcome code and the first statistics of the child of an action, given the player who takes it and the action
/// before it: a child with a solved outcome is proven; any other has the action's prior, with its weight in visits.
pub(super) fn new_child<G: Game>(
    game: &G,
    shape: &Shape,
    parent: &G::State,
    (turn, action, last): (Player, u32, Option<u32>),
) -> (u32, Stats) {
    let mut state = parent.clone();
    game.take_action(&mut state, turn, action);
    let outcome = Outcome::code(game.compute_outcome(&state, turn.opponent(), Some(action)));
    if shape.config.solver
        && outcome == 0
        && let Some((outcome, plies)) = game.solved_outcome(&state, turn.opponent())
    {
        let mut stats = Stats::default();
        stats.prove(plies);
        return (Outcome::code(Some(outcome)), stats);
    }
    let mut stats = if shape.config.solver { Stats::new(outcome) } else { Stats::default() };
    if shape.config.prior_visits > 0 && outcome == 0 {
        let prior = game.action_prior(parent, turn, action, last).min(MAX_PRIOR);
        let points = shape.config.prior_visits * shape.config.draw_value.win_points() * prior / MAX_PRIOR;
        stats.add(shape.config.prior_visits.into(), points.into());
    }
    (outcome, stats)
}
