// Jumps of random streams, each of 2^64 steps: the twin of Jumps in src/exact/rng.rs. The composing side declares the
// matrices: var<storage, read> jumps: array<vec4<u32>>, 32 x 128 columns.

// The stream advanced by `index` jumps of 2^64 steps.
fn rng_advance(state: Rng, index: u32) -> Rng {
    var current = state;
    for (var level = 0u; level < 32u; level++) {
        if ((index >> level) & 1u) == 1u {
            current = rng_advance_by_power(current, level);
        }
    }
    return current;
}

// The same for 2^level jumps: the sum of the matrix's columns at the state's set bits.
fn rng_advance_by_power(state: Rng, level: u32) -> Rng {
    var current = state;
    var sum = Rng();
    for (var bit = 0u; bit < 128u; bit++) {
        let mask = 0u - ((current[bit >> 5u] >> (bit & 31u)) & 1u);
        sum ^= jumps[level * 128u + bit] & vec4<u32>(mask);
    }
    return sum;
}
