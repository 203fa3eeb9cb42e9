//! Networks: their outputs, compared with numpy's integers; errors in their files.

mod data;
mod files;
mod golden;

use crate::support::prelude::*;
use mcts_wgpu::net::Network;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/networks").join(name)
}

fn sizes(trunk: Trunk) -> Sizes {
    Sizes {
        game: "connect4".into(),
        rows: 4,
        columns: 5,
        planes: 3,
        actions: 5,
        trunk,
        blocks: 1,
        channels: 16,
        policy_channels: 2,
        value_channels: 1,
        value_hidden: 8,
    }
}

fn network(trunk: Trunk) -> Network {
    Network::random(sizes(trunk), 7).expect("the sizes are within their ranges")
}
