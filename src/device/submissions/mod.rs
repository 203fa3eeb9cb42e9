//! Work submitted to a device, and waiting for its end: a program polls the device, a page gets a callback.

#[cfg(not(target_arch = "wasm32"))]
mod program;
#[cfg(not(target_arch = "wasm32"))]
pub use program::{Submission, Submissions};

#[cfg(target_arch = "wasm32")]
mod page;
#[cfg(target_arch = "wasm32")]
pub use page::{Submission, Submissions};
