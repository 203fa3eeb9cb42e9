//! The device side: adapters and limits, shader composition with a line map, pipelines, buffers, timing.

pub mod adapters;
pub mod compose;
pub mod device;
pub mod forest;
pub mod kernels;
pub mod reuse;
pub mod schedule;
pub mod shaders;
pub mod timing;
mod trusted;

pub use adapters::{AdapterInfo, Backend, adapters};
pub use device::Device;
