// Reduces every tree to its root; the random streams continue.
//
// One invocation = one tree.
// Reads roots, trees; writes trees, stats, links.

@compute @workgroup_size(TREE_LANES)
fn reset(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group) * TREE_LANES + lane;
    if tree >= params.n_trees {
        return;
    }
    let record = tree * ROOT_WORDS;
    let stream = trees[tree].expansion_stream;
    trees[tree] = Tree(1u, roots[record] * TREE_SECOND_MOVES, 0u, 0u, 0u, 0u, 0u, 0u,
        vec2<u32>(0u), vec2<u32>(0u), stream);
    let root = tree * params.capacity;
    stats[root] = vec4<u32>(0u);
    links[root] = vec2<u32>(NO_CHILDREN, roots[record + 1u] << OUTCOME_SHIFT);
}
