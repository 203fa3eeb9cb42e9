//! Work that a device was handed, and how one waits for its end: a program asks the device, a page is told.

#[cfg(not(target_arch = "wasm32"))]
mod program;
#[cfg(not(target_arch = "wasm32"))]
pub use program::{Line, Ticket};

#[cfg(target_arch = "wasm32")]
mod page;
#[cfg(target_arch = "wasm32")]
pub use page::{Line, Ticket};
