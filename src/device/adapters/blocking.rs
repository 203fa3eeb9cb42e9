//! The calls that wait: a thin layer over the async ones. A page in a browser can't wait, and has none of them.

use super::{Adapter, Backend, adapters_async, find_all_async, look_for, pick};
use crate::{device::Device, error::Result, host::block_on};

impl Adapter {
    /// Opens it with everything it offers.
    ///
    /// # Errors
    /// No adapter, where the driver refuses.
    pub fn open(&self) -> Result<Device> {
        block_on(self.open_async())
    }

    /// Opens it with the WebGPU default limits: what every adapter must offer.
    ///
    /// # Errors
    /// No adapter, where the driver refuses.
    pub fn open_with_floor_limits(&self) -> Result<Device> {
        self.open_with_limits(wgpu::Limits::defaults())
    }

    /// Opens it with limits of the caller's choice.
    ///
    /// # Errors
    /// No adapter, where the driver refuses, or the adapter does not offer as much.
    #[doc(hidden)]
    pub fn open_with_limits(&self, limits: wgpu::Limits) -> Result<Device> {
        block_on(Device::open(&self.adapter, &self.info, limits))
    }
}

/// All adapters that can run the search, in a fixed order; `backend` leaves the others out.
pub fn adapters(backend: Option<Backend>) -> Vec<Adapter> {
    block_on(adapters_async(backend))
}

/// The adapter that a request means: `auto` (discrete, integrated, software), an index of [`adapters`], or a part of a
/// name.
///
/// GL is asked only where the other interfaces do not have what is wanted: it is the slowest to start.
///
/// # Errors
/// No adapter, listing those there are.
pub fn find(request: &str, backend: Option<Backend>) -> Result<Adapter> {
    block_on(look_for(request, backend, |found| pick(found, request).cloned()))
}

/// The adapters that a request means: what [`find`] takes; `all`, those of the kind and the interface that `auto`
/// takes; or indexes and parts of names, joined by commas. A name that comes again in a list means the next adapter
/// that has it; an index that comes again, the same adapter once more.
///
/// # Errors
/// No adapter, listing those there are; bad input for a list with an empty part, or with `auto`, `all` or `cpu` in it.
pub fn find_all(request: &str, backend: Option<Backend>) -> Result<Vec<Adapter>> {
    block_on(find_all_async(request, backend))
}
