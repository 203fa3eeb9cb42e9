// Evaluates leaves by products of matrices of 16 x 16, on tensor cores: the twin of src/net/evaluate.rs. 8-bit whole
// numbers are exact in f16, and their products and sums below 2^24 in f32, so that the result is that of whole numbers,
// in whatever order a device adds.
//
// One workgroup = BOARDS leaves, layer after layer. One subgroup = 16 channels of ROW_TILES tiles of 16 positions. A
// layer reads the whole board before its output replaces its input; the input of a block, which is added to its output,
// stays in registers. The functions convolve_input and convolve are generated for the sizes (src/gpu/network.rs), since
// each tile has to be a variable of its own: drivers keep arrays of matrices in memory.
// Reads leaf_planes, weights, matrices; writes outputs.

// [layer][tap][16 inputs][16 outputs][input][output]: the weights of the trunk.
@group(0) @binding(31) var<storage, read> matrices: array<vec4<f16>>;

// Sizes of these variables are multiples of 256 bytes: where one begins at another address, a driver (NVIDIA
// 580.159.04) stores matrices at wrong addresses.
//
// [board][position][STRIDE]: activations of 4 channels. A stride that is no multiple of 128 bytes spreads rows over the
// banks.
var<workgroup> sh_values: array<vec4<f16>, (BOARDS * POSITIONS * STRIDE + 31u) / 32u * 32u>;
// [subgroup of a turn][16 positions][4 x 4 channels]: sums of a tile.
var<workgroup> sh_sums: array<vec4<f32>, SUBGROUPS / TURNS * 64u>;
// [board][word]: the words of the heads.
var<workgroup> sh_heads: array<u32, (BOARDS * HEAD_WORDS + 63u) / 64u * 64u>;
var<workgroup> sh_evaluated: array<u32, 64u>;

const CHANNEL_TILES: u32 = CHANNELS / 16u;
// Words of a tile in a lane, each of 4 neighbouring channels of one position. All have the same channels.
const LANE_WORDS: u32 = 64u / NET_SUBGROUP;

// The board of this invocation in its workgroup.
var<private> own_board: u32;

fn load(leaf: u32, word: u32) -> u32 {
    if word >= INNER {
        return sh_heads[own_board * HEAD_WORDS + word - INNER];
    }
    return joined(vec4<u32>(sh_values[(own_board * POSITIONS + word / GROUPS) * STRIDE + word % GROUPS]));
}

fn store(leaf: u32, word: u32, value: u32) {
    sh_heads[own_board * HEAD_WORDS + word - INNER] = value;
}

// Whether the leaf of this invocation is evaluated.
fn is_wanted() -> bool {
    return sh_evaluated[own_board] == 1u;
}

// Makes stored activations visible to all lanes, which must call this together.
fn settle() {
    workgroupBarrier();
}

struct Invocation {
    @builtin(local_invocation_index) lane: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) subgroup_lane: u32,
}

// The lane's words of all tiles: the input of a block.
alias BlockInput = array<u32, ROW_TILES * LANE_WORDS>;

// A layer's constants of 4 channels: (sum * multiplier + offset) >> shift is `requantized` of sum + bias.
struct Scale {
    multiplier: vec4<i32>,
    offset: vec4<i32>,
    shift: vec4<u32>,
}

fn scale_of(constants: u32, group: u32) -> Scale {
    let multiplier = vec4<i32>(weights[constants + GROUPS + group]);
    let shift = weights[constants + 2u * GROUPS + group];
    let half = vec4<i32>(1) << (shift - 1u);
    return Scale(multiplier, vec4<i32>(weights[constants + group]) * multiplier + half, shift);
}

// Requantizes tile `tile` of the subgroup's sums and writes it to the board. `group`: the lane's 4 channels.
fn finish_tile(own: Invocation, sums: u32, board: u32, position: u32, group: u32, scale: Scale, adds: bool,
    keeps: bool, tile: u32, block_input: ptr<function, BlockInput>) {
    for (var word = 0u; word < LANE_WORDS; word++) {
        let value_at = word * NET_SUBGROUP + own.subgroup_lane;
        let its_position = position + value_at / 4u;
        let sum = vec4<i32>(sh_sums[sums + value_at]);
        var value = (sum * scale.multiplier + scale.offset) >> scale.shift;
        if adds {
            value += unpacked((*block_input)[tile * LANE_WORDS + word]);
        }
        value = clamp(value, vec4<i32>(0), vec4<i32>(127));
        if keeps {
            (*block_input)[tile * LANE_WORDS + word] = joined(vec4<u32>(value));
        }
        if is_cell(its_position) {
            sh_values[(board + its_position) * STRIDE + group] = vec4<f16>(value);
        }
    }
}

// `lane` counts from the first lane of the board.
fn load_input(leaf: u32, lane: u32) {
    let board = own_board * POSITIONS * STRIDE;
    for (var i = lane; i < POSITIONS * STRIDE; i += NET_LANES) {
        sh_values[board + i] = vec4<f16>(0.0h);
    }
    workgroupBarrier();
    if is_wanted() {
        let at = leaf * (NET_CELLS + 1u);
        for (var item = lane; item < ROWS * COLUMNS * INPUT_WORDS; item += NET_LANES) {
            let cell = item / INPUT_WORDS;
            let word = item % INPUT_WORDS;
            let position = BOARD_AT + cell / COLUMNS * PITCH + cell % COLUMNS;
            let bits = (vec4<u32>(leaf_planes[at + cell]) >> (vec4<u32>(0u, 1u, 2u, 3u) + 4u * word)) & vec4<u32>(1u);
            sh_values[board + position * STRIDE + word] = vec4<f16>(bits);
        }
    }
    workgroupBarrier();
}

@compute @workgroup_size(BOARDS * NET_LANES)
fn evaluate(@builtin(workgroup_id) group: vec3<u32>, own: Invocation) {
    own_board = own.lane / NET_LANES;
    let leaf = flat_group(group) * BOARDS + own_board;
    let lane = own.lane % NET_LANES;
    if lane == 0u {
        sh_evaluated[own_board] = 0u;
        if leaf < all_leaves() {
            sh_evaluated[own_board] = leaf_planes[leaf * (NET_CELLS + 1u) + NET_CELLS];
        }
    }
    let evaluated = workgroupUniformLoad(&sh_evaluated);
    var any = 0u;
    for (var board = 0u; board < BOARDS; board++) {
        any |= evaluated[board];
    }
    if any == 0u {
        return;
    }
    load_input(leaf, lane);
    var block_input: BlockInput;
    convolve_input(own, 0u, TAPS * INPUT_WORDS * GROUPS, false, true, &block_input);
    let layer_size = (TAPS * GROUPS + 3u) * GROUPS;
    var layer = (TAPS * INPUT_WORDS + 3u) * GROUPS;
    var tile = TAPS * INPUT_WORDS / 4u * CHANNEL_TILES;
    let layer_tiles = TAPS * CHANNEL_TILES * CHANNEL_TILES;
    for (var block = 0u; block < BLOCKS; block++) {
        let constants = layer + TAPS * GROUPS * GROUPS;
        convolve(own, tile, constants, false, false, &block_input);
        convolve(own, tile + layer_tiles, constants + layer_size, true, true, &block_input);
        layer += 2u * layer_size;
        tile += 2u * layer_tiles;
    }
    evaluate_heads(leaf, lane, layer);
}
