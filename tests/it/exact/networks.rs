//! PUCT, priors and values in whole numbers: the shaders against their twins on every adapter.

use super::*;
use mcts_wgpu::internals::{
    exact::{
        halving,
        puct::{self, ONE, Parent},
        root_noise, softmax,
    },
    forest::layout::{CONSIDERED_SHIFT, PRIOR_SHIFT, VALUE_SHIFT},
};

const PUCT: &str = include_str!("../../../shaders/lib/puct.wgsl");
const HALVING: &str = include_str!("../../../shaders/lib/halving.wgsl");
const ROOT_NOISE: &str = include_str!("../../../shaders/search/net/root_noise.wgsl");
const SOFTMAX: &str = include_str!("../../../shaders/search/net/softmax.wgsl");

const CASE_WORDS: usize = 8;
const PUCT_KERNEL: &str = "
@group(0) @binding(0) var<storage, read> cases: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;

var<private> c_squared: u32;
fn ucb_c_bits() -> u32 { return c_squared; }

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let at = 8u * id.x;
    if (at >= arrayLength(&cases)) { return; }
    c_squared = cases[at + 2u];
    let value = cases[at + 3u] << VALUE_SHIFT;
    let parent = ucb_parent(vec2<u32>(cases[at], cases[at + 1u]), vec4<u32>(0u, 0u, 0u, value));
    let n = vec2<u32>(cases[at + 4u], cases[at + 5u]);
    let score = ucb_approx(parent, n, vec2<u32>(cases[at + 6u], cases[at + 7u]));
    result[id.x] = bitcast<u32>(score);
}
";

/// A number of any length, up to so many bits, and its neighbours and squares.
fn some_number(random: &mut Pcg64, bits: u32) -> u64 {
    let value = random.next_u64() >> (64 - 1 - random.next_u32() % bits);
    match random.next_u32() % 8 {
        0 => value.next_power_of_two(),
        1 => value.next_power_of_two() - 1,
        2 => value.isqrt() * value.isqrt(),
        3 => (value.isqrt() * value.isqrt()).saturating_sub(1),
        _ => value,
    }
}

/// Words of a case, and the score by Rust: visits of the parent, C^2, the value; n with the prior above it; n_wins with
/// another value above it.
fn some_score(random: &mut Pcg64) -> ([u32; CASE_WORDS], u32) {
    let most = (1 << 37) - 1;
    let visits = some_number(random, 38).min(most);
    let c_squared = match random.next_u32() % 8 {
        0 => puct::squared([0.0, 1.0, 1.25, 1_048_576.0][random.next_u32() as usize % 4]),
        _ => some_number(random, 32) as u32,
    };
    let n = if one_in(random, 8) { 0 } else { some_number(random, 38).min(most) };
    // A search has at most as many points as visits; n may include visits of selections.
    let most_points = n.min(u64::from(u32::MAX)) << 16;
    let n_wins = match random.next_u32() % 4 {
        0 => most_points,
        _ => ((u128::from(random.next_u64()) * u128::from(most_points)) >> 64) as u64,
    };
    let any = |random: &mut Pcg64| [0, 1, 0xffff, random.next_u32() & 0xffff][random.next_u32() as usize % 4];
    let (value, prior, other) = (any(random), any(random), any(random));
    let score = Parent::new(visits, value, c_squared).score(n, n_wins, prior);
    let [visits, n, n_wins] = [visits, n, n_wins].map(split);
    let n = [n[0], n[1] | prior << PRIOR_SHIFT];
    let n_wins = [n_wins[0], n_wins[1] | other << VALUE_SHIFT];
    ([visits[0], visits[1], c_squared, value, n[0], n[1], n_wins[0], n_wins[1]], score)
}

fn first_wrong_score(gpu: &Gpu, source: &str, cases: &[([u32; CASE_WORDS], u32)]) -> Option<[u32; 8]> {
    let shifts =
        format!("const PRIOR_SHIFT: u32 = {PRIOR_SHIFT}u; const VALUE_SHIFT: u32 = {VALUE_SHIFT}u;\n");
    let kernel = gpu.kernel(&[&shifts, &halving_constants(0, 1), U64, HALVING, source, PUCT_KERNEL]);
    let words: Vec<u32> = cases.iter().flat_map(|(words, _)| *words).collect();
    let expected: Vec<u32> = cases.iter().map(|&(_, score)| (score as f32).to_bits()).collect();
    let got = run_cases(&kernel, &[&words], cases.len(), 1);
    first_difference(&expected, &got).map(|at| cases[at].0)
}

#[test]
fn device_scores_are_the_hosts() {
    let mut random = Pcg64::seed_from_u64(11);
    let cases: Vec<_> = (0..1_000_000).map(|_| some_score(&mut random)).collect();
    assert!(cases.iter().all(|&(_, score)| score < 1 << 24));
    for gpu in &Adapters::open().gpus {
        assert_eq!(first_wrong_score(gpu, PUCT, &cases), None, "{}", gpu.name);
    }
}

#[test]
#[ignore = "planted mistakes: .ci/run mutations"]
fn mistakes_in_scores_are_found() {
    let mistakes = [
        ("a root that is one too great", "select(root, next, next <= 0xffffu && next * next <= y)", "next"),
        ("half the root", "let shift = i32(left / 2u) - 8;", "let shift = i32(left / 2u) - 7;"),
        ("a root of an odd power of two", "zeros & ~1u", "zeros"),
        ("no reduction", "let unvisited = value - min(value, FPU_REDUCTION);", "let unvisited = value;"),
        ("values below 0", "value - min(value, FPU_REDUCTION)", "value - FPU_REDUCTION"),
        ("visits of an unvisited child", "(1u + terms.z)", "max(terms.z, 1u)"),
        ("no clamp", "min(exploration, MOST_EXPLORATION)", "exploration"),
        ("the high word of n left out", "(n.y & ((1u << PRIOR_SHIFT) - 1u)) != 0u || ", ""),
        ("the greatest n wraps", "|| n.x == 0xffffffffu", ""),
        (
            "n of 17 bits",
            "16u - min(countLeadingZeros(visits), 16u)",
            "15u - min(countLeadingZeros(visits), 15u)",
        ),
    ];
    let mut random = Pcg64::seed_from_u64(12);
    let cases: Vec<_> = (0..400_000).map(|_| some_score(&mut random)).collect();
    assert_all_found(&Adapters::open().gpus[0], &mistakes, |gpu, plant| {
        first_wrong_score(gpu, &plant(PUCT), &cases).is_some()
    });
}

/// Adapters may round square roots less accurately than the adapters of the tests.
#[test]
fn roots_may_be_as_wrong_as_wgsl_allows() {
    let mut random = Pcg64::seed_from_u64(15);
    let cases: Vec<_> = (0..200_000).map(|_| some_score(&mut random)).collect();
    let adapters = Adapters::open();
    let gpu = &adapters.gpus[0];
    for factor in ["0.9999993", "1.0000007"] {
        let source = corrupted(PUCT, "sqrt(f32(y))", &format!("{factor} * sqrt(f32(y))"));
        assert_eq!(first_wrong_score(gpu, &source, &cases), None, "{factor}");
    }
}

/// Of each case: the weight of a difference, the prior of that weight among others, both points of three outputs.
const SOFTMAX_KERNEL: &str = "
@group(0) @binding(0) var<storage, read> cases: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let at = 5u * id.x;
    if (at >= arrayLength(&cases)) { return; }
    let weight = softmax_weight(cases[at]);
    result[4u * id.x] = weight;
    result[4u * id.x + 1u] = softmax_prior(weight, weight + cases[at + 1u]);
    let outputs = bitcast<vec3<i32>>(vec3<u32>(cases[at + 2u], cases[at + 3u], cases[at + 4u]));
    let points = softmax_points(outputs);
    result[4u * id.x + 2u] = points.x;
    result[4u * id.x + 3u] = points.y;
}
";

/// Differences and outputs of all sizes, more of the small ones; and the sum of the other moves' weights.
fn some_outputs(random: &mut Pcg64) -> [u32; 5] {
    let less = random.next_u32() & 0xffff >> (random.next_u32() % 12);
    let others = 1 + random.next_u32() % (511 * 0xffff);
    let output = |random: &mut Pcg64| {
        let any = i32::from(random.next_u32() as i16);
        [any, any >> 4, any >> 7, i16::MIN.into(), i16::MAX.into()][random.next_u32() as usize % 5] as u32
    };
    [less, others, output(random), output(random), output(random)]
}

fn first_wrong_share(gpu: &Gpu, source: &str, draws: bool, cases: &[[u32; 5]]) -> Option<[u32; 5]> {
    let constants = format!("const DRAWS_COUNT: bool = {draws};\n");
    let expected: Vec<u32> = cases
        .iter()
        .flat_map(|&[less, others, win, draw, loss]| {
            let weight = softmax::weight(less);
            let [own, other] = softmax::points([win, draw, loss].map(|output| output as i32), draws);
            [weight, softmax::prior(weight, weight + others), own, other]
        })
        .collect();
    let got =
        run_cases(&gpu.kernel(&[&constants, source, SOFTMAX_KERNEL]), &[&cases.concat()], cases.len(), 4);
    first_difference(&expected, &got).map(|at| cases[at / 4])
}

#[test]
fn device_priors_and_values_are_the_hosts() {
    let mut random = Pcg64::seed_from_u64(13);
    let cases: Vec<_> = (0..300_000).map(|_| some_outputs(&mut random)).collect();
    for gpu in &Adapters::open().gpus {
        for draws in [true, false] {
            assert_eq!(first_wrong_share(gpu, SOFTMAX, draws, &cases), None, "{} {draws}", gpu.name);
        }
    }
}

#[test]
#[ignore = "planted mistakes: .ci/run mutations"]
fn mistakes_in_priors_and_values_are_found() {
    let mistakes = [
        ("a factor of another bit", "0xfd3e0c0du", "0xfd4e0c0du"),
        ("halves of 512", ">> min(less >> 8u, 31u)", ">> min(less >> 9u, 31u)"),
        ("priors of 0", "clamp(weight * ONE / total, 1u, ONE - 1u)", "weight * ONE / total"),
        ("sums beyond 32 bits", "softmax_weight(less.z)) / 2u;", "softmax_weight(less.z));"),
        ("draws are wins", "weights.y / 2u", "weights.y"),
        ("losses are wins", "- outputs);", "- outputs.zyx);"),
        ("a value of 1", "* ONE / total, ONE - 1u);", "* ONE / total, ONE);"),
    ];
    let mut random = Pcg64::seed_from_u64(14);
    let cases: Vec<_> = (0..100_000).map(|_| some_outputs(&mut random)).collect();
    assert_all_found(&Adapters::open().gpus[0], &mistakes, |gpu, plant| {
        [true, false].iter().any(|&draws| first_wrong_share(gpu, &plant(SOFTMAX), draws, &cases).is_some())
    });
}

fn halving_constants(gumbel: u32, visits: u32) -> String {
    format!(
        "const CONSIDERED_SHIFT: u32 = {CONSIDERED_SHIFT}u; const GUMBEL: u32 = {gumbel}u;
         const GUMBEL_VISITS: u32 = {visits}u;\n"
    )
}

/// Of each case: the noise of an action, and its Gumbel variable; a mixture; the scheduled visits, and the score of a
/// child.
const ROOT_KERNEL: &str = "
@group(0) @binding(0) var<storage, read> cases: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let at = 10u * id.x;
    if (at >= arrayLength(&cases)) { return; }
    let to = 6u * id.x;
    let key = noise_key(vec4<u32>(cases[at], cases[at + 1u], cases[at + 2u], cases[at + 3u]));
    let action = cases[at + 4u] & 511u;
    result[to] = key;
    result[to + 1u] = noise_less(key, action, 1u + (cases[at + 5u] & 511u));
    result[to + 2u] = u32(noise_gumbel(key, action));
    result[to + 3u] = mixture(cases[at + 6u] & 0xffffu, cases[at + 7u], 1u + (cases[at + 5u] & 0xffffu));
    let scheduled = halving_scheduled(cases[at + 8u], cases[at + 5u] & 255u);
    result[to + 4u] = scheduled;
    let q = cases[at + 7u];
    let visits = scheduled + (cases[at + 9u] & 7u) - min(scheduled, 2u);
    result[to + 5u] = halving_score(scheduled, visits, q, cases[at + 6u] & 0xffffu);
}
";

fn some_child(random: &mut Pcg64) -> [u32; 10] {
    let mut words = [(); 10].map(|()| random.next_u32());
    words[7] = [0, 1, ONE - 1, ONE, random.next_u32() & 0xffff][random.next_u32() as usize % 5];
    words[8] = random.next_u32() >> (random.next_u32() % 32);
    words
}

fn of_child(case: [u32; 10], planned: u32) -> [u32; 6] {
    let key = root_noise::key([case[0], case[1], case[2], case[3]].into());
    let (action, noted, q) = (case[4] & 511, case[6] & 0xffff, case[7]);
    let scheduled = halving::scheduled(case[8], case[5] & 255, planned);
    let visits = scheduled.wrapping_add(case[9] & 7).wrapping_sub(scheduled.min(2));
    // Points of a whole number of visits: q is their quotient.
    let n_wins = u64::from(visits.min(u32::MAX - 1)) * u64::from(q);
    [
        key,
        root_noise::noise_less(key, action, 1 + (case[5] & 511)),
        root_noise::gumbel(key, action) as u32,
        root_noise::mixture(noted, q, 1 + (case[5] & 0xffff)),
        scheduled,
        halving::score(scheduled, visits.into(), n_wins, noted),
    ]
}

fn first_wrong_child(gpu: &Gpu, source: &str, planned: u32, cases: &[[u32; 10]]) -> Option<[u32; 10]> {
    let kernel = gpu.kernel(&[&halving_constants(16, planned), source, ROOT_KERNEL]);
    let expected: Vec<u32> = cases.iter().flat_map(|&case| of_child(case, planned)).collect();
    let got = run_cases(&kernel, &[&cases.concat()], cases.len(), 6);
    first_difference(&expected, &got).map(|at| cases[at / 6])
}

fn some_children() -> Vec<[u32; 10]> {
    let mut random = Pcg64::seed_from_u64(21);
    let mut cases: Vec<_> = (0..200_000).map(|_| some_child(&mut random)).collect();
    // A child that was never visited has no q.
    cases.retain(|case| {
        let scheduled = halving::scheduled(case[8], case[5] & 255, 32);
        scheduled.wrapping_add(case[9] & 7) != scheduled.min(2) && scheduled < 1 << 15
    });
    cases
}

#[test]
fn device_noise_and_halving_are_the_hosts() {
    let source = [HALVING, ROOT_NOISE].concat();
    for gpu in &Adapters::open().gpus {
        assert_eq!(first_wrong_child(gpu, &source, 32, &some_children()), None, "{}", gpu.name);
    }
}

#[test]
#[ignore = "planted mistakes: .ci/run mutations"]
fn mistakes_in_noise_and_halving_are_found() {
    let mistakes = [
        ("another factor of the logarithm", "(5550u * bow) >> 16u", "(5549u * bow) >> 16u"),
        ("a quotient rounded too early", "* count / 10u", "* (count / 10u)"),
        ("a product beyond 32 bits", "weight, other == 0x10000u", "weight, false"),
        ("a phase too many", "countLeadingZeros(m - 1u)", "countLeadingZeros(m)"),
        ("a class too few", "min(visits - scheduled, 3u)", "min(visits - scheduled, 2u)"),
        ("half of the value", "(q * 369u) >> 10u", "(q * 369u) >> 11u"),
        ("a constant scale", "min(50u + scheduled, 0x10000u)", "50u"),
    ];
    let (cases, source) = (some_children(), [HALVING, ROOT_NOISE].concat());
    assert_all_found(&Adapters::open().gpus[0], &mistakes, |gpu, plant| {
        first_wrong_child(gpu, &plant(&source), 32, &cases).is_some()
    });
}
