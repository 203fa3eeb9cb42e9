// Sums the roots' children over the trees of a position, and the roots themselves (specification, "The result"). Of
// what the trees have proven of an action the proof with the fewest plies is kept.
//
// One workgroup = one ordinal of one position (the last one of a row: the root), one lane = some trees.
// Reads stats, links; writes root_sums.

@compute @workgroup_size(TREE_LANES)
fn reduce_over_trees(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let position = group.z * GROUP_ROW + group.y;
    let first = position * params.trees_per_position;
    let of_root = group.x + 1u == groups.x;
    if first < params.n_trees {
        var mine = vec4<u32>(0u);
        var proof = 0u;
        for (var i = lane; i < params.trees_per_position; i += TREE_LANES) {
            let base = (first + i) * params.capacity;
            let root = links[base + ROOT];
            if of_root {
                mine = sum_combine(mine, unmarked(stats[base + ROOT]));
            } else if group.x < link_count(root.y) {
                let child = base + root.x + group.x;
                mine = sum_combine(mine, unmarked(stats[child]));
                proof = max(proof, proof_word(child));
            }
        }
        let sum = reduce_sum(lane, mine);
        let best_proof = reduce_max(lane, proof);
        if lane == 0u {
            write_sum(position, group.x, of_root, first * params.capacity, sum, best_proof);
        }
    }
}

// What is proven of a node, as src/forest/proof.rs writes it: 0 for nothing, else greater for fewer plies.
fn proof_word(node: u32) -> u32 {
    let counts = stats[node];
    return select(0u, ((MOST_PLIES - proof_plies(counts)) << 2u) | link_outcome(links[node].y), is_proven(counts));
}

// `base` is the first node of the position's first tree: it decides the win flag.
fn write_sum(position: u32, ordinal: u32, of_root: bool, base: u32, sum: vec4<u32>, proof: u32) {
    let row = position * (MAX_ACTIONS + 1u);
    if of_root {
        root_sums[row + MAX_ACTIONS] = RootSum(sum, 0u, 0u, 0u, 0u);
        return;
    }
    let root = links[base + ROOT];
    var info = 0u;
    let present = ordinal < link_count(root.y);
    if present {
        info = links[base + root.x + ordinal].y;
    }
    root_sums[row + ordinal] = RootSum(sum, info, u32(present), proof, 0u);
}
