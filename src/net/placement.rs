//! The layout of a network's activations on a device (`shaders/net/heads.wgsl`).

use super::{Network, Trunk};

/// Neighbouring cells that an invocation computes.
const TILE: u32 = 8;
/// Bytes of workgroup memory by the WebGPU default limits, which every device has.
const DEFAULT_WORKGROUP_BYTES: u32 = 16 << 10;
/// Bytes of workgroup memory besides the activations.
const OTHER_BYTES: u32 = 64;

/// The layout of a board's activations: two areas, input and output of a layer, in which each cell has a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Placement {
    pub rows: u32,
    pub columns: u32,
    /// Positions from one row to the next.
    pub pitch: u32,
    /// The position of the first cell.
    pub board_at: u32,
    pub taps: u32,
    pub tile: u32,
    /// Words of a position's input: a multiple of 4.
    pub input_words: u32,
    /// Groups of 4 channels of both heads' layers of one tap, side by side.
    pub head_groups: u32,
    /// Words of the heads: flat lists, hidden layer, and the outputs of the layers of one tap.
    pub head_words: u32,
    /// Words of each of the two areas.
    pub area_words: u32,
}

impl Placement {
    pub fn of(network: &Network) -> Self {
        let sizes = network.sizes();
        let is_board = sizes.trunk == Trunk::Conv;
        let (rows, columns) = if is_board { (sizes.rows, sizes.columns) } else { (1, 1) };
        // Zeros between two rows, before the first and after the last one.
        let (pitch, edge, tile) = if is_board { (columns + 1, columns + 2, TILE) } else { (1, 0, 1) };
        let positions = edge + (rows * pitch).next_multiple_of(tile) + edge;
        let input_words = network.input.inputs.div_ceil(4).next_multiple_of(4);
        let words = |outputs: u32| outputs.div_ceil(4);
        let head_groups = words(sizes.policy_channels + sizes.value_channels);
        let head_words = words(sizes.policy_channels * rows * columns)
            + words(sizes.value_channels * rows * columns)
            + words(sizes.value_hidden)
            + head_groups * rows * columns;
        let area_words = (positions * words(sizes.channels).max(input_words)).max(head_words);
        let taps = network.input.taps;
        Self {
            rows,
            columns,
            pitch,
            board_at: edge,
            taps,
            tile,
            input_words,
            head_groups,
            head_words,
            area_words,
        }
    }

    /// Tiles of 16 positions of a board, for products of matrices.
    pub fn board_tiles(&self) -> u32 {
        (self.rows * self.pitch).div_ceil(16)
    }

    /// Bytes of workgroup memory of a kernel that keeps the activations there.
    pub fn workgroup_bytes(&self) -> u32 {
        8 * self.area_words + OTHER_BYTES
    }

    /// Bytes of storage for a board's activations on a device with the WebGPU default limits; 0 if workgroup memory
    /// suffices.
    pub fn storage_bytes(&self) -> u64 {
        if self.workgroup_bytes() <= DEFAULT_WORKGROUP_BYTES { 0 } else { 8 * u64::from(self.area_words) }
    }
}

impl Network {
    /// Products of a weight and an input in the evaluation of a position.
    pub(crate) fn products(&self) -> u64 {
        let cells = u64::from(self.sizes.trunk_cells());
        let conv = |layer: &super::Layer| layer.weights.len() as u64 * cells;
        let trunk: u64 = [&self.input].into_iter().chain(self.blocks.iter().flatten()).map(conv).sum();
        let dense = [&self.policy[1], &self.value[1], &self.value[2]];
        let dense: u64 = dense.iter().map(|layer| layer.weights.len() as u64).sum();
        trunk + conv(&self.policy[0]) + conv(&self.value[0]) + dense
    }
}
