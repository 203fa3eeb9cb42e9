//! Times of the stages by device time stamps: one step of a submission has a pass for each stage.

use crate::{
    device::Device,
    error::Result,
    gpu::{forest::Forest, schedule::Stage},
};

/// Steps that are timed in a run.
const SAMPLES: u32 = 256;
/// A stamp before and after each stage.
const STAMPS: u32 = 2 * Stage::ALL.len() as u32;
/// Bytes of a step's resolved stamps: wgpu requires multiples of 256.
const SLOT: u64 = 256;
const SLOT_STAMPS: usize = SLOT as usize / size_of::<u64>();

/// Times the stages, on devices with time stamps.
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

    /// Discards the samples.
    pub fn restart(&mut self) {
        self.taken = 0;
    }

    /// Records one staged step of all chunks, a pass a stage with time stamps; returns false, with nothing recorded,
    /// where timing is unavailable or has all its samples.
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

    /// Mean milliseconds of each stage over the samples; `None` where there are no samples, or the device has left
    /// their stamps at zero.
    ///
    /// # Errors
    /// Device lost.
    pub async fn means(&self) -> Result<[Option<f64>; 4]> {
        let Some((_, resolved)) = self.parts.as_ref().filter(|_| self.taken > 0) else {
            return Ok([None; 4]);
        };
        let stamps: Vec<u64> = self.device.read(resolved, self.taken as usize * SLOT_STAMPS).await?;
        let ms = f64::from(self.device.queue().get_timestamp_period()) * 1e-6;
        Ok(mean_ticks(&stamps).map(|ticks| Some(ticks? * ms)))
    }
}

/// Mean ticks of each stage over the slots that have its stamps. Devices may leave both at zero: Apple's do since macOS
/// 26, though they report time stamps.
fn mean_ticks(stamps: &[u64]) -> [Option<f64>; 4] {
    std::array::from_fn(|stage| {
        let pairs = stamps.chunks(SLOT_STAMPS).map(|slot| (slot[2 * stage], slot[2 * stage + 1]));
        let taken: Vec<u64> =
            pairs.filter(|&pair| pair != (0, 0)).map(|(begin, end)| end.saturating_sub(begin)).collect();
        (!taken.is_empty()).then(|| taken.iter().sum::<u64>() as f64 / taken.len() as f64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_that_are_zero_are_no_times() {
        let mut stamps = [0; 3 * SLOT_STAMPS];
        assert_eq!(mean_ticks(&stamps), [None; 4]);
        assert_eq!(mean_ticks(&[]), [None; 4]);
        // The first stage took 5 and 7 ticks, the second one none; the stamps of the third run backwards.
        stamps[..6].copy_from_slice(&[10, 15, 20, 20, 9, 8]);
        stamps[SLOT_STAMPS..SLOT_STAMPS + 2].copy_from_slice(&[100, 107]);
        assert_eq!(mean_ticks(&stamps), [Some(6.0), Some(0.0), Some(0.0), None]);
    }
}
