//! Evaluation of the positions in a file of safetensors: a trainer compares the outputs with its own.

use super::{Network, Trunk, file::Tensors};
use crate::error::{Error, Result};
use rayon::prelude::*;
use safetensors::{
    Dtype,
    tensor::{TensorView, serialize},
};

/// The names of the input's and the output's tensor.
const PLANES: &str = "planes";
const OUTPUTS: &str = "outputs";
/// Positions that a core evaluates at a time.
const BATCH: usize = 64;

impl Network {
    /// Evaluates the positions of a file of safetensors: its tensor `planes` (U8, 0 or 1) of shape `[n, planes, rows,
    /// columns]`, or also `[n, planes * rows * columns]` if the trunk is dense. Other tensors are ignored. Returns a
    /// file with the tensor `outputs` (I32, `[n, actions + 3]`): the logits of each position, as by
    /// [`evaluate`](Self::evaluate).
    ///
    /// # Errors
    /// Bad input if the bytes are not such a file.
    pub fn evaluate_file(&self, bytes: &[u8]) -> Result<Vec<u8>> {
        let boards = self.boards(&Tensors::new(bytes)?)?;
        let (cells, logits) = (self.sizes.cells() as usize, self.sizes.actions as usize + 3);
        let count = boards.len() / cells;
        let mut outputs = vec![0; count * logits];
        let tasks = boards.par_chunks(BATCH * cells).zip(outputs.par_chunks_mut(BATCH * logits));
        tasks.for_each(|(boards, outputs)| self.evaluate(boards, outputs));
        let data: Vec<u8> = outputs.into_iter().flat_map(i32::to_le_bytes).collect();
        let view = TensorView::new(Dtype::I32, vec![count, logits], &data).map_err(Error::invalid)?;
        serialize([(OUTPUTS, view)], None).map_err(Error::invalid)
    }

    /// `[position][row][column]`: the positions of a file, as [`evaluate`](Self::evaluate) takes them.
    fn boards(&self, tensors: &Tensors<'_>) -> Result<Vec<u32>> {
        let (shape, bits) = tensors.of_type(PLANES, Dtype::U8)?;
        let [planes, rows, columns] =
            [self.sizes.planes, self.sizes.rows, self.sizes.columns].map(|size| size as usize);
        let cells = rows * columns;
        let is_flat = self.sizes.trunk == Trunk::Dense && shape.get(1..) == Some(&[planes * cells]);
        if !is_flat && shape.get(1..) != Some(&[planes, rows, columns]) {
            return Err(Error::invalid(format!(
                "tensor {PLANES}: its shape is {shape:?}: the network {} needs [n, {planes}, {rows}, {columns}]",
                self.name
            )));
        }
        if let Some(at) = bits.iter().position(|&bit| bit > 1) {
            let (position, bit) = (at / (planes * cells), bits[at]);
            return Err(Error::invalid(format!(
                "tensor {PLANES}, position {position}: a value of {bit}: planes are 0 or 1"
            )));
        }
        let cell = |board: &[u8], cell: usize| {
            let bits = board[cell..].iter().step_by(cells);
            bits.zip(0..).fold(0, |word, (&bit, plane)| word | u32::from(bit) << plane)
        };
        let boards = bits.par_chunks(planes * cells);
        Ok(boards.flat_map_iter(|board| (0..cells).map(move |at| cell(board, at))).collect())
    }
}
