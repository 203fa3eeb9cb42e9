// Activations in workgroup memory.

var<workgroup> sh_activations: array<u32, 2u * AREA_WORDS>;

fn load(leaf: u32, word: u32) -> u32 {
    return sh_activations[word];
}

fn store(leaf: u32, word: u32, value: u32) {
    sh_activations[word] = value;
}

// Makes stored activations visible to all lanes, which must call this together.
fn settle() {
    workgroupBarrier();
}
