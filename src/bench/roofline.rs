//! The roofline of a device: `shaders/bench/roofline.wgsl`.

use super::{
    Figures, Roof, Spread,
    task::{Done, OnProgress, Task},
};
use crate::{
    device::{
        Device,
        compose::{self, Composed, Source, constants, files},
        kernels::{Bound, Kernels},
    },
    engine::Engine,
    error::{Error, Result},
    host::Instant,
    reference::fingerprint::combine,
};
use std::{collections::HashMap, time::Duration};
use wgpu::BufferUsages;

/// Invocations of a workgroup.
const LANES: u32 = 256;
/// Workgroups: more than the largest GPU runs at a time.
const GROUPS: u32 = 8192;
const SOFTWARE_GROUPS: u32 = 64;
/// Bytes of each of the two buffers between which values are copied: far more than a cache.
const MEMORY: u64 = 256 << 20;
const SOFTWARE_MEMORY: u64 = 64 << 20;
/// The least seconds of a submission.
const SUBMISSION: f64 = 0.02;
/// Values of four words that the check reads back.
const READ: usize = 1024;
/// The factor of the products: each of its bytes is odd.
const FACTOR: u32 = 0x0bad_cafd | 0x0101_0101;
/// Independent chains of operations of an invocation, and repetitions of a chain's operations in a round.
const CHAINS: u32 = 4;
const REPEATS: u32 = 8;

impl Roof {
    fn kernel(self) -> &'static str {
        match self {
            Self::Int32 => "roof_int32",
            Self::Dot4I8 => "roof_dot4i8",
            Self::Memory => "roof_memory",
            Self::Dispatch => "roof_dispatch",
        }
    }

    /// Operations of a chain in a repetition.
    fn operations(self) -> u32 {
        if self == Self::Dot4I8 { 8 } else { 3 }
    }
}

/// The module of all kernels.
///
/// # Errors
/// Shader, naming the author's file and line.
pub(crate) fn module() -> Result<Composed> {
    let generated = Source::new("(generated constants)", constants([("LANES", LANES)]));
    compose::compose(&[vec![generated], files!["bench/roofline.wgsl"]].concat())
}

struct Roofline {
    device: Device,
    roof: Roof,
    groups: u32,
    /// Bytes of each buffer.
    bytes: u64,
    params: wgpu::Buffer,
    /// The kernel from the first buffer to the second, and back.
    bound: [Bound; 2],
    buffers: [wgpu::Buffer; 2],
    /// Rounds of a submission.
    rounds: u32,
}

pub(super) async fn roofline(engine: &Engine, roof: Roof) -> Result<Box<dyn Task>> {
    let Some([device]) = engine.devices() else {
        return Err(Error::invalid("the roofline is measured on one adapter at a time"));
    };
    Ok(Box::new(Roofline::new(device, roof).await?))
}

impl Roofline {
    async fn new(device: &Device, roof: Roof) -> Result<Self> {
        let is_software = device.info().is_software();
        let groups = if is_software { SOFTWARE_GROUPS } else { GROUPS };
        let memory = if is_software { SOFTWARE_MEMORY } else { MEMORY };
        let bytes = match roof {
            Roof::Memory => memory.min(device.info().limits.max_binding_bytes) / 16 * 16,
            _ => 16 * u64::from(groups) * u64::from(LANES),
        };
        let kernels = Kernels::compile(device, &module()?, &[roof.kernel()]).await?;
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let params = device.buffer("roof_params", 8, usage).await?;
        let buffers = [device.zeros("roof", bytes, usage).await?, device.zeros("roof", bytes, usage).await?];
        let bind = |from: &wgpu::Buffer, to: &wgpu::Buffer| {
            let named = [("roof_params", &params), ("roof_in", from), ("roof_out", to)];
            let named: HashMap<_, _> = named.map(|(name, buffer)| (name, buffer.clone())).into();
            kernels.bind(device, roof.kernel(), &named)
        };
        let [one, other] = &buffers;
        // The counter of dispatches stays in one buffer.
        let back = if roof == Roof::Memory { bind(other, one)? } else { bind(one, other)? };
        let bound = [bind(one, other)?, back];
        Ok(Self { device: device.clone(), roof, groups, bytes, params, bound, buffers, rounds: 1 })
    }

    /// Makes this many rounds in a submission; returns its seconds, without the recording.
    async fn run_rounds(&self, rounds: u32) -> Result<f64> {
        self.device.queue().write_buffer(&self.params, 0, bytemuck::cast_slice(&[rounds, FACTOR]));
        let (dispatches, groups) = match self.roof {
            Roof::Dispatch => (rounds, 1),
            Roof::Memory => (rounds, self.groups),
            _ => (1, self.groups),
        };
        let mut encoder = self.device.encoder();
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        for dispatch in 0..dispatches as usize {
            self.bound[dispatch % 2].dispatch(&mut pass, [groups, 1, 1]);
        }
        drop(pass);
        let recorded = encoder.finish();
        // Earlier writes do not count.
        self.device.wait(self.device.submit(self.device.encoder())).await?;
        let began = Instant::now();
        self.device.queue().submit([recorded]);
        self.device.wait(self.device.submit(self.device.encoder())).await?;
        Ok(began.elapsed().as_secs_f64().max(1e-9))
    }

    fn figures(&self, rounds: f64, seconds: f64) -> Figures {
        let invocations = f64::from(self.groups) * f64::from(LANES);
        let operations = invocations * f64::from(CHAINS * REPEATS * self.roof.operations());
        let rate = |per_round: f64| Spread::of([per_round * rounds / seconds]);
        match self.roof {
            Roof::Int32 | Roof::Dot4I8 => {
                Figures { operations_per_second: rate(operations), ..Figures::default() }
            }
            Roof::Memory => Figures { bytes_per_second: rate(2.0 * self.bytes as f64), ..Figures::default() },
            Roof::Dispatch => {
                Figures { dispatch_us: Spread::of([1e6 * seconds / rounds]), ..Figures::default() }
            }
        }
    }
}

impl Task for Roofline {
    fn check<'a>(&'a mut self, rounds: u64, _on_progress: OnProgress<'a>) -> Done<'a, String> {
        Box::pin(async move {
            self.run_rounds(rounds as u32).await?;
            let written = match self.roof {
                Roof::Memory => &self.buffers[(rounds % 2) as usize],
                _ => &self.buffers[1],
            };
            let words: Vec<u32> = self.device.read(written, 4 * READ).await?;
            Ok(Some(digest(&words)))
        })
    }

    fn run<'a>(&'a mut self, time: Duration, on_progress: OnProgress<'a>) -> Done<'a, Figures> {
        Box::pin(async move {
            let least = SUBMISSION.min(time.as_secs_f64());
            while self.run_rounds(self.rounds).await? < least
                && self.rounds < u32::MAX / 2
                && on_progress().is_continue()
            {
                self.rounds *= 2;
            }
            let (began, mut rounds, mut seconds) = (Instant::now(), 0.0, 0.0);
            while seconds == 0.0 || began.elapsed() < time {
                if on_progress().is_break() {
                    return Ok(None);
                }
                seconds += self.run_rounds(self.rounds).await?;
                rounds += f64::from(self.rounds);
            }
            Ok(Some(self.figures(rounds, seconds)))
        })
    }
}

fn digest(words: &[u32]) -> String {
    let words: Vec<u64> = words.iter().map(|&word| word.into()).collect();
    format!("{:016x}", combine(&words))
}

/// The result expected of a roof's kernel.
#[cfg(test)]
pub(super) fn twin(roof: Roof, rounds: u64) -> String {
    let bytes = |word: u32| word.to_le_bytes().map(|byte| i32::from(byte as i8));
    let dot = |a: u32, b: u32| bytes(a).into_iter().zip(bytes(b)).map(|(a, b)| a * b).sum::<i32>() as u32;
    let words = (0..4 * READ as u32).map(|number| match roof {
        Roof::Memory => rounds as u32,
        Roof::Dispatch => u32::from(number < 4) * rounds as u32,
        _ => (0..rounds * u64::from(REPEATS)).fold(number + 1, |x, _| match roof {
            Roof::Int32 => x.wrapping_mul(FACTOR).wrapping_add(x >> 7),
            _ => x.wrapping_add(dot(x, FACTOR)),
        }),
    });
    digest(&words.collect::<Vec<_>>())
}
