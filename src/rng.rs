//! xoroshiro128+ streams: the twin of `shaders/common/rng.wgsl`.
