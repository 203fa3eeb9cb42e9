//! Times of the stages from device time stamps: one step of a submission is recorded a pass a stage.

use crate::{
    device::Device,
    error::Result,
    gpu::{forest::Forest, schedule::Stage},
};

/// Steps that are timed in a run.
const SAMPLES: u32 = 256;
/// A stamp before and after each stage.
const STAMPS: u32 = 2 * Stage::ALL.len() as u32;
/// Bytes that the stamps of a step take where they are resolved: wgpu wants multiples of 256.
const SLOT: u64 = 256;

/// Times stages on a device, where it can.
#[derive(Debug)]
pub struct StageTimer {
    device: Device,
    parts: Option<(wgpu::QuerySet, wgpu::Buffer)>,
    taken: u32,
}

impl StageTimer {
    /// A timer without samples.
    ///
    /// # Errors
    /// Out of memory.
    pub async fn new(device: &Device) -> Result<Self> {
        let mut parts = None;
        if device.has_timestamps() {
            let queries = device.wgpu().create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("stages"),
                ty: wgpu::QueryType::Timestamp,
                count: STAMPS,
            });
            let usage = wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC;
            parts = Some((queries, device.buffer("stages", u64::from(SAMPLES) * SLOT, usage).await?));
        }
        Ok(Self { device: device.clone(), parts, taken: 0 })
    }

    /// Forgets the samples.
    pub fn restart(&mut self) {
        self.taken = 0;
    }

    /// Records one staged step of all chunks, a pass a stage with time stamps; false where nothing is timed (any
    /// more), and nothing was recorded.
    pub fn record(&mut self, encoder: &mut wgpu::CommandEncoder, chunks: &[&Forest]) -> bool {
        let Some((queries, resolved)) = &self.parts else { return false };
        if self.taken == SAMPLES {
            return false;
        }
        for (index, stage) in (0u32..).zip(Stage::ALL) {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: None,
                timestamp_writes: Some(wgpu::ComputePassTimestampWrites {
                    query_set: queries,
                    beginning_of_pass_write_index: Some(2 * index),
                    end_of_pass_write_index: Some(2 * index + 1),
                }),
            });
            chunks.iter().for_each(|chunk| chunk.record_stage(&mut pass, stage));
        }
        encoder.resolve_query_set(queries, 0..STAMPS, resolved, u64::from(self.taken) * SLOT);
        self.taken += 1;
        true
    }

    /// Mean milliseconds of each stage over the samples; none where there are no samples.
    ///
    /// # Errors
    /// Device lost.
    pub async fn means(&self) -> Result<[Option<f64>; 4]> {
        let Some((_, resolved)) = self.parts.as_ref().filter(|_| self.taken > 0) else {
            return Ok([None; 4]);
        };
        let words_a_slot = (SLOT / 8) as usize;
        let stamps: Vec<u64> = self.device.read(resolved, self.taken as usize * words_a_slot).await?;
        let ms = f64::from(self.device.queue().get_timestamp_period()) * 1e-6;
        Ok(std::array::from_fn(|stage| {
            let ticks: u64 = stamps
                .chunks(words_a_slot)
                .map(|slot| slot[2 * stage + 1].saturating_sub(slot[2 * stage]))
                .sum();
            Some(ticks as f64 * ms / f64::from(self.taken))
        }))
    }
}
