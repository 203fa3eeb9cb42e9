// Allots nodes to the children of a step's leaves, to all of a leaf's or none, in the order of their selections, and
// writes the parents' links (specification, "Several leaves a step"). A node that was selected more than once is
// expanded once.
//
// One workgroup = one tree, one lane = some leaves.
// Reads trees, links; writes trees, links.

// Leaves that are allotted at a time.
const ALLOTTED: u32 = min(LEAVES, 256u);

// [leaf of these]: its legal children, 0 where an earlier leaf is the same node; the index of the first child that is
// allotted.
var<workgroup> sh_wanted: array<u32, ALLOTTED>;
var<workgroup> sh_children: array<u32, ALLOTTED>;

fn load_leaf(tree: u32, place: u32) {
    let at = header_of(tree * LEAVES + place);
    let follows = trees[at].first_child != place;
    let wanted = select(trees[at].expanded & ~LEFT_OUT, 0u, follows);
    let is_too_long = wanted > 0u && trees[at].path_length > MAX_PLIES;
    trees[at].flags |= select(0u, TREE_FOLLOWS, follows) | select(0u, FAULT_TOO_LONG, is_too_long);
    sh_wanted[place % ALLOTTED] = select(wanted, 0u, is_too_long);
}

// One lane allots all nodes, since each leaf's children follow the last one's.
fn allot_children(tree: u32, count: u32) {
    var size = trees[tree].size;
    var flags = 0u;
    for (var i = 0u; i < count; i++) {
        let wanted = sh_wanted[i];
        let fits = wanted <= params.capacity - size;
        sh_children[i] = select(NO_CHILDREN, size, fits && wanted > 0u);
        size += select(0u, wanted, fits);
        flags |= select(TREE_FULL, 0u, fits);
    }
    trees[tree].size = size;
    trees[tree].flags |= flags;
}

// Adds the depths of the new nodes to the tree's sums. All lanes must call this together. Has barriers.
fn note_all_depths(tree: u32, lane: u32, most: u32, sum: u32) {
    let deepest = reduce_max(lane, most);
    let all = reduce_sum(lane, vec4<u32>(sum, 0u, 0u, 0u)).x;
    if lane == 0u {
        trees[tree].max_depth = max(trees[tree].max_depth, deepest);
        trees[tree].depth_sum = u64_add(trees[tree].depth_sum, vec2<u32>(all, 0u));
    }
}

// Writes a leaf's children to its header, and to its node's link; returns their number.
fn enter_children(tree: u32, place: u32) -> u32 {
    let at = header_of(tree * LEAVES + place);
    if (trees[at].flags & TREE_FOLLOWS) != 0u {
        return 0u;
    }
    let first = sh_children[place % ALLOTTED];
    let noted = trees[at].expanded;
    let count = select(0u, noted & ~LEFT_OUT, first != NO_CHILDREN);
    trees[at].first_child = first;
    trees[at].expanded = count;
    if count > 0u {
        let index = tree * params.capacity + trees[at].selected;
        links[index] = vec2<u32>(first, links[index].y | (count << ACTION_BITS) | (noted & LEFT_OUT));
    }
    return count;
}

// Copies the children of a leaf's leader, and draws one of the leaf's children.
fn share_children(tree: u32, place: u32) {
    let at = header_of(tree * LEAVES + place);
    if (trees[at].flags & TREE_FOLLOWS) != 0u {
        let leader = header_of(tree * LEAVES + trees[at].first_child);
        trees[at].first_child = trees[leader].first_child;
        trees[at].expanded = trees[leader].expanded;
    }
    let count = trees[at].expanded;
    trees[at].drawn = 0u;
    if !ALL_CHILDREN && count > 0u {
        var stream: Rng = trees[at].expansion_stream;
        trees[at].drawn = rng_pick_child(&stream, count);
        trees[at].expansion_stream = stream;
    }
}

@compute @workgroup_size(TREE_LANES)
fn allot_leaves(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees {
        for (var top = 0u; top < LEAVES; top += ALLOTTED) {
            let end = min(top + ALLOTTED, LEAVES);
            for (var place = top + lane; place < end; place += TREE_LANES) {
                load_leaf(tree, place);
            }
            workgroupBarrier();
            if lane == 0u {
                allot_children(tree, end - top);
            }
            workgroupBarrier();
            var most = 0u;
            var sum = 0u;
            for (var place = top + lane; place < end; place += TREE_LANES) {
                let count = enter_children(tree, place);
                let depth = select(0u, trees[header_of(tree * LEAVES + place)].path_length, count > 0u);
                most = max(most, depth);
                sum += depth * count;
            }
            storageBarrier();
            note_all_depths(tree, lane, most, sum);
            for (var place = top + lane; place < end; place += TREE_LANES) {
                share_children(tree, place);
            }
        }
    }
}
