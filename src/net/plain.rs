//! The evaluation of a network value by value, as in the specification, for comparison with the lanes.

use super::{Layer, Network, layer::requantized};

/// `[layer]`, in the order of [`Network::layers`]: its values, `[output][cell]`.
pub fn values(network: &Network, board: &[u32]) -> Vec<Vec<i32>> {
    let sizes = &network.sizes;
    let bits = (0..sizes.planes).flat_map(|plane| board.iter().map(move |cell| (cell >> plane & 1) as i32));
    let rows = if sizes.trunk_cells() == 1 { 1 } else { sizes.rows as usize };
    let mut x = active(network.input.apply(&bits.collect::<Vec<_>>(), rows));
    let mut all = vec![x.clone()];
    for [first, second] in &network.blocks {
        let hidden = active(first.apply(&x, rows));
        x = active(second.apply(&hidden, rows).iter().zip(&x).map(|(value, x)| value + x).collect());
        all.extend([hidden, x.clone()]);
    }
    let [conv, dense] = &network.policy;
    let policy = active(conv.apply(&x, rows));
    let of_actions = logits(dense.apply(&policy, 1));
    let [conv, hidden, dense] = &network.value;
    let value = active(conv.apply(&x, rows));
    let hidden = active(hidden.apply(&value, 1));
    let of_outcomes = logits(dense.apply(&hidden, 1));
    all.extend([policy, of_actions, value, hidden, of_outcomes]);
    all
}

impl Layer {
    /// `[output][cell]`: the requantized sums for inputs `[input][cell]` on a board of `rows` rows.
    fn apply(&self, x: &[i32], rows: usize) -> Vec<i32> {
        let cells = x.len() / self.inputs as usize;
        let size = (rows, cells / rows);
        let mut values = Vec::with_capacity(self.outputs as usize * cells);
        for (output, weights) in self.weights.chunks_exact((self.inputs * self.taps) as usize).enumerate() {
            for cell in 0..cells {
                let mut sum = self.bias[output];
                for (at, &weight) in weights.iter().enumerate() {
                    let (input, tap) = (at / self.taps as usize, at % self.taps as usize);
                    let seen = self.neighbour(tap, cell, size).map_or(0, |cell| x[input * cells + cell]);
                    sum += i32::from(weight) * seen;
                }
                values.push(requantized(sum, self.multiplier[output], self.shift[output]));
            }
        }
        values
    }

    /// The cell that a tap of a cell reads; `None` outside of the board.
    fn neighbour(&self, tap: usize, cell: usize, (rows, columns): (usize, usize)) -> Option<usize> {
        if self.taps == 1 {
            return Some(cell);
        }
        let row = (cell / columns + tap / 3).checked_sub(1).filter(|&row| row < rows)?;
        let column = (cell % columns + tap % 3).checked_sub(1).filter(|&column| column < columns)?;
        Some(row * columns + column)
    }
}

fn active(values: Vec<i32>) -> Vec<i32> {
    values.into_iter().map(|value| value.clamp(0, 127)).collect()
}

fn logits(values: Vec<i32>) -> Vec<i32> {
    values.into_iter().map(|value| value.clamp(-32768, 32767)).collect()
}
