//! Networks of random numbers; files of positions.

use mcts_wgpu::{
    Game, Network,
    net::{Sizes, Trunk},
};
use safetensors::{
    Dtype,
    tensor::{TensorView, serialize},
};
use std::sync::Arc;

/// A network for a game.
pub fn network<G: Game>(game: &G, trunk: Trunk, blocks: u32, channels: u32) -> Arc<Network> {
    let sizes = Sizes::of_game(game, trunk, blocks, channels).expect("the game has planes");
    Arc::new(Network::random(sizes, 3).expect("the sizes are in their ranges"))
}

/// A file of safetensors with one tensor.
pub fn file_of(name: &str, dtype: Dtype, shape: &[usize], data: &[u8]) -> Vec<u8> {
    let view = TensorView::new(dtype, shape.to_vec(), data).expect("the shape is that of the data");
    serialize([(name, view)], None).expect("a small header")
}

/// The planes of boards, one board after another.
pub fn bits(boards: &[u32], sizes: &Sizes) -> Vec<u8> {
    let plane = |board: &[u32], plane: u32| board.iter().map(move |cell| (cell >> plane & 1) as u8).collect();
    let boards = boards.chunks(sizes.cells() as usize);
    boards.flat_map(|board| (0..sizes.planes).flat_map(move |at| -> Vec<u8> { plane(board, at) })).collect()
}
