//! Layers in SIMD lanes: sixteen outputs of some cells at a time.

use super::{Layer, layer::requantized};
use bytemuck::{cast, cast_slice, cast_slice_mut};
use fearless_simd::{Level, dispatch, i16x32, i32x16, prelude::*};
use std::array;

/// Outputs side by side.
const LANES: usize = 16;
/// Cells whose sums are made together: as many as keep a core busy, and have registers.
const CELLS: usize = 6;

/// What becomes of a layer's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// They are activations.
    Active,
    /// They are added to the activations that are there.
    Residual,
    /// They are logits.
    Logits,
}

/// Values of cells, from one of 16 bits to 64 of them: two in a word, as sums take pairs of products.
#[derive(Debug, Clone)]
pub struct Field {
    /// Words of a cell.
    pairs: usize,
    words: Vec<i32>,
}

impl Field {
    /// Zeros, for so many cells with so many values.
    pub fn new(cells: usize, values: usize) -> Self {
        let pairs = values.div_ceil(2);
        Self { pairs, words: vec![0; cells * pairs] }
    }

    /// The values of a cell; there may be a zero behind them.
    pub fn cell(&self, cell: usize) -> &[i16] {
        cast_slice(&self.words[cell * self.pairs..][..self.pairs])
    }

    /// [`cell`](Self::cell), to be written to.
    pub fn cell_mut(&mut self, cell: usize) -> &mut [i16] {
        cast_slice_mut(&mut self.words[cell * self.pairs..][..self.pairs])
    }
}

/// The cells of a field that a layer is applied to, and where their neighbours are.
#[derive(Debug, Clone)]
pub struct Places {
    pub cells: Vec<usize>,
    /// From a cell to the one below it.
    pub stride: usize,
}

/// A layer with its numbers in the order in which lanes need them.
#[derive(Debug, Clone)]
pub struct Lanes {
    role: Role,
    taps: usize,
    /// Pairs of inputs.
    pairs: usize,
    blocks: Vec<Block>,
}

/// The numbers of sixteen outputs; outputs that there are not give zeros.
#[derive(Debug, Clone)]
struct Block {
    /// `[tap][pair]`, each with the two weights of every output.
    weights: Vec<[i16; 2 * LANES]>,
    bias: [i32; LANES],
    multiplier: [i32; LANES],
    shift: [i32; LANES],
}

impl Lanes {
    pub fn new(layer: &Layer, role: Role) -> Self {
        let blocks =
            (0..layer.outputs as usize).step_by(LANES).map(|first| Block::new(layer, first)).collect();
        Self { role, taps: layer.taps as usize, pairs: layer.inputs.div_ceil(2) as usize, blocks }
    }

    /// What the layer makes of cells of `x`; the others are zeros.
    pub fn applied(&self, level: Level, places: &Places, x: &Field) -> Field {
        let mut y = Field::new(x.words.len() / x.pairs, self.blocks.len() * LANES);
        self.apply(level, places, x, &mut y);
        y
    }

    /// Applies the layer to cells of `x`, for the same cells of `y`.
    pub fn apply(&self, level: Level, places: &Places, x: &Field, y: &mut Field) {
        assert!(
            self.pairs <= x.pairs && y.pairs * 2 == self.blocks.len() * LANES,
            "fields as wide as the layer"
        );
        dispatch!(level, simd => self.apply_with(simd, places, x, y));
    }

    #[inline(always)]
    fn apply_with<S: Simd>(&self, simd: S, places: &Places, x: &Field, y: &mut Field) {
        for (number, block) in self.blocks.iter().enumerate() {
            for some in places.cells.chunks(CELLS) {
                let cells = array::from_fn(|place| some[place.min(some.len() - 1)]);
                let sums = self.sums(simd, block, (&cells, places.stride), x);
                for (&cell, sums) in some.iter().zip(&sums) {
                    let values =
                        &mut y.words[cell * y.pairs..][..y.pairs].as_chunks_mut::<{ LANES / 2 }>().0[number];
                    *values = cast(self.role.finish(block.requantized(sums), cast(*values)));
                }
            }
        }
    }

    /// The sums of a block's outputs in some cells.
    #[inline(always)]
    fn sums<S: Simd>(
        &self,
        simd: S,
        block: &Block,
        (cells, stride): (&[usize; CELLS], usize),
        x: &Field,
    ) -> [[i32; LANES]; CELLS] {
        let mut sums = [i32x16::simd_from(simd, block.bias); CELLS];
        for tap in 0..self.taps {
            let neighbour = |cell: usize| {
                if self.taps == 1 { cell } else { cell + tap / 3 * stride + tap % 3 - stride - 1 }
            };
            let inputs: [&[i32]; CELLS] =
                array::from_fn(|place| &x.words[neighbour(cells[place]) * x.pairs..][..self.pairs]);
            for (pair, weights) in block.weights[tap * self.pairs..][..self.pairs].iter().enumerate() {
                let weights = i16x32::simd_from(simd, *weights);
                for (sums, inputs) in sums.iter_mut().zip(&inputs) {
                    let inputs: i16x32<S> = i32x16::splat(simd, inputs[pair]).bitcast();
                    *sums += weights.pairwise_dot_product(inputs);
                }
            }
        }
        let mut arrays = [[0; LANES]; CELLS];
        arrays.iter_mut().zip(sums).for_each(|(array, sums)| *array = sums.into());
        arrays
    }
}

impl Block {
    fn new(layer: &Layer, first: usize) -> Self {
        let (inputs, taps) = (layer.inputs as usize, layer.taps as usize);
        let outputs = first..(first + LANES).min(layer.outputs as usize);
        let weight = |output: usize, input: usize, tap: usize| {
            let exists = outputs.contains(&output) && input < inputs;
            if exists { layer.weights[(output * inputs + input) * taps + tap].into() } else { 0 }
        };
        let pairs = (0..taps).flat_map(|tap| (0..inputs).step_by(2).map(move |input| (tap, input)));
        let weights = pairs
            .map(|(tap, input)| array::from_fn(|lane| weight(first + lane / 2, input + lane % 2, tap)))
            .collect();
        let of_outputs = |numbers: &[i32], none: i32| {
            array::from_fn(|lane| numbers.get(first + lane).copied().unwrap_or(none))
        };
        Self {
            weights,
            bias: of_outputs(&layer.bias, 0),
            multiplier: of_outputs(&layer.multiplier, 1),
            shift: of_outputs(&layer.shift, 1),
        }
    }

    #[inline(always)]
    fn requantized(&self, sums: &[i32; LANES]) -> [i32; LANES] {
        array::from_fn(|lane| requantized(sums[lane], self.multiplier[lane], self.shift[lane]))
    }
}

impl Role {
    /// What is stored of values, where there are others before.
    #[inline(always)]
    fn finish(self, values: [i32; LANES], before: [i16; LANES]) -> [i16; LANES] {
        match self {
            Self::Active => values.map(|value| value.clamp(0, 127) as i16),
            Self::Residual => {
                array::from_fn(|lane| (values[lane] + i32::from(before[lane])).clamp(0, 127) as i16)
            }
            Self::Logits => values.map(|value| value.clamp(i16::MIN.into(), i16::MAX.into()) as i16),
        }
    }
}
