//! The buffers of a chunk, by the names of their variables.

use crate::{
    device::{Device, kernels::Named, segments::Segments},
    error::Result,
    forest::Shape,
    forest::layout::Params,
};
use std::{collections::HashMap, ops::Index};
use wgpu::BufferUsages as Usage;

/// The usage of a uniform buffer. Kernels with nodes in segments bind it as a storage buffer.
pub(super) const UNIFORM: Usage = Usage::UNIFORM.union(Usage::STORAGE).union(Usage::COPY_DST);

/// The buffers by name. Buffers of nodes may be in segments.
#[derive(Debug, Clone, Default)]
pub(super) struct Buffers {
    by_name: HashMap<&'static str, Vec<wgpu::Buffer>>,
    segments: Option<Segments>,
}

/// The buffer with this name, or its first segment.
impl Index<&str> for Buffers {
    type Output = wgpu::Buffer;

    fn index(&self, name: &str) -> &wgpu::Buffer {
        &self.by_name[name][0]
    }
}

impl Named for Buffers {
    fn named(&self, name: &str) -> &[wgpu::Buffer] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }
}

impl Buffers {
    /// Buffers full of zeros, or of the pattern of a device that checks its memory. wgpu would clear them on their
    /// first use, which is within a run and its time limit, and takes a software adapter a second for 2 GiB.
    ///
    /// # Errors
    /// Out of memory; device lost.
    pub async fn cleared(device: &Device, shape: &Shape) -> Result<Self> {
        let mut encoder = device.encoder();
        let mut buffers = Self { segments: device.segments(), ..Self::default() };
        for (name, bytes, usage) in sizes(shape, device.segments()) {
            let buffer = device.buffer(name, bytes, usage).await?;
            // Kernels do not rely on these zeros, as a device that checks its memory shows.
            if device.checks().is_none() {
                device.clear(&buffer, &mut encoder);
            }
            buffers.by_name.entry(name).or_default().push(buffer);
        }
        // `counters` is `stats` bound as atomics.
        let counters = buffers.by_name["stats"].clone();
        buffers.by_name.insert("counters", counters);
        let submission = device.submit(encoder);
        device.wait(submission).await?;
        Ok(buffers)
    }

    /// Replaces the buffer with this name.
    pub fn insert(&mut self, name: &'static str, buffer: wgpu::Buffer) {
        self.by_name.insert(name, vec![buffer]);
    }

    /// The bytes of `count` nodes from node `first` on, each of which takes `size` bytes of the buffer.
    pub fn nodes(&self, name: &str, size: u64, first: u64, count: u64) -> Vec<Run<'_>> {
        let parts = &self.by_name[name];
        let Some(segments) = self.segments else {
            return vec![Run { buffer: &parts[0], at: first * size, bytes: count * size }];
        };
        let (mut runs, mut next, end) = (Vec::new(), first, first + count);
        while next < end {
            let (segment, place) = (next >> segments.shift, next % segments.nodes());
            let nodes = (segments.nodes() - place).min(end - next);
            runs.push(Run { buffer: &parts[segment as usize], at: place * size, bytes: nodes * size });
            next += nodes;
        }
        runs
    }
}

/// A run of bytes in one buffer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run<'a> {
    pub buffer: &'a wgpu::Buffer,
    pub at: u64,
    pub bytes: u64,
}

/// Records the copies of some runs to others of the same total size.
pub(super) fn copy_runs(from: Vec<Run<'_>>, to: Vec<Run<'_>>, encoder: &mut wgpu::CommandEncoder) {
    let (mut from, mut to) = (from.into_iter(), to.into_iter());
    let (mut source, mut target) = (from.next(), to.next());
    while let (Some(one), Some(other)) = (&mut source, &mut target) {
        let bytes = one.bytes.min(other.bytes);
        if bytes > 0 {
            encoder.copy_buffer_to_buffer(one.buffer, one.at, other.buffer, other.at, bytes);
        }
        for run in [&mut *one, &mut *other] {
            (run.at, run.bytes) = (run.at + bytes, run.bytes - bytes);
        }
        if one.bytes == 0 {
            source = from.next();
        }
        if other.bytes == 0 {
            target = to.next();
        }
    }
}

/// Name, bytes and usage of every buffer, or of each of its segments: the table of `shaders/README.md`.
pub(super) fn sizes(shape: &Shape, segments: Option<Segments>) -> Vec<(&'static str, u64, Usage)> {
    let (trees, capacity) = (u64::from(shape.n_trees), u64::from(shape.capacity));
    let positions = trees / u64::from(shape.trees_per_position);
    let both_ways = Usage::STORAGE | Usage::COPY_DST | Usage::COPY_SRC;
    let usage = |name| if name == "dispatches" { both_ways | Usage::INDIRECT } else { both_ways };
    let mut sizes = vec![("params", size_of::<Params>() as u64, UNIFORM)];
    for buffer in shape.buffers() {
        let mut bytes = buffer.of(trees, positions, capacity);
        if let Some(segments) = segments.filter(|_| buffer.node > 0) {
            let whole = segments.nodes() * buffer.node;
            while bytes > whole {
                sizes.push((buffer.name, whole, usage(buffer.name)));
                bytes -= whole;
            }
        }
        sizes.push((buffer.name, bytes, usage(buffer.name)));
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::block_on;

    /// Runs of nodes cover the same bytes, in any segments.
    #[test]
    fn runs_cover_their_nodes() {
        let device = Device::idle();
        let buffer = || block_on(device.buffer("stats", 16 * 8, Usage::STORAGE)).expect("there is room");
        let segments = Some(Segments { count: 4, shift: 3 });
        let by_name = HashMap::from([("stats", (0..4).map(|_| buffer()).collect())]);
        let cut = Buffers { by_name, segments };
        let whole = Buffers { segments: None, ..cut.clone() };
        for (first, count) in [(0, 1), (0, 8), (5, 3), (5, 4), (7, 20), (8, 24), (31, 1), (3, 0)] {
            let runs = cut.nodes("stats", 16, first, count);
            let mut next = first;
            for run in &runs {
                let place = cut.by_name["stats"].iter().position(|segment| segment == run.buffer);
                assert_eq!(place.expect("a segment") as u64 * 8 + run.at / 16, next);
                assert!(run.at + run.bytes <= 16 * 8 && run.bytes > 0);
                next += run.bytes / 16;
            }
            assert_eq!(next, first + count);
            let [one] = whole.nodes("stats", 16, first, count)[..] else { panic!("one run") };
            assert_eq!((one.at, one.bytes), (16 * first, 16 * count));
        }
    }
}
