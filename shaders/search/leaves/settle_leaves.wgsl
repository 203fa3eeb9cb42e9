// Writes the choices of the nodes of each leaf's path to the tree: the end of a step.
//
// One workgroup = one leaf, one lane = some nodes of its path.
// Reads trees, paths, links; writes links.

@compute @workgroup_size(TREE_LANES)
fn settle_leaves(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let leaf = flat_group(group);
    if leaf < all_leaves() {
        let length = trees[header_of(leaf)].path_length;
        for (var depth = lane; depth < length; depth += TREE_LANES) {
            let choice = paths[leaf * PATH_WORDS + PATH_CAPACITY + depth];
            if choice != NO_CHOICE {
                let index = nodes_of(leaf) + paths[leaf * PATH_WORDS + depth];
                note_best(index, links[index].y, choice);
            }
        }
    }
}
