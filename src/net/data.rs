//! Evaluation of the positions in a file of safetensors, for trainers to compare their own outputs with.

use super::{Network, Trunk, file::Tensors};
use crate::error::{Error, Result};
use rayon::prelude::*;
use safetensors::{
    Dtype,
    tensor::{TensorView, serialize},
};

/// The tensors of the input and of the output.
const PLANES: &str = "planes";
const OUTPUTS: &str = "outputs";
/// Positions of a task, for one core.
const A_TASK: usize = 64;

impl Network {
    /// Evaluates the positions of a file of safetensors: tensor `planes` (U8, 0 or 1), of shape `[n, planes, rows,
    /// columns]`, or `[n, planes * rows * columns]` where the trunk is dense. Other tensors of the file are ignored.
    /// Returns a file with tensor `outputs` (I32, `[n, actions + 3]`): a row for each position, as in
    /// [`evaluate`](Self::evaluate).
    ///
    /// # Errors
    /// Bad input where the file has no such tensor.
    pub fn evaluate_file(&self, bytes: &[u8]) -> Result<Vec<u8>> {
        let boards = self.boards(&Tensors::new(bytes)?)?;
        let (cells, logits) = (self.sizes.cells() as usize, self.sizes.actions as usize + 3);
        let count = boards.len() / cells;
        let mut outputs = vec![0; count * logits];
        let tasks = boards.par_chunks(A_TASK * cells).zip(outputs.par_chunks_mut(A_TASK * logits));
        tasks.for_each(|(boards, outputs)| self.evaluate(boards, outputs));
        let data: Vec<u8> = outputs.into_iter().flat_map(i32::to_le_bytes).collect();
        let view = TensorView::new(Dtype::I32, vec![count, logits], &data).map_err(Error::invalid)?;
        serialize([(OUTPUTS, view)], None).map_err(Error::invalid)
    }

    /// The positions of a file, in the format of [`evaluate`](Self::evaluate).
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
