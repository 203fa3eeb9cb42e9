// A hash of every node of every tree, independent of the nodes' order in memory and of the division of the work. The
// hash of a node is MurmurHash3, with two seeds, of the words that do not follow from others. A tree's digest is the
// sum over its nodes.
//
// One workgroup = one of DIGEST_SLICES slices of a tree, one lane = some of its nodes.
// Reads trees, stats, links; writes trees, digests.

fn hash_mix(hash: u32, word: u32) -> u32 {
    var k = word * 0xcc9e2d51u;
    k = ((k << 15u) | (k >> 17u)) * 0x1b873593u;
    let mixed = hash ^ k;
    return ((mixed << 13u) | (mixed >> 19u)) * 5u + 0xe6546b64u;
}

fn hash_finish(hash: u32) -> u32 {
    var mixed = (hash ^ (hash >> 16u)) * 0x85ebca6bu;
    mixed = (mixed ^ (mixed >> 13u)) * 0xc2b2ae35u;
    return mixed ^ (mixed >> 16u);
}

fn hash_node(index: u32, node: u32, seed: u32) -> u32 {
    let counts = stats[index];
    let link = links[index];
    var hash = hash_mix(seed, node);
    for (var word = 0u; word < 4u; word++) {
        hash = hash_mix(hash, counts[word]);
    }
    return hash_finish(hash_mix(hash_mix(hash, link.x), link_lasting(link.y)));
}

@compute @workgroup_size(TREE_LANES)
fn fingerprint(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group) / DIGEST_SLICES;
    let slice = flat_group(group) % DIGEST_SLICES;
    if tree < params.n_trees {
        let base = tree * params.capacity;
        var mine = vec2<u32>(0u);
        for (var node = slice * TREE_LANES + lane; node < trees[tree].size; node += DIGEST_SLICES * TREE_LANES) {
            mine += vec2<u32>(hash_node(base + node, node, 0x243f6a88u), hash_node(base + node, node, 0x85a308d3u));
        }
        let sum = reduce_sum(lane, vec4<u32>(mine.x, 0u, mine.y, 0u));
        if lane == 0u {
            digests[tree * DIGEST_SLICES + slice] = sum.xz;
        }
        note_faults_in(tree);
    }
}
