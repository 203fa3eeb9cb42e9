//! Steps that can be undone: a copy of a chunk's headers and streams from before the step, on the device.

use crate::{
    device::kernels::Bound,
    error::Result,
    gpu::forest::{Forest, dispatch},
};
use wgpu::BufferUsages;

/// Copies of the headers and the streams of a chunk. The next step overwrites all other data that a step writes before
/// its backup, or the kernel undoes it.
#[derive(Debug)]
pub struct Checkpoint {
    trees: wgpu::Buffer,
    streams: wgpu::Buffer,
    withdraw: Bound,
}

impl Checkpoint {
    /// Allocates the memory: as much as the streams take.
    ///
    /// # Errors
    /// Out of memory.
    pub async fn new(forest: &Forest) -> Result<Self> {
        let (device, buffers) = (forest.device(), forest.buffers());
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST | BufferUsages::COPY_SRC;
        let trees = device.buffer("saved_trees", device.room(&buffers["trees"]), usage).await?;
        let streams = device.buffer("saved_streams", device.room(&buffers["streams"]), usage).await?;
        let withdraw = forest.bind_withdraw(&trees)?;
        Ok(Self { trees, streams, withdraw })
    }

    /// Records the copies that a step can be undone by.
    pub fn save(&self, forest: &Forest, encoder: &mut wgpu::CommandEncoder) {
        let buffers = forest.buffers();
        encoder.copy_buffer_to_buffer(
            &buffers["trees"],
            0,
            &self.trees,
            0,
            forest.device().room(&self.trees),
        );
        encoder.copy_buffer_to_buffer(
            &buffers["streams"],
            0,
            &self.streams,
            0,
            forest.device().room(&self.streams),
        );
    }

    /// Undoes the step that began after the last [`save`](Self::save), as long as no tree of it has been backed up.
    ///
    /// # Errors
    /// Device lost.
    pub async fn withdraw(&self, forest: &Forest) -> Result<()> {
        forest.begin_at(0);
        let mut encoder = forest.device().encoder();
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        dispatch(&mut pass, &self.withdraw, forest.withdraw_groups());
        drop(pass);
        let streams = &forest.buffers()["streams"];
        encoder.copy_buffer_to_buffer(&self.streams, 0, streams, 0, forest.device().room(&self.streams));
        let submission = forest.device().submit(encoder);
        forest.device().wait(submission).await
    }
}
