// Allots nodes to the children of a step's leaves, to all of a leaf's or none, in the order of their selections, and
// writes the parents' links (specification, "Several leaves a step"). A node that was selected more than once is
// expanded once.
//
// One workgroup = one tree, one lane = some leaves.
// Reads trees, links; writes trees, links.

// [place]: the selected node, the number of its legal children, the length of the path, and the index of the first
// child that is allotted.
var<workgroup> sh_selected: array<u32, LEAVES>;
var<workgroup> sh_wanted: array<u32, LEAVES>;
var<workgroup> sh_lengths: array<u32, LEAVES>;
var<workgroup> sh_children: array<u32, LEAVES>;
// [place]: the place of the first leaf with the same node.
var<workgroup> sh_leaders: array<u32, LEAVES>;

fn load_leaves(tree: u32, lane: u32) {
    for (var place = lane; place < LEAVES; place += TREE_LANES) {
        let header = header_of(tree * LEAVES + place);
        sh_selected[place] = trees[header].selected;
        sh_wanted[place] = trees[header].expanded;
        sh_lengths[place] = trees[header].path_length;
    }
    workgroupBarrier();
    for (var place = lane; place < LEAVES; place += TREE_LANES) {
        var leader = 0u;
        while sh_selected[leader] != sh_selected[place] {
            leader++;
        }
        sh_leaders[place] = leader;
    }
    workgroupBarrier();
}

// One lane allots all nodes, since each leaf's children follow the last one's.
fn allot_children(tree: u32) {
    var header = trees[tree];
    for (var place = 0u; place < LEAVES; place++) {
        let count = sh_wanted[place] & ~LEFT_OUT;
        let depth = sh_lengths[place];
        sh_children[place] = NO_CHILDREN;
        if count == 0u || sh_leaders[place] != place {
            continue;
        }
        if count > params.capacity - header.size {
            header.flags |= TREE_FULL;
        } else if depth > MAX_PLIES {
            header.flags |= FAULT_TOO_LONG;
        } else {
            sh_children[place] = header.size;
            header.size += count;
            note_depths(&header, depth, count);
        }
    }
    trees[tree].flags = header.flags;
    trees[tree].size = header.size;
    trees[tree].max_depth = header.max_depth;
    trees[tree].depth_sum = header.depth_sum;
}

// Writes a leaf's children to its header, and to its node's link.
fn enter_children(tree: u32, place: u32) {
    let at = header_of(tree * LEAVES + place);
    let leader = sh_leaders[place];
    let first = sh_children[leader];
    let count = select(0u, sh_wanted[leader] & ~LEFT_OUT, first != NO_CHILDREN);
    trees[at].first_child = first;
    trees[at].expanded = count;
    trees[at].drawn = 0u;
    if !ALL_CHILDREN && count > 0u {
        var stream: Rng = trees[at].expansion_stream;
        trees[at].drawn = rng_pick_child(&stream, count);
        trees[at].expansion_stream = stream;
    }
    if leader != place {
        trees[at].flags |= TREE_FOLLOWS;
    } else if count > 0u {
        let index = tree * params.capacity + sh_selected[place];
        links[index] = vec2<u32>(first, links[index].y | (count << ACTION_BITS) | (sh_wanted[place] & LEFT_OUT));
    }
}

@compute @workgroup_size(TREE_LANES)
fn allot_leaves(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees {
        load_leaves(tree, lane);
        if lane == 0u {
            allot_children(tree);
        }
        workgroupBarrier();
        for (var place = lane; place < LEAVES; place += TREE_LANES) {
            enter_children(tree, place);
        }
    }
}
