// Sets every random stream to its place in the sequence (specification, "Random streams").
//
// One invocation = SEED_RUN neighbouring playout streams, each a jump after the one before, or one expansion stream.
// Reads jumps; writes trees, streams.

@compute @workgroup_size(TREE_LANES)
fn seed(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let id = flat_group(group) * TREE_LANES + lane;
    let per_leaf = STREAM_SETS * PLAYOUTS;
    let count = all_leaves() * per_leaf;
    let first_leaf = params.first_tree * LEAVES;
    let runs = (count + SEED_RUN - 1u) / SEED_RUN;
    let zero = params.stream_zero.xyxy;
    if id < runs {
        let first = id * SEED_RUN;
        var stream = rng_advance(zero, first_leaf * per_leaf + first);
        for (var i = first; i < min(first + SEED_RUN, count); i++) {
            streams[i] = stream;
            stream = rng_advance_by_power(stream, 0u);
        }
    } else if id - runs < all_leaves() {
        let leaf = id - runs;
        trees[header_of(leaf)].expansion_stream = rng_advance(zero, (first_leaf + leaf) * EXPANSION_STRIDE);
    }
}
