// Writes the network's evaluation of each leaf to the tree: the priors of its new children, its value, and the points
// of its backup (specification, "Networks"); of a leaf whose game is over, the points of its outcome. The root's
// children get noise ("Exploration at the root").
//
// One workgroup = one leaf, one lane = some children.
// Reads trees, stats, links, tallies, outputs; writes trees, stats, tallies.

// [leaf][MAX_ACTIONS + 3]: logits of the actions; win, draw and loss of the player to move
@group(0) @binding(28) var<storage, read> outputs: array<i32>;

// Logits are above -2^15.
const LEAST_LOGIT: i32 = -32768;

fn logit(leaf: u32, child: u32) -> u32 {
    return u32(outputs[leaf * (MAX_ACTIONS + 3u) + link_action(links[child].y)] - LEAST_LOGIT);
}

// All lanes must call this together, with the same `first` and `count`. Has barriers.
fn enter_priors(leaf: u32, lane: u32, first: u32, count: u32) {
    var own = 0u;
    for (var ordinal = lane; ordinal < count; ordinal += TREE_LANES) {
        own = max(own, logit(leaf, first + ordinal));
    }
    let greatest = reduce_max(lane, own);
    var weights = 0u;
    for (var ordinal = lane; ordinal < count; ordinal += TREE_LANES) {
        weights += softmax_weight(greatest - logit(leaf, first + ordinal));
    }
    let total = reduce_sum(lane, vec4<u32>(weights, 0u, 0u, 0u)).x;
    let noise = root_noise_of(leaf, lane, first, count);
    for (var ordinal = lane; ordinal < count; ordinal += TREE_LANES) {
        let less = greatest - logit(leaf, first + ordinal);
        var prior = softmax_prior(softmax_weight(less), total);
        if noise.is_root {
            prior = root_prior(noise, link_action(links[first + ordinal].y), prior, less);
        }
        stats[first + ordinal].y |= prior << PRIOR_SHIFT;
    }
    if GUMBEL > 0u && noise.is_root && lane == 0u {
        stats[nodes_of(leaf) + ROOT].y |= min(GUMBEL, count) << CONSIDERED_SHIFT;
    }
}

// The noise of the root's children in a tree: its random key, and the terms that the children share.
struct RootNoise {
    is_root: bool,
    key: u32,
    // The children, the least exponent among them, and the sum of their weights.
    count: u32,
    least: u32,
    total: u32,
}

// All lanes must call this together. Has barriers, where there is noise.
fn root_noise_of(leaf: u32, lane: u32, first: u32, count: u32) -> RootNoise {
    let header = header_of(leaf);
    let is_root = count > 0u && trees[header].selected == ROOT;
    var noise = RootNoise(is_root, 0u, count, 0u, 1u);
    if GUMBEL == 0u && ROOT_NOISE == 0u {
        noise.is_root = false;
        return noise;
    }
    noise.key = noise_key(trees[header].expansion_stream);
    if is_root && lane == 0u {
        // The report needs it.
        trees[leaf / LEAVES].expansion_stream = trees[header].expansion_stream;
    }
    if ROOT_NOISE > 0u {
        var most = 0u;
        for (var ordinal = lane; ordinal < count; ordinal += TREE_LANES) {
            most = max(most, ~noise_less(noise.key, link_action(links[first + ordinal].y), count));
        }
        noise.least = ~reduce_max(lane, most);
        var weights = 0u;
        for (var ordinal = lane; ordinal < count; ordinal += TREE_LANES) {
            weights += noise_weight(noise, link_action(links[first + ordinal].y));
        }
        noise.total = reduce_sum(lane, vec4<u32>(weights, 0u, 0u, 0u)).x;
    }
    return noise;
}

fn noise_weight(noise: RootNoise, action: u32) -> u32 {
    return softmax_weight(noise_less(noise.key, action, noise.count) - noise.least);
}

// The word of a child of the root in the place of its prior; its logit is `less` below the greatest.
fn root_prior(noise: RootNoise, action: u32, prior: u32, less: u32) -> u32 {
    if GUMBEL > 0u {
        let sum = HALVING_LEVEL + noise_gumbel(noise.key, action) - i32(min(less, 0xffffu));
        return u32(clamp(sum, 1, 0xffff));
    }
    return max(mixture(prior, softmax_prior(noise_weight(noise, action), noise.total), ROOT_NOISE), 1u);
}

// The points of the player to move at the leaf and of the opponent.
fn points_of(leaf: u32, index: u32) -> vec2<u32> {
    let outcome = link_outcome(links[index].y);
    if outcome != ONGOING {
        let drawn = select(0u, ONE / 2u, outcome == DRAW && DRAWS_COUNT);
        let won = outcome == wins(selected_turn(leaf));
        return vec2<u32>(select(drawn, ONE, won), select(drawn, ONE, !won && outcome != DRAW));
    }
    let at = leaf * (MAX_ACTIONS + 3u) + MAX_ACTIONS;
    let points = softmax_points(vec3<i32>(outputs[at], outputs[at + 1u], outputs[at + 2u]));
    // A node keeps the value of its first evaluation. Where its children found no room, a later evaluation gives the
    // same value.
    stats[index].w |= min(points.x, ONE - 1u) << VALUE_SHIFT;
    return with_playout(leaf, points);
}

// The points of the player to move and of the opponent, with those of the leaf's playout.
fn with_playout(leaf: u32, points: vec2<u32>) -> vec2<u32> {
    if PLAYOUT_WEIGHT == 0u {
        return points;
    }
    let played = tallies[leaf] * (ONE / GAME_POINTS);
    let own = select(played.yx, played, selected_turn(leaf) == 0u);
    return vec2<u32>(mixture(points.x, own.x, PLAYOUT_WEIGHT), mixture(points.y, own.y, PLAYOUT_WEIGHT));
}

@compute @workgroup_size(TREE_LANES)
fn enter_evaluations(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let leaf = flat_group(group);
    if leaf < all_leaves() {
        let header = header_of(leaf);
        let is_new = trees[header].path_length > 0u && (trees[header].flags & TREE_FOLLOWS) == 0u;
        let count = select(0u, trees[header].expanded, is_new);
        enter_priors(leaf, lane, nodes_of(leaf) + trees[header].first_child, count);
        if lane == 0u && is_new {
            let points = points_of(leaf, nodes_of(leaf) + trees[header].selected);
            tallies[leaf] = select(points.yx, points, selected_turn(leaf) == 0u);
        }
    }
}
