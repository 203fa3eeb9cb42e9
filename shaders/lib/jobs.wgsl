// Which child of which leaf an invocation works for.

struct Job {
    leaf: u32,
    // Place among the leaf's new children; 0 for the selected node where nothing was expanded.
    ordinal: u32,
    // There is such a child, or such a node to play out.
    live: bool,
}

// The child-th job where every leaf has MAX_ACTIONS of them, most of which are not live ("prodigal"), or where the
// plan has counted exactly the live ones ("thrifty").
fn find_job(index: u32) -> Job {
    var job: Job;
    if THRIFTY {
        job = find_planned_job(index);
    } else {
        job = Job(index / MAX_ACTIONS, index % MAX_ACTIONS, false);
        if job.leaf < all_leaves() {
            job.live = job.ordinal < nodes_played(job.leaf);
        }
    }
    return job;
}

// Nodes that a step plays out for a leaf, where all new children are.
fn nodes_played(leaf: u32) -> u32 {
    let header = header_of(leaf);
    return select(max(trees[header].expanded, 1u), 0u, root_is_proven(trees[header].flags));
}

// The last leaf that has no more than `index` jobs before it.
fn find_planned_job(index: u32) -> Job {
    var low = 0u;
    var high = all_leaves();
    while high - low > 1u {
        let middle = (low + high) / 2u;
        if jobs[middle] <= index {
            low = middle;
        } else {
            high = middle;
        }
    }
    return Job(low, index - jobs[low], index < jobs[all_leaves()]);
}
