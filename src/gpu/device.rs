//! An opened adapter: memory, submissions, read-backs, and what went wrong on it.

use crate::{
    error::{Error, Result},
    gpu::{AdapterInfo, kernels::Compiled},
};
use bytemuck::AnyBitPattern;
use std::sync::{Arc, Mutex};

/// An opened adapter. Clones are the same device.
#[derive(Debug, Clone)]
pub struct Device {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    device: wgpu::Device,
    queue: wgpu::Queue,
    info: AdapterInfo,
    limits: wgpu::Limits,
    compiled: Compiled,
    failure: Arc<Mutex<Option<Error>>>,
}

impl Device {
    pub(super) fn open(adapter: &wgpu::Adapter, info: &AdapterInfo, limits: wgpu::Limits) -> Result<Self> {
        let wanted = wgpu::Features::TIMESTAMP_QUERY;
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("mcts-wgpu"),
            required_features: adapter.features() & wanted,
            required_limits: limits.clone(),
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).map_err(|error| {
            Error::no_adapter(format!("{} could not be opened: {error}; try another adapter", info.name))
        })?;
        let failure = Arc::new(Mutex::new(None));
        keep_failures(&device, &info.name, &failure);
        let compiled = Compiled::default();
        Ok(Self { inner: Arc::new(Inner { device, queue, info: info.clone(), limits, compiled, failure }) })
    }

    /// What is known of the adapter.
    pub fn info(&self) -> &AdapterInfo {
        &self.inner.info
    }

    /// The limits it was opened with.
    pub fn limits(&self) -> &wgpu::Limits {
        &self.inner.limits
    }

    /// Device time stamps can be taken.
    pub fn has_timestamps(&self) -> bool {
        self.inner.device.features().contains(wgpu::Features::TIMESTAMP_QUERY)
    }

    /// The wgpu device.
    pub fn wgpu(&self) -> &wgpu::Device {
        &self.inner.device
    }

    /// Its queue.
    pub fn queue(&self) -> &wgpu::Queue {
        &self.inner.queue
    }

    /// Its kernels.
    pub(super) fn compiled(&self) -> &Compiled {
        &self.inner.compiled
    }

    /// The first thing that went wrong on the device since the last check, if anything did.
    ///
    /// # Errors
    /// Out of memory, or device lost.
    pub fn check(&self) -> Result<()> {
        let mut failure = self.inner.failure.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        failure.take().map_or(Ok(()), Err)
    }

    /// A buffer of at least `bytes` bytes (and at least 16).
    ///
    /// # Errors
    /// Out of memory.
    pub fn buffer(&self, label: &str, bytes: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer> {
        let scope = self.wgpu().push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let size = bytes.max(16).next_multiple_of(16);
        let descriptor =
            wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false };
        let buffer = self.wgpu().create_buffer(&descriptor);
        match pollster::block_on(scope.pop()) {
            None => Ok(buffer),
            Some(_) => Err(Error::out_of_memory(format!(
                "{} has no room for {} MiB of {label}: give the search less memory",
                self.info().name,
                size >> 20
            ))),
        }
    }

    /// Gives the memory of dropped buffers back, once the work that used them has ended.
    ///
    /// # Errors
    /// Device lost.
    pub fn reclaim(&self) -> Result<()> {
        self.wgpu().poll(wgpu::PollType::Poll).map_err(|error| self.lost(error))?;
        self.check()
    }

    /// The tables of a game, if it has any, in a buffer of their own.
    ///
    /// # Errors
    /// Out of memory.
    pub fn tables(&self, words: &[u32]) -> Result<Option<wgpu::Buffer>> {
        if words.is_empty() {
            return Ok(None);
        }
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
        let buffer = self.buffer("game_tables", 4 * words.len() as u64, usage)?;
        self.queue().write_buffer(&buffer, 0, bytemuck::cast_slice(words));
        Ok(Some(buffer))
    }

    /// Starts recording.
    pub fn encoder(&self) -> wgpu::CommandEncoder {
        self.wgpu().create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    /// Hands recorded work over to the device.
    pub fn submit(&self, encoder: wgpu::CommandEncoder) -> wgpu::SubmissionIndex {
        self.queue().submit([encoder.finish()])
    }

    /// Waits until a submission has ended.
    ///
    /// # Errors
    /// Device lost, where it does not end.
    pub fn wait(&self, submission: wgpu::SubmissionIndex) -> Result<()> {
        let poll = wgpu::PollType::Wait { submission_index: Some(submission), timeout: None };
        self.wgpu().poll(poll).map_err(|error| self.lost(error))?;
        self.check()
    }

    /// Reads the first `count` values of a buffer that can be copied from.
    ///
    /// # Errors
    /// Device lost or out of memory.
    pub fn read<T: AnyBitPattern>(&self, buffer: &wgpu::Buffer, count: usize) -> Result<Vec<T>> {
        let bytes = (count * size_of::<T>()) as u64;
        let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
        let staging = self.buffer("read-back", bytes, usage)?;
        let mut encoder = self.encoder();
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, bytes.next_multiple_of(4));
        let submission = self.submit(encoder);
        staging.map_async(wgpu::MapMode::Read, 0..staging.size(), |_| {});
        self.wait(submission)?;
        let view = staging.get_mapped_range(..).map_err(|error| self.lost(error))?;
        Ok(view[..bytes as usize].chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect())
    }

    fn lost(&self, error: impl std::fmt::Display) -> Error {
        let what = format!("{} stopped working: {error}", self.info().name);
        self.check().err().unwrap_or_else(|| Error::device_lost(what))
    }
}

/// wgpu panics on errors nobody waits for; here the first one is kept for [`Device::check`].
fn keep_failures(device: &wgpu::Device, name: &str, failure: &Arc<Mutex<Option<Error>>>) {
    let keep = |failure: &Mutex<Option<Error>>, error: Error| {
        failure.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).get_or_insert(error);
    };
    let (adapter, kept) = (name.to_owned(), failure.clone());
    device.on_uncaptured_error(Arc::new(move |error| {
        let error = match error {
            wgpu::Error::OutOfMemory { .. } => {
                Error::out_of_memory(format!("{adapter} ran out of memory: give the search less"))
            }
            other => Error::device_lost(format!("{adapter} refused an operation: {other}")),
        };
        keep(&kept, error);
    }));
    let (adapter, kept) = (name.to_owned(), failure.clone());
    device.set_device_lost_callback(move |reason, message| {
        if reason != wgpu::DeviceLostReason::Destroyed {
            keep(&kept, Error::device_lost(format!("{adapter} was lost: {message}")));
        }
    });
}
