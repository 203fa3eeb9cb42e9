//! The bound, and the order of children by it.

use super::{
    float64::{FLOAT_KERNEL, Operands, first_wrong_operation, some_operands},
    logarithm::{LN_KERNEL, first_wrong_ln, ln_counts},
    *,
};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Child {
    pub(super) n: u64,
    pub(super) n_wins: u64,
    pub(super) action: u32,
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

    /// The expected words of the device: the bits of both bounds, and whether a is better.
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

/// A pair of children that is hard to order in one of several ways.
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

/// A child whose bound is as close to another's as its count of wins allows.
fn near_tie(random: &mut Pcg64, parent: u64, a: Child, c: f32) -> (u64, u64) {
    let ln = ucb::ln(parent);
    let aim = f64::from(ucb::ucb(ln, a.n, a.n_wins, c));
    let n = if one_in(random, 2) { some_count(random) } else { a.n + up_to(random, 64) };
    let wins = (aim - f64::from(c) * (ln / n as f64).sqrt()) * n as f64;
    (n, (wins.max(0.0) as u64).wrapping_add(u64::from(random.next_u32() % 3)).saturating_sub(1))
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

// The order of two children, as select.wgsl finds it.
fn better(ln: Soft64, a: UcbChild, b: UcbChild) -> bool {
    if (far(a, b)) {
        return a.approx > b.approx;
    }
    let bound_a = ucb_exact(ln, a.n, a.n_wins);
    let bound_b = ucb_exact(ln, b.n, b.n_wins);
    return bound_a > bound_b || (bound_a == bound_b && reverseBits(a.action) < reverseBits(b.action));
}

// The order by the difference of two close bounds: 1 if b's is greater, 2 if a's is.
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
    let a = read_child(ucb_parent(parent, vec4<u32>(0u)), at + 2u);
    let b = read_child(ucb_parent(parent, vec4<u32>(0u)), at + 7u);
    let ln = ucb_ln(parent);
    result[4u * id.x] = ucb_exact(ln, a.n, a.n_wins);
    result[4u * id.x + 1u] = ucb_exact(ln, b.n, b.n_wins);
    result[4u * id.x + 2u] = u32(better(ln, a, b));
    let estimated = u32(far(a, b)) * (1u + u32(a.approx > b.approx));
    result[4u * id.x + 3u] = estimated | (order(ucb_parent(parent, vec4<u32>(0u)), a, b) << 2u);
}
";

/// The device's results for some pairs: the three words of [`Pair::verdict`], then the orders by the estimates (bits 0
/// and 1) and by their difference (bits 2 and 3): 0 undecided, 1 if b's bound is greater, 2 if a's is.
fn compare(kernel: &Kernel<'_>, pairs: &[Pair], c: f32) -> Vec<u32> {
    let words: Vec<u32> = pairs.iter().flat_map(Pair::words).collect();
    assert_eq!(words.len(), pairs.len() * PAIR_WORDS);
    run_cases(kernel, &[&[c.to_bits()], &words], pairs.len(), 4)
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
            let got = compare(kernel, &pairs, c);
            assert_eq!(first_mistake(&pairs, &verdicts, &got), None, "{} with C = {c}", gpu.name);
        }
    }
}

/// The pairs or the float64 operations must find every one of these mistakes.
#[test]
#[ignore = "planted mistakes: .ci/run mutations"]
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
        ("a difference's term beyond its margin", "/ roots * parent", "/ roots * (parent * 1.00002)"),
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
    let counts = ln_counts();
    let operands: Vec<Operands> = (0..100_000).map(|_| some_operands(&mut random)).collect();
    let batches =
        [0.0, 1.0].map(|c| (c, (0..100_000).map(|_| some_pair(&mut random, c)).collect::<Vec<_>>()));
    assert_all_found(&Adapters::open().gpus[0], &mutations, |gpu, plant| {
        let source = plant(UCB);
        let pair_kernel = gpu.kernel(&[U64, &source, PAIR_KERNEL]);
        let wrong_pair = batches.iter().any(|(c, pairs)| {
            let verdicts: Vec<[u32; 3]> = pairs.iter().map(|pair| pair.verdict(*c)).collect();
            first_mistake(pairs, &verdicts, &compare(&pair_kernel, pairs, *c)).is_some()
        });
        wrong_pair
            || first_wrong_operation(&gpu.kernel(&[U64, &source, FLOAT_KERNEL]), &operands).is_some()
            || first_wrong_ln(&gpu.kernel(&[U64, &source, LN_KERNEL]), &counts).is_some()
    });
}

/// Adapters may round float32 operations less accurately than the adapters of the tests. If every estimate moves as far
/// as that allows, in either direction, the results stay the same.
#[test]
fn estimates_may_be_as_wrong_as_wgsl_allows() {
    let u = (-23f64).exp2();
    // The errors that the shader's comments allow, less those of an accurate adapter.
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
        let got = compare(&gpu.kernel(&[U64, &source, PAIR_KERNEL]), &pairs, 1.0);
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
        let got = compare(&gpu.kernel(&[U64, UCB, PAIR_KERNEL]), &pairs, 2.0);
        assert_eq!(first_mistake(&pairs, &verdicts, &got), None, "{}", gpu.name);
        let undecided = |by: u32| got.chunks_exact(4).filter(|row| row[3] & by == 0).count();
        let (close, closer) = (undecided(3), undecided(15));
        assert!(close * 100 < pairs.len(), "{close} of {} undecided", pairs.len());
        // The difference leaves only children with equal counts, with few exceptions.
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
