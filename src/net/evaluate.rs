//! What a network says of positions, layer by layer (specification, "Networks").

use super::{Layer, Network, layer::requantized};

/// The greatest activation.
const MOST: i32 = 127;

impl Network {
    /// Evaluates positions of the game. `boards` has the cells of one position after another, row by row: bit p of a
    /// cell is its bit in plane p. `outputs` takes, of each position, the logits of all actions, then those of a win, a
    /// draw and a loss of the player to move. 256 more make an outcome twice as likely.
    ///
    /// # Panics
    /// Where `boards` is not whole positions, or `outputs` not as long as they need.
    pub fn evaluate(&self, boards: &[u32], outputs: &mut [i32]) {
        let (cells, logits) = (self.sizes.cells() as usize, self.sizes.actions as usize + 3);
        assert!(boards.len().is_multiple_of(cells), "boards of {cells} cells each");
        assert_eq!(outputs.len(), boards.len() / cells * logits, "{logits} outputs a board");
        for (board, outputs) in boards.chunks_exact(cells).zip(outputs.chunks_exact_mut(logits)) {
            self.evaluate_one(board, outputs);
        }
    }

    fn evaluate_one(&self, board: &[u32], outputs: &mut [i32]) {
        let bits =
            (0..self.sizes.planes).flat_map(|plane| board.iter().map(move |cell| (cell >> plane & 1) as i32));
        // The trunk's board: one cell has no neighbours.
        let rows = (self.sizes.trunk_cells() / self.sizes.columns).max(1) as usize;
        let mut x = active(self.input.apply(&bits.collect::<Vec<_>>(), rows));
        for [first, second] in &self.blocks {
            let hidden = active(first.apply(&x, rows));
            let sums = second.apply(&hidden, rows);
            x = active(sums.iter().zip(&x).map(|(sum, x)| sum + x).collect());
        }
        let (policy, value) = outputs.split_at_mut(self.sizes.actions as usize);
        let channels = active(self.policy[0].apply(&x, rows));
        policy.copy_from_slice(&logits(self.policy[1].apply(&channels, 1)));
        let channels = active(self.value[0].apply(&x, rows));
        let hidden = active(self.value[1].apply(&channels, 1));
        value.copy_from_slice(&logits(self.value[2].apply(&hidden, 1)));
    }
}

impl Layer {
    /// The requantized sums of all outputs, `[output][cell]`, for inputs `[input][cell]` on a board of so many rows.
    fn apply(&self, x: &[i32], rows: usize) -> Vec<i32> {
        let cells = x.len() / self.inputs as usize;
        let columns = cells / rows;
        let mut sums = Vec::with_capacity(self.outputs as usize * cells);
        for (output, weights) in self.weights.chunks_exact((self.inputs * self.taps) as usize).enumerate() {
            for cell in 0..cells {
                let (row, column) = (cell / columns, cell % columns);
                let mut sum = self.bias[output];
                for (input, weights) in weights.chunks_exact(self.taps as usize).enumerate() {
                    for (tap, &weight) in weights.iter().enumerate() {
                        if let Some(from) = self.neighbour(tap, (row, column), (rows, columns)) {
                            sum += i32::from(weight) * x[input * cells + from];
                        }
                    }
                }
                sums.push(requantized(sum, self.multiplier[output], self.shift[output]));
            }
        }
        sums
    }

    /// The cell that a tap looks at; none outside of the board.
    fn neighbour(
        &self,
        tap: usize,
        (row, column): (usize, usize),
        (rows, columns): (usize, usize),
    ) -> Option<usize> {
        let (dy, dx) = if self.taps == 9 { (tap / 3, tap % 3) } else { (1, 1) };
        // Both are one too great, so that they are never negative.
        let (row, column) = (row + dy, column + dx);
        let is_inside = (1..=rows).contains(&row) && (1..=columns).contains(&column);
        is_inside.then(|| (row - 1) * columns + column - 1)
    }
}

fn active(sums: Vec<i32>) -> Vec<i32> {
    sums.into_iter().map(|sum| sum.clamp(0, MOST)).collect()
}

fn logits(sums: Vec<i32>) -> Vec<i32> {
    sums.into_iter().map(|sum| sum.clamp(i16::MIN.into(), i16::MAX.into())).collect()
}
