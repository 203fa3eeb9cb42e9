//! Twin of `shaders/playout.wgsl`: m uniformly random games from each node to be played out.

use super::{
    Shape, TreeView,
    expand_1::player,
    forest::{stream_of, stream_words},
};
use crate::{
    game::{Game, Outcome, Player},
    rng::Stream,
};
use glam::UVec2;

/// Plays out what this step calls for and tallies the wins (SPEC, "One step", 3).
pub fn playout<G: Game>(game: &G, shape: &Shape, view: &mut TreeView<'_>) {
    let turn = player(view.selected_turn());
    if view.tree.expanded == 0 {
        play_node(game, shape, view, view.tree.selected, turn, 0, 0);
        return;
    }
    let first = view.tree.first_child;
    if !shape.variant.all_children {
        play_node(game, shape, view, first + view.tree.drawn, turn.opponent(), 0, 0);
        return;
    }
    for ordinal in 0..view.tree.expanded {
        let action = view.links[(first + ordinal) as usize].action();
        play_node(game, shape, view, first + ordinal, turn.opponent(), action, ordinal);
    }
}

/// Plays `node` out m times on stream set `set`; the tallies go to place `ordinal`.
fn play_node<G: Game>(
    game: &G,
    shape: &Shape,
    view: &mut TreeView<'_>,
    node: u32,
    turn: Player,
    set: u32,
    ordinal: u32,
) {
    let lanes = shape.playouts as usize;
    let parts = shape.parts as usize;
    let outcome = Outcome::from_code(view.links[node as usize].outcome());
    let state = game.unpack(view.state(shape, node));
    let streams = &mut view.streams[set as usize * lanes..][..lanes];
    let tallies = &mut view.tallies[ordinal as usize * parts..][..parts];
    for (streams, tally) in streams.chunks_mut(lanes / parts).zip(tallies) {
        *tally = UVec2::ZERO;
        for words in streams {
            let outcome = outcome.unwrap_or_else(|| {
                let mut stream = stream_of(*words);
                let outcome = play(game, &state, turn, &mut stream);
                *words = stream_words(stream);
                outcome
            });
            *tally += wins(outcome);
        }
    }
}

/// One uniformly random game to its end.
pub fn play<G: Game>(game: &G, state: &G::State, turn: Player, stream: &mut Stream) -> Outcome {
    let mut playout = game.playout_begin(state, turn);
    loop {
        let count = game.legal_actions_playout(&mut playout);
        let ordinal = stream.pick(count);
        if let Some(outcome) = game.take_action_playout(&mut playout, ordinal) {
            return outcome;
        }
    }
}

/// An outcome as (won by the first player, won by the second).
fn wins(outcome: Outcome) -> UVec2 {
    match outcome {
        Outcome::FirstWins => UVec2::X,
        Outcome::SecondWins => UVec2::Y,
        Outcome::Draw => UVec2::ZERO,
    }
}
