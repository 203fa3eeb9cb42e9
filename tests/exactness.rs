//! Random streams and the exact bound: the shaders against Rust on every adapter, and Rust against its
//! sources.

mod support;

use approx::assert_abs_diff_eq;
use mcts_wgpu::rng::{self, Jumps, Stream};
use mcts_wgpu::ucb;
use proptest::prelude::*;
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};
use support::{
    compute::{Adapters, Gpu, Kernel},
    corrupted,
};

const U64: &str = include_str!("../shaders/common/u64.wgsl");
const RNG: &str = include_str!("../shaders/common/rng.wgsl");
const UCB: &str = include_str!("../shaders/common/ucb.wgsl");

/// Invocations a workgroup in every kernel here.
const LANES: usize = 64;

/// Runs a kernel with one invocation a case.
fn run(kernel: &Kernel<'_>, inputs: &[&[u32]], cases: usize, words_per_case: usize) -> Vec<u32> {
    kernel.run(inputs, cases * words_per_case, cases.div_ceil(LANES) as u32)
}

/// The first place where two results differ.
fn first_difference(expected: &[u32], got: &[u32]) -> Option<usize> {
    assert_eq!(expected.len(), got.len());
    expected.iter().zip(got).position(|(a, b)| a != b)
}

fn split(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

/// True once in `odds` times.
fn one_in(random: &mut Pcg64, odds: u32) -> bool {
    random.next_u32().is_multiple_of(odds)
}

// --- random streams ----------------------------------------------------------------------------------------

#[derive(serde::Deserialize)]
struct GoldenStream {
    seed: u64,
    state: u32,
    s0: String,
    s1: String,
    u_hex: Vec<String>,
}

#[test]
fn streams_are_those_of_the_original_program() {
    let golden: Vec<GoldenStream> = serde_json::from_str(include_str!("data/rng.json")).expect("valid JSON");
    assert_eq!(golden.len(), 8);
    let hex = |digits: &str| u64::from_str_radix(digits, 16).expect("hexadecimal");
    for entry in golden {
        let mut stream = Jumps::stream(entry.seed, entry.state);
        assert_eq!((stream.s0, stream.s1), (hex(&entry.s0), hex(&entry.s1)), "state {}", entry.state);
        for bits in &entry.u_hex {
            assert_eq!(u64::from(stream.uniform().to_bits()), hex(bits));
        }
    }
}

const STREAM_KERNEL: &str = "
@group(0) @binding(0) var<storage, read> jumps: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> start: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> indexes: array<u32>;
@group(0) @binding(3) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if (i >= arrayLength(&indexes)) { return; }
    var rng = rng_advance(start[0], indexes[i]);
    for (var w = 0u; w < 4u; w++) { result[16u * i + w] = rng[w]; }
    for (var k = 0u; k < 3u; k++) {
        let r = rng_next(&rng);
        result[16u * i + 4u + 2u * k] = r.x;
        result[16u * i + 5u + 2u * k] = r.y;
    }
    result[16u * i + 10u] = rng_pick(&rng, 1u + i % 512u);
    result[16u * i + 11u] = rng_pick_child(&rng, 1u + i % 512u);
    for (var w = 0u; w < 4u; w++) { result[16u * i + 12u + w] = rng[w]; }
}
";

fn expected_stream(seed: u64, index: u32, count: u32) -> Vec<u32> {
    let mut stream = Jumps::stream(seed, index);
    let mut words = stream.words().to_vec();
    (0..3).for_each(|_| words.extend(split(stream.next_u64())));
    words.extend([stream.pick(count), stream.pick_child(count)]);
    words.extend(stream.words());
    words
}

#[test]
fn device_streams_and_jumps_are_the_hosts() {
    let mut random = Pcg64::seed_from_u64(1);
    let mut indexes: Vec<u32> = (0..2048).chain((0..32).map(|k| 1 << k)).chain([u32::MAX]).collect();
    indexes.extend((0..2048).map(|_| random.next_u32()));
    let seed = 0x0123_4567_89ab_cdef;
    let expected: Vec<u32> =
        (0..).zip(&indexes).flat_map(|(i, &index)| expected_stream(seed, index, 1 + i % 512)).collect();
    let start = Stream::seeded(seed).words();

    let adapters = Adapters::open();
    for gpu in &adapters.gpus {
        let kernel = gpu.kernel(&[U64, RNG, STREAM_KERNEL]);
        let jumps = bytemuck::cast_slice(Jumps::words());
        let got = run(&kernel, &[jumps, &start, &indexes], indexes.len(), 16);
        assert_eq!(first_difference(&expected, &got), None, "{}", gpu.name);

        let mut bad_jumps = jumps.to_vec();
        bad_jumps[4 * 128 * 31 + 77] ^= 1 << 9;
        let bad = run(&kernel, &[&bad_jumps, &start, &indexes], indexes.len(), 16);
        assert!(first_difference(&expected, &bad).is_some(), "a wrong bit in the matrices must show");
    }
}

// --- ordinals ----------------------------------------------------------------------------------------------

const ORDINAL_KERNEL: &str = "
@group(0) @binding(0) var<storage, read> jumps: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> cases: array<u32>;
@group(0) @binding(2) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if (3u * i >= arrayLength(&cases)) { return; }
    let r = vec2<u32>(cases[3u * i], cases[3u * i + 1u]);
    result[2u * i] = rng_ordinal(r, cases[3u * i + 2u]) + min(jumps[0].x, 0u);
    result[2u * i + 1u] = rng_child_ordinal(r, cases[3u * i + 2u]);
}
";

/// Draws around everything that decides an ordinal: 0, 1 - 2^-24 with its neighbours and 1.0 after rounding;
/// the exact boundaries k / count; and the least draw for each ordinal, found with the float formula itself.
fn edge_draws(count: u32) -> Vec<u64> {
    let last = u64::MAX;
    let mut centres = vec![0, last, 1 << 11, last - (1 << 39), last - (1 << 40), last - (3 << 39)];
    for k in 1..count {
        centres.push(((u128::from(k) << 64) / u128::from(count)) as u64);
        centres.push(least_draw(|draw| rng::ordinal(draw, count) >= k));
        centres.push(least_draw(|draw| rng::child_ordinal(draw, count) >= k));
    }
    let unit = 1_u64 << 41;
    let offsets =
        [0, 1, 1 << 11, 1 << 39, unit / 2, unit, unit * u64::from(count), 2 * unit * u64::from(count)];
    let around = |centre: u64| {
        offsets.into_iter().flat_map(move |offset| {
            [centre.saturating_add(offset), centre.saturating_sub(offset), centre.saturating_sub(offset + 1)]
        })
    };
    centres.into_iter().flat_map(around).collect()
}

/// The least draw for which a condition holds that holds for all greater ones too.
fn least_draw(holds: impl Fn(u64) -> bool) -> u64 {
    (0..64).rev().fold(0, |below, bit| if holds(below | ((1 << bit) - 1)) { below } else { below | 1 << bit })
}

fn ordinal_cases() -> Vec<(u64, u32)> {
    let mut random = Pcg64::seed_from_u64(2);
    let mut cases: Vec<(u64, u32)> =
        (1..=512).flat_map(|count| edge_draws(count).into_iter().map(move |draw| (draw, count))).collect();
    cases.extend((0..2_000_000).map(|i| (random.next_u64(), 1 + i % 512)));
    cases
}

#[test]
fn device_ordinals_are_those_of_the_float_formulas() {
    let cases = ordinal_cases();
    let adapters = Adapters::open();
    let careless = corrupted(RNG, "< 3u * count", "< 0u * count");
    for gpu in &adapters.gpus {
        let kernel = gpu.kernel(&[U64, RNG, ORDINAL_KERNEL]);
        let careless = gpu.kernel(&[U64, &careless, ORDINAL_KERNEL]);
        let mut careless_is_wrong = false;
        for batch in cases.chunks(1 << 20) {
            let words: Vec<u32> =
                batch.iter().flat_map(|&(draw, count)| [draw as u32, (draw >> 32) as u32, count]).collect();
            let expected: Vec<u32> = batch
                .iter()
                .flat_map(|&(draw, count)| [rng::ordinal(draw, count), rng::child_ordinal(draw, count)])
                .collect();
            let jumps = [0; 4];
            let got = run(&kernel, &[&jumps, &words], batch.len(), 2);
            let difference = first_difference(&expected, &got).map(|i| (batch[i / 2], expected[i], got[i]));
            assert_eq!(difference, None, "{}", gpu.name);
            let got = run(&careless, &[&jumps, &words], batch.len(), 2);
            careless_is_wrong |= first_difference(&expected, &got).is_some();
        }
        assert!(careless_is_wrong, "without the exact path some ordinal must be wrong");
    }
}

const ORDINAL_PAIR_KERNEL: &str = "
@group(0) @binding(0) var<storage, read> jumps: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> cases: array<u32>;
@group(0) @binding(2) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let at = 5u * id.x;
    if (at >= arrayLength(&cases)) { return; }
    let first = vec2<u32>(cases[at], cases[at + 1u]);
    let second = vec2<u32>(cases[at + 2u], cases[at + 3u]);
    let pair = rng_ordinal_pair(first, second, cases[at + 4u]);
    result[3u * id.x] = pair.ordinals.x + min(jumps[0].x, 0u);
    result[3u * id.x + 1u] = pair.ordinals.y;
    result[3u * id.x + 2u] = u32(pair.sure);
}
";

/// Draws from a list of `count` and from the list without one: one of them near an edge, the other random.
fn ordinal_pairs(random: &mut Pcg64) -> Vec<(u64, u64, u32)> {
    let mut pairs = Vec::new();
    for count in [2, 3, 5, 7, 64, 225, 484].into_iter().chain(500..=512) {
        pairs.extend(edge_draws(count).into_iter().map(|first| (first, random.next_u64(), count)));
        pairs.extend(edge_draws(count - 1).into_iter().map(|second| (random.next_u64(), second, count)));
    }
    pairs
}

/// Pairs that are sure and wrong, and pairs that are not sure.
fn judge_pairs(kernel: &Kernel<'_>, pairs: &[(u64, u64, u32)]) -> (usize, usize) {
    let words = |&(first, second, count): &(u64, u64, u32)| {
        split(first).into_iter().chain(split(second)).chain([count]).collect::<Vec<_>>()
    };
    let words: Vec<u32> = pairs.iter().flat_map(words).collect();
    let got = run(kernel, &[&[0; 4], &words], pairs.len(), 3);
    let (mut wrong, mut unsure) = (0, 0);
    for (&(first, second, count), got) in pairs.iter().zip(got.chunks_exact(3)) {
        let expected = [rng::ordinal(first, count), rng::ordinal(second, count - 1)];
        wrong += usize::from(got[2] == 1 && got[..2] != expected);
        unsure += usize::from(got[2] == 0);
    }
    (wrong, unsure)
}

#[test]
fn pairs_of_ordinals_are_right_where_they_are_sure_and_nearly_always_are() {
    let mut random = Pcg64::seed_from_u64(11);
    let near_edges = ordinal_pairs(&mut random);
    let anywhere: Vec<(u64, u64, u32)> =
        (0..1 << 20).map(|i| (random.next_u64(), random.next_u64(), 2 + i % 511)).collect();
    let adapters = Adapters::open();
    for gpu in &adapters.gpus {
        let kernel = gpu.kernel(&[U64, RNG, ORDINAL_PAIR_KERNEL]);
        let (wrong, unsure) = judge_pairs(&kernel, &near_edges);
        assert!(wrong == 0 && unsure > 0, "{}: {wrong} wrong, {unsure} unsure", gpu.name);
        // One in 2,731, by the comment there: 384 of these, give or take 20.
        let (wrong, unsure) = judge_pairs(&kernel, &anywhere);
        assert!(wrong == 0 && (264..504).contains(&unsure), "{}: {wrong} wrong, {unsure} unsure", gpu.name);
    }
}

/// Every one of these mistakes must be found. (Without a margin above an edge no place would be wrong: it is kept for the
/// proof, which is simpler with it.)
#[test]
fn narrow_margins_of_pairs_are_found() {
    let margins = [
        ("none at all", "vec2<u32>(1536u * 512u)", "vec2<u32>(0u)"),
        ("none below", "t * 512u + vec2<u32>(1024u * 512u) >=", "t * 512u + vec2<u32>(0u) >="),
        ("half of it below", "t * 512u + vec2<u32>(1024u * 512u) >=", "t * 512u + vec2<u32>(512u * 512u) >="),
        ("one draw alone", "sure = all(", "sure = any("),
        ("two equal lists", "vec2<u32>(count, count - 1u)", "vec2<u32>(count)"),
    ];
    let pairs = ordinal_pairs(&mut Pcg64::seed_from_u64(11));
    let adapters = Adapters::open();
    let gpu = &adapters.gpus[0];
    let not_found = margins.iter().filter(|(_, from, to)| {
        let kernel = gpu.kernel(&[U64, &corrupted(RNG, from, to), ORDINAL_PAIR_KERNEL]);
        judge_pairs(&kernel, &pairs).0 == 0
    });
    assert_eq!(not_found.collect::<Vec<_>>(), Vec::<&(&str, &str, &str)>::new());
}

#[test]
fn ordinals_of_uniform_draws_are_uniform() {
    let mut stream = Jumps::stream(3, 5);
    let mut counts = [0_u32; 7];
    (0..700_000).for_each(|_| counts[stream.pick(7) as usize] += 1);
    // Six standard deviations of a binomial with p = 1/7.
    counts.iter().for_each(|&c| assert_abs_diff_eq!(f64::from(c), 100_000.0, epsilon = 6.0 * 293.0));
}

// --- the logarithm -----------------------------------------------------------------------------------------

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
fn ln_counts() -> Vec<u64> {
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
    // A bound that no value comes near would mean that the oracle is not looked at.
    assert!(worst > 0.49, "worst error {worst} ulp");
    assert!(other_than_std * 20 < counts.len(), "{other_than_std} of {} differ from std", counts.len());
}

const LN_KERNEL: &str = "
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

/// The first count whose logarithm on the device is not the host's, or whose estimate breaks its bound of
/// 8 u.
fn first_wrong_ln(kernel: &Kernel<'_>, counts: &[u64]) -> Option<u64> {
    let words: Vec<u32> = counts.iter().flat_map(|&n| split(n)).collect();
    let got = run(kernel, &[&[0], &words], counts.len(), 4);
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

// --- float64 in integers -----------------------------------------------------------------------------------

/// sig * 2^exp with a significand of 53 bits, or 0.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Float {
    sig: u64,
    exp: i32,
}

impl Float {
    fn value(self) -> f64 {
        self.sig as f64 * f64::from(self.exp).exp2()
    }

    fn is_normal(self) -> bool {
        self.sig == 0 || self.sig.ilog2() == 52
    }

    fn words(self) -> [u32; 3] {
        let [low, high] = split(self.sig);
        [low, high, self.exp as u32]
    }

    fn from_words(words: &[u32]) -> Self {
        Self { sig: u64::from(words[0]) | u64::from(words[1]) << 32, exp: words[2] as i32 }
    }
}

/// What the operations are tried on: a / b, sqrt(a), a * c + b, float32(a).
#[derive(Debug, Clone, Copy, PartialEq)]
struct Operands {
    a: Float,
    b: Float,
    c: f32,
}

/// A significand: random, or with a long run of zeros or ones.
fn some_sig(random: &mut Pcg64) -> u64 {
    let keep = u64::MAX << (11 + random.next_u32() % 53);
    let bits = match random.next_u32() % 4 {
        0 => random.next_u64() & keep,
        1 => random.next_u64() | !keep,
        _ => random.next_u64(),
    };
    (bits | 1 << 63) >> 11
}

/// The top 53 bits of a number, now and then one more or one less.
fn about(random: &mut Pcg64, number: u128) -> u64 {
    let top = (number << number.leading_zeros() >> 75) as u64;
    (top + u64::from(random.next_u32() % 3) - 1).clamp(1 << 52, (1 << 53) - 1)
}

fn some_operands(random: &mut Pcg64) -> Operands {
    let (sig, other) = (some_sig(random), some_sig(random));
    let half = u128::from(2 * sig + 1);
    let (a, b) = match random.next_u32() % 8 {
        0 => (0, sig),
        1 => (sig, sig),
        2 => (sig, (sig + 1).min((1 << 53) - 1)),
        // A quotient or a root about halfway between two numbers of 53 bits.
        3 | 4 => (about(random, half * u128::from(other)), other),
        5 => (about(random, half * half), other),
        _ => (sig, other),
    };
    let c = CONSTANTS[random.next_u32() as usize % CONSTANTS.len()];
    let c = if one_in(random, 2) { c } else { f32::from_bits((random.next_u32() >> 9) | 1 << 30) };
    let exp = -(random.next_u32().cast_signed().rem_euclid(100));
    // Half of the sums have terms of about the same size, so that ties and carries come about.
    let near = exp + c.log2().max(-30.0) as i32 + random.next_u32().cast_signed().rem_euclid(7) - 3;
    let far = -(random.next_u32().cast_signed().rem_euclid(220));
    let b_exp = if one_in(random, 2) { near } else { far };
    Operands { a: Float { sig: a, exp }, b: Float { sig: b, exp: b_exp }, c }
}

const FLOAT_KERNEL: &str = "
@group(0) @binding(0) var<storage, read> cases: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;

fn ucb_c_bits() -> u32 { return 0u; }

fn read_float(at: u32) -> Soft64 {
    return Soft64(vec2<u32>(cases[at], cases[at + 1u]), bitcast<i32>(cases[at + 2u]));
}

fn write_float(at: u32, value: Soft64) {
    result[at] = value.sig.x;
    result[at + 1u] = value.sig.y;
    result[at + 2u] = bitcast<u32>(value.exp);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let at = 7u * id.x;
    if (at >= arrayLength(&cases)) { return; }
    let a = read_float(at);
    let b = read_float(at + 3u);
    write_float(10u * id.x, soft64_div(a, b));
    write_float(10u * id.x + 3u, soft64_sqrt(a));
    write_float(10u * id.x + 6u, wide96_add(wide96_mul(a, cases[at + 6u]), wide96_from_soft64(b)));
    result[10u * id.x + 9u] = soft64_f32_bits(a);
}
";

/// The first operands on which an operation is wrong: what the device says, and what the hardware does.
fn first_wrong_operation(
    kernel: &Kernel<'_>,
    operands: &[Operands],
) -> Option<(Operands, [f64; 4], [f64; 4])> {
    let words: Vec<u32> = operands
        .iter()
        .flat_map(|o| o.a.words().into_iter().chain(o.b.words()).chain([o.c.to_bits()]))
        .collect();
    let got = run(kernel, &[&words], operands.len(), 10);
    operands.iter().zip(got.chunks_exact(10)).find_map(|(o, got)| {
        let (a, b) = (o.a.value(), o.b.value());
        let exact = [a / b, a.sqrt(), a.mul_add(f64::from(o.c), b), f64::from(a as f32)];
        let float = |at: usize| Float::from_words(&got[at..]);
        let ours = [float(0).value(), float(3).value(), float(6).value(), f64::from(f32::from_bits(got[9]))];
        let normal = [0, 3, 6].into_iter().all(|at| float(at).is_normal());
        (ours != exact || !normal).then_some((*o, ours, exact))
    })
}

#[test]
fn device_float64_operations_are_correctly_rounded() {
    let mut random = Pcg64::seed_from_u64(9);
    let operands: Vec<Operands> = (0..1_000_000).map(|_| some_operands(&mut random)).collect();
    let adapters = Adapters::open();
    for gpu in &adapters.gpus {
        let kernel = gpu.kernel(&[U64, UCB, FLOAT_KERNEL]);
        assert_eq!(first_wrong_operation(&kernel, &operands), None, "{}", gpu.name);
    }
}

// --- the bound and the order -------------------------------------------------------------------------------

#[derive(Debug, Clone, Copy, PartialEq)]
struct Child {
    n: u64,
    n_wins: u64,
    action: u32,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Pair {
    parent: u64,
    a: Child,
    b: Child,
}

impl Pair {
    fn words(&self) -> impl Iterator<Item = u32> {
        let child = |c: Child| split(c.n).into_iter().chain(split(c.n_wins)).chain([c.action]);
        split(self.parent).into_iter().chain(child(self.a)).chain(child(self.b))
    }

    /// What the device should say: the bits of both bounds, and whether a is better.
    fn verdict(&self, c: f32) -> [u32; 3] {
        let ln = ucb::ln(self.parent);
        let [a, b] = [self.a, self.b].map(|child| ucb::ucb(ln, child.n, child.n_wins, c));
        [a.to_bits(), b.to_bits(), u32::from(ucb::better(a, self.a.action, b, self.b.action))]
    }
}

/// A count of a random length, up to 2^53 (rarely above 2^40), at least 1.
fn some_count(random: &mut Pcg64) -> u64 {
    let bits = if one_in(random, 8) { 53 } else { 40 };
    let length = random.next_u32() % bits;
    (1 << length | random.next_u64() & ((1 << length) - 1)) + u64::from(random.next_u32() % 2)
}

fn up_to(random: &mut Pcg64, most: u64) -> u64 {
    ((u128::from(random.next_u64()) * (u128::from(most) + 1)) >> 64) as u64
}

/// A pair of children that is hard in one of several ways.
fn some_pair(random: &mut Pcg64, c: f32) -> Pair {
    let kind = random.next_u32() % 8;
    let most = 1 << 53;
    let parent = if one_in(random, 32) { 1 } else { some_count(random).min(most) };
    let n = if kind == 0 { up_to(random, parent) } else { some_count(random).min(most) };
    let n_wins = match random.next_u32() % 8 {
        0 => 0,
        1 => n,
        _ => up_to(random, n),
    };
    let a = Child { n, n_wins, action: random.next_u32() % 512 };
    let (n, n_wins) = match kind {
        1 => (n, n_wins),
        2 => (n + 1, n_wins + u64::from(random.next_u32() % 2)),
        3 => (n, n_wins.saturating_sub(1)),
        4 => (n << (random.next_u32() % 4), n_wins << (random.next_u32() % 4)),
        5 => halfway_between_floats(random),
        6 | 7 => near_tie(random, parent, a, c),
        _ => (some_count(random), up_to(random, n)),
    };
    let n = n.min(most);
    Pair { parent, a, b: Child { n, n_wins: n_wins.min(n), action: random.next_u32() % 512 } }
}

/// n a power of two and n_wins of 25 bits: with no exploration the bound is halfway between two float32
/// numbers.
fn halfway_between_floats(random: &mut Pcg64) -> (u64, u64) {
    let shift = random.next_u32() % 28;
    let n_wins = u64::from(random.next_u32() & 0xff_ffff) << 1 | 1 << 24 | 1;
    (1 << (25 + shift), (n_wins << shift) + u64::from(random.next_u32() % 3) - 1)
}

/// A child whose bound comes as near to another's as a count of wins allows.
fn near_tie(random: &mut Pcg64, parent: u64, a: Child, c: f32) -> (u64, u64) {
    let ln = ucb::ln(parent);
    let aim = f64::from(ucb::ucb(ln, a.n, a.n_wins, c));
    let n = if one_in(random, 2) { some_count(random) } else { a.n + up_to(random, 64) };
    let wins = (aim - f64::from(c) * (ln / n as f64).sqrt()) * n as f64;
    (n, (wins.max(0.0) as u64 + u64::from(random.next_u32() % 3)).saturating_sub(1))
}

const PAIR_WORDS: usize = 12;
const PAIR_KERNEL: &str = "
@group(0) @binding(0) var<storage, read> params: array<u32>;
@group(0) @binding(1) var<storage, read> cases: array<u32>;
@group(0) @binding(2) var<storage, read_write> result: array<u32>;

fn ucb_c_bits() -> u32 { return params[0]; }

struct UcbChild {
    n: vec2<u32>,
    n_wins: vec2<u32>,
    action: u32,
    approx: f32,
}

// Do the estimates decide?
fn far(a: UcbChild, b: UcbChild) -> bool {
    return min(a.approx, b.approx) < ucb_floor(max(a.approx, b.approx));
}

// The order of two children as select.wgsl finds it for any number of them.
fn better(ln: Soft64, a: UcbChild, b: UcbChild) -> bool {
    if (far(a, b)) {
        return a.approx > b.approx;
    }
    let bound_a = ucb_exact(ln, a.n, a.n_wins);
    let bound_b = ucb_exact(ln, b.n, b.n_wins);
    return bound_a > bound_b || (bound_a == bound_b && reverseBits(a.action) < reverseBits(b.action));
}

// What the difference of two close bounds says: 1 that b's is the greater, 2 that a's is.
fn order(parent: f32, a: UcbChild, b: UcbChild) -> u32 {
    if (all(a.n == vec2<u32>(0u)) || all(b.n == vec2<u32>(0u))) {
        return 0u;
    }
    let bound = max(a.approx, b.approx);
    let sign = ucb_order(parent, bound, vec4<u32>(a.n, a.n_wins), vec4<u32>(b.n, b.n_wins));
    return select(u32(sign < 0), 2u, sign > 0);
}

fn read_child(parent: f32, at: u32) -> UcbChild {
    let n = vec2<u32>(cases[at], cases[at + 1u]);
    let n_wins = vec2<u32>(cases[at + 2u], cases[at + 3u]);
    return UcbChild(n, n_wins, cases[at + 4u], ucb_approx(parent, n, n_wins));
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let at = 12u * id.x;
    if (at >= arrayLength(&cases)) { return; }
    let parent = vec2<u32>(cases[at], cases[at + 1u]);
    let a = read_child(ucb_parent(parent), at + 2u);
    let b = read_child(ucb_parent(parent), at + 7u);
    let ln = ucb_ln(parent);
    result[4u * id.x] = ucb_exact(ln, a.n, a.n_wins);
    result[4u * id.x + 1u] = ucb_exact(ln, b.n, b.n_wins);
    result[4u * id.x + 2u] = u32(better(ln, a, b));
    let estimated = u32(far(a, b)) * (1u + u32(a.approx > b.approx));
    result[4u * id.x + 3u] = estimated | (order(ucb_parent(parent), a, b) << 2u);
}
";

/// The device's answers for some pairs: the three words of [`Pair::verdict`], then the opinions of the estimates (bits 0 and 1)
/// and of their difference (bits 2 and 3): 0 none, 1 b's bound is the greater, 2 a's.
fn judge(kernel: &Kernel<'_>, pairs: &[Pair], c: f32) -> Vec<u32> {
    let words: Vec<u32> = pairs.iter().flat_map(Pair::words).collect();
    assert_eq!(words.len(), pairs.len() * PAIR_WORDS);
    run(kernel, &[&[c.to_bits()], &words], pairs.len(), 4)
}

/// The first pair on which device and host disagree, or on which the filter is wrong.
fn first_mistake(pairs: &[Pair], verdicts: &[[u32; 3]], got: &[u32]) -> Option<(Pair, [u32; 3], Vec<u32>)> {
    let mut rows = pairs.iter().zip(verdicts).zip(got.chunks_exact(4));
    let wrong = rows.find(|((_, [a, b, better]), got)| {
        let errs = |opinion: u32| match opinion {
            0 => false,
            1 => a >= b,
            2 => a <= b,
            _ => true,
        };
        got[..3] != [*a, *b, *better] || errs(got[3] & 3) || errs(got[3] >> 2)
    });
    wrong.map(|((&pair, &verdict), got)| (pair, verdict, got.to_vec()))
}

const CONSTANTS: [f32; 8] = [0.0, 0.5, 1.0, std::f32::consts::SQRT_2, 2.0, 100.0, 9.536_743e-7, 1_048_576.0];

#[test]
fn device_bounds_and_order_are_the_hosts_on_ten_million_pairs() {
    let mut random = Pcg64::seed_from_u64(5);
    let adapters = Adapters::open();
    let kernels: Vec<(&Gpu, Kernel<'_>)> =
        adapters.gpus.iter().map(|gpu| (gpu, gpu.kernel(&[U64, UCB, PAIR_KERNEL]))).collect();
    for c in CONSTANTS.into_iter().flat_map(|c| [c, c]) {
        let pairs: Vec<Pair> = (0..650_000).map(|_| some_pair(&mut random, c)).collect();
        let verdicts: Vec<[u32; 3]> = pairs.iter().map(|pair| pair.verdict(c)).collect();
        for (gpu, kernel) in &kernels {
            let got = judge(kernel, &pairs, c);
            assert_eq!(first_mistake(&pairs, &verdicts, &got), None, "{} with C = {c}", gpu.name);
        }
    }
}

/// Every one of these small mistakes in the shader must be found by the pairs or by the float64 operations.
#[test]
fn small_mistakes_in_the_shader_are_found() {
    let mutations = [
        ("a tie rounded up at 53 bits", "|| (top.x & 0x800u) != 0u", "|| true"),
        ("the fraction left out at 53 bits", "(sticky != 0u || ", "("),
        ("the lost bits left out of a sum", "shifted.w | (sum.x << spare)", "sum.x << spare"),
        ("a tie rounded up at 24 bits", "&& (a.sig.x & 0x20000000u) != 0u", ""),
        ("a quotient rounded down", "!u64_less(u64_shl(at.rest, 1u), b.sig)", "false"),
        ("a root rounded down", "u64_less(at.found, at.rest)", "false"),
        ("float32(n) left out", "soft64_round24(visits)", "visits"),
        ("a filter without a margin", "* 7.6293945e-6", "* 0.0"),
        (
            "a difference's term that is off by more than its margin",
            "/ roots * parent",
            "/ roots * (parent * 1.00002)",
        ),
        ("a difference without a margin for rounded bounds", "bound * 4.7683716e-7", "bound * 0.0"),
        (
            "visits that count the wrong way",
            "select(visits, -visits, a.x > b.x)",
            "select(-visits, visits, a.x > b.x)",
        ),
        ("a quotient's digits estimated too great", "8191.984375", "8192.5"),
        ("the tail of the logarithm left out", "(z * z) >> 17u", "0u"),
    ];
    let mut random = Pcg64::seed_from_u64(6);
    let adapters = Adapters::open();
    let gpu = &adapters.gpus[0];
    let counts = ln_counts();
    let operands: Vec<Operands> = (0..100_000).map(|_| some_operands(&mut random)).collect();
    let batches =
        [0.0, 1.0].map(|c| (c, (0..100_000).map(|_| some_pair(&mut random, c)).collect::<Vec<_>>()));
    let found = |source: &str| {
        let pair_kernel = gpu.kernel(&[U64, source, PAIR_KERNEL]);
        let wrong_pair = batches.iter().any(|(c, pairs)| {
            let verdicts: Vec<[u32; 3]> = pairs.iter().map(|pair| pair.verdict(*c)).collect();
            first_mistake(pairs, &verdicts, &judge(&pair_kernel, pairs, *c)).is_some()
        });
        wrong_pair
            || first_wrong_operation(&gpu.kernel(&[U64, source, FLOAT_KERNEL]), &operands).is_some()
            || first_wrong_ln(&gpu.kernel(&[U64, source, LN_KERNEL]), &counts).is_some()
    };
    assert!(!found(UCB), "the shader as it is makes no mistake");
    for (mistake, from, to) in mutations {
        assert!(found(&corrupted(UCB, from, to)), "not found: {mistake}");
    }
}

/// Adapters may round float32 operations worse than the ones here do. With every estimate moved as far as
/// that could move it, either way, nothing may change.
#[test]
fn estimates_may_be_as_wrong_as_wgsl_allows() {
    let u = (-23f64).exp2();
    // The errors that the shader's comments allow, less what an accurate adapter makes of its own.
    let moved = |value: f64, by: f64| format!("{:?}", (value * (1.0 + by)) as f32);
    let source = |sign: f64| {
        let quotient = moved(8191.984375, sign * 4.0 * u);
        let root = moved(11.5f64.exp2() * (1.0 - (-19f64).exp2()), sign * 5.0 * u);
        let digit = moved(1.0 - (-18f64).exp2(), sign * 4.0 * u);
        let margin = moved((-17f64).exp2() - 22.0 * u, 0.0);
        let source = corrupted(UCB, "8191.984375", &quotient);
        let source = corrupted(&source, "2896.3038514683706", &root);
        assert_eq!(source.matches("0.9999961853027344").count(), 2);
        let source = source.replace("0.9999961853027344", &digit);
        let term = format!("/ roots * (parent * {})", moved(1.0, sign * 14.0 * u));
        let source = corrupted(&source, "/ roots * parent", &term);
        corrupted(&source, "7.6293945e-6", &margin)
    };
    let mut random = Pcg64::seed_from_u64(10);
    let operands: Vec<Operands> = (0..300_000).map(|_| some_operands(&mut random)).collect();
    let pairs: Vec<Pair> = (0..200_000).map(|_| some_pair(&mut random, 1.0)).collect();
    let verdicts: Vec<[u32; 3]> = pairs.iter().map(|pair| pair.verdict(1.0)).collect();
    let adapters = Adapters::open();
    let gpu = &adapters.gpus[0];
    for sign in [-1.0, 1.0] {
        let source = source(sign);
        let floats = gpu.kernel(&[U64, &source, FLOAT_KERNEL]);
        assert_eq!(first_wrong_operation(&floats, &operands), None, "{sign}");
        let got = judge(&gpu.kernel(&[U64, &source, PAIR_KERNEL]), &pairs, 1.0);
        assert_eq!(first_mistake(&pairs, &verdicts, &got), None, "{sign}");
    }
}

/// The comparisons of a search at one node: `steps` selections by UCB among `arms` with fixed chances to win,
/// `m` playouts each, as a scan for the best child makes them.
fn bandit_pairs(random: &mut Pcg64, arms: u32, m: u32, steps: u32, c: f32) -> Vec<Pair> {
    let chances: Vec<u32> = (0..arms).map(|_| (1 << 30) + random.next_u32() / 2).collect();
    let mut children: Vec<Child> = (0..arms).map(|action| Child { n: 0, n_wins: 0, action }).collect();
    let mut pairs = Vec::new();
    for step in 0..u64::from(steps) {
        let parent = 1.max(step * u64::from(m));
        let ln = ucb::ln(parent);
        let mut best = 0;
        for i in 1..children.len() {
            let [a, b] = [children[i], children[best]];
            pairs.push(Pair { parent, a, b });
            let [ucb_a, ucb_b] = [a, b].map(|child| ucb::ucb(ln, child.n, child.n_wins, c));
            if ucb::better(ucb_a, a.action, ucb_b, b.action) {
                best = i;
            }
        }
        children[best].n += u64::from(m);
        children[best].n_wins += (0..m).filter(|_| random.next_u32() < chances[best]).count() as u64;
    }
    pairs
}

#[test]
fn the_filter_decides_nearly_all_comparisons_of_a_search() {
    let mut random = Pcg64::seed_from_u64(7);
    let pairs = bandit_pairs(&mut random, 7, 128, 20_000, 2.0);
    let verdicts: Vec<[u32; 3]> = pairs.iter().map(|pair| pair.verdict(2.0)).collect();
    let adapters = Adapters::open();
    for gpu in &adapters.gpus {
        let got = judge(&gpu.kernel(&[U64, UCB, PAIR_KERNEL]), &pairs, 2.0);
        assert_eq!(first_mistake(&pairs, &verdicts, &got), None, "{}", gpu.name);
        let undecided = |by: u32| got.chunks_exact(4).filter(|row| row[3] & by == 0).count();
        let (close, closer) = (undecided(3), undecided(15));
        assert!(close * 100 < pairs.len(), "{close} of {} undecided", pairs.len());
        // Of those the difference leaves next to nothing but children with equal counts.
        let equal =
            pairs.iter().filter(|pair| (pair.a.n, pair.a.n_wins) == (pair.b.n, pair.b.n_wins)).count();
        assert!(closer < equal + close / 4, "{closer} of {close} undecided, {equal} of equal counts");
    }
}

#[test]
fn bounds_are_those_of_plain_float64_but_for_the_last_bit_of_std_ln() {
    let mut random = Pcg64::seed_from_u64(8);
    let (mut total, mut different) = (0, 0);
    for c in CONSTANTS {
        for Pair { parent, a, .. } in (0..250_000).map(|_| some_pair(&mut random, c)).filter(|p| p.a.n > 0) {
            let (ours, std) = (ucb::ln(parent), (parent as f64).ln());
            let visits = a.n as f64;
            let plain =
                (std / visits).sqrt().mul_add(f64::from(c), a.n_wins as f64 / f64::from(a.n as f32)) as f32;
            total += 1;
            if plain != ucb::ucb(ours, a.n, a.n_wins, c) {
                assert_ne!(ours, std, "{a:?} of {parent} with C = {c}");
                different += 1;
            }
        }
    }
    assert!(different * 100_000 < total, "{different} of {total} bounds differ");
}

// --- properties --------------------------------------------------------------------------------------------

fn any_child() -> impl Strategy<Value = Child> {
    (0..=1_u64 << 20, 0.0..=1.0, 0..512_u32).prop_map(|(n, q, action)| {
        let n_wins = (n as f64 * q) as u64;
        Child { n, n_wins, action }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn better_is_a_strict_order(
        parent in 1_u64..1 << 30,
        children in [any_child(), any_child(), any_child()],
    ) {
        let ln = ucb::ln(parent);
        let keys = children.map(|child| (ucb::ucb(ln, child.n, child.n_wins, 2.0), child.action));
        let better = |i: usize, j: usize| ucb::better(keys[i].0, keys[i].1, keys[j].0, keys[j].1);
        for (i, j) in [(0, 1), (1, 2), (0, 2)] {
            prop_assert_eq!(keys[i] == keys[j], !better(i, j) && !better(j, i));
            prop_assert!(!(better(i, j) && better(j, i)));
        }
        prop_assert!(!(better(0, 1) && better(1, 2)) || better(0, 2));
    }

    #[test]
    fn a_bound_grows_with_wins_and_with_the_parents_visits(parent in 1_u64..1 << 40, child in any_child()) {
        let bound = |parent, n_wins| ucb::ucb(ucb::ln(parent), child.n, n_wins, 1.5);
        prop_assert!(bound(parent, child.n_wins) <= bound(parent, child.n.max(child.n_wins)));
        prop_assert!(bound(parent, child.n_wins) <= bound(parent + 1, child.n_wins));
        prop_assert_eq!(bound(parent, child.n_wins) == f32::INFINITY, child.n == 0);
    }

    #[test]
    fn ordinals_are_in_range_and_grow_with_the_draw(a: u64, b: u64, count in 1_u32..=512) {
        let (low, high) = (a.min(b), a.max(b));
        prop_assert!(rng::ordinal(low, count) <= rng::ordinal(high, count));
        prop_assert!(rng::ordinal(high, count) < count);
        prop_assert!(rng::child_ordinal(low, count) <= rng::child_ordinal(high, count));
        prop_assert!(rng::child_ordinal(high, count) < count);
    }

    #[test]
    fn words_hold_the_whole_state(s0: u64, s1: u64) {
        let stream = Stream { s0, s1 };
        prop_assert_eq!(Stream::from_words(stream.words()), stream);
    }

    #[test]
    fn jumps_add_up(seed: u64, a: u32, b: u32) {
        let (a, b) = (a / 2, b / 2);
        prop_assert_eq!(Jumps::advance(Jumps::stream(seed, a), b), Jumps::stream(seed, a + b));
    }
}
