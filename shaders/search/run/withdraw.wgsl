// Undoes a step that was abandoned before its backup: the selected node becomes a leaf again, and the header is the one
// before the step. The host restores the streams. Nodes that the step has appended stay after the tree's last node,
// where no kernel reads them.
//
// One invocation = one tree.
// Reads trees, links, saved_trees; writes trees, links.

// [tree]: the headers before the step.
@group(0) @binding(21) var<storage, read> saved_trees: array<Tree>;

@compute @workgroup_size(TREE_LANES)
fn withdraw(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group) * TREE_LANES + lane;
    if tree >= params.n_trees {
        return;
    }
    let kept = saved_trees[tree];
    // If the step had not reached the tree, its header has the notes of the step before: the size shows whether this
    // step has appended nodes.
    if trees[tree].size > kept.size {
        let selected = tree * params.capacity + trees[tree].selected;
        let info = links[selected].y;
        links[selected] = vec2<u32>(NO_CHILDREN, link_action(info) | (link_outcome(info) << OUTCOME_SHIFT));
    }
    trees[tree] = kept;
}
