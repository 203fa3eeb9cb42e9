// Probabilities from a network's outputs, in whole numbers: the twin of src/exact/softmax.rs. The composing side
// declares POWERS: 65535 * 2^(-k / 256).

const ONE: u32 = 65536u;

// The weight of an output that is `less` below the greatest: 0 to 65535.
fn softmax_weight(less: u32) -> u32 {
    return POWERS[less & 0xffu] >> min(less >> 8u, 31u);
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
