// Activations in storage, where they do not fit the memory of a workgroup.

// [leaf][2][AREA_WORDS]
@group(0) @binding(30) var<storage, read_write> activations: array<u32>;

fn load(leaf: u32, word: u32) -> u32 {
    return activations[leaf * 2u * AREA_WORDS + word];
}

fn store(leaf: u32, word: u32, value: u32) {
    activations[leaf * 2u * AREA_WORDS + word] = value;
}

// All lanes must call this together: what they have stored can be loaded after it.
fn settle() {
    storageBarrier();
}
