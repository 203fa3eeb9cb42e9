//! The blocking calls: a thin layer over the async ones. A page in a browser can't block, and has none of them.

use super::{Adapter, Backend, adapters_async, find_all_async, look_for, pick};
use crate::{device::Device, error::Result, host::block_on};

impl Adapter {
    /// Opens the adapter with all its limits and features.
    ///
    /// # Errors
    /// No adapter, where the driver refuses.
    pub fn open(&self) -> Result<Device> {
        block_on(self.open_async())
    }

    /// Opens the adapter with the WebGPU default limits, which every adapter has.
    ///
    /// # Errors
    /// No adapter, where the driver refuses.
    pub fn open_with_default_limits(&self) -> Result<Device> {
        self.open_with_limits(wgpu::Limits::defaults())
    }

    /// Opens the adapter with limits of the caller's choice.
    ///
    /// # Errors
    /// No adapter, where the driver refuses, or the adapter's limits are lower.
    #[doc(hidden)]
    pub fn open_with_limits(&self, limits: wgpu::Limits) -> Result<Device> {
        block_on(Device::open(&self.adapter, &self.info, limits))
    }
}

/// All adapters that can run searches, in a fixed order; with `backend`, those of that backend.
pub fn adapters(backend: Option<Backend>) -> Vec<Adapter> {
    block_on(adapters_async(backend))
}

/// The adapter of a request: `auto` (discrete, integrated, software), an index of [`adapters`], or a part of a name.
///
/// GL is listed only where the other backends have no such adapter: it is the slowest to start.
///
/// # Errors
/// No adapter, listing those there are.
pub fn find(request: &str, backend: Option<Backend>) -> Result<Adapter> {
    block_on(look_for(request, backend, |found| pick(found, request).cloned()))
}

/// The adapters of a request: one as in [`find`]; `all`, those of the kind and the backend of `auto`; or indexes and
/// parts of names, joined by commas. A name that is repeated means the next adapter with it; an index that is repeated,
/// the same adapter again.
///
/// # Errors
/// No adapter, listing those there are; bad input for a list with an empty part, or with `auto`, `all` or `cpu` in it.
pub fn find_all(request: &str, backend: Option<Backend>) -> Result<Vec<Adapter>> {
    block_on(find_all_async(request, backend))
}
