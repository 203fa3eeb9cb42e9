//! Checks of a device's memory: buffers begin with a pattern that kernels should not read, and end with guard words
//! that they should not write.

use crate::{
    device::Device,
    error::{Error, Result},
    host::locked,
    names::named,
};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use wgpu::BufferUsages as Usage;

named! {
    /// The checks of a device. The results are the same; runs take longer.
    #[non_exhaustive]
    pub enum Checks: "check" {
        /// Memory that is deliberately not cleared is filled with a pattern, in buffers and in workgroups, so that
        /// reads before writes show. Guard words after each buffer are compared when a run ends.
        Memory = "memory",
        /// The same, and the games of this crate run with the run-time checks that they otherwise omit: indices stay
        /// within their bounds, and loops end.
        All = "all",
    }
}

/// The pattern.
pub(super) const POISON: u32 = 0xdead_beef;
/// Bytes of the guard after a buffer.
pub(super) const GUARD: u64 = 4096;
/// Bytes that are filled by one copy.
const PATCH: u64 = 1 << 20;

/// The state of a device's checks.
#[derive(Debug)]
pub(super) struct Watch {
    pub checks: Checks,
    /// The device's limits, less the memory of guards.
    pub limits: wgpu::Limits,
    patch: OnceLock<wgpu::Buffer>,
    /// The buffers of each bound kernel that still exists.
    bound: Mutex<Vec<Weak<Guarded>>>,
}

/// Buffers with guards, by their names.
pub(super) type Guarded = Vec<(String, wgpu::Buffer)>;

impl Watch {
    pub fn new(checks: Checks, limits: &wgpu::Limits) -> Self {
        let limits = wgpu::Limits { max_buffer_size: limits.max_buffer_size - GUARD, ..limits.clone() };
        Self { checks, limits, patch: OnceLock::new(), bound: Mutex::default() }
    }

    /// The usage of a buffer with those of the checks. Buffers that the host maps have no guards.
    pub fn usage(&self, usage: Usage) -> Usage {
        if is_guarded(usage) { usage | Usage::COPY_DST | Usage::COPY_SRC } else { usage }
    }

    /// Fills a buffer and its guard.
    pub fn fill(&self, device: &Device, buffer: &wgpu::Buffer) {
        let patch = self.patch.get_or_init(|| patch(device));
        let mut encoder = device.encoder();
        for at in (0..buffer.size()).step_by(PATCH as usize) {
            encoder.copy_buffer_to_buffer(patch, 0, buffer, at, PATCH.min(buffer.size() - at));
        }
        device.submit(encoder);
    }

    /// Registers the buffers of a bound kernel for as long as the caller keeps them.
    pub fn keep(&self, buffers: Guarded) -> Arc<Guarded> {
        let kept = Arc::new(buffers);
        let mut bound = locked(&self.bound);
        bound.retain(|other| other.strong_count() > 0);
        bound.push(Arc::downgrade(&kept));
        kept
    }

    /// Compares the guards of all buffers that kernels are bound to.
    ///
    /// # Errors
    /// Overwritten, where one has changed; device lost.
    pub async fn check(&self, device: &Device) -> Result<()> {
        let mut all: Vec<(String, wgpu::Buffer)> = Vec::new();
        for (name, buffer) in self.alive().iter().flat_map(|buffers| buffers.iter()) {
            if is_guarded(buffer.usage()) && all.iter().all(|(_, other)| other != buffer) {
                all.push((name.clone(), buffer.clone()));
            }
        }
        let gathered = device.wgpu().create_buffer(&wgpu::BufferDescriptor {
            label: Some("guards"),
            size: GUARD * all.len().max(1) as u64,
            usage: Usage::COPY_DST | Usage::COPY_SRC,
            mapped_at_creation: false,
        });
        let mut encoder = device.encoder();
        for (at, (_, buffer)) in (0..).zip(&all) {
            encoder.copy_buffer_to_buffer(buffer, buffer.size() - GUARD, &gathered, GUARD * at, GUARD);
        }
        device.submit(encoder);
        let words_a_guard = GUARD as usize / 4;
        let words: Vec<u32> = device.read(&gathered, all.len() * words_a_guard).await?;
        for ((name, _), guard) in all.iter().zip(words.chunks(words_a_guard)) {
            if let Some(at) = guard.iter().position(|&word| word != POISON) {
                return Err(overwritten(&device.info().name, name, at, guard[at]));
            }
        }
        Ok(())
    }

    fn alive(&self) -> Vec<Arc<Guarded>> {
        locked(&self.bound).iter().filter_map(Weak::upgrade).collect()
    }
}

/// Whether a buffer has a guard on a device with checks. Buffers that the host maps have none: wgpu can't copy from
/// them.
pub(super) fn is_guarded(usage: Usage) -> bool {
    !usage.intersects(Usage::MAP_READ | Usage::MAP_WRITE)
}

fn patch(device: &Device) -> wgpu::Buffer {
    let patch = device.wgpu().create_buffer(&wgpu::BufferDescriptor {
        label: Some("patch"),
        size: PATCH,
        usage: Usage::COPY_DST | Usage::COPY_SRC,
        mapped_at_creation: false,
    });
    device.queue().write_buffer(&patch, 0, bytemuck::cast_slice(&vec![POISON; PATCH as usize / 4]));
    patch
}

fn overwritten(adapter: &str, name: &str, at: usize, word: u32) -> Error {
    Error::overwritten(format!(
        "{adapter} has written beyond the end of the buffer `{name}`: word {at} there is {word:#010x} instead of \
         {POISON:#010x}; the results of the run are invalid; please report it with the output of `mcts-wgpu verify`"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        device::{
            adapters::adapters,
            compose::{Source, compose},
            kernels::{Bound, Kernels},
        },
        host::block_on,
    };
    use std::collections::HashMap;

    const TEXT: &str = "
        @group(0) @binding(0) var<storage, read_write> words: array<u32>;
        var<workgroup> sh_words: array<u32, 70>;
        @compute @workgroup_size(64) fn write() {
            words[0] = sh_words[69];
            words[2] = arrayLength(&words);
        }";

    fn device(checks: Option<Checks>) -> Device {
        let device = adapters(None).first().expect("an adapter").open().expect("it opens");
        checks.map_or(device.clone(), |checks| device.checked(checks))
    }

    fn bound(device: &Device) -> (Bound, wgpu::Buffer) {
        let composed = compose(&[Source::new("test.wgsl", TEXT)]).expect("it is valid");
        block_on(async {
            let kernels = Kernels::compile(device, &composed, &["write"]).await.expect("it compiles");
            let usage = Usage::STORAGE | Usage::COPY_DST | Usage::COPY_SRC;
            let words = device.buffer("words", 32, usage).await.expect("there is room");
            let buffers = HashMap::from([("words", words.clone())]);
            (kernels.bind(device, "write", &buffers).expect("it has its buffer"), words)
        })
    }

    fn written(device: &Device) -> Vec<u32> {
        let (bound, words) = bound(device);
        device.submit_pass(|pass| bound.dispatch(pass, [1, 1, 1]));
        block_on(device.check_guards()).expect("nothing was overwritten");
        block_on(device.read(&words, 4)).expect("it is read")
    }

    /// wgpu clears buffers: reads before writes show with checks alone. The guard is outside of a kernel's binding.
    #[test]
    fn memory_that_was_never_written_holds_the_pattern() {
        assert_eq!(written(&device(None))[1..3], [0, 8]);
        for checks in Checks::ALL {
            assert_eq!(written(&device(Some(checks)))[..3], [POISON, POISON, 8], "{checks}");
        }
        let zeros = |device: &Device| {
            let usage = Usage::STORAGE | Usage::COPY_SRC;
            block_on(async { device.read::<u32>(&device.zeros("zeros", 64, usage).await?, 16).await })
        };
        assert_eq!(zeros(&device(Some(Checks::All))).expect("they are read"), [0; 16]);
    }

    #[test]
    fn words_written_behind_a_buffer_are_found() {
        let device = device(Some(Checks::Memory));
        let (bound, words) = bound(&device);
        let check = || block_on(device.check_guards());
        check().expect("nothing has been written");
        device.queue().write_buffer(&words, device.room(&words) + 8, &[0; 4]);
        let found = check().expect_err("a word was written");
        assert!(found.is_overwritten() && found.to_string().contains("`words`: word 2 there"), "{found}");
        drop(bound);
        check().expect("no kernel has the buffer any more");
    }
}
