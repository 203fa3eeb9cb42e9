//! float64 operations in integers.

use super::*;
use crate::support::prelude::*;

/// sig * 2^exp with a significand of 53 bits, or 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Float {
    pub(super) sig: u64,
    pub(super) exp: i32,
}

impl Float {
    pub(super) fn value(self) -> f64 {
        self.sig as f64 * f64::from(self.exp).exp2()
    }

    pub(super) fn is_normal(self) -> bool {
        self.sig == 0 || self.sig.ilog2() == 52
    }

    pub(super) fn words(self) -> [u32; 3] {
        let [low, high] = split(self.sig);
        [low, high, self.exp as u32]
    }

    pub(super) fn from_words(words: &[u32]) -> Self {
        Self { sig: u64::from(words[0]) | u64::from(words[1]) << 32, exp: words[2] as i32 }
    }
}

/// The operands of a / b, sqrt(a), a * c + b, float32(a).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Operands {
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

/// The top 53 bits of a number, sometimes plus or minus one.
fn about(random: &mut Pcg64, number: u128) -> u64 {
    let top = (number << number.leading_zeros() >> 75) as u64;
    (top + u64::from(random.next_u32() % 3) - 1).clamp(1 << 52, (1 << 53) - 1)
}

pub(super) fn some_operands(random: &mut Pcg64) -> Operands {
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
    // Half of the sums have terms of similar size, which cause ties and carries.
    let near = exp + c.log2().max(-30.0) as i32 + random.next_u32().cast_signed().rem_euclid(7) - 3;
    let far = -(random.next_u32().cast_signed().rem_euclid(220));
    let b_exp = if one_in(random, 2) { near } else { far };
    Operands { a: Float { sig: a, exp }, b: Float { sig: b, exp: b_exp }, c }
}

pub(super) const FLOAT_KERNEL: &str = "
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

/// The first operands with a wrong result of the device: its result, and the hardware's.
pub(super) fn first_wrong_operation(
    kernel: &Kernel<'_>,
    operands: &[Operands],
) -> Option<(Operands, [f64; 4], [f64; 4])> {
    let words: Vec<u32> = operands
        .iter()
        .flat_map(|o| o.a.words().into_iter().chain(o.b.words()).chain([o.c.to_bits()]))
        .collect();
    let got = run_cases(kernel, &[&words], operands.len(), 10);
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
