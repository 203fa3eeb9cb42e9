//! Networks of [mcts-wgpu](https://docs.rs/mcts-wgpu), which has them by name (`--net go`, `Network::named_or_read`).
//!
//! Their weights have 7.1 bits of entropy a byte, so that compression does not make them smaller. As a package of their
//! own, they are downloaded once for many versions of mcts-wgpu.

/// The networks' names, which are the games'.
pub const NAMES: [&str; 4] = ["connect4", "go", "gomoku", "othello"];

/// Their files of safetensors.
pub const FILES: [&[u8]; 4] = [
    include_bytes!("connect4.safetensors"),
    include_bytes!("go.safetensors"),
    include_bytes!("gomoku.safetensors"),
    include_bytes!("othello.safetensors"),
];
