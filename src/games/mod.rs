//! The games that come with the crate, each the twin of `games/<game>.wgsl`.
