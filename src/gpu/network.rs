//! The network of a search on a device: its kernel, and its weights in the kernel's layout.

use crate::{
    device::{
        Device, Machine,
        compose::{Composed, Source, compose, constants, files},
        kernels::Kernels,
    },
    error::{Error, Result},
    exact::rng::Stream,
    forest::{Shape, fault::SOFTWARE_ITERATIONS, layout::Params},
    gpu::{
        buffers::UNIFORM,
        forest::dispatch,
        shaders::{Widths, library},
    },
    net::{Layer, LeafEvaluation, NetKernel, Network, Placement, Trunk},
    rules::GameShader,
};
use std::collections::HashMap;
use wgpu::BufferUsages;

/// The kernel that evaluates leaves.
pub const EVALUATE: &str = "evaluate";
/// The greatest number of its lanes.
const MOST_LANES: u32 = 256;
/// Rows of a tile of a matrix, and values of a tile.
const TILE: u32 = 16;
/// Channels from which matrices are faster than dot products, for each part of a board. Evaluations/s in searches by
/// matrices and by dot products: Connect 4 2 x 16 8.06 and 7.59 M, Go 9x9 2 x 48 1.24 and 1.04 M, Gomoku 4 x 32 (three
/// parts) 1.07 and 1.51 M (NVIDIA H100); Breakthrough 4 x 32 9.1 and 3.8 M (H200).
const LEAST_CHANNELS: u32 = 16;
/// Groups of 4 channels between two rows of activations, so that rows lie in different banks.
const BETWEEN_ROWS: u32 = 2;

/// A network on a device.
#[derive(Debug)]
pub struct DeviceNetwork {
    /// With [`EVALUATE`].
    pub kernels: Kernels,
    /// Its buffers, by name.
    pub buffers: Vec<(&'static str, wgpu::Buffer)>,
    /// Leaves of a workgroup.
    pub boards: u32,
}

impl DeviceNetwork {
    /// Compiles the kernel and allocates memory for the weights.
    ///
    /// # Errors
    /// Shader, where the kernel does not fit the device; out of memory; bad input where the device does not have the
    /// requested kernel, or a software adapter ends its loops.
    pub async fn new(
        device: &Device,
        game: &GameShader,
        shape: &Shape,
        (net, asked): (&Network, NetKernel),
    ) -> Result<Self> {
        let name = &device.info().name;
        let kernel = kernel_of(net, asked, device.machine()).ok_or_else(|| {
            let what = "has no cooperative matrices for this network: choose --net-kernel auto";
            Error::invalid(format!("{name} {what}"))
        })?;
        if device.info().is_software() && iterations(net) > u64::from(SOFTWARE_ITERATIONS) {
            let net = net.name();
            return Err(Error::invalid(format!(
                "the network {net} is too large for {name}, which ends long loops: search with --adapter cpu"
            )));
        }
        let by_matrices =
            Matrices::of(net, device.machine(), shape.all_leaves()).filter(|_| kernel == NetKernel::Tensor);
        let module = match &by_matrices {
            Some(tiles) => matrices_module(game, shape, net, tiles)?,
            None => dots_module(game, shape, net, (kernel, device.limits()))?,
        };
        let kernels = Kernels::compile(device, &module, &[EVALUATE]).await?;
        let boards = by_matrices.map_or(1, |tiles| tiles.boards);
        if let Some(buffers) = device.uploaded(net.digest(), kernel) {
            return Ok(Self { kernels, buffers, boards });
        }
        let mut buffers =
            vec![("weights", device.upload("weights", BufferUsages::STORAGE, &weights(net)).await?)];
        if by_matrices.is_some() {
            buffers
                .push(("matrices", device.upload("matrices", BufferUsages::STORAGE, &matrices(net)).await?));
        }
        let network = Self { kernels, buffers, boards };
        if by_matrices.is_some() && !network.agrees(device, shape, net).await? {
            return Err(Error::refused(format!("{name} computes other sums by cooperative matrices")));
        }
        device.keep_uploaded(net.digest(), kernel, &network.buffers);
        Ok(network)
    }

    /// Whether the kernel gives the outputs of its twin for some random boards. Cooperative matrices are experimental
    /// in wgpu, and drivers have bugs: one stores them at wrong addresses where an array does not begin at a multiple
    /// of 256 bytes.
    async fn agrees(&self, device: &Device, shape: &Shape, net: &Network) -> Result<bool> {
        let trees = (4 * self.boards).div_ceil(shape.config.leaf_batch);
        let leaves = (trees * shape.config.leaf_batch) as usize;
        let (mut stream, planes) = (Stream::seeded(1), net.sizes().planes);
        let mut cell = || (stream.next_u64() >> 32) as u32 & (u32::MAX >> (32 - planes));
        let boards: Vec<u32> = (0..leaves * net.sizes().cells() as usize).map(|_| cell()).collect();
        let evaluated: Vec<u32> = boards
            .chunks(net.sizes().cells() as usize)
            .flat_map(|board| board.iter().copied().chain([1]))
            .collect();
        let mut expected = vec![0; leaves * (net.sizes().actions as usize + 3)];
        net.evaluate(&boards, &mut expected);
        let params = Params { n_trees: trees, ..Params::default() };
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
        let outputs = device.buffer("outputs", 4 * expected.len() as u64, usage).await?;
        let mut buffers: HashMap<&str, wgpu::Buffer> = self.buffers.iter().cloned().collect();
        buffers.insert("params", device.upload("params", UNIFORM, &[params]).await?);
        buffers.insert("leaf_planes", device.upload("leaf_planes", BufferUsages::STORAGE, &evaluated).await?);
        buffers.insert("outputs", outputs.clone());
        let bound = self.kernels.bind(device, EVALUATE, &buffers)?;
        let groups = (leaves as u32).div_ceil(self.boards);
        device.submit_pass(|pass| dispatch(pass, &bound, groups));
        Ok(device.read::<i32>(&outputs, expected.len()).await? == expected)
    }
}

/// Whether a device evaluates the network of a shape by matrices.
pub fn takes_matrices(shape: &Shape, machine: Machine<'_>) -> bool {
    let Some(LeafEvaluation::Network(net, asked)) = &shape.evaluation else { return false };
    kernel_of(net, *asked, machine) == Some(NetKernel::Tensor)
}

/// The kernel for a requested one, with `Auto` resolved; `None` where a machine does not have it.
pub fn kernel_of(net: &Network, asked: NetKernel, machine: Machine<'_>) -> Option<NetKernel> {
    let cut = Matrices::of(net, machine, 1);
    let pays = |cut: &Matrices| net.sizes().channels >= LEAST_CHANNELS * cut.row_blocks;
    match asked {
        NetKernel::Auto if cut.as_ref().is_some_and(pays) => Some(NetKernel::Tensor),
        NetKernel::Auto => Some(NetKernel::Dot),
        NetKernel::Tensor if cut.is_none() => None,
        kernel => Some(kernel),
    }
}

/// The greatest number of loop iterations in an invocation of the kernel of dot products.
fn iterations(net: &Network) -> u64 {
    let place = Placement::of(net);
    let (groups, tiles) = (net.sizes().channels / 4, (place.rows * place.pitch).div_ceil(place.tile));
    let items = u64::from((tiles * groups).div_ceil(lanes(net)));
    let products =
        u64::from(place.taps * groups.max(place.input_words) / 4 * (place.tile + 1) + 3 * place.tile);
    let layers = 1 + 2 * u64::from(net.sizes().blocks);
    let head_items = (place.rows * place.columns * place.head_groups).div_ceil(lanes(net));
    let heads = net.policy[1].inputs + net.value[1].inputs + 3 * groups * head_items;
    2 * (layers * items * products + u64::from(heads) + u64::from(place.area_words / lanes(net)))
}

/// Lanes of a workgroup of that kernel: one for each tile of cells and group of channels, up to `MOST_LANES`.
fn lanes(net: &Network) -> u32 {
    let place = Placement::of(net);
    let items = (place.rows * place.pitch).div_ceil(place.tile) * net.sizes().channels / 4;
    let rounds = items.div_ceil(MOST_LANES);
    items.div_ceil(rounds).next_multiple_of(32).min(MOST_LANES)
}

/// Generated constants of both kernels.
fn numbers(net: &Network, lanes: u32) -> String {
    let (place, sizes) = (Placement::of(net), net.sizes());
    constants([
        ("ROWS", place.rows),
        ("COLUMNS", place.columns),
        ("PITCH", place.pitch),
        ("BOARD_AT", place.board_at),
        ("TAPS", place.taps),
        ("TILE", place.tile),
        ("INPUT_WORDS", place.input_words),
        ("AREA_WORDS", place.area_words),
        ("PLANES", sizes.planes),
        ("ACTIONS", sizes.actions),
        ("CHANNELS", sizes.channels),
        ("BLOCKS", sizes.blocks),
        ("POLICY_CHANNELS", sizes.policy_channels),
        ("VALUE_CHANNELS", sizes.value_channels),
        ("VALUE_HIDDEN", sizes.value_hidden),
        ("NET_LANES", lanes),
    ])
}

fn module(
    game: &GameShader,
    shape: &Shape,
    features: &str,
    own: String,
    kernel: Vec<Source>,
) -> Result<Composed> {
    let widths = Widths { playout: 1, games: 1, ..Widths::of(32) };
    let features = Source::of(game, "(features)", features);
    let own = Source::of(game, "(sizes of the network)", own);
    compose(&[vec![features], library(game, shape, widths), vec![own], kernel].concat())
}

/// The module of the kernel of dot products. The activations are in workgroup memory where those of a board fit.
///
/// # Errors
/// Shader: a bug of this crate.
pub fn dots_module(
    game: &GameShader,
    shape: &Shape,
    net: &Network,
    (kernel, limits): (NetKernel, &wgpu::Limits),
) -> Result<Composed> {
    let in_workgroup = Placement::of(net).workgroup_bytes() <= limits.max_compute_workgroup_storage_size;
    let lanes = lanes(net).min(limits.max_compute_invocations_per_workgroup);
    let products =
        if kernel == NetKernel::Plain { files!["net/plain.wgsl"] } else { files!["net/dots.wgsl"] };
    let memory = if in_workgroup { files!["net/in_workgroup.wgsl"] } else { files!["net/in_storage.wgsl"] };
    let kernel = [products, memory, files!["net/heads.wgsl", "net/evaluate_by_dots.wgsl"]].concat();
    module(game, shape, "", numbers(net, lanes), kernel)
}

/// The division of a network into matrices (`shaders/net/evaluate_by_matrices.wgsl`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Matrices {
    /// Leaves of a workgroup.
    boards: u32,
    /// Tiles of 16 positions of a board.
    board_tiles: u32,
    /// Tiles of a subgroup: all of some boards, or a part of one.
    row_tiles: u32,
    /// Parts of a board. Each part has subgroups of its own.
    row_blocks: u32,
    /// Turns in which the subgroups store their sums, where workgroup memory has no room for those of all.
    turns: u32,
    /// Tiles of 16 channels of the input, and of the layers after it.
    input_tiles: u32,
    channel_tiles: u32,
    /// Subgroups of a workgroup, and their lanes.
    subgroups: u32,
    subgroup: u32,
    positions: u32,
    /// Groups of 4 channels from a position to the next one.
    stride: u32,
    head_words: u32,
}

impl Matrices {
    /// The division for this many leaves a step. `None` where a machine has no matrices, or a board does not fit a
    /// workgroup.
    pub fn of(net: &Network, machine: Machine<'_>, leaves: u32) -> Option<Self> {
        let Machine { limits, subgroup, matrices, .. } = machine;
        if !matrices || !(16..=64).contains(&subgroup) || net.sizes().trunk != Trunk::Conv {
            return None;
        }
        let most = MOST_TILES / Placement::of(net).board_tiles();
        let boards = most.min(leaves.div_ceil(MULTIPROCESSORS)).max(1);
        let divisions = (1..=boards).rev().map(|boards| (boards, 1)).chain([(1, 2), (1, 4)]);
        let mut cuts = divisions.map(|(boards, turns)| Self::with(net, subgroup, boards, turns));
        cuts.find(|cut| {
            let lanes = cut.subgroups * subgroup;
            cut.subgroups.is_multiple_of(cut.turns)
                && cut.bytes() <= limits.max_compute_workgroup_storage_size
                && lanes <= limits.max_compute_invocations_per_workgroup
                && lanes.is_multiple_of(cut.boards)
        })
    }

    fn with(net: &Network, subgroup: u32, boards: u32, turns: u32) -> Self {
        let (place, sizes) = (Placement::of(net), net.sizes());
        let board_tiles = place.board_tiles();
        let row_blocks = board_tiles.div_ceil(MOST_TILES);
        let a_block = board_tiles.div_ceil(row_blocks);
        let channel_tiles = sizes.channels / TILE;
        Self {
            boards,
            board_tiles,
            row_tiles: a_block * boards,
            row_blocks,
            turns,
            input_tiles: place.input_words / 4,
            channel_tiles,
            subgroups: row_blocks * channel_tiles,
            subgroup,
            positions: 2 * place.board_at + row_blocks * a_block * TILE,
            stride: (sizes.channels / 4).max(place.input_words) + BETWEEN_ROWS,
            head_words: place.head_words,
        }
    }

    /// Bytes of workgroup memory.
    fn bytes(&self) -> u32 {
        let values = 8 * self.boards * self.positions * self.stride;
        let sums = 4 * self.subgroups / self.turns * TILE * TILE;
        let heads = 4 * self.boards * self.head_words;
        values.next_multiple_of(256) + sums + heads.next_multiple_of(256) + 256
    }

    /// The tiles of a subgroup: the board of its workgroup, and the first position there, counted after those of the
    /// board's earlier parts.
    fn tiles(&self) -> impl Iterator<Item = (u32, u32)> {
        let a_board = if self.row_blocks == 1 { self.board_tiles } else { self.row_tiles };
        (0..self.row_tiles).map(move |tile| (tile / a_board, tile % a_board * TILE))
    }

    /// WGSL of the products of `taps` neighbouring taps. The loads come first, so that they overlap.
    fn products(&self, taps: u32, inputs: u32) -> String {
        let (mut loads, mut adds) = (String::new(), String::new());
        for (tap, k) in (0..taps).flat_map(|tap| (0..inputs).map(move |k| (tap, k))) {
            let at = format!("(tile + ((tap + {tap}u) * {inputs}u + {k}u) * CHANNEL_TILES + column) * 64u");
            let w = format!("w{tap}_{k}");
            loads += &format!("        let {w} = coopLoadT<coop_mat16x16<f16, B>>(&matrices[{at}], 4u);\n");
            for (i, (board, row)) in self.tiles().enumerate() {
                let at = format!("first + ({board}u * POSITIONS + {row}u + {tap}u) * STRIDE + {k}u * 4u");
                let x = format!("coopLoadT<coop_mat16x16<f16, A>>(&sh_values[{at}], STRIDE)");
                loads += &format!("        let x{i}_{tap}_{k} = {x};\n");
                adds += &format!("        s{i} = coopMultiplyAdd(x{i}_{tap}_{k}, {w}, s{i});\n");
            }
        }
        loads + &adds
    }

    /// Whether three taps are computed without a loop: not where subgroups share the registers with others, or have few
    /// tiles. NVIDIA H200, 128 leaves, one tap and three, ms: Go 9x9 (six tiles) 0.107 and 0.100, Othello (five) 0.095
    /// and 0.090, Connect 4 (three) 0.078 and 0.093, Gomoku 15x15 (five, three parts) 0.206 and 0.363.
    fn unrolls(&self, inputs: u32) -> bool {
        self.row_blocks == 1 && self.row_tiles >= 5 && inputs <= 4
    }

    /// WGSL of a layer with this many tiles of input channels.
    fn layer(&self, name: &str, inputs: u32) -> String {
        let (mut zeros, mut finish) = (String::new(), String::new());
        for (i, (board, row)) in self.tiles().enumerate() {
            zeros += &format!("    var s{i} = coop_mat16x16<f32, C>();\n");
            let at = format!("{board}u * POSITIONS, BOARD_AT + row + {row}u");
            finish += &format!(
                "        if turn == own_turn {{
            coopStoreT(s{i}, &sh_sums[sums], 4u);
        }}
        workgroupBarrier();
        if turn == own_turn {{
            finish_tile(own, sums, {at}, group, scale, adds, keeps, {i}u, block_input);
        }}
        workgroupBarrier();\n"
            );
        }
        let taps = if self.unrolls(inputs) { 3 } else { 1 };
        let products = self.products(taps, inputs);
        format!(
            "fn {name}(own: Invocation, tile: u32, constants: u32, adds: bool, keeps: bool,
    block_input: ptr<function, BlockInput>) {{
    let row = own.subgroup % ROW_BLOCKS * ROW_TILES * 16u;
    let column = own.subgroup / ROW_BLOCKS;
    let own_turn = own.subgroup % TURNS;
    let sums = own.subgroup / TURNS * 64u;
    let group = column * 4u + own.subgroup_lane % 4u;
    let scale = scale_of(constants, group);
{zeros}    for (var tap = 0u; tap < TAPS; tap += {taps}u) {{
        let first = (BOARD_AT + row + tap_offset(tap)) * STRIDE;
{products}    }}
    workgroupBarrier();
    for (var turn = 0u; turn < TURNS; turn++) {{
{finish}    }}
}}
"
        )
    }

    /// WGSL of the first layer and of the others.
    fn layers(&self) -> String {
        self.layer("convolve_input", self.input_tiles) + &self.layer("convolve", self.channel_tiles)
    }
}

/// Tiles of 16 positions of a subgroup, at most: more exceed its registers.
const MOST_TILES: u32 = 6;
/// Workgroups that a GPU computes side by side. With fewer leaves than that for each of its boards, a workgroup has
/// fewer boards. NVIDIA H200, Connect 4, 128 leaves: 0.098 ms with one board, 0.121 with two; 2,048 leaves: 0.75 and
/// 0.58.
const MULTIPROCESSORS: u32 = 128;

/// The module of the kernel of matrices.
///
/// # Errors
/// Shader: a bug of this crate.
pub fn matrices_module(game: &GameShader, shape: &Shape, net: &Network, cut: &Matrices) -> Result<Composed> {
    let own = constants([
        ("BOARDS", cut.boards),
        ("ROW_TILES", cut.row_tiles),
        ("ROW_BLOCKS", cut.row_blocks),
        ("TURNS", cut.turns),
        ("SUBGROUPS", cut.subgroups),
        ("POSITIONS", cut.positions),
        ("STRIDE", cut.stride),
        ("HEAD_WORDS", cut.head_words),
        ("NET_SUBGROUP", cut.subgroup),
    ]);
    let lanes = cut.subgroups * cut.subgroup / cut.boards;
    let mut kernel = files!["net/dots.wgsl", "net/heads.wgsl", "net/evaluate_by_matrices.wgsl"];
    kernel.push(Source::of(game, "(layers by matrices)", cut.layers()));
    let features = "enable f16;\nenable wgpu_cooperative_matrix;\n";
    module(game, shape, features, numbers(net, lanes) + &own, kernel)
}

/// The layers in order, as in `shaders/net/heads.wgsl`: vectors of four words.
pub fn weights(net: &Network) -> Vec<u32> {
    let mut words = Vec::new();
    let channel_words = net.sizes().channels / 4;
    convolution(&[&net.input], Placement::of(net).input_words, &mut words);
    net.blocks.iter().flatten().for_each(|layer| convolution(&[layer], channel_words, &mut words));
    convolution(&[&net.policy[0], &net.value[0]], channel_words, &mut words);
    for layer in [&net.policy[1], &net.value[1], &net.value[2]] {
        convolution(&[layer], layer.inputs.div_ceil(4), &mut words);
    }
    words
}

impl Layer {
    /// The weight of an output and an input at a tap; 0 beyond the layer's sizes.
    fn weight(&self, output: u32, input: u32, tap: u32) -> i8 {
        let is_there = output < self.outputs && input < self.inputs;
        let at = (output * self.inputs + input) * self.taps + tap;
        if is_there { self.weights[at as usize] } else { 0 }
    }

    /// Four weights of an output as bytes of a word, those of inputs `4 word` to `4 word + 3` at a tap.
    fn packed(&self, output: u32, word: u32, tap: u32) -> u32 {
        u32::from_le_bytes([0, 1, 2, 3].map(|i| self.weight(output, 4 * word + i, tap) as u8))
    }

    /// Bias, multiplier and shift of an output; beyond the layer's outputs, constants that give 0.
    fn constants(&self, output: u32) -> [u32; 3] {
        let of = |values: &[i32], otherwise: u32| {
            values.get(output as usize).map_or(otherwise, |&value| value as u32)
        };
        [of(&self.bias, 0), of(&self.multiplier, 1), of(&self.shift, 1)]
    }
}

/// Layers with a common input, side by side: `[tap][word of the input][4 outputs]` weights, then `[4 outputs]` biases,
/// multipliers, shifts.
fn convolution(layers: &[&Layer], input_words: u32, words: &mut Vec<u32>) {
    let each = layers.iter().flat_map(|&layer| (0..layer.outputs).map(move |output| (layer, output)));
    let mut outputs: Vec<_> = each.collect();
    // Outputs beyond those of a layer are 0.
    outputs.resize(outputs.len().next_multiple_of(4), (layers[0], layers[0].outputs));
    for tap in 0..layers[0].taps {
        for word in 0..input_words {
            words.extend(outputs.iter().map(|(layer, output)| layer.packed(*output, word, tap)));
        }
    }
    for part in 0..3 {
        words.extend(outputs.iter().map(|(layer, output)| layer.constants(*output)[part]));
    }
}

/// `[layer][tap][16 inputs][16 outputs][input][output]` weights of the trunk, in f16.
fn matrices(net: &Network) -> Vec<u16> {
    let mut halves = Vec::new();
    let inputs = Placement::of(net).input_words / 4;
    let trunk = [(&net.input, inputs)].into_iter();
    let blocks = net.blocks.iter().flatten().map(|layer| (layer, layer.inputs / TILE));
    for (layer, inputs) in trunk.chain(blocks) {
        for tap in 0..layer.taps {
            for tile in 0..inputs * (layer.outputs / TILE) {
                let (k, n) = (tile / (layer.outputs / TILE) * TILE, tile % (layer.outputs / TILE) * TILE);
                let value = |i: u32| f16(layer.weight(n + i % TILE, k + i / TILE, tap));
                halves.extend((0..TILE * TILE).map(value));
            }
        }
    }
    halves
}

/// The bits of an 8-bit whole number in f16, which is exact.
fn f16(value: i8) -> u16 {
    let Some(exponent) = value.unsigned_abs().checked_ilog2() else { return 0 };
    let mantissa = u16::from(value.unsigned_abs()) << (10 - exponent) & 0x3ff;
    u16::from(value < 0) << 15 | (exponent as u16 + 15) << 10 | mantissa
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Config,
        device::{compose::compose, poison::poisoned, segments::Segments},
        games::{Connect4, Go, Gomoku, Othello},
        net::Sizes,
        rules::Game,
        search::shape_of,
    };
    use naga::back::spv;
    use std::sync::Arc;

    /// The module that evaluates a network of this many channels by matrices, if a board fits.
    fn cut<G: Game>(game: &G, channels: u32, leaves: u32) -> Option<(Matrices, Composed)> {
        let limits = wgpu::Limits {
            max_compute_workgroup_storage_size: 48 << 10,
            max_compute_invocations_per_workgroup: 1024,
            ..wgpu::Limits::defaults()
        };
        let sizes = Sizes::of_game(game, Trunk::Conv, 1, channels).expect("it has planes");
        let net = Network::random(sizes, 1).expect("the sizes are in their ranges");
        let machine = Machine { limits: &limits, software: false, subgroup: 32, matrices: true };
        let cut = Matrices::of(&net, machine, leaves)?;
        let net = Arc::new(net);
        let evaluation = Some(LeafEvaluation::Network(net.clone(), NetKernel::Auto));
        let shape = Shape { evaluation, ..shape_of(game, &Config::paper()) };
        let module = matrices_module(&game.shader(), &shape, &net, &cut);
        Some((cut, module.expect("it is valid")))
    }

    #[test]
    fn matrices_fit_and_translate_to_spirv() {
        let go = Go::new(9, 7.5).expect("a board");
        let small = Go::new(5, 0.5).expect("a board");
        let gomoku = Gomoku::new(15).expect("a board");
        let connect4 = Connect4::default();
        let cuts = [
            cut(&connect4, 64, 128),
            cut(&connect4, 64, 129),
            cut(&connect4, 16, 2048),
            cut(&Othello, 64, 128),
            cut(&go, 128, 2048),
            cut(&small, 48, 2048),
            cut(&gomoku, 32, 128),
            cut(&gomoku, 64, 128),
        ];
        let sizes = |cut: &Option<(Matrices, _)>| cut.as_ref().map(|(cut, _)| (cut.boards, cut.turns));
        assert_eq!(sizes(&cuts[0]), Some((1, 1)));
        assert_eq!(sizes(&cuts[1]), Some((2, 1)), "a workgroup for each multiprocessor has two boards");
        assert_eq!(sizes(&cuts[7]), Some((1, 2)), "sums of all subgroups do not fit");
        for (cut, module) in cuts.into_iter().map(|cut| cut.expect("it fits")) {
            let (lanes, bytes) = module.workgroup(EVALUATE);
            assert_eq!(lanes, cut.subgroups * cut.subgroup);
            assert!(bytes == cut.bytes() && bytes <= 48 << 10, "{cut:?}: {bytes}");
            assert_eq!(cut.tiles().count() as u32 * cut.row_blocks, cut.boards * cut.board_tiles);
            let options = spv::Options { lang_version: (1, 6), ..Default::default() };
            let words = spv::write_vec(module.module(), module.info(), &options, None);
            assert!(words.expect("naga translates it").len() > 1000);
            let checked = poisoned(&module).expect("it has workgroup memory");
            assert!(checked.contains("sh_values[i0] = vec4(f16(-427.25));"));
            let in_segments = Segments { count: 5, shift: 12 }.cut(module.text()).expect("it has nodes");
            for text in [checked, in_segments] {
                compose(&[Source::new("(changed)", text)]).expect("it stays valid");
            }
        }
        assert!(cut(&gomoku, 128, 128).is_none());
    }

    #[test]
    fn halves_are_the_numbers() {
        for value in i8::MIN..=i8::MAX {
            let bits = u32::from(f16(value));
            let (exponent, mantissa) = (bits >> 10 & 31, f64::from(bits & 0x3ff) / 1024.0);
            let size =
                if bits & 0x7fff == 0 { 0.0 } else { (1.0 + mantissa) * (f64::from(exponent) - 15.0).exp2() };
            assert_eq!(if bits >> 15 == 1 { -size } else { size }, f64::from(value));
        }
    }
}
