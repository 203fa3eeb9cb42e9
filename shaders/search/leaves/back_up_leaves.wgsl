// Adds the tallies of each leaf to the nodes that were played out, and along its path (specification, "Several leaves a
// step"). The selection has counted the visits of the path already, except those of further children. Sums do not
// depend on their order: leaves that share nodes add to them side by side.
//
// One workgroup = one leaf, one lane = some of its children, then some nodes of its path.
// Reads trees, paths, counters, links, tallies; writes trees, counters.

// [tree][capacity][4]: the words of `stats`. An index of words would pass 2^32 at 2^30 nodes.
@group(0) @binding(4) var<storage, read_write> counters: array<array<atomic<u32>, 4>>;

// Adds to a 64-bit counter by atomics. No sum is so great that its carry reaches the mark of a proof.
fn add_to_counter(node: u32, low: u32, value: u32) {
    if value > 0u && atomicAdd(&counters[node][low], value) > 0xffffffffu - value {
        atomicAdd(&counters[node][low + 1u], 1u);
    }
}

fn take_visits(node: u32, n: u32) {
    if atomicSub(&counters[node][0], n) < n {
        atomicSub(&counters[node][1], 1u);
    }
}

fn add_to_node(index: u32, n: u32, n_wins: u32) {
    add_to_counter(index, 0u, n);
    add_to_counter(index, 2u, n_wins);
}

// Adds the tallies of the lane's share of the played nodes to them; returns the sum of their points.
fn back_up_children(leaf: u32, lane: u32, header: Tree) -> vec2<u32> {
    var first = nodes_of(leaf) + header.first_child;
    var places = 1u;
    if ALL_CHILDREN {
        places = max(header.expanded, 1u);
    } else {
        first += header.drawn;
    }
    let mover = turn_of(header.flags, header.path_length - 1u);
    var sum = vec2<u32>(0u);
    for (var ordinal = lane; ordinal < places; ordinal += TREE_LANES) {
        let tally = load_tally(leaf, ordinal);
        sum += tally;
        // A selected node that was itself played out is on the path.
        if header.expanded > 0u {
            add_to_node(first + ordinal, PLAYOUTS, tally[mover]);
        }
    }
    return sum;
}

// The points of a leaf by the network; 0 where an earlier leaf is the same node, as the leaf's visits are subtracted.
fn evaluated_points(leaf: u32, flags: u32) -> vec2<u32> {
    if !NET || (flags & (TREE_FOLLOWS | TREE_PROVEN)) != 0u {
        return vec2<u32>(0u);
    }
    return tallies[leaf];
}

@compute @workgroup_size(TREE_LANES)
fn back_up_leaves(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let leaf = flat_group(group);
    if leaf < all_leaves() {
        let at = header_of(leaf);
        let header = trees[at];
        var mine = vec2<u32>(0u);
        var ended = 0u;
        if !root_is_proven(header.flags) {
            if !NET {
                mine = back_up_children(leaf, lane, header);
            }
            if (header.flags & TREE_FOLLOWS) == 0u {
                ended = count_ended(nodes_of(leaf) + header.first_child, header.expanded, lane);
            }
        }
        let sum = reduce_sum(lane, vec4<u32>(mine.x, ended, mine.y, 0u));
        let more = select(0u, PLAYOUTS * (max(header.expanded, 1u) - 1u), ALL_CHILDREN);
        let points = select(sum.xz, evaluated_points(leaf, header.flags), vec2<bool>(NET));
        for (var depth = lane; depth < header.path_length; depth += TREE_LANES) {
            let node = nodes_of(leaf) + paths[leaf * PATH_WORDS + depth];
            add_to_node(node, more, points[1u - turn_of(header.flags, depth)]);
            if NET && (header.flags & TREE_FOLLOWS) != 0u {
                take_visits(node, PLAYOUTS);
            }
        }
        if lane == 0u && header.path_length > 0u {
            trees[at].tally = points;
            trees[at].flags |= select(0u, TREE_ENDED, sum.y > 0u);
        }
    }
}
