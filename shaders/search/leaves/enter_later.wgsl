// Where a step has several leaves, other workgroups look at a node's link while it chooses: the choice stands behind
// the path until settle_leaves.wgsl enters it.

fn note_choice(leaf: u32, depth: u32, index: u32, info: u32, ordinal: u32) {
    paths[leaf * PATH_WORDS + PATH_CAPACITY + depth] = ordinal;
}
