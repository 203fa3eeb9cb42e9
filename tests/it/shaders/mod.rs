//! The shaders without any adapter.

mod buffers;
mod layout;
mod portability;
mod spirv;
mod split;
mod style;
