//! Networks of random numbers.

use mcts_wgpu::{
    Game, Network,
    net::{Sizes, Trunk},
};
use std::sync::Arc;

/// A network for a game.
pub fn network<G: Game>(game: &G, trunk: Trunk, blocks: u32, channels: u32) -> Arc<Network> {
    let sizes = Sizes::of_game(game, trunk, blocks, channels).expect("the game has planes");
    Arc::new(Network::random(sizes, 3).expect("the sizes are in their ranges"))
}
