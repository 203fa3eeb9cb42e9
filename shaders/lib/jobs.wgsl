// The leaf and the child that an invocation works on.

struct Job {
    leaf: u32,
    // Place among the leaf's new children; 0 for the selected node where nothing was expanded.
    ordinal: u32,
    // The job exists.
    live: bool,
}

// The index-th job: where every leaf has MAX_ACTIONS jobs, most of which are not live ("prodigal"), or where
// `count_jobs` has counted the live ones ("thrifty").
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

// The number of nodes that a step plays out for a leaf, where all new children are played out.
fn nodes_played(leaf: u32) -> u32 {
    let header = header_of(leaf);
    return select(max(trees[header].expanded, 1u), 0u, root_is_proven(trees[header].flags));
}

// The job whose leaf is the last one with at most `index` jobs before it.
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
