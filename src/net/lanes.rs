//! Evaluation of layers in SIMD lanes: sixteen outputs of several cells at a time.

use super::{Layer, layer::requantized};
use bytemuck::{cast, cast_slice, cast_slice_mut};
use fearless_simd::{Level, Simd, dispatch, i8x64, i32x16, prelude::*};
use std::array;

/// Outputs of a block, one in each lane.
const LANES: usize = 16;
/// Inputs that a lane multiplies at a time.
const QUAD: usize = 4;

/// The use of a layer's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Activations, clamped to 0 to 127.
    Active,
    /// Added to the activations of `y`, and clamped to 0 to 127.
    Residual,
    /// Logits, clamped to 16 bits.
    Logits,
}

/// Values of cells: activations of 8 bits, four to a word, since a lane multiplies four inputs at a time; or logits,
/// one to a word.
#[derive(Debug, Clone)]
pub struct Field {
    /// Words of a cell.
    width: usize,
    /// `[cell][width]`.
    words: Vec<i32>,
}

impl Field {
    /// Zeros for this many cells, and activations per cell.
    pub fn new(cells: usize, activations: usize) -> Self {
        let width = activations.div_ceil(QUAD);
        Self { width, words: vec![0; cells * width] }
    }

    /// The activations of a cell; zeros may follow.
    pub fn cell(&self, cell: usize) -> &[i8] {
        cast_slice(self.logits(cell))
    }

    /// The same, to be written.
    pub fn cell_mut(&mut self, cell: usize) -> &mut [i8] {
        cast_slice_mut(&mut self.words[cell * self.width..][..self.width])
    }

    /// Writes the activations of a cell.
    pub fn put(&mut self, cell: usize, activations: impl Iterator<Item = i8>) {
        self.cell_mut(cell).iter_mut().zip(activations).for_each(|(to, activation)| *to = activation);
    }

    /// The logits of a cell; other words may follow.
    pub fn logits(&self, cell: usize) -> &[i32] {
        &self.words[cell * self.width..][..self.width]
    }
}

/// The cells of a field that a layer is applied to.
#[derive(Debug, Clone)]
pub struct Places {
    /// `[board][row][column]`: indexes of cells.
    pub cells: Vec<usize>,
    /// The distance from a cell to the one below it.
    stride: usize,
    /// Cells of the whole field.
    pub area: usize,
}

impl Places {
    /// Boards of one cell.
    pub fn single(boards: usize) -> Self {
        Self { cells: (0..boards).collect(), stride: 0, area: boards }
    }

    /// Boards, each with a border of cells that stay zeros.
    pub fn boards(boards: usize, rows: usize, columns: usize) -> Self {
        let (stride, height) = (columns + 2, rows + 2);
        let of_board = |board: usize| {
            let row =
                move |row: usize| (1..=columns).map(move |column| (board * height + row) * stride + column);
            (1..=rows).flat_map(row)
        };
        Self { cells: (0..boards).flat_map(of_board).collect(), stride, area: boards * height * stride }
    }
}

/// A layer with its numbers in the order of the lanes.
#[derive(Debug, Clone)]
pub struct Lanes {
    role: Role,
    taps: usize,
    /// Groups of four inputs.
    quads: usize,
    /// `[output / 16]`.
    blocks: Vec<Block>,
}

/// The parameters of sixteen outputs; beyond the layer's last output, weights are 0.
#[derive(Debug, Clone)]
struct Block {
    /// `[tap][quad]`, each `[output][input]`: four weights of every output.
    weights: Vec<[i8; QUAD * LANES]>,
    bias: [i32; LANES],
    multiplier: [i32; LANES],
    shift: [i32; LANES],
}

impl Lanes {
    pub fn new(layer: &Layer, role: Role) -> Self {
        let blocks =
            (0..layer.outputs as usize).step_by(LANES).map(|first| Block::new(layer, first)).collect();
        Self { role, taps: layer.taps as usize, quads: layer.inputs.div_ceil(QUAD as u32) as usize, blocks }
    }

    /// The layer's values at `places`; zeros elsewhere.
    pub fn applied(&self, level: Level, places: &Places, x: &Field) -> Field {
        let bytes = if self.role == Role::Logits { QUAD } else { 1 };
        let mut y = Field::new(x.words.len() / x.width, self.blocks.len() * LANES * bytes);
        self.apply(level, places, x, &mut y);
        y
    }

    /// Applies the layer to `x` at `places`, and writes its values to the same cells of `y`.
    pub fn apply(&self, level: Level, places: &Places, x: &Field, y: &mut Field) {
        assert!(self.quads <= x.width, "a value for every input");
        match level {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512(simd) => simd.vectorize(
                #[inline(always)]
                || self.apply_with::<_, 2, 6>(simd, avx512::add, places, x, y),
            ),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2(simd) => simd.vectorize(
                #[inline(always)]
                || self.apply_with::<_, 1, 4>(simd, avx2::add, places, x, y),
            ),
            level => dispatch!(level, simd => self.apply_with::<_, 1, 4>(simd, add, places, x, y)),
        }
    }

    /// `BLOCKS` blocks and `CELLS` cells at a time: all their sums fit registers. If fewer are left, the last one is
    /// repeated.
    #[inline(always)]
    fn apply_with<S: Simd, const BLOCKS: usize, const CELLS: usize>(
        &self,
        simd: S,
        add: impl Add<S>,
        places: &Places,
        x: &Field,
        y: &mut Field,
    ) {
        for first in (0..self.blocks.len()).step_by(BLOCKS) {
            let left = &self.blocks[first..];
            let blocks: [&Block; BLOCKS] = array::from_fn(|at| &left[at.min(left.len() - 1)]);
            for some in places.cells.chunks(CELLS) {
                let cells: [usize; CELLS] = array::from_fn(|at| some[at.min(some.len() - 1)]);
                let sums = self.sums(simd, &add, &blocks, (&cells, places.stride), x);
                for (&cell, sums) in some.iter().zip(&sums) {
                    let of_cell = &mut y.words[cell * y.width..][..y.width];
                    for (at, (block, sums)) in blocks.iter().zip(sums).take(left.len()).enumerate() {
                        self.role.store(block.requantized(sums), first + at, of_cell);
                    }
                }
            }
        }
    }

    /// `[cell][block][lane]`: the sums of products.
    #[inline(always)]
    fn sums<S: Simd, const BLOCKS: usize, const CELLS: usize>(
        &self,
        simd: S,
        add: &impl Add<S>,
        blocks: &[&Block; BLOCKS],
        (cells, stride): (&[usize; CELLS], usize),
        x: &Field,
    ) -> [[[i32; LANES]; BLOCKS]; CELLS] {
        let mut sums = [[i32x16::splat(simd, 0); BLOCKS]; CELLS];
        for tap in 0..self.taps {
            let neighbour = |cell: usize| {
                if self.taps == 1 { cell } else { cell + tap / 3 * stride + tap % 3 - stride - 1 }
            };
            let inputs: [&[i32]; CELLS] =
                array::from_fn(|at| &x.words[neighbour(cells[at]) * x.width..][..self.quads]);
            let weights: [&[_]; BLOCKS] =
                array::from_fn(|at| &blocks[at].weights[tap * self.quads..][..self.quads]);
            for quad in 0..self.quads {
                let mut of_quad = [i8x64::splat(simd, 0); BLOCKS];
                of_quad
                    .iter_mut()
                    .zip(&weights)
                    .for_each(|(to, weights)| *to = i8x64::simd_from(simd, weights[quad]));
                for (sums, inputs) in sums.iter_mut().zip(&inputs) {
                    let inputs = i32x16::splat(simd, inputs[quad]).bitcast();
                    sums.iter_mut()
                        .zip(of_quad)
                        .for_each(|(sum, weights)| *sum = add(simd, *sum, inputs, weights));
                }
            }
        }
        let mut arrays = [[[0; LANES]; BLOCKS]; CELLS];
        for (arrays, sums) in arrays.iter_mut().zip(sums) {
            arrays.iter_mut().zip(sums).for_each(|(array, sums)| *array = sums.into());
        }
        arrays
    }
}

/// Adds the products of four inputs, 0 to 127, with the weights of each lane to its sum.
trait Add<S: Simd>: Fn(S, i32x16<S>, i8x64<S>, i8x64<S>) -> i32x16<S> {}
impl<S: Simd, F: Fn(S, i32x16<S>, i8x64<S>, i8x64<S>) -> i32x16<S>> Add<S> for F {}

/// [`Add`] on any processor: the sum of two products fits 16 bits.
#[inline(always)]
fn add<S: Simd>(_simd: S, sums: i32x16<S>, inputs: i8x64<S>, weights: i8x64<S>) -> i32x16<S> {
    sums + inputs.pairwise_dot_product(weights).pairwise_widening_add()
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use fearless_simd::{Avx512, i8x64, i32x16, kernel, prelude::*};
    use std::arch::x86_64::_mm512_dpbusd_epi32;

    kernel! {
        #[inline(always)]
        pub fn add(
            simd: Avx512, sums: i32x16<Avx512>, inputs: i8x64<Avx512>, weights: i8x64<Avx512>,
        ) -> i32x16<Avx512> {
            _mm512_dpbusd_epi32(sums.into(), inputs.into(), weights.into()).simd_into(simd)
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use fearless_simd::{Avx2, i8x32, i8x64, i32x8, i32x16, kernel, prelude::*};
    use std::arch::x86_64::{_mm256_add_epi32, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_set1_epi16};

    #[inline(always)]
    pub fn add(simd: Avx2, sums: i32x16<Avx2>, inputs: i8x64<Avx2>, weights: i8x64<Avx2>) -> i32x16<Avx2> {
        let (sums, inputs, weights) = (sums.split(), inputs.split(), weights.split());
        add_half(simd, sums.0, inputs.0, weights.0).combine(add_half(simd, sums.1, inputs.1, weights.1))
    }

    kernel! {
        #[inline(always)]
        fn add_half(simd: Avx2, sums: i32x8<Avx2>, inputs: i8x32<Avx2>, weights: i8x32<Avx2>) -> i32x8<Avx2> {
            let pairs = _mm256_maddubs_epi16(inputs.into(), weights.into());
            _mm256_add_epi32(sums.into(), _mm256_madd_epi16(pairs, _mm256_set1_epi16(1))).simd_into(simd)
        }
    }
}

impl Block {
    fn new(layer: &Layer, first: usize) -> Self {
        let (inputs, taps) = (layer.inputs as usize, layer.taps as usize);
        let outputs = first..(first + LANES).min(layer.outputs as usize);
        let weight = |output: usize, input: usize, tap: usize| {
            let exists = outputs.contains(&output) && input < inputs;
            if exists { layer.weights[(output * inputs + input) * taps + tap] } else { 0 }
        };
        let quads = (0..taps).flat_map(|tap| (0..inputs).step_by(QUAD).map(move |input| (tap, input)));
        let weights = quads
            .map(|(tap, input)| array::from_fn(|lane| weight(first + lane / QUAD, input + lane % QUAD, tap)))
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
        array::from_fn(|lane| {
            requantized(self.bias[lane] + sums[lane], self.multiplier[lane], self.shift[lane])
        })
    }
}

impl Role {
    /// Stores the values of a block, given by its index, in the words of a cell.
    #[inline(always)]
    fn store(self, values: [i32; LANES], block: usize, words: &mut [i32]) {
        if self == Self::Logits {
            words.as_chunks_mut().0[block] =
                values.map(|value| value.clamp(i16::MIN.into(), i16::MAX.into()));
            return;
        }
        let words: &mut [i32; LANES / QUAD] = &mut words.as_chunks_mut().0[block];
        let before: [i8; LANES] = if self == Self::Residual { cast(*words) } else { [0; LANES] };
        let values: [i8; LANES] =
            array::from_fn(|lane| (values[lane] + i32::from(before[lane])).clamp(0, 127) as i8);
        *words = cast(values);
    }
}
