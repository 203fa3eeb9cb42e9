//! The part of a shape that kernels are compiled for.

use mcts_wgpu::{
    Game, Variant,
    internals::forest::{root::history_words, shape::Shape},
};

/// One tree of one node; whatever else does not come from the game is up to the caller.
pub fn shape<G: Game>(game: &G, variant: Variant, playouts: u32) -> Shape {
    Shape {
        n_trees: 1,
        first_tree: 0,
        trees_per_position: 1,
        capacity: 1,
        max_actions: game.max_actions(),
        playouts,
        parts: 1,
        state_words: game.state_words(),
        history_words: history_words(game),
        path_capacity: game.max_plies() + 1,
        expansion_stride: game.expansion_stride(),
        variant,
        prunes: true,
        ucb_c: 0.0,
        seed: 0,
    }
}
