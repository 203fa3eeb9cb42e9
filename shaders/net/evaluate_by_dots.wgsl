// Evaluates leaves by dot products of four bytes: the twin of src/net/evaluate.rs.
//
// One workgroup = one leaf, layer after layer. One lane = TILE neighbouring cells times 4 channels.
// Reads leaf_planes, weights; writes outputs. The activations are in workgroup memory where they fit, else in storage
// (in_workgroup.wgsl, in_storage.wgsl).

const TILES: u32 = (ROWS * PITCH + TILE - 1u) / TILE;

// [cell of the tile]: a lane's sums of 4 channels.
alias Sums = array<vec4<i32>, TILE>;

fn add_products(sums: ptr<function, Sums>, leaf: u32, at: u32, words: u32, w: array<vec4<u32>, 4>) {
    for (var i = 0u; i < TILE; i++) {
        let begin = at + i * words;
        let x = vec4<u32>(load(leaf, begin), load(leaf, begin + 1u), load(leaf, begin + 2u), load(leaf, begin + 3u));
        (*sums)[i] += vec4<i32>(
            dot_bytes(x.x, w[0].x) + dot_bytes(x.y, w[1].x) + dot_bytes(x.z, w[2].x) + dot_bytes(x.w, w[3].x),
            dot_bytes(x.x, w[0].y) + dot_bytes(x.y, w[1].y) + dot_bytes(x.z, w[2].y) + dot_bytes(x.w, w[3].y),
            dot_bytes(x.x, w[0].z) + dot_bytes(x.y, w[1].z) + dot_bytes(x.z, w[2].z) + dot_bytes(x.w, w[3].z),
            dot_bytes(x.x, w[0].w) + dot_bytes(x.y, w[1].w) + dot_bytes(x.z, w[2].w) + dot_bytes(x.w, w[3].w),
        );
    }
}

// A convolution, or the dense layer of a network of one cell: from `words` words a position in one area to GROUPS words
// in another. `layer` is the index of its weights. `adds`: the second layer of a block, whose output adds the block's
// input.
fn convolve(leaf: u32, lane: u32, input: u32, words: u32, output: u32, layer: u32, adds: bool) {
    let constants = layer + TAPS * words * GROUPS;
    for (var item = lane; item < TILES * GROUPS; item += NET_LANES) {
        let group = item % GROUPS;
        let first = BOARD_AT + item / GROUPS * TILE;
        var sums: Sums;
        for (var i = 0u; i < TILE; i++) {
            sums[i] = vec4<i32>(0);
        }
        for (var tap = 0u; tap < TAPS; tap++) {
            let begin = input + (first + tap_offset(tap)) * words;
            for (var word = 0u; word < words; word += 4u) {
                let at = layer + (tap * words + word) * GROUPS + group;
                let w = array<vec4<u32>, 4>(
                    weights[at], weights[at + GROUPS], weights[at + 2u * GROUPS], weights[at + 3u * GROUPS]);
                add_products(&sums, leaf, begin + word, words, w);
            }
        }
        let bias = vec4<i32>(weights[constants + group]);
        let multiplier = weights[constants + GROUPS + group];
        let shift = weights[constants + 2u * GROUPS + group];
        for (var i = 0u; i < TILE; i++) {
            if is_cell(first + i) {
                let at = output + (first + i) * GROUPS + group;
                var value = requantized(sums[i] + bias, multiplier, shift);
                if adds {
                    value += unpacked(load(leaf, at));
                }
                store(leaf, at, packed(value));
            }
        }
    }
    settle();
}

// Always true: a workgroup whose leaf is not evaluated has returned.
fn is_wanted() -> bool {
    return true;
}

fn load_input(leaf: u32, lane: u32) {
    for (var word = lane; word < 2u * AREA_WORDS; word += NET_LANES) {
        store(leaf, word, 0u);
    }
    settle();
    let at = leaf * (NET_CELLS + 1u);
    for (var item = lane; item < ROWS * COLUMNS * INPUT_WORDS; item += NET_LANES) {
        let cell = item / INPUT_WORDS;
        let word = item % INPUT_WORDS;
        let position = BOARD_AT + cell / COLUMNS * PITCH + cell % COLUMNS;
        var bits = 0u;
        if TAPS == 1u {
            bits = flat_bits(at, word);
        } else {
            bits = leaf_planes[at + cell] >> (4u * word);
        }
        store(leaf, INNER + position * INPUT_WORDS + word, spread_bits(bits));
    }
    settle();
}

var<workgroup> sh_evaluated: u32;

@compute @workgroup_size(NET_LANES)
fn evaluate(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let leaf = flat_group(group);
    if lane == 0u {
        sh_evaluated = 0u;
        if leaf < all_leaves() {
            sh_evaluated = leaf_planes[leaf * (NET_CELLS + 1u) + NET_CELLS];
        }
    }
    if workgroupUniformLoad(&sh_evaluated) != 1u {
        return;
    }
    load_input(leaf, lane);
    convolve(leaf, lane, INNER, INPUT_WORDS, OUTER, 0u, false);
    let layer_size = (TAPS * GROUPS + 3u) * GROUPS;
    var layer = (TAPS * INPUT_WORDS + 3u) * GROUPS;
    if BLOCKS > 0u {
        clear_inner(leaf, lane);
    }
    for (var block = 0u; block < BLOCKS; block++) {
        convolve(leaf, lane, OUTER, GROUPS, INNER, layer, false);
        convolve(leaf, lane, INNER, GROUPS, OUTER, layer + layer_size, true);
        layer += 2u * layer_size;
    }
    evaluate_heads(leaf, lane, layer);
}

// Clears the positions between the rows, where the input has been.
fn clear_inner(leaf: u32, lane: u32) {
    for (var word = lane; word < AREA_WORDS; word += NET_LANES) {
        store(leaf, INNER + word, 0u);
    }
    settle();
}
