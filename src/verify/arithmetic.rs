//! Comparison of the shaders' helpers with their twins in Rust: `shaders/verify.wgsl`.

use super::checker::{Checker, Compared, Stop, Weight};
use crate::{
    device::{
        Device,
        compose::{self, Composed, Source, constants, files},
        kernels::Kernels,
    },
    error::Result,
    exact::{
        rng::{Jumps, Stream, child_ordinal, ordinal, weighted_ordinal},
        ucb,
    },
};
use std::collections::HashMap;
use wgpu::BufferUsages;

/// Lanes of a workgroup.
const LANES: u32 = 64;
/// Constants of the bound, at the ends of their range and between.
const CONSTANTS: [f32; 6] = [0.0, 0.5, 2.0, 100.0, 9.536_743e-7, 1_048_576.0];
/// The greatest count.
const MOST: u64 = 1 << 53;

/// The cases of one kernel.
pub(super) struct Arithmetic {
    kernel: &'static str,
    groups: u32,
    case_words: usize,
    /// The names of a result's words, separated by `; `.
    fields: &'static str,
    /// A case, from its index and a random stream.
    case: fn(u32, &mut Stream) -> Vec<u32>,
    /// The results of the cases.
    twin: fn(&[u32]) -> Vec<u32>,
}

pub(super) const STREAMS: Arithmetic = Arithmetic {
    kernel: "verify_streams",
    groups: 32,
    case_words: 7,
    fields: "jump; jump; jump; jump; draw 1; draw 1; draw 2; draw 2; place; child; weighted; stream; stream; \
        stream; stream; back; back; back; back",
    case: stream_case,
    twin: |cases| cases.chunks_exact(7).flat_map(of_stream).collect(),
};

pub(super) const INTEGERS: Arithmetic = Arithmetic {
    kernel: "verify_integers",
    groups: 256,
    case_words: 6,
    fields: "sum; sum; difference; difference; less; zeros; shift up; shift up; shift down; shift down; \
        product; product; product by 16 bits; product by 16 bits",
    case: integer_case,
    twin: |cases| cases.chunks_exact(6).flat_map(of_integers).collect(),
};

pub(super) const BOUNDS: Arithmetic = Arithmetic {
    kernel: "verify_bounds",
    groups: 512,
    case_words: 13,
    fields: "bound 1; bound 2; order; estimates err",
    case: bound_case,
    twin: |cases| cases.chunks_exact(13).flat_map(of_bounds).collect(),
};

pub(super) const SUMS: Arithmetic = Arithmetic {
    kernel: "verify_sums",
    groups: 64,
    case_words: 5,
    fields: "n; n; n_wins; n_wins; before; all",
    case: sum_case,
    twin: |cases| cases.chunks_exact(5 * LANES as usize).flat_map(of_sums).collect(),
};

/// The module of all four kernels.
///
/// # Errors
/// Shader, naming the author's file and line.
pub(crate) fn module() -> Result<Composed> {
    let generated = Source::new("(generated constants)", constants([("TREE_LANES", LANES)]));
    let files = files![
        "lib/u64.wgsl",
        "lib/rng.wgsl",
        "lib/jumps.wgsl",
        "lib/ucb.wgsl",
        "lib/reduce.wgsl",
        "verify.wgsl",
    ];
    compose::compose(&[vec![generated], files].concat())
}

/// Runs the kernel on all its cases.
pub(super) async fn check(checker: &mut Checker<'_>, device: &Device, what: &Arithmetic) -> Result<(), Stop> {
    let count = what.groups * LANES;
    checker.run_case(&format!("{count} cases"), Weight::Light, async || what.compare(device).await).await
}

impl Arithmetic {
    async fn compare(&self, device: &Device) -> Result<Compared> {
        let mut stream = Stream::seeded(u64::from(self.groups));
        let cases: Vec<u32> =
            (0..self.groups * LANES).flat_map(|number| (self.case)(number, &mut stream)).collect();
        let expected = (self.twin)(&cases);
        let found = self.dispatch(device, &cases, expected.len()).await?;
        let differing = (0..expected.len()).filter(|&at| expected[at] != found[at]);
        Ok(Compared::of(expected.len() as u64, differing, |at| {
            self.difference(&cases, at, expected[at], found[at])
        }))
    }

    async fn dispatch(&self, device: &Device, cases: &[u32], results: usize) -> Result<Vec<u32>> {
        let kernels = Kernels::compile(device, &module()?, &[self.kernel]).await?;
        let jumps: &[u32] = bytemuck::cast_slice(Jumps::words());
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
        let unwritten = vec![u32::MAX; results];
        let mut buffers = HashMap::new();
        for (name, words) in [("cases", cases), ("jumps", jumps), ("results", &unwritten)] {
            buffers.insert(name, device.upload(name, usage, words).await?);
        }
        let bound = kernels.bind(device, self.kernel, &buffers)?;
        device.wait(device.submit_pass(|pass| bound.dispatch(pass, [self.groups, 1, 1]))).await?;
        device.read(&buffers["results"], results).await
    }

    fn difference(&self, cases: &[u32], at: usize, expected: u32, found: u32) -> String {
        let fields: Vec<_> = self.fields.split("; ").collect();
        let (case, field) = (at / fields.len(), fields[at % fields.len()]);
        let words = &cases[case * self.case_words..][..self.case_words];
        format!("{field} of case {case} {words:#x?} is {found:#x}, expected {expected:#x}")
    }
}

fn split(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

fn join(words: &[u32]) -> u64 {
    u64::from(words[0]) | u64::from(words[1]) << 32
}

/// A number of random length: short ones, and those with a low word of zeros or ones, are frequent.
fn any_u64(stream: &mut Stream) -> u64 {
    let (value, length, kind) = (stream.next_u64(), stream.next_u64() % 65, stream.next_u64() % 4);
    let value = if length == 0 { 0 } else { value >> (64 - length) };
    match kind {
        0 => value | 0xffff_ffff,
        1 => value & !0xffff_ffff,
        _ => value,
    }
}

/// Indexes with one bit and with many, counts of all sizes.
fn stream_case(number: u32, stream: &mut Stream) -> Vec<u32> {
    let index = if number < 32 { 1 << number } else { stream.next_u64() as u32 };
    let start = Stream::seeded(stream.next_u64()).words();
    let total = 1 + stream.next_u64() as u32 % (1 << 31);
    [&start[..], &[index, 1 + number % 512, total]].concat()
}

fn of_stream(case: &[u32]) -> Vec<u32> {
    let mut stream = Jumps::advance(Stream::from_words([case[0], case[1], case[2], case[3]]), case[4]);
    let mut words = stream.words().to_vec();
    words.extend(split(stream.next_u64()));
    words.extend(split(stream.next_u64()));
    words.push(ordinal(stream.next_u64(), case[5]));
    words.push(child_ordinal(stream.next_u64(), case[5]));
    words.push(weighted_ordinal(stream.next_u64(), case[6]));
    [words, stream.words().to_vec(), stream.words().to_vec()].concat()
}

fn integer_case(number: u32, stream: &mut Stream) -> Vec<u32> {
    let a = any_u64(stream);
    let b = if number.is_multiple_of(8) { a } else { any_u64(stream) };
    [&split(a)[..], &split(b), &[number % 64, stream.next_u64() as u32 & 0xffff]].concat()
}

fn of_integers(case: &[u32]) -> Vec<u32> {
    let (a, b, shift) = (join(case), join(&case[2..]), case[4]);
    let pairs = |pairs: &[u64]| pairs.iter().flat_map(|&pair| split(pair)).collect::<Vec<_>>();
    let product = u64::from(case[0]) * u64::from(case[2]);
    [
        pairs(&[a.wrapping_add(b), a.wrapping_sub(b)]),
        vec![u32::from(a < b), a.leading_zeros()],
        pairs(&[a << shift, a >> shift, product, a.wrapping_mul(case[5].into())]),
    ]
    .concat()
}

fn count(stream: &mut Stream) -> u64 {
    1 + (any_u64(stream) >> (11 + stream.next_u64() % 20))
}

fn up_to(stream: &mut Stream, most: u64) -> u64 {
    stream.next_u64() % (most + 1)
}

/// Two children; the second one is often as near to the first as whole wins allow.
fn bound_case(number: u32, stream: &mut Stream) -> Vec<u32> {
    let c = CONSTANTS[number as usize % CONSTANTS.len()];
    let parent = count(stream).min(MOST);
    let n = if number.is_multiple_of(16) { 0 } else { count(stream).min(MOST) };
    let wins = up_to(stream, n);
    let (n_b, wins_b) = match stream.next_u64() % 4 {
        0 => (n, wins),
        1 => (n + 1, wins),
        2 => near_tie(stream, (parent, c), (n, wins)),
        _ => {
            let n = count(stream).min(MOST);
            (n, up_to(stream, n))
        }
    };
    let actions = [stream.next_u64() as u32 % 512, stream.next_u64() as u32 % 512];
    let mut words = split(parent).to_vec();
    for ((n, wins), action) in
        [(n, wins), (n_b.min(MOST), wins_b.min(n_b.min(MOST)))].into_iter().zip(actions)
    {
        words.extend(split(n));
        words.extend(split(wins));
        words.push(action);
    }
    words.push(c.to_bits());
    words
}

/// Visits and wins whose bound is near that of others.
fn near_tie(stream: &mut Stream, (parent, c): (u64, f32), (n, wins): (u64, u64)) -> (u64, u64) {
    let ln = ucb::ln(parent);
    let aim = f64::from(ucb::ucb(ln, n, wins, c));
    let n = n + 1 + up_to(stream, 64);
    let wins = (aim - f64::from(c) * (ln / n as f64).sqrt()) * n as f64;
    (n, (wins.clamp(0.0, MOST as f64) as u64 + up_to(stream, 2)).saturating_sub(1))
}

fn of_bounds(case: &[u32]) -> [u32; 4] {
    let (ln, c) = (ucb::ln(join(case)), f32::from_bits(case[12]));
    let [a, b] = [&case[2..], &case[7..]].map(|child| ucb::ucb(ln, join(child), join(&child[2..]), c));
    [a.to_bits(), b.to_bits(), ucb::better(a, case[6], b, case[11]).into(), 0]
}

fn sum_case(_: u32, stream: &mut Stream) -> Vec<u32> {
    let [n, wins] = [split(any_u64(stream)), split(any_u64(stream))];
    [&n[..], &wins, &[stream.next_u64() as u32 % 33]].concat()
}

/// The sums of a workgroup.
fn of_sums(cases: &[u32]) -> Vec<u32> {
    let lanes = || cases.chunks_exact(5);
    let sum = |at: usize| lanes().fold(0_u64, |sum, lane| sum.wrapping_add(join(&lane[at..])));
    let all: u32 = lanes().map(|lane| lane[4]).sum();
    let mut before = 0;
    let mut words = Vec::new();
    for lane in lanes() {
        words.extend([split(sum(0)), split(sum(2)), [before, all]].concat());
        before += lane[4];
    }
    words
}
