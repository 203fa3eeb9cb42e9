// Random streams: xoroshiro128+ (2016 constants), the twin of src/exact/rng.rs. Integers only.

// (s0 low, s0 high, s1 low, s1 high)
alias Rng = vec4<u32>;

// The next 64 random bits. Each rotation is an exchange of the words and a shift of the pair by less than 32,
// which compilers turn into two funnel shifts.
fn rng_next(rng: ptr<function, Rng>) -> vec2<u32> {
    let s = *rng;
    let result = u64_add(s.xy, s.zw);
    let x = s.xy ^ s.zw;
    *rng = vec4<u32>(
        ((s.y << 23u) | (s.x >> 9u)) ^ x.x ^ (x.x << 14u),
        ((s.x << 23u) | (s.y >> 9u)) ^ x.y ^ ((x.y << 14u) | (x.x >> 18u)),
        (x.y << 4u) | (x.x >> 28u),
        (x.x << 4u) | (x.y >> 28u),
    );
    return result;
}

// A place in a playout's list of `count` legal actions, 1 to 512.
fn rng_pick(rng: ptr<function, Rng>, count: u32) -> u32 {
    return rng_ordinal(rng_next(rng), count);
}

// The place of an OCP expansion's child among `count`, 1 to 512.
fn rng_pick_child(rng: ptr<function, Rng>, count: u32) -> u32 {
    return rng_child_ordinal(rng_next(rng), count);
}

// A place in a list of `total` entries, 1 to 2^31: floor(r * total / 2^64).
fn rng_weighted_ordinal(r: vec2<u32>, total: u32) -> u32 {
    let low = u64_mul32(r.x, total).y;
    let high = u64_mul32(r.y, total);
    return high.y + u32(high.x + low < low);
}

// trunc(float32(u * count)), capped at count - 1, with u = float32((r >> 11) * 2^-53).
//
// With x = r / 2^64 and t = (r >> 41) * count, x * count lies in [t, t + count) * 2^-23. The product differs
// from it by the rounding of u, at most 2^-25 (u <= 1), times count, and by its own, at most 2^-24 of itself:
// together less than (1/4 + 1/2) * count * 2^-23, and what r >> 11 drops is far below the quarter left over.
// So where no multiple of 2^23 lies in (t - count, t + 2 count], the product truncates as t * 2^-23 does. The
// chance to miss is 3 count / 2^23: one draw in 2.8 million / count.
fn rng_ordinal(r: vec2<u32>, count: u32) -> u32 {
    let t = (r.y >> 9u) * count;
    if rng_unsure(t, count) {
        return rng_ordinal_exact(r, count);
    }
    return t >> 23u;
}

// For loops that draw ahead: where this is true, t >> 23 with t = (r.y >> 9) * count may be the wrong place. A playout
// with such a draw must be played again with rng_pick.
fn rng_unsure(t: u32, count: u32) -> bool {
    return ((t + 2u * count) & 0x7fffffu) < 3u * count;
}

// Two draws: a place in a list of `count` actions, 2 to 512, and one in the list without one of them. `sure`: both are
// those of rng_ordinal.
struct OrdinalPair {
    ordinals: vec2<u32>,
    sure: bool,
}

// rng_ordinal without its branch, with the margins of the longest list: one pair in 2,731 is not sure.
fn rng_ordinal_pair(first: vec2<u32>, second: vec2<u32>, count: u32) -> OrdinalPair {
    let t = (vec2<u32>(first.y, second.y) >> vec2<u32>(9u)) * vec2<u32>(count, count - 1u);
    let sure = all(t * 512u + vec2<u32>(1024u * 512u) >= vec2<u32>(1536u * 512u));
    return OrdinalPair(t >> vec2<u32>(23u), sure);
}

// Undoes a draw: the inverse of rng_next's step.
fn rng_back(rng: ptr<function, Rng>) {
    let s = *rng;
    let x = vec2<u32>((s.z << 28u) | (s.w >> 4u), (s.w << 28u) | (s.z >> 4u));
    let r = vec2<u32>(s.x ^ x.x ^ (x.x << 14u), s.y ^ x.y ^ ((x.y << 14u) | (x.x >> 18u)));
    let first = vec2<u32>((r.x << 9u) | (r.y >> 23u), (r.y << 9u) | (r.x >> 23u));
    *rng = vec4<u32>(first, x ^ first);
}

fn rng_ordinal_exact(r: vec2<u32>, count: u32) -> u32 {
    let u = rng_uniform(r);
    let product = u64_mul32(u.x, count);
    // To 24 bits, to nearest even. A product of 24 bits or fewer is exact; there are at most 34.
    let drop = 40u - min(u64_clz(product), 40u);
    let unit = 1u << drop;
    let rest = product.x & (unit - 1u);
    let kept = u64_shr(product, drop).x;
    let up = 2u * rest + (kept & 1u) > unit;
    let rounded = u64_shl(vec2<u32>(kept + u32(up), 0u), drop);
    return rng_truncate(rounded, u.y, count);
}

// trunc(u * count), capped at count - 1: the float64 product of a 24-bit and a 10-bit number is exact.
fn rng_child_ordinal(r: vec2<u32>, count: u32) -> u32 {
    let u = rng_uniform(r);
    return rng_truncate(u64_mul32(u.x, count), u.y, count);
}

// trunc(product / 2^shift), capped at count - 1, for a product of at most 34 bits.
fn rng_truncate(product: vec2<u32>, shift: u32, count: u32) -> u32 {
    return min(u64_shr(product, min(shift, 63u)).x, count - 1u);
}

// float32((r >> 11) * 2^-53) as x * 2^-y: x is its significand of 24 bits (or 2^24, where rounding carries, or
// 0, for zero).
fn rng_uniform(r: vec2<u32>) -> vec2<u32> {
    let fraction = vec2<u32>(r.x & 0xfffff800u, r.y);
    let zeros = min(u64_clz(fraction), 63u);
    let aligned = u64_shl(fraction, zeros);
    let significand = aligned.y >> 8u;
    let rest = aligned.y & 0xffu;
    let up = rest > 0x80u || (rest == 0x80u && (aligned.x != 0u || (significand & 1u) != 0u));
    return vec2<u32>(significand + u32(up), 24u + zeros);
}
