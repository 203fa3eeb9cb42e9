// 64-bit unsigned integers as vec2<u32>: x is the low word, y the high word.

fn u64_add(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2<u32>(low, a.y + b.y + u32(low < a.x));
}

fn u64_sub(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(a.x - b.x, a.y - b.y - u32(a.x < b.x));
}

fn u64_less(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

fn u64_clz(a: vec2<u32>) -> u32 {
    return select(32u + countLeadingZeros(a.x), countLeadingZeros(a.y), a.y != 0u);
}

// a * 2^s modulo 2^64, for s in 0..=63. (x >> 1) >> (31 - t) replaces x >> (32 - t), which WGSL does not define for t =
// 0.
fn u64_shl(a: vec2<u32>, s: u32) -> vec2<u32> {
    let t = s & 31u;
    let low = a.x << t;
    let high = (a.y << t) | ((a.x >> 1u) >> (31u - t));
    return select(vec2<u32>(low, high), vec2<u32>(0u, low), s >= 32u);
}

// a / 2^s, rounded down, for s in 0..=63.
fn u64_shr(a: vec2<u32>, s: u32) -> vec2<u32> {
    let t = s & 31u;
    let high = a.y >> t;
    let low = (a.x >> t) | ((a.y << 1u) << (31u - t));
    return select(vec2<u32>(low, high), vec2<u32>(high, 0u), s >= 32u);
}

// The whole product of two words.
fn u64_mul32(a: u32, b: u32) -> vec2<u32> {
    let a0 = a & 0xffffu;
    let a1 = a >> 16u;
    let b0 = b & 0xffffu;
    let b1 = b >> 16u;
    // At most (2^16 - 1)^2 + 2 (2^16 - 1) = 2^32 - 1: neither sum wraps.
    let middle = a1 * b0 + ((a0 * b0) >> 16u);
    let cross = a0 * b1 + (middle & 0xffffu);
    return vec2<u32>(a * b, a1 * b1 + (middle >> 16u) + (cross >> 16u));
}

// a * b modulo 2^64, for b < 2^16.
fn u64_mul16(a: vec2<u32>, b: u32) -> vec2<u32> {
    let low = (a.x & 0xffffu) * b;
    let middle = (a.x >> 16u) * b;
    return u64_add(vec2<u32>(low, a.y * b), vec2<u32>(middle << 16u, middle >> 16u));
}
