// Enters what the network has found of each leaf: the priors of its new children, its value, and the points that its
// backup hands up (specification, "Networks"). Of a leaf whose game is over, the points of its outcome.
//
// One workgroup = one leaf, one lane = some children.
// Reads trees, links, outputs; writes stats, tallies.

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
    for (var ordinal = lane; ordinal < count; ordinal += TREE_LANES) {
        let weight = softmax_weight(greatest - logit(leaf, first + ordinal));
        stats[first + ordinal].y |= softmax_prior(weight, total) << PRIOR_SHIFT;
    }
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
    // A node's value is that of its first look: the same again, where there was no room for its children.
    stats[index].w |= min(points.x, ONE - 1u) << VALUE_SHIFT;
    return points;
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
