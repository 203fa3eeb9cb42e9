//! Networks of [mcts-wgpu](https://docs.rs/mcts-wgpu), which has them by name (`--net go`, `Network::named_or_read`).
//!
//! Their weights have 7.1 bits of entropy a byte, so that compression does not make them smaller. As a package of their
//! own, they are downloaded once for many versions of mcts-wgpu.

/// Each network's name, which is the game's, and its file of safetensors.
pub const NETWORKS: [(&str, &[u8]); 3] = [
    ("connect4", include_bytes!("connect4.safetensors")),
    ("go", include_bytes!("go.safetensors")),
    ("othello", include_bytes!("othello.safetensors")),
];
