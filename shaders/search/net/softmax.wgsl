// Probabilities from a network's outputs, in whole numbers: the twin of src/exact/softmax.rs.

const ONE: u32 = 65536u;

// The high word of a product, or up to 2 less.
fn high_product(a: u32, b: u32) -> u32 {
    let low = vec2<u32>(a, b) & vec2<u32>(0xffffu);
    let high = vec2<u32>(a, b) >> vec2<u32>(16u);
    return high.x * high.y + ((high.x * low.y) >> 16u) + ((low.x * high.y) >> 16u);
}

// 65535 * 2^(-k / 256), rounded, for k below 256. Not a table: it would become 256 assignments at each place that reads
// it, which software adapters take seconds to compile.
fn softmax_power(k: u32) -> u32 {
    // The factor of each bit of k, in units of 2^-32.
    var power = 0xffffffffu;
    power = select(power, 0xff4ecb59u, (k & 1u) != 0u);
    power = select(power, high_product(power, 0xfe9e115cu), (k & 2u) != 0u);
    power = select(power, high_product(power, 0xfd3e0c0du), (k & 4u) != 0u);
    power = select(power, high_product(power, 0xfa83b2dbu), (k & 8u) != 0u);
    power = select(power, high_product(power, 0xf5257d15u), (k & 16u) != 0u);
    power = select(power, high_product(power, 0xeac0c6e8u), (k & 32u) != 0u);
    power = select(power, high_product(power, 0xd744fccbu), (k & 64u) != 0u);
    power = select(power, high_product(power, 0xb504f334u), (k & 128u) != 0u);
    return (power - (power >> 16u) + 0x8000u) >> 16u;
}

// The weight of an output that is `less` below the greatest: 0 to 65535.
fn softmax_weight(less: u32) -> u32 {
    return softmax_power(less & 0xffu) >> min(less >> 8u, 31u);
}

// The prior of a move with this weight, where the weights sum up to `total`, in units of 1/65536: at least one unit.
fn softmax_prior(weight: u32, total: u32) -> u32 {
    return clamp(weight * ONE / total, 1u, ONE - 1u);
}

// The points of the player to move and of the opponent, in units of 1/65536, from the outputs for win, draw and loss.
fn softmax_points(outputs: vec3<i32>) -> vec2<u32> {
    let less = vec3<u32>(vec3<i32>(max(outputs.x, max(outputs.y, outputs.z))) - outputs);
    let weights = vec3<u32>(softmax_weight(less.x), softmax_weight(less.y), softmax_weight(less.z)) / 2u;
    let total = weights.x + weights.y + weights.z;
    if DRAWS_COUNT {
        let own = min((weights.x + weights.y / 2u) * ONE / total, ONE - 1u);
        return vec2<u32>(own, ONE - own);
    }
    return min(weights.xz * ONE / total, vec2<u32>(ONE - 1u));
}
