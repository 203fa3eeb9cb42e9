// The common part of a network's kernels: buffers, arithmetic, and heads (specification, "Networks"). Sums are of whole
// numbers and below 2^24, so that the order of additions does not change them.
//
// Activations are words of 4 channels, [area][position][word]; the kernels define load, store and settle for them. A
// row of a board ends with a position of zeros, and a row of zeros lies before the first and after the last row: taps
// beyond the edge read zeros.
//
//     position   0  . . . . .         a board of 2 x 4: the first row begins at BOARD_AT = 6
//                   a b c d .
//                   e f g h .
//                   . . . . .

// [leaf][NET_CELLS + 1]: bit p of a word is plane p of the cell; the last word is 1 where the leaf is evaluated.
@group(0) @binding(27) var<storage, read> leaf_planes: array<u32>;
// [leaf][ACTIONS + 3]: logits of the actions; win, draw and loss of the player to move.
@group(0) @binding(28) var<storage, read_write> outputs: array<i32>;
// The layers in order, as src/gpu/network.rs packs them: [tap][word of the input][4 channels] weights; then [4
// channels] biases, multipliers, shifts.
@group(0) @binding(29) var<storage, read> weights: array<vec4<u32>>;

// Groups of 4 channels.
const GROUPS: u32 = CHANNELS / 4u;
// The areas of the blocks' input, and of the activations between their two layers.
const OUTER: u32 = 0u;
const INNER: u32 = AREA_WORDS;

// sum * multiplier / 2^shift, rounded to the nearest.
fn requantized(sum: vec4<i32>, multiplier: vec4<u32>, shift: vec4<u32>) -> vec4<i32> {
    return (sum * vec4<i32>(multiplier) + (vec4<i32>(1) << (shift - 1u))) >> shift;
}

fn joined(bytes: vec4<u32>) -> u32 {
    return bytes.x | (bytes.y << 8u) | (bytes.z << 16u) | (bytes.w << 24u);
}

fn packed(values: vec4<i32>) -> u32 {
    return joined(vec4<u32>(clamp(values, vec4<i32>(0), vec4<i32>(127))));
}

fn unpacked(word: u32) -> vec4<i32> {
    return vec4<i32>((vec4<u32>(word) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u));
}

// Whether a position has a cell on the board.
fn is_cell(position: u32) -> bool {
    let place = position - BOARD_AT;
    return place % PITCH < COLUMNS && place < ROWS * PITCH;
}

// The offset of a tap's cell, in positions.
fn tap_offset(tap: u32) -> u32 {
    if TAPS == 1u {
        return 0u;
    }
    return (tap / 3u) * PITCH + tap % 3u - PITCH - 1u;
}

// Four bits of the planes as four bytes: the input of a first layer with taps.
fn spread_bits(bits: u32) -> u32 {
    return (bits & 1u) | ((bits & 2u) << 7u) | ((bits & 4u) << 14u) | ((bits & 8u) << 21u);
}

// Four bits as four bytes: the input of a first layer on one cell, plane after plane.
fn flat_bits(at: u32, word: u32) -> u32 {
    var bits = 0u;
    for (var i = 0u; i < 4u; i++) {
        let place = 4u * word + i;
        if place < PLANES * NET_CELLS {
            bits |= ((leaf_planes[at + place % NET_CELLS] >> (place / NET_CELLS)) & 1u) << i;
        }
    }
    return bits;
}

// The dot products of a word with four others.
fn dot_columns(x: u32, w: vec4<u32>) -> vec4<i32> {
    return vec4<i32>(dot_bytes(x, w.x), dot_bytes(x, w.y), dot_bytes(x, w.z), dot_bytes(x, w.w));
}

// Four dot products of the input with columns of a matrix, [word of the input][4 outputs].
fn dense_sums(leaf: u32, input: u32, words: u32, layer: u32, group: u32, groups: u32) -> vec4<i32> {
    var sum = vec4<i32>(0);
    var word = 0u;
    // Eight loads at a time overlap.
    for (; word + 8u <= words; word += 8u) {
        var w: array<vec4<u32>, 8>;
        for (var i = 0u; i < 8u; i++) {
            w[i] = weights[layer + (word + i) * groups + group];
        }
        for (var i = 0u; i < 8u; i++) {
            sum += dot_columns(load(leaf, input + word + i), w[i]);
        }
    }
    for (; word < words; word++) {
        sum += dot_columns(load(leaf, input + word), weights[layer + word * groups + group]);
    }
    return sum;
}

// Four outputs of a dense layer with `groups` times 4 of them.
fn dense(leaf: u32, input: u32, words: u32, layer: u32, group: u32, groups: u32) -> vec4<i32> {
    let constants = layer + words * groups + group;
    let sum = dense_sums(leaf, input, words, layer, group, groups) + vec4<i32>(weights[constants]);
    return requantized(sum, weights[constants + groups], weights[constants + 2u * groups]);
}

fn write_outputs(leaf: u32, first: u32, count: u32, values: vec4<i32>) {
    for (var i = 0u; i < min(count, 4u) && is_wanted(); i++) {
        outputs[leaf * (ACTIONS + 3u) + first + i] = clamp(values[i], -32768, 32767);
    }
}

// Words of the policy's flat list, of the value's, and of its hidden layer, in this order in the inner area.
const POLICY_WORDS: u32 = (POLICY_CHANNELS * ROWS * COLUMNS + 3u) / 4u;
const VALUE_WORDS: u32 = (VALUE_CHANNELS * ROWS * COLUMNS + 3u) / 4u;
const HIDDEN_WORDS: u32 = (VALUE_HIDDEN + 3u) / 4u;
const ACTION_GROUPS: u32 = (ACTIONS + 3u) / 4u;
const POLICY_AT: u32 = INNER;
const VALUE_AT: u32 = POLICY_AT + POLICY_WORDS;
const HIDDEN_AT: u32 = VALUE_AT + VALUE_WORDS;
// [cell][group of 4 channels]: the outputs of both heads' layers of one tap, the policy's channels first.
const HEADS_AT: u32 = HIDDEN_AT + HIDDEN_WORDS;
const HEAD_GROUPS: u32 = (POLICY_CHANNELS + VALUE_CHANNELS + 3u) / 4u;

fn apply_head_layers(leaf: u32, lane: u32, layer: u32) {
    for (var item = lane; item < ROWS * COLUMNS * HEAD_GROUPS; item += NET_LANES) {
        let cell = item / HEAD_GROUPS;
        let at = OUTER + (BOARD_AT + cell / COLUMNS * PITCH + cell % COLUMNS) * GROUPS;
        store(leaf, HEADS_AT + item, packed(dense(leaf, at, GROUPS, layer, item % HEAD_GROUPS, HEAD_GROUPS)));
    }
}

// A word of a head's flat list of channels and cells, 4 to a word; `first` is its first channel.
fn flat_word(leaf: u32, word: u32, first: u32, channels: u32) -> u32 {
    var bytes: vec4<u32>;
    for (var i = 0u; i < 4u; i++) {
        let place = 4u * word + i;
        let channel = place / (ROWS * COLUMNS);
        if channel < channels {
            let output = first + channel;
            let group = load(leaf, HEADS_AT + place % (ROWS * COLUMNS) * HEAD_GROUPS + output / 4u);
            bytes[i] = (group >> (output % 4u * 8u)) & 255u;
        }
    }
    return joined(bytes);
}

fn flatten_heads(leaf: u32, lane: u32) {
    for (var word = lane; word < POLICY_WORDS + VALUE_WORDS; word += NET_LANES) {
        if word < POLICY_WORDS {
            store(leaf, POLICY_AT + word, flat_word(leaf, word, 0u, POLICY_CHANNELS));
        } else {
            store(leaf, POLICY_AT + word, flat_word(leaf, word - POLICY_WORDS, POLICY_CHANNELS, VALUE_CHANNELS));
        }
    }
}

// The policy's dense layer and the value's hidden layer, side by side: lanes take 4 outputs of either.
fn apply_dense_layers(leaf: u32, lane: u32, actions: u32, hidden: u32) {
    for (var item = lane; item < HIDDEN_WORDS + ACTION_GROUPS; item += NET_LANES) {
        let is_hidden = item < HIDDEN_WORDS;
        let group = select(item - HIDDEN_WORDS, item, is_hidden);
        let input = select(POLICY_AT, VALUE_AT, is_hidden);
        let words = select(POLICY_WORDS, VALUE_WORDS, is_hidden);
        let groups = select(ACTION_GROUPS, HIDDEN_WORDS, is_hidden);
        let values = dense(leaf, input, words, select(actions, hidden, is_hidden), group, groups);
        if is_hidden {
            store(leaf, HIDDEN_AT + group, packed(values));
        } else {
            write_outputs(leaf, 4u * group, ACTIONS - 4u * group, values);
        }
    }
}

fn evaluate_heads(leaf: u32, lane: u32, heads: u32) {
    let actions = heads + (GROUPS + 3u) * HEAD_GROUPS;
    let hidden = actions + (POLICY_WORDS + 3u) * ACTION_GROUPS;
    let results = hidden + (VALUE_WORDS + 3u) * HIDDEN_WORDS;
    apply_head_layers(leaf, lane, heads);
    settle();
    flatten_heads(leaf, lane);
    settle();
    apply_dense_layers(leaf, lane, actions, hidden);
    settle();
    if lane == 0u {
        write_outputs(leaf, ACTIONS, 3u, dense(leaf, HIDDEN_AT, HIDDEN_WORDS, results, 0u, 1u));
    }
}
