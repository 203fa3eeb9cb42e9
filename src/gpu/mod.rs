//! The device side: adapters and limits, shader composition with a line map, pipelines, buffers, timing.

pub mod adapters;
pub mod compose;
pub mod device;
pub mod forest;
pub mod kernels;
mod nodes;
pub mod reuse;
pub mod schedule;
pub mod shaders;
pub mod timing;
pub(crate) mod trusted;
pub mod withdraw;

pub use adapters::{AdapterInfo, Backend, adapters};
pub use device::Device;

/// Turns of all loops of an invocation together, inner ones counted, after which Mesa's llvmpipe and lavapipe end each
/// loop after its first turn, without a word. Of lanes that run together the longest counts.
pub const SOFTWARE_TURNS: u32 = 65_535;

/// Do searches and rollouts of this game run without wgpu's run-time checks? Those of the crate's own games do, and no
/// others.
pub fn is_unchecked<G: crate::Game>() -> bool {
    trusted::Trust::of::<G>().is_some()
}
