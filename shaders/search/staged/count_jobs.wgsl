// Counts the jobs of a step and writes the numbers of workgroups that thrifty variants launch, so that the host reads
// nothing back. A leaf has a job for every new child, or one for the selected node where nothing was expanded; none
// where its tree's root is proven.
//
// One workgroup = all leaves, one lane = every TREE_LANES-th leaf.
// Reads trees; writes jobs, dispatches.

@compute @workgroup_size(TREE_LANES)
fn count_jobs(@builtin(local_invocation_index) lane: u32) {
    var before = 0u;
    for (var first = 0u; first < all_leaves(); first += TREE_LANES) {
        let leaf = first + lane;
        var count = 0u;
        if leaf < all_leaves() {
            count = nodes_played(leaf);
        }
        let place = scan_counts(lane, count);
        if leaf < all_leaves() {
            jobs[leaf] = before + place.x;
        }
        before += place.y;
    }
    if lane == 0u {
        jobs[all_leaves()] = before;
        write_dispatch(0u, before, TREE_LANES);
        write_dispatch(3u, before * PLAYOUTS, GROUP_GAMES);
    }
}

// Workgroups of `lanes` for `invocations`, in rows of GROUP_ROW.
fn write_dispatch(at: u32, invocations: u32, lanes: u32) {
    let groups = (invocations + lanes - 1u) / lanes;
    dispatches[at] = min(groups, GROUP_ROW);
    dispatches[at + 1u] = (groups + GROUP_ROW - 1u) / GROUP_ROW;
    dispatches[at + 2u] = 1u;
}
