// The lists of the selections in workgroup memory, where they fit. Arrays of their own let compilers load a next place
// before other lists are written.

var<workgroup> sh_next_places: array<u32, 2u * LEAVES>;
var<workgroup> sh_lists: array<u32, LISTED_WORDS>;

fn begin_lists(tree: u32) {}

fn next_place(at: u32) -> u32 {
    return sh_next_places[at];
}

fn set_next_place(at: u32, place: u32) {
    sh_next_places[at] = place;
}

fn listed(at: u32) -> u32 {
    return sh_lists[at];
}

fn set_listed(at: u32, word: u32) {
    sh_lists[at] = word;
}

// Makes the lists visible to all lanes, which must call this together.
fn publish_lists() {
    workgroupBarrier();
}
