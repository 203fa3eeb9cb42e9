//! The logarithm of a count.

use super::{float64::Float, *};
use crate::support::prelude::*;

/// The logarithm of n in units of 2^-74 from 2 atanh((m - 1) / (m + 1)) and 2 atanh(1 / 3), off by some tens
/// of units.
fn ln_fixed(n: u64) -> u128 {
    let atanh = |numerator: u64, denominator: u64| {
        let mask = (1_u128 << 37) - 1;
        let mul = |a: u128, b: u128| {
            (a >> 37) * (b >> 37) + (((a >> 37) * (b & mask)) >> 37) + (((a & mask) * (b >> 37)) >> 37)
        };
        let t = (u128::from(numerator) << 74) / u128::from(denominator);
        let square = mul(t, t);
        let (mut power, mut sum) = (t, 0);
        for odd in (1..).step_by(2).take_while(|&odd| odd < 200) {
            sum += power / odd;
            power = mul(power, square);
        }
        sum
    };
    let e = n.ilog2();
    let power = 1_u64 << e;
    2 * atanh(n - power, n + power) + u128::from(e) * 2 * atanh(1, 3)
}

/// Counts for the logarithm: small ones, powers of two with their neighbours, and random ones of every
/// length.
pub(super) fn ln_counts() -> Vec<u64> {
    let mut random = Pcg64::seed_from_u64(4);
    let mut counts: Vec<u64> = (1..=200_000).collect();
    counts.extend((1..=53).flat_map(|k| [(1 << k) - 1, 1 << k, (1 << k) + 1].map(|n: u64| n.min(1 << 53))));
    counts.extend((0..800_000).map(|i| 1 + (random.next_u64() >> (11 + i % 53))));
    counts
}

#[test]
fn ln_is_within_its_bound_and_next_to_std() {
    assert_eq!(ucb::ln(1), 0.0);
    let (mut other_than_std, mut worst) = (0, 0.0_f64);
    let counts = ln_counts();
    for &n in counts.iter().filter(|&&n| n > 1) {
        let ln = ucb::ln(n);
        let ulp = ln.next_up() - ln;
        let error = ((ln * 74f64.exp2()) as u128).abs_diff(ln_fixed(n)) as f64 * (-74f64).exp2() / ulp;
        assert!(error < 0.53, "ln({n}) is off by {error} ulp");
        worst = worst.max(error);
        let std = (n as f64).ln();
        assert!((ln - std).abs() <= ulp, "ln({n}) is {ln}, std's is {std}");
        other_than_std += usize::from(ln != std);
    }
    // If no value came near the bound, the oracle would be wrong.
    assert!(worst > 0.49, "worst error {worst} ulp");
    assert!(other_than_std * 20 < counts.len(), "{other_than_std} of {} differ from std", counts.len());
}

pub(super) const LN_KERNEL: &str = "
@group(0) @binding(0) var<storage, read> params: array<u32>;
@group(0) @binding(1) var<storage, read> cases: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read_write> result: array<u32>;

fn ucb_c_bits() -> u32 { return params[0]; }

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if (i >= arrayLength(&cases)) { return; }
    let ln = ucb_ln(cases[i]);
    result[4u * i] = ln.sig.x;
    result[4u * i + 1u] = ln.sig.y;
    result[4u * i + 2u] = bitcast<u32>(ln.exp);
    result[4u * i + 3u] = bitcast<u32>(ucb_ln_f32(cases[i])) + min(ucb_c_bits(), 0u);
}
";

/// The first count whose logarithm on the device differs from the host's, or whose estimate exceeds its bound of 8 u.
pub(super) fn first_wrong_ln(kernel: &Kernel<'_>, counts: &[u64]) -> Option<u64> {
    let words: Vec<u32> = counts.iter().flat_map(|&n| split(n)).collect();
    let got = run_cases(kernel, &[&[0], &words], counts.len(), 4);
    let mut rows = counts.iter().zip(got.chunks_exact(4));
    let wrong = rows.find(|&(&n, row)| {
        let (exact, ours) = (ucb::ln(n), Float::from_words(row));
        let off = (f64::from(f32::from_bits(row[3])) - exact).abs();
        !ours.is_normal() || ours.value() != exact || (n > 1 && off > 8.0 * (-23f64).exp2() * exact)
    });
    wrong.map(|(&n, _)| n)
}

#[test]
fn device_ln_is_the_hosts() {
    let counts = ln_counts();
    let adapters = Adapters::open();
    for gpu in &adapters.gpus {
        let kernel = gpu.kernel(&[U64, UCB, LN_KERNEL]);
        assert_eq!(first_wrong_ln(&kernel, &counts), None, "{}", gpu.name);
    }
}
