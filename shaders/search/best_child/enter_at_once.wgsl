// Replaces enter_later.wgsl where a step has one leaf a tree: only the workgroup that makes a node's choice reads its
// link.

fn note_choice(leaf: u32, depth: u32, index: u32, info: u32, ordinal: u32) {
    note_best(index, info, ordinal);
}
