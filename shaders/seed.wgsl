// Gives every random stream its place in the sequence (SPEC, "Random streams").
// One invocation = one stream: first all playout streams of the chunk, then the expansion stream of each tree.
// Reads params, jumps; writes streams, trees[].expansion_stream.

@compute @workgroup_size(TREE_LANES)
fn seed(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let id = flat_group(group) * TREE_LANES + lane;
    let per_tree = STREAM_SETS * PLAYOUTS;
    let count = params.n_trees * per_tree;
    let zero = params.stream_zero.xyxy;
    if id < count {
        streams[id] = rng_advance(zero, params.first_tree * per_tree + id);
    } else if id - count < params.n_trees {
        let tree = id - count;
        trees[tree].expansion_stream = rng_advance(zero, (params.first_tree + tree) * EXPANSION_STRIDE);
    }
}
