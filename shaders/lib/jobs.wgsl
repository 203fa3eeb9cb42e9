// Which child of which tree an invocation works for.

struct Job {
    tree: u32,
    // Place among the tree's new children; 0 for the selected node where nothing was expanded.
    ordinal: u32,
    // There is such a child, or such a node to play out.
    live: bool,
}

// The child-th job where every tree has MAX_ACTIONS of them, most of which are not live ("prodigal"), or where the
// plan has counted exactly the live ones ("thrifty").
fn find_job(index: u32) -> Job {
    var job: Job;
    if THRIFTY {
        job = find_planned_job(index);
    } else {
        job = Job(index / MAX_ACTIONS, index % MAX_ACTIONS, false);
        if job.tree < params.n_trees {
            job.live = job.ordinal < nodes_played(job.tree);
        }
    }
    return job;
}

// Nodes that a step plays out in a tree, where all new children are.
fn nodes_played(tree: u32) -> u32 {
    return select(max(trees[tree].expanded, 1u), 0u, is_resting(trees[tree].flags));
}

// The last tree that has no more than `index` jobs before it.
fn find_planned_job(index: u32) -> Job {
    var low = 0u;
    var high = params.n_trees;
    while high - low > 1u {
        let middle = (low + high) / 2u;
        if jobs[middle] <= index {
            low = middle;
        } else {
            high = middle;
        }
    }
    return Job(low, index - jobs[low], index < jobs[params.n_trees]);
}
