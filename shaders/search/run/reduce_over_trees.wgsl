// Sums the roots' children over the trees of a position, and the roots themselves (specification, "The result"). Of the
// trees' proofs of a child, the one with the fewest plies is kept, and all half proofs.
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
        var half = vec4<u32>(0u);
        for (var i = lane; i < params.trees_per_position; i += TREE_LANES) {
            let base = (first + i) * params.capacity;
            let root = links[base + ROOT];
            if of_root || group.x < link_count(root.y) {
                let node = base + select(root.x + group.x, ROOT, of_root);
                let counts = stats[node];
                mine = sum_combine(mine, unmarked(counts));
                proof = max(proof, proof_word(node));
                half.x |= half_proofs(counts) & AT_LEAST_DRAWN;
                half.z |= half_proofs(counts) & AT_MOST_DRAWN;
            }
        }
        let sum = reduce_sum(lane, mine);
        let best_proof = reduce_max(lane, proof);
        // Both bits at once: sums of single bits are 0 where none of them is set.
        let halves = reduce_sum(lane, half);
        if lane == 0u {
            let all_half = select(0u, AT_LEAST_DRAWN, any(halves.xy != vec2<u32>(0u)))
                | select(0u, AT_MOST_DRAWN, any(halves.zw != vec2<u32>(0u)));
            write_sum(position, group.x, of_root, first * params.capacity, RootSum(sum, 0u, 0u, best_proof, all_half));
        }
    }
}

// The proof of a node as src/forest/proof.rs writes it: 0 for none, else greater for fewer plies.
fn proof_word(node: u32) -> u32 {
    let counts = stats[node];
    return select(0u, ((MOST_PLIES - proof_plies(counts)) << 2u) | link_outcome(links[node].y), is_proven(counts));
}

// `base` is the first node of the position's first tree, which decides the win flag.
fn write_sum(position: u32, ordinal: u32, of_root: bool, base: u32, sum: RootSum) {
    let row = position * (MAX_ACTIONS + 1u);
    if of_root {
        root_sums[row + MAX_ACTIONS] = sum;
        return;
    }
    let root = links[base + ROOT];
    var info = 0u;
    var present = 0u;
    if ordinal < link_count(root.y) {
        let child = base + root.x + ordinal;
        info = links[child].y;
        present = 1u + select(0u, (stats[child].y >> PRIOR_SHIFT) & 0xffffu, NET);
    }
    root_sums[row + ordinal] = RootSum(sum.stats, info, present, sum.proof, sum.half_proofs);
}
