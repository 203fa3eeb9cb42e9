// Random numbers of the root's children in searches with a network, in integers: the twin of
// src/exact/root_noise.rs (specification, "Exploration at the root").

// A key from the state of a random stream.
fn noise_key(stream: vec4<u32>) -> u32 {
    return noise_mixed(stream.x ^ noise_mixed(stream.y ^ noise_mixed(stream.z ^ noise_mixed(stream.w))));
}

// The finalizer of MurmurHash3.
fn noise_mixed(word: u32) -> u32 {
    let high = (word ^ (word >> 16u)) * 0x85ebca6bu;
    let low = (high ^ (high >> 13u)) * 0xc2b2ae35u;
    return low ^ (low >> 16u);
}

// The base-2 logarithm of a number above 0, in units of 1/65536, by a polynomial.
fn noise_log2(x: u32) -> u32 {
    let exponent = firstLeadingBit(x);
    let rest = ((x << (31u - exponent)) >> 15u) & 0xffffu;
    let bow = (rest * (0x10000u - rest)) >> 16u;
    let slope = 29012u - ((10748u * rest) >> 16u) - ((5550u * bow) >> 16u);
    return (exponent << 16u) + rest + ((bow * slope) >> 16u);
}

// An exponential random number of mean 1 / ln 2, in units of 1/65536: 1 to 2^21.
fn noise_exponential(key: u32, action: u32) -> u32 {
    let bits = noise_mixed(key ^ noise_mixed(action + 0x9e3779b9u));
    return (32u << 16u) - noise_log2(max(bits, 1u));
}

// A Gumbel random number, in 256ths of a bit as logits are.
fn noise_gumbel(key: u32, action: u32) -> i32 {
    // 16 - log2(ln 2)
    const LEVEL: i32 = (16 << 16u) + 34656;
    return (LEVEL - i32(noise_log2(noise_exponential(key, action)))) >> 8u;
}

// E / alpha for alpha = 10 / count, in 256ths of a bit: the weight of an action's noise is 2^-(E / alpha).
fn noise_less(key: u32, action: u32, count: u32) -> u32 {
    return (noise_exponential(key, action) >> 8u) * count / 10u;
}

// The mean of two numbers up to 65536; the second has the weight `weight` / 65536, above 0.
fn mixture(one: u32, other: u32, weight: u32) -> u32 {
    // 65536 * 65536 exceeds 32 bits.
    let second = select((other * weight) >> 16u, weight, other == 0x10000u);
    return ((one * (0x10000u - weight)) >> 16u) + second;
}
