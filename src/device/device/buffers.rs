//! The buffers of a device, and reading them.

use super::Device;
use crate::{
    device::{
        Submission,
        watch::{GUARD, is_guarded},
    },
    error::{Error, Result},
    host::locked,
    net::NetKernel,
};
use bytemuck::{AnyBitPattern, NoUninit};
use std::marker::PhantomData;

/// Values that are being copied from a buffer to the host.
#[derive(Debug)]
#[doc(hidden)]
pub struct Copied<T> {
    device: Device,
    staging: wgpu::Buffer,
    bytes: u64,
    submission: Submission,
    of: PhantomData<T>,
}

impl<T: AnyBitPattern> Copied<T> {
    /// Waits for the values.
    ///
    /// # Errors
    /// Device lost.
    pub async fn read(self) -> Result<Vec<T>> {
        let Self { device, staging, bytes, submission, .. } = self;
        let values = |read: &[u8]| {
            read[..bytes as usize].chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
        };
        device.read_staged(&staging, staging.size(), submission, values).await
    }
}

/// A network on a device: its digest, its kernel, and its buffers by name.
#[derive(Debug)]
pub(super) struct Uploaded {
    digest: u64,
    kernel: NetKernel,
    buffers: Vec<(&'static str, wgpu::Buffer)>,
}

impl Device {
    /// The bytes of a buffer without its guard.
    pub(crate) fn room(&self, buffer: &wgpu::Buffer) -> u64 {
        let has_guard = self.watch.is_some() && is_guarded(buffer.usage());
        buffer.size() - if has_guard { GUARD } else { 0 }
    }

    /// A buffer of at least `bytes` bytes (and at least 16) with undefined contents.
    ///
    /// # Errors
    /// Out of memory.
    #[doc(hidden)]
    pub async fn buffer(&self, label: &str, bytes: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer> {
        let Some(watch) = &self.watch else { return self.create(label, bytes, usage).await };
        let guard = if is_guarded(usage) { GUARD } else { 0 };
        let bytes = bytes.max(16).next_multiple_of(16) + guard;
        let buffer = self.create(label, bytes, watch.usage(usage)).await?;
        if guard > 0 {
            watch.fill(self, &buffer);
        }
        Ok(buffer)
    }

    /// A buffer that begins with these values.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) async fn upload<T: NoUninit>(
        &self,
        label: &str,
        usage: wgpu::BufferUsages,
        values: &[T],
    ) -> Result<wgpu::Buffer> {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let buffer = self.buffer(label, bytes.len() as u64, usage | wgpu::BufferUsages::COPY_DST).await?;
        self.queue().write_buffer(&buffer, 0, bytes);
        Ok(buffer)
    }

    /// A buffer of zeros.
    ///
    /// # Errors
    /// Out of memory.
    #[doc(hidden)]
    pub async fn zeros(&self, label: &str, bytes: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer> {
        let buffer = self.buffer(label, bytes, usage | wgpu::BufferUsages::COPY_DST).await?;
        // wgpu clears buffers that were not written to.
        if self.watch.is_some() {
            let mut encoder = self.encoder();
            self.clear(&buffer, &mut encoder);
            self.submit(encoder);
        }
        Ok(buffer)
    }

    /// Records that a buffer is filled with zeros.
    pub(crate) fn clear(&self, buffer: &wgpu::Buffer, encoder: &mut wgpu::CommandEncoder) {
        encoder.clear_buffer(buffer, 0, Some(self.room(buffer)));
    }

    async fn create(&self, label: &str, bytes: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer> {
        let scope = self.wgpu().push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let size = bytes.max(16).next_multiple_of(16);
        let descriptor =
            wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false };
        let buffer = self.wgpu().create_buffer(&descriptor);
        match scope.pop().await {
            None => Ok(buffer),
            Some(_) => Err(Error::out_of_memory(format!(
                "{} has no room for {:.1} GiB of {label}: give the search less memory",
                self.info().name,
                size as f64 / f64::from(1 << 30)
            ))),
        }
    }

    /// Frees the memory of dropped buffers whose work has ended.
    ///
    /// # Errors
    /// Device lost.
    #[doc(hidden)]
    pub fn reclaim(&self) -> Result<()> {
        self.inner.submissions.poll(self.wgpu()).map_err(|error| self.lost(error))?;
        self.check()
    }

    /// A buffer with the tables of a game, if it has any.
    ///
    /// # Errors
    /// Out of memory.
    #[doc(hidden)]
    pub async fn tables(&self, words: &[u32]) -> Result<Option<wgpu::Buffer>> {
        if words.is_empty() {
            return Ok(None);
        }
        self.upload("game_tables", wgpu::BufferUsages::STORAGE, words).await.map(Some)
    }

    /// The buffers of a network, if it was uploaded last, for this kernel.
    pub(crate) fn uploaded(
        &self,
        digest: u64,
        kernel: NetKernel,
    ) -> Option<Vec<(&'static str, wgpu::Buffer)>> {
        let last = locked(&self.inner.network);
        let same =
            last.as_ref().filter(|last| self.is_plain() && (last.digest, last.kernel) == (digest, kernel));
        same.map(|last| last.buffers.clone())
    }

    /// Keeps the buffers of a network for the next program with it.
    pub(crate) fn keep_uploaded(
        &self,
        digest: u64,
        kernel: NetKernel,
        buffers: &[(&'static str, wgpu::Buffer)],
    ) {
        if self.is_plain() {
            let uploaded = Uploaded { digest, kernel, buffers: buffers.to_vec() };
            *locked(&self.inner.network) = Some(uploaded);
        }
    }

    /// Whether it has neither checks, which need guards, nor mistakes.
    fn is_plain(&self) -> bool {
        self.watch.is_none() && self.mistake.is_none()
    }

    /// Reads the first `count` values of a buffer with usage `COPY_SRC`.
    ///
    /// # Errors
    /// Device lost or out of memory.
    #[doc(hidden)]
    pub async fn read<T: AnyBitPattern>(&self, buffer: &wgpu::Buffer, count: usize) -> Result<Vec<T>> {
        self.copy_out(buffer, count).await?.read().await
    }

    /// Begins to read the first `count` values of a buffer with usage `COPY_SRC`, as they are after all submitted work.
    /// Later submissions do not wait until they are read.
    ///
    /// # Errors
    /// Out of memory.
    #[doc(hidden)]
    pub async fn copy_out<T>(&self, buffer: &wgpu::Buffer, count: usize) -> Result<Copied<T>> {
        let bytes = (count * size_of::<T>()) as u64;
        let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
        let staging = self.buffer("read-back", bytes, usage).await?;
        let mut encoder = self.encoder();
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, bytes.next_multiple_of(4));
        let submission = self.submit(encoder);
        Ok(Copied { device: self.clone(), staging, bytes, submission, of: PhantomData })
    }

    /// Waits for a submission that copies to a staging buffer, and passes its first `bytes` bytes to `take`.
    ///
    /// # Errors
    /// Device lost or out of memory.
    #[doc(hidden)]
    pub async fn read_staged<R>(
        &self,
        staging: &wgpu::Buffer,
        bytes: u64,
        submission: Submission,
        take: impl FnOnce(&[u8]) -> R,
    ) -> Result<R> {
        let mapped = self.inner.submissions.map(staging, bytes);
        self.wait(submission).await?;
        mapped.await;
        let view = staging.get_mapped_range(0..bytes).map_err(|error| self.lost(error))?;
        let taken = take(&view);
        drop(view);
        staging.unmap();
        Ok(taken)
    }
}
