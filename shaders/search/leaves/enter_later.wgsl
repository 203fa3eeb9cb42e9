// Where a step has several leaves, other workgroups read a node's link while its choice is made: the choice is noted
// after the path, and settle_leaves.wgsl writes it to the tree.

fn note_choice(leaf: u32, depth: u32, index: u32, info: u32, ordinal: u32) {
    paths[leaf * PATH_WORDS + PATH_CAPACITY + depth] = ordinal;
}
