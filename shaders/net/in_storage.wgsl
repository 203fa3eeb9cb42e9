// Activations in storage, where they exceed workgroup memory.

// [leaf][2][AREA_WORDS]: activations of the two areas.
@group(0) @binding(30) var<storage, read_write> activations: array<u32>;

fn load(leaf: u32, word: u32) -> u32 {
    return activations[leaf * 2u * AREA_WORDS + word];
}

fn store(leaf: u32, word: u32, value: u32) {
    activations[leaf * 2u * AREA_WORDS + word] = value;
}

// Makes stored activations visible to all lanes, which must call this together.
fn settle() {
    storageBarrier();
}
