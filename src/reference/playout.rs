//! Twin of `shaders/playout.wgsl`: m random games from each node to be played out.

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
    let parent = game.unpack(view.state);
    if view.tree.expanded == 0 {
        let outcome = view.links[view.tree.selected as usize].outcome();
        play_node(game, shape, view, Node { state: parent, turn, outcome, stream_set: 0, ordinal: 0 });
        return;
    }
    let ordinals =
        if shape.variant.all_children { 0..view.tree.expanded } else { view.tree.drawn..view.tree.drawn + 1 };
    for ordinal in ordinals {
        let link = view.links[(view.tree.first_child + ordinal) as usize];
        let mut state = parent.clone();
        game.take_action(&mut state, turn, link.action());
        let (stream_set, ordinal) =
            if shape.variant.all_children { (link.action(), ordinal) } else { (0, 0) };
        let turn = turn.opponent();
        play_node(game, shape, view, Node { state, turn, outcome: link.outcome(), stream_set, ordinal });
    }
}

/// A node to be played out.
struct Node<S> {
    state: S,
    turn: Player,
    outcome: u32,
    stream_set: u32,
    /// Place of its tallies.
    ordinal: u32,
}

fn play_node<G: Game>(game: &G, shape: &Shape, view: &mut TreeView<'_>, node: Node<G::State>) {
    let lanes = shape.playouts as usize;
    let parts = shape.parts as usize;
    let streams = &mut view.streams[node.stream_set as usize * lanes..][..lanes];
    let tallies = &mut view.tallies[node.ordinal as usize * parts..][..parts];
    for (streams, tally) in streams.chunks_mut(lanes / parts).zip(tallies) {
        *tally = UVec2::ZERO;
        for words in streams {
            // A finished game is not played: its outcome counts for every lane.
            let outcome = Outcome::from_code(node.outcome).unwrap_or_else(|| {
                let mut stream = stream_of(*words);
                let outcome = play(game, &node.state, node.turn, &mut stream);
                *words = stream_words(stream);
                outcome
            });
            *tally += wins(outcome);
        }
    }
}

/// Draws a place in the list of a playout, which has `count` entries.
pub fn draw_ordinal<G: Game>(game: &G, stream: &mut Stream, count: u32) -> u32 {
    if game.has_weighted_playouts() { stream.pick_weighted(count) } else { stream.pick(count) }
}

/// One random game to its end.
pub fn play<G: Game>(game: &G, state: &G::State, turn: Player, stream: &mut Stream) -> Outcome {
    let mut playout = game.playout_begin(state, turn);
    loop {
        let count = game.legal_actions_playout(&mut playout);
        let ordinal = draw_ordinal(game, stream, count);
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
