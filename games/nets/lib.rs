//! The networks that [mcts-wgpu](https://docs.rs/mcts-wgpu) includes, by name (`--net go`, `Network::named_or_read`).
//!
//! Weights have 7.1 bits of entropy per byte: compression hardly reduces their size. As a separate package, they are
//! downloaded once for many versions of mcts-wgpu.

/// The names of the networks: those of their games.
pub const NAMES: [&str; 4] = ["connect4", "go", "gomoku", "othello"];

/// `[network]`, in the order of [`NAMES`]: the bytes of a file of safetensors.
pub const FILES: [&[u8]; 4] = [
    include_bytes!("connect4.safetensors"),
    include_bytes!("go.safetensors"),
    include_bytes!("gomoku.safetensors"),
    include_bytes!("othello.safetensors"),
];
