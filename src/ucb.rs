//! The exact upper confidence bound: the twin of `shaders/common/ucb.wgsl`.
