// The lists of the selections in storage, where they exceed workgroup memory.

// [tree][LISTS_STRIDE]: the lists, then the next places.
@group(0) @binding(32) var<storage, read_write> lists: array<u32>;

const LISTS_STRIDE: u32 = LISTED_WORDS + 2u * LEAVES;

// The beginning of the tree's lists.
var<private> own_lists: u32;

fn begin_lists(tree: u32) {
    own_lists = tree * LISTS_STRIDE;
}

fn next_place(at: u32) -> u32 {
    return listed(LISTED_WORDS + at);
}

fn set_next_place(at: u32, place: u32) {
    set_listed(LISTED_WORDS + at, place);
}

fn listed(at: u32) -> u32 {
    return lists[own_lists + at];
}

fn set_listed(at: u32, word: u32) {
    lists[own_lists + at] = word;
}

// Makes the lists visible to all lanes, which must call this together.
fn publish_lists() {
    storageBarrier();
    workgroupBarrier();
}
