//! The trees of a search on a device: kernels, buffers, schedules. The twin of the CPU
//! [`reference`](mod@crate::reference).

mod buffers;
pub mod forest;
mod fused;
mod moves;
pub mod network;
mod nodes;
pub mod program;
pub mod reuse;
pub mod schedule;
pub mod shaders;
pub mod timing;
mod warm_up;
pub mod withdraw;
