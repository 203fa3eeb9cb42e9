// Writes the network's input for each leaf: the planes of every cell, and whether the leaf is evaluated (specification,
// "Networks").
//
// One workgroup = one leaf, one lane = some cells.
// Reads trees, links, states; writes trees, leaf_planes.

// [leaf][NET_CELLS + 1]: bit p of a word is plane p of the cell; the last word is 1 where the leaf is evaluated, else
// 0.
@group(0) @binding(27) var<storage, read_write> leaf_planes: array<u32>;

// Whether a leaf is evaluated: not if its tree makes no more steps, its game is over, or an earlier leaf is the same
// node.
fn is_evaluated(leaf: u32) -> bool {
    let header = header_of(leaf);
    let is_selected = trees[header].path_length > 0u && (trees[header].flags & TREE_FOLLOWS) == 0u;
    return is_selected && link_outcome(links[nodes_of(leaf) + trees[header].selected].y) == ONGOING;
}

@compute @workgroup_size(TREE_LANES)
fn write_planes(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let leaf = flat_group(group);
    if leaf < all_leaves() {
        let evaluated = is_evaluated(leaf);
        let at = leaf * (NET_CELLS + 1u);
        if evaluated {
            var state = load_selected(leaf);
            let turn = selected_turn(leaf);
            for (var cell = lane; cell < NET_CELLS; cell += TREE_LANES) {
                leaf_planes[at + cell] = planes(&state, turn, cell);
            }
        }
        if lane == 0u {
            leaf_planes[at + NET_CELLS] = u32(evaluated);
        }
        note_faults(leaf);
    }
}
