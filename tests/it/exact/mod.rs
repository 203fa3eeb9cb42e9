//! Random streams and the exact bound: the shaders against Rust on every adapter, and Rust against its
//! sources.

mod float64;
mod logarithm;
mod networks;
mod order;
mod ordinals;
mod properties;
mod reductions;
mod streams;

use crate::support::{compute::Gpu, prelude::*};

const U64: &str = include_str!("../../../shaders/lib/u64.wgsl");
const RNG: &str = include_str!("../../../shaders/lib/rng.wgsl");
const JUMPS: &str = include_str!("../../../shaders/lib/jumps.wgsl");
const UCB: &str = include_str!("../../../shaders/lib/ucb.wgsl");

/// Constants of the bound, at the ends of their range and between.
const CONSTANTS: [f32; 8] = [0.0, 0.5, 1.0, std::f32::consts::SQRT_2, 2.0, 100.0, 9.536_743e-7, 1_048_576.0];

/// Invocations a workgroup in every kernel here.
const LANES: usize = 64;

fn run_cases(kernel: &Kernel<'_>, inputs: &[&[u32]], cases: usize, words_per_case: usize) -> Vec<u32> {
    kernel.run(inputs, cases * words_per_case, cases.div_ceil(LANES) as u32)
}

fn first_difference(expected: &[u32], got: &[u32]) -> Option<usize> {
    assert_eq!(expected.len(), got.len());
    expected.iter().zip(got).position(|(a, b)| a != b)
}

fn split(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

/// `is_wrong` gets a function that plants a mistake in a shader: it finds each of them, and nothing wrong without one.
/// A mistake is what is wrong, the right text, and the wrong text.
fn assert_all_found(
    gpu: &Gpu,
    mistakes: &[(&str, &str, &str)],
    is_wrong: impl Fn(&Gpu, &dyn Fn(&str) -> String) -> bool,
) {
    assert!(!is_wrong(gpu, &str::to_owned), "the shader as it is makes no mistake");
    for (mistake, from, to) in mistakes {
        assert!(is_wrong(gpu, &|source| corrupted(source, from, to)), "not found: {mistake}");
    }
}

fn one_in(random: &mut Pcg64, odds: u32) -> bool {
    random.next_u32().is_multiple_of(odds)
}
