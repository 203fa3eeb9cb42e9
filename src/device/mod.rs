//! Devices: adapters and limits, composition of shaders with a line map, kernels, read-backs, the pace of submissions.

pub mod adapters;
pub mod compose;
#[expect(clippy::module_inception, reason = "the device of this module")]
pub mod device;
pub(crate) mod extras;
mod features;
pub mod kernels;
pub mod loads;
pub(crate) mod pace;
pub(crate) mod poison;
pub mod rules;
pub(crate) mod segments;
pub mod submissions;
pub mod trusted;
mod watch;

pub use adapters::{Adapter, AdapterInfo, AdapterKind, AdapterLimits, Backend, ShaderCompiler};
pub use device::{Copied, Device, Machine};
pub use extras::Extra;
pub use submissions::Submission;
pub use watch::Checks;
