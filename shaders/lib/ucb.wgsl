// The upper confidence bound, exactly, and the order of children: the twin of src/exact/ucb.rs.
//
//     float32( fma( sqrt( ln(N) / n ), C, n_wins / float64(float32(n)) ) ),   + infinity where n = 0,
//
// everything inside in float64, every operation correctly rounded. WGSL has no float64: it is computed in integers.
// Floats serve as estimates only: of quotient digits, which are then corrected exactly, and of whole bounds, which
// decide only where their error bound allows it. The float operations used may each be off by as much as WGSL allows: u
// = 2^-23 of the value for +, *, and conversions (rounding in either direction), 2 u for inverseSqrt, 2.5 u for /, 4.5
// u for sqrt.
//
// Counts are below 2^53, N >= 1. n_wins counts points: at most n, or, where draws count half, at most 2 n, with C twice
// as large; then the bound is twice that of the specification, which changes neither the order nor the ties of bounds.
// The composing side defines fn ucb_c_bits() -> u32: the bits of C as a float32, 0 or from 2^-20 to 2^21.

// --- float64, zero or positive -----------------------------------------------------------------------------

// sig * 2^exp, with 2^52 <= sig < 2^53, or sig = 0 for zero. Exponents stay far from float64's limits.
struct Soft64 {
    sig: vec2<u32>,
    exp: i32,
}

fn soft64_zero() -> Soft64 {
    return Soft64(vec2<u32>(0u, 0u), 0);
}

// An integer up to 2^53: exact.
fn soft64_from_u64(n: vec2<u32>) -> Soft64 {
    let zeros = u64_clz(n);
    if zeros == 64u {
        return soft64_zero();
    }
    return Soft64(u64_shr(u64_shl(n, zeros), 11u), 11 - i32(zeros));
}

// (top + a fraction) * 2^exp to 53 bits, to nearest even. The high bit of `top` is set; `sticky` is not 0
// where there is a fraction.
fn soft64_round(top: vec2<u32>, sticky: u32, exp: i32) -> Soft64 {
    let rest = top.x & 0x7ffu;
    let up = rest > 0x400u || (rest == 0x400u && (sticky != 0u || (top.x & 0x800u) != 0u));
    let sig = u64_add(u64_shr(top, 11u), vec2<u32>(u32(up), 0u));
    return soft64_carried(sig, exp + 11);
}

// To 24 bits, to nearest even: the value of a float32.
fn soft64_round24(a: Soft64) -> Soft64 {
    let rest = a.sig.x & 0x1fffffffu;
    let up = rest > 0x10000000u || (rest == 0x10000000u && (a.sig.x & 0x20000000u) != 0u);
    let kept = vec2<u32>(a.sig.x - rest, a.sig.y);
    return soft64_carried(u64_add(kept, vec2<u32>(select(0u, 0x20000000u, up), 0u)), a.exp);
}

// A significand that rounding may have carried to 2^53, brought back into range.
fn soft64_carried(sig: vec2<u32>, exp: i32) -> Soft64 {
    if sig.y == 0x200000u {
        return Soft64(vec2<u32>(0u, 0x100000u), exp + 1);
    }
    return Soft64(sig, exp);
}

// The bits of a as a float32, for a in the range of normal float32 numbers, rounded to nearest even.
fn soft64_f32_bits(a: Soft64) -> u32 {
    let rounded = soft64_round24(a);
    let sig = (rounded.sig.y << 3u) | (rounded.sig.x >> 29u);
    // The significand's own high bit adds the last 1 to the exponent field.
    let bits = (u32(rounded.exp + 29 + 149) << 23u) + sig;
    return select(bits, 0u, sig == 0u);
}

// The leading digits of a quotient or a root, and the rest: a - found * b, or a - found^2.
struct Soft64Partial {
    found: vec2<u32>,
    rest: vec2<u32>,
}

// a / b, correctly rounded, for b > 0.
//
// With a halved or not so that 1 <= a / b < 2, the remainder after the leading 1 gives four digits of 13
// bits. A digit is the floor of rest * 2^13 / b, estimated with a factor 1 - 2^-19 that outweighs every error
// (5.5 u < 2^-20 in all, and 2^-30 for dropping bits of b): so it is never too great, and too small by at
// most 1 + 2^13 * 2^-18. The rest stays below 1.04 b: no digit is corrected, the next one takes up what is
// missing. Nor can the quotient be halfway between two numbers of 53 bits (its product with b would have more
// than 53), or round up to 2 (it is at most 2 - 2 / b).
fn soft64_div(a: Soft64, b: Soft64) -> Soft64 {
    if a.sig.y == 0u {
        return soft64_zero();
    }
    let less = u64_less(a.sig, b.sig);
    let rest = u64_sub(select(a.sig, u64_shl(a.sig, 1u), less), b.sig);
    let inverse = 8191.984375 / f32(u64_shr(b.sig, 22u).x);
    var at = Soft64Partial(vec2<u32>(1u, 0u), rest);
    at = soft64_quotient_digit(at, b.sig, inverse);
    at = soft64_quotient_digit(at, b.sig, inverse);
    at = soft64_quotient_digit(at, b.sig, inverse);
    at = soft64_quotient_digit(at, b.sig, inverse);
    let up = !u64_less(u64_shl(at.rest, 1u), b.sig);
    return Soft64(u64_add(at.found, vec2<u32>(u32(up), 0u)), a.exp - b.exp - 52 - i32(less));
}

// The next 13 bits of a quotient; `inverse` is about 2^35 / b.
fn soft64_quotient_digit(at: Soft64Partial, b: vec2<u32>, inverse: f32) -> Soft64Partial {
    let digit = u32(f32(u64_shr(at.rest, 22u).x) * inverse);
    let found = u64_add(u64_shl(at.found, 13u), vec2<u32>(digit, 0u));
    return Soft64Partial(found, u64_sub(u64_shl(at.rest, 13u), u64_mul16(b, digit)));
}

// The next `bits` bits of a root. The digit must satisfy digit * (2 root * 2^bits + digit) <= rest * 4^bits.
fn soft64_root_digit(at: Soft64Partial, bits: u32, digit: u32) -> Soft64Partial {
    let root = u64_shl(at.found, bits);
    let step = u64_add(u64_shl(root, 1u), vec2<u32>(digit, 0u));
    let rest = u64_sub(u64_shl(at.rest, 2u * bits), u64_mul16(step, digit));
    return Soft64Partial(u64_add(root, vec2<u32>(digit, 0u)), rest);
}

// The square root, correctly rounded.
//
// The root of s (54 bits, exponent even) has 27 bits before and 26 after the point. A float32 root, made too
// small by 2^-19 (its errors are below 2^-20), is short by at most 2^-18.4 of itself. Digits of 7, 10 and 9
// bits follow, rest / (2 root) each, made too small by 2^-18: that outweighs 5.5 u and the digit's own
// square, which is 2^-19.4 of the first digit's estimate and nothing to the others. The root is then short by
// less than 1.4, 1.02 and 1.01 units of its last place: the next digit takes it up, and the last is rounded
// by whether it is short by more than one half. Exactly one half it cannot be, nor can it round up to 2^53,
// as s is at most 2^54 - 2.
fn soft64_sqrt(a: Soft64) -> Soft64 {
    if a.sig.y == 0u {
        return soft64_zero();
    }
    let odd = u32(a.exp) & 1u;
    let s = u64_shl(a.sig, odd);
    // 2896.3... = 2^11.5 (1 - 2^-19)
    let first = u32(sqrt(f32(u64_shr(s, 23u).x)) * 2896.3038514683706);
    var at = Soft64Partial(vec2<u32>(first, 0u), u64_sub(s, u64_mul32(first, first)));

    // 0.99999618... = 1 - 2^-18. In each digit the powers of two are those of the shifts.
    let digit7 = u32(f32(u64_shr(at.rest, 8u).x) * (0.9999961853027344 * 16384.0 / f32(first)));
    at = soft64_root_digit(at, 7u, digit7);
    let inverse = 0.9999961853027344 * 1024.0 / f32(u64_shr(at.found, 3u).x);
    let digit10 = u32(f32(u64_shr(at.rest, 5u).x) * (2.0 * inverse));
    at = soft64_root_digit(at, 10u, digit10);
    let digit9 = u32(f32(u64_shr(at.rest, 15u).x) * inverse);
    at = soft64_root_digit(at, 9u, digit9);

    let up = u64_less(at.found, at.rest);
    return Soft64(u64_add(at.found, vec2<u32>(u32(up), 0u)), (a.exp - i32(odd) - 52) / 2);
}

// --- 96-bit numbers, for the product in the fused multiply-add ---------------------------------------------

// The integer in `words` (low word first) times 2^exp. The second highest bit is set (the highest has room
// for a sum's carry), or all is zero.
struct Wide96 {
    words: vec3<u32>,
    exp: i32,
}

// The exponent of zero: so low that zero never counts as the greater of two numbers.
const WIDE96_ZERO_EXP = -1000000;

fn wide96_from_soft64(a: Soft64) -> Wide96 {
    let words = vec3<u32>(0u, a.sig.x << 10u, (a.sig.y << 10u) | (a.sig.x >> 22u));
    return Wide96(words, select(a.exp - 42, WIDE96_ZERO_EXP, a.sig.y == 0u));
}

// The exact product of a number and a normal float32, or zero, given by its bits.
fn wide96_mul(a: Soft64, float_bits: u32) -> Wide96 {
    if a.sig.y == 0u || float_bits == 0u {
        return Wide96(vec3<u32>(0u), WIDE96_ZERO_EXP);
    }
    let factor = (float_bits & 0x7fffffu) | 0x800000u;
    let low = u64_mul32(a.sig.x, factor);
    let high = u64_add(u64_mul32(a.sig.y, factor), vec2<u32>(low.y, 0u));
    // 76 or 77 bits: the top word has 12 or 13.
    let s = countLeadingZeros(high.y) - 1u;
    let words = vec3<u32>(
        low.x << s,
        (high.x << s) | (low.x >> (32u - s)),
        (high.y << s) | (high.x >> (32u - s)),
    );
    return Wide96(words, a.exp + i32(float_bits >> 23u) - 150 - i32(s));
}

// words / 2^s, rounded down; the bits lost, if any is set, come back in w (as anything but 0).
fn wide96_shr_sticky(words: vec3<u32>, s: u32) -> vec4<u32> {
    var v = vec4<u32>(words, 0u);
    if s >= 96u {
        return vec4<u32>(0u, 0u, 0u, v.x | v.y | v.z);
    }
    if s >= 64u {
        v = vec4<u32>(v.z, 0u, 0u, v.x | v.y);
    } else if s >= 32u {
        v = vec4<u32>(v.y, v.z, 0u, v.x);
    }
    let t = s & 31u;
    let lost = v.w | (v.x & ((1u << t) - 1u));
    let above = (v.yz << vec2<u32>(1u)) << vec2<u32>(31u - t);
    return vec4<u32>((v.x >> t) | above.x, (v.y >> t) | above.y, v.z >> t, lost);
}

// a + b, correctly rounded to 53 bits.
fn wide96_add(a: Wide96, b: Wide96) -> Soft64 {
    let swap = a.exp < b.exp;
    let high = select(a.words, b.words, swap);
    let low = select(b.words, a.words, swap);
    let exp = max(a.exp, b.exp);
    if high.z == 0u {
        return soft64_zero();
    }
    let shifted = wide96_shr_sticky(low, u32(exp - min(a.exp, b.exp)));
    let low_sum = u64_add(high.xy, shifted.xy);
    let sum = vec3<u32>(low_sum, high.z + shifted.z + u32(u64_less(low_sum, high.xy)));
    let spare = 1u - (sum.z >> 31u);
    let top = u64_shl(sum.yz, spare) | vec2<u32>(spare & (sum.x >> 31u), 0u);
    return soft64_round(top, shifted.w | (sum.x << spare), exp + 32 - i32(spare));
}

// --- the logarithm -----------------------------------------------------------------------------------------

// One factor 1 + 2^-k, taken where it leaves `rest` at least 0; `ln` is the factor's logarithm. Units of
// 2^-64.
fn ucb_ln_step(rest: ptr<function, vec2<u32>>, sum: ptr<function, vec2<u32>>, k: u32, ln: vec2<u32>) {
    let z = *rest;
    let shifted = vec2<u32>((z.x >> k) | (z.y << (32u - k)), z.y >> k);
    let grown = u64_add(z, shifted);
    let one = 1u << (32u - k);
    let take = grown.y >= one;
    *rest = select(z, vec2<u32>(grown.x, grown.y - one), take);
    *sum = u64_add(*sum, select(vec2<u32>(0u, 0u), ln, take));
}

// The natural logarithm of a count as a float64, exactly as ucb::ln in Rust, which explains the method and its error.
fn ucb_ln(n: vec2<u32>) -> Soft64 {
    if n.y == 0u && n.x <= 1u {
        return soft64_zero();
    }
    let zeros = u64_clz(n);
    var rest = u64_sub(vec2<u32>(0u, 0u), u64_shl(n, zeros));
    var sum = vec2<u32>(0u, 0u);
    ucb_ln_step(&rest, &sum, 1u, vec2<u32>(0xfe612fcbu, 0x67cc8fb2u));
    ucb_ln_step(&rest, &sum, 2u, vec2<u32>(0x35344358u, 0x391fef8fu));
    ucb_ln_step(&rest, &sum, 3u, vec2<u32>(0x2af2e5eau, 0x1e27076eu));
    ucb_ln_step(&rest, &sum, 4u, vec2<u32>(0x08b15331u, 0x0f851860u));
    ucb_ln_step(&rest, &sum, 5u, vec2<u32>(0x9e0cc013u, 0x07e0a6c3u));
    ucb_ln_step(&rest, &sum, 6u, vec2<u32>(0x1f807c7au, 0x03f81516u));
    ucb_ln_step(&rest, &sum, 7u, vec2<u32>(0xb1067890u, 0x01fe02a6u));
    ucb_ln_step(&rest, &sum, 8u, vec2<u32>(0x15885e02u, 0x00ff8055u));
    ucb_ln_step(&rest, &sum, 9u, vec2<u32>(0xa6ac439au, 0x007fe00au));
    ucb_ln_step(&rest, &sum, 10u, vec2<u32>(0x5515621fu, 0x003ff801u));
    ucb_ln_step(&rest, &sum, 11u, vec2<u32>(0x2aa6ab11u, 0x001ffe00u));
    ucb_ln_step(&rest, &sum, 12u, vec2<u32>(0x05551559u, 0x000fff80u));
    ucb_ln_step(&rest, &sum, 13u, vec2<u32>(0x00aaa6abu, 0x0007ffe0u));
    ucb_ln_step(&rest, &sum, 14u, vec2<u32>(0x00155515u, 0x0003fff8u));
    ucb_ln_step(&rest, &sum, 15u, vec2<u32>(0x0002aaa7u, 0x0001fffeu));
    ucb_ln_step(&rest, &sum, 16u, vec2<u32>(0x80005555u, 0x0000ffffu));
    ucb_ln_step(&rest, &sum, 17u, vec2<u32>(0xe0000aabu, 0x00007fffu));
    ucb_ln_step(&rest, &sum, 18u, vec2<u32>(0xf8000155u, 0x00003fffu));
    ucb_ln_step(&rest, &sum, 19u, vec2<u32>(0xfe00002bu, 0x00001fffu));
    ucb_ln_step(&rest, &sum, 20u, vec2<u32>(0xff800005u, 0x00000fffu));
    ucb_ln_step(&rest, &sum, 21u, vec2<u32>(0xffe00001u, 0x000007ffu));
    ucb_ln_step(&rest, &sum, 22u, vec2<u32>(0xfff80000u, 0x000003ffu));
    ucb_ln_step(&rest, &sum, 23u, vec2<u32>(0xfffe0000u, 0x000001ffu));
    ucb_ln_step(&rest, &sum, 24u, vec2<u32>(0xffff8000u, 0x000000ffu));
    let z = (rest.y << 8u) | (rest.x >> 24u);
    sum = u64_add(sum, u64_add(rest, vec2<u32>((z * z) >> 17u, 0u)));

    // e ln 2 - sum: 64 bits of fraction, and an integer part of at most 36.
    let e = 64u - zeros;
    let low = u64_mul32(e, 0xd1cf79acu);
    let high = u64_add(u64_mul32(e, 0xb17217f7u), vec2<u32>(low.y, 0u));
    let fraction = vec2<u32>(low.x, high.x);
    return ucb_ln_rounded(high.y - u32(u64_less(fraction, sum)), u64_sub(fraction, sum));
}

// A fixed-point number, at least 1/2, as a float64.
fn ucb_ln_rounded(whole: u32, fraction: vec2<u32>) -> Soft64 {
    if whole == 0u {
        return soft64_round(fraction, 0u, -64);
    }
    let bits = 32u - countLeadingZeros(whole);
    let top = u64_shr(fraction, bits) | vec2<u32>(0u, whole << (32u - bits));
    return soft64_round(top, fraction.x << (32u - bits), i32(bits) - 64);
}

// --- the bound and the order -------------------------------------------------------------------------------

const UCB_INFINITY_BITS = 0x7f800000u;

// The bits of the exact bound, which order as the bounds do. `ln_parent` is ucb_ln of the parent's visits.
fn ucb_exact(ln_parent: Soft64, n: vec2<u32>, n_wins: vec2<u32>) -> u32 {
    if (n.x | n.y) == 0u {
        return UCB_INFINITY_BITS;
    }
    let visits = soft64_from_u64(n);
    let exploration = soft64_sqrt(soft64_div(ln_parent, visits));
    let exploitation = soft64_div(soft64_from_u64(n_wins), soft64_round24(visits));
    let product = wide96_mul(exploration, ucb_c_bits());
    return soft64_f32_bits(wide96_add(product, wide96_from_soft64(exploitation)));
}

// No estimate: the parent has fewer than two visits, and the logarithm's relative error is not bounded.
const UCB_UNKNOWN = -1.0;
// The infinite bound of a child never visited; twice this is still a float32.
const UCB_UNVISITED = 1e38;

// A count as a float32, off by at most 2 u (the words' conversions and the sum).
fn ucb_f32(n: vec2<u32>) -> f32 {
    return f32(n.y) * 4294967296.0 + f32(n.x);
}

// The logarithm of a count in plain float32, and UCB_UNKNOWN for counts below 2. Off by at most 8 u of itself.
//
// The count is m 2^e with 3/4 <= m < 3/2, and ln m = 2 artanh t with t = (m - 1) / (m + 1), |t| <= 1/5, whose series
// ends after t^9: what follows is below u / 32. m - 1 is exact; t is off by 3.5 u of itself, the series by 6 u, which
// is 2.4 u at the most; e ln 2 by 1.5 u of itself, which is 1.9 u of the sum (of ln 3 = 2 ln 2 + ln 3/4; the other
// counts cancel less); the sum by u. Counts that float32 holds are converted exactly; the 2 u of the others, whose
// logarithm is above 16, are nothing to it. In all 2.4 u / 1.09 + 2.9 u and nothing else for the worst case, 3.
fn ucb_ln_f32(n: vec2<u32>) -> f32 {
    let bits = bitcast<u32>(max(ucb_f32(n), 1.0));
    let e = ((bits + 0x400000u) >> 23u) - 127u;
    let m = bitcast<f32>(bits - (e << 23u));
    let t = (m - 1.0) / (m + 1.0);
    let s = t * t;
    let series = t * (2.0 + s * (0.6666667 + s * (0.4 + s * (0.2857143 + s * 0.22222222))));
    return select(f32(e) * 0.6931472 + series, UCB_UNKNOWN, n.y == 0u && n.x < 2u);
}

// The parent's term in ucb_approx.
alias UcbParent = f32;
// The parent's term in ucb_exact.
alias UcbLogarithm = Soft64;

// C times the root of the logarithm of these visits of a parent, or UCB_UNKNOWN. Its other statistics have no influence
// (they have in puct.wgsl).
fn ucb_parent(visits: vec2<u32>, node: vec4<u32>) -> UcbParent {
    let ln = ucb_ln_f32(visits);
    return select(bitcast<f32>(ucb_c_bits()) * sqrt(max(ln, 0.0)), UCB_UNKNOWN, ln < 0.0);
}

// The child's terms in ucb_approx: n_wins / n and 1 / sqrt n; UCB_UNVISITED and 0 where n = 0.
alias UcbTerms = vec2<f32>;

// One inverse root serves both terms, as 1 / n is its square: there is no division, and no branch.
fn ucb_terms(n: vec2<u32>, n_wins: vec2<u32>) -> UcbTerms {
    let inverse_root = inverseSqrt(max(ucb_f32(n), 1.0));
    let visited = vec2<f32>(ucb_f32(n_wins) * (inverse_root * inverse_root), inverse_root);
    return select(visited, vec2<f32>(UCB_UNVISITED, 0.0), (n.x | n.y) == 0u);
}

// The bound in plain float32, for `parent` = ucb_parent of the parent's visits; for ucb_floor alone.
fn ucb_estimate(parent: UcbParent, terms: UcbTerms) -> f32 {
    return select(terms.x + parent * terms.y, UCB_UNKNOWN, parent < 0.0 && terms.x != UCB_UNVISITED);
}

fn ucb_approx(parent: UcbParent, n: vec2<u32>, n_wins: vec2<u32>) -> f32 {
    return ucb_estimate(parent, ucb_terms(n, n_wins));
}

// The exact bound of a child whose ucb_approx is less than this is certainly less than that of the one whose
// ucb_approx is `top`.
//
// Both terms of the bound are at least 0, so its relative error is at most that of the worse term. The inverse root:
// u for n (half of 2 u), 2 u of its own: 3 u. n_wins / n: 2 u for n_wins, 6 u for the square and u for rounding it, u
// for the product, and 0.5 u for the exact bound's float32(n): 10.5 u. The root: 4 u for ln N, 4.5 u of its own, 3 u
// for n, u for each of two products: 13.5 u. With u for the sum and u for the exact bound's roundings: 15.5 u and terms
// of order u^2; reordering and contracting change none of this. So exact bounds differ where the estimates differ by
// more than 31 u of the greater one, and by 2 u more for the roundings of this function; 64 u = 2^-17 is more than
// that.
fn ucb_floor(top: f32) -> f32 {
    return top - abs(top) * 7.6293945e-6;
}

// Whether the children that reach ucb_floor(top) have equal bounds: if they were never visited.
fn ucb_are_equal(top: f32) -> bool {
    return top == UCB_UNVISITED;
}

// Compares two visited children a and b whose estimates are too close: 1 where a's exact bound is certainly the greater
// one, -1 where b's is, 0 where they must be computed. UCB brings the bounds of a much visited node's children ever
// closer together, so that most of its choices are decided here.
//
// The difference of the bounds times n_a n_b is
//
//     (w_a n_b - w_b n_a) + C sqrt(ln N) (n_b - n_a) / (1 / sqrt n_a + 1 / sqrt n_b):
//
// two terms whose own relative errors count, not those of the bounds: 2 u for the first, of integers below 2^64; for
// the second 9.5 u for C sqrt(ln N), u for n_b - n_a, 4 u for the sum of the inverse roots, 2.5 u for the quotient and
// u for the product: 18 u, and u for the sum of both; 32 u are allowed. The exact bounds are less exact than that: each
// is rounded to a float32 (2^-24 of itself), as is its n in n_wins / n; 2^-22 of the greater bound in all, where 2^-21
// are allowed.
fn ucb_order(parent: UcbParent, bound: f32, a: vec4<u32>, b: vec4<u32>) -> i32 {
    if (a.y | a.w | b.y | b.w) != 0u || parent < 0.0 {
        return 0;
    }
    let wins_a = u64_mul32(a.z, b.x);
    let wins_b = u64_mul32(b.z, a.x);
    let less = u64_less(wins_a, wins_b);
    let wins = ucb_f32(select(u64_sub(wins_a, wins_b), u64_sub(wins_b, wins_a), less));
    let roots = inverseSqrt(f32(a.x)) + inverseSqrt(f32(b.x));
    let visits = f32(max(a.x, b.x) - min(a.x, b.x)) / roots * parent;
    let sum = select(wins, -wins, less) + select(visits, -visits, a.x > b.x);
    let margin = (wins + visits) * 3.8146973e-6 + bound * 4.7683716e-7 * (f32(a.x) * f32(b.x));
    return i32(sum > margin) - i32(sum < -margin);
}
