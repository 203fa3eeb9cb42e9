// Activations in the memory of the workgroup.

var<workgroup> sh_activations: array<u32, 2u * AREA_WORDS>;

fn load(leaf: u32, word: u32) -> u32 {
    return sh_activations[word];
}

fn store(leaf: u32, word: u32, value: u32) {
    sh_activations[word] = value;
}

// All lanes must call this together: what they have stored can be loaded after it.
fn settle() {
    workgroupBarrier();
}
