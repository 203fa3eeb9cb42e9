// Gives every random stream its place in the sequence (specification, "Random streams").
//
// One invocation = SEED_RUN neighbouring playout streams, each a jump behind the last, or one expansion stream.
// Reads jumps; writes trees, streams.

@compute @workgroup_size(TREE_LANES)
fn seed(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let id = flat_group(group) * TREE_LANES + lane;
    let per_tree = STREAM_SETS * PLAYOUTS;
    let count = params.n_trees * per_tree;
    let runs = (count + SEED_RUN - 1u) / SEED_RUN;
    let zero = params.stream_zero.xyxy;
    if id < runs {
        let first = id * SEED_RUN;
        var stream = rng_advance(zero, params.first_tree * per_tree + first);
        for (var i = first; i < min(first + SEED_RUN, count); i++) {
            streams[i] = stream;
            stream = rng_advance_by_power(stream, 0u);
        }
    } else if id - runs < params.n_trees {
        let tree = id - runs;
        trees[tree].expansion_stream = rng_advance(zero, (params.first_tree + tree) * EXPANSION_STRIDE);
    }
}
