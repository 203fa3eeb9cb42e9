//! Evaluation of positions by a network, layer by layer (specification, "Networks").

use super::{
    Layer, Network, Sizes, Trunk,
    lanes::{Field, Lanes, Places, Role},
};
use fearless_simd::Level;

/// Greatest number of cells of boards that are evaluated together; a larger board is evaluated by itself.
const CELLS_TOGETHER: usize = 256;

impl Network {
    /// Evaluates positions on the CPU. `boards` is `[position][row][column]`: bit p of a cell is its bit in plane p.
    /// `outputs` is `[position][actions + 3]`: the logits of all actions, then those of a win, a draw and a loss of the
    /// player to move. A logit that is greater by 256 means twice the probability.
    ///
    /// # Panics
    /// If the length of `boards` is not a multiple of a board's, or that of `outputs` is not `positions * (actions +
    /// 3)`.
    pub fn evaluate(&self, boards: &[u32], outputs: &mut [i32]) {
        let (cells, logits) = (self.sizes.cells() as usize, self.sizes.actions as usize + 3);
        assert!(boards.len().is_multiple_of(cells), "boards of {cells} cells each");
        assert_eq!(outputs.len(), boards.len() / cells * logits, "{logits} outputs a board");
        let (layers, level) = (self.lanes.get_or_init(|| Layers::new(self)), Level::new());
        let together = (CELLS_TOGETHER / self.sizes.trunk_cells() as usize).max(1);
        for (boards, outputs) in boards.chunks(together * cells).zip(outputs.chunks_mut(together * logits)) {
            layers.evaluate(level, &self.sizes, boards, outputs);
        }
    }
}

/// The layers of a network in the layout of SIMD lanes.
#[derive(Debug, Clone)]
pub(super) struct Layers {
    input: Lanes,
    blocks: Vec<[Lanes; 2]>,
    policy: [Lanes; 2],
    value: [Lanes; 3],
}

impl Layers {
    fn new(network: &Network) -> Self {
        let Network { input, blocks, policy: [policy, logits], value: [value, hidden, outcomes], .. } =
            network;
        let active = |layer: &Layer| Lanes::new(layer, Role::Active);
        let block = |[first, second]: &[Layer; 2]| [active(first), Lanes::new(second, Role::Residual)];
        Self {
            input: active(input),
            blocks: blocks.iter().map(block).collect(),
            policy: [active(policy), Lanes::new(logits, Role::Logits)],
            value: [active(value), active(hidden), Lanes::new(outcomes, Role::Logits)],
        }
    }

    /// [`Network::evaluate`] for boards that are evaluated together.
    fn evaluate(&self, level: Level, sizes: &Sizes, boards: &[u32], outputs: &mut [i32]) {
        let (bits, trunk) = sizes.bits(boards);
        let mut x = self.input.applied(level, &trunk, &bits);
        for [first, second] in &self.blocks {
            let hidden = first.applied(level, &trunk, &x);
            second.apply(level, &trunk, &hidden, &mut x);
        }
        let [first, second] = &self.policy;
        let (policy, heads) = sizes.flat(sizes.policy_channels, &trunk, &first.applied(level, &trunk, &x));
        let policy = second.applied(level, &heads, &policy);
        let [first, second, third] = &self.value;
        let (value, _) = sizes.flat(sizes.value_channels, &trunk, &first.applied(level, &trunk, &x));
        let value = third.applied(level, &heads, &second.applied(level, &heads, &value));
        for (board, outputs) in outputs.chunks_exact_mut(sizes.actions as usize + 3).enumerate() {
            let logits =
                policy.logits(board)[..sizes.actions as usize].iter().chain(&value.logits(board)[..3]);
            outputs.iter_mut().zip(logits).for_each(|(output, &logit)| *output = logit);
        }
    }
}

impl Sizes {
    /// The inputs of the trunk, 0 or 1, and the places of its cells.
    fn bits(&self, boards: &[u32]) -> (Field, Places) {
        let cells = self.cells() as usize;
        let bit = |cell: u32, plane: u32| (cell >> plane & 1) as i8;
        if self.trunk == Trunk::Dense {
            let trunk = Places::single(boards.len() / cells);
            let mut bits = Field::new(trunk.area, self.planes as usize * cells);
            for (number, board) in boards.chunks_exact(cells).enumerate() {
                let of_plane = |plane| board.iter().map(move |&cell| bit(cell, plane));
                bits.put(number, (0..self.planes).flat_map(of_plane));
            }
            return (bits, trunk);
        }
        let trunk = Places::boards(boards.len() / cells, self.rows as usize, self.columns as usize);
        let mut bits = Field::new(trunk.area, self.planes as usize);
        for (&place, &cell) in trunk.cells.iter().zip(boards) {
            bits.put(place, (0..self.planes).map(|plane| bit(cell, plane)));
        }
        (bits, trunk)
    }

    /// The values of each board in order `[channel][cell]`, as inputs of one cell, and the places of these cells.
    fn flat(&self, channels: u32, trunk: &Places, x: &Field) -> (Field, Places) {
        let cells = self.trunk_cells() as usize;
        let places = Places::single(trunk.cells.len() / cells);
        let mut flat = Field::new(places.area, channels as usize * cells);
        for (number, board) in trunk.cells.chunks_exact(cells).enumerate() {
            let of_board = flat.cell_mut(number);
            for (at, &cell) in board.iter().enumerate() {
                let values = &x.cell(cell)[..channels as usize];
                values
                    .iter()
                    .enumerate()
                    .for_each(|(channel, &value)| of_board[channel * cells + at] = value);
            }
        }
        (flat, places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{exact::rng::Stream, net::plain};

    fn sizes((rows, columns): (u32, u32), planes: u32, trunk: Trunk, channels: u32) -> Sizes {
        Sizes {
            game: "game".into(),
            rows,
            columns,
            planes,
            actions: 1 + 7 * planes,
            trunk,
            blocks: 3,
            channels,
            policy_channels: 3,
            value_channels: 1 + planes % 3,
            value_hidden: 5 + planes,
        }
    }

    fn all_sizes() -> Vec<Sizes> {
        use Trunk::{Conv, Dense};
        vec![
            sizes((6, 7), 4, Conv, 64),
            sizes((1, 1), 1, Conv, 16),
            sizes((1, 9), 3, Conv, 48),
            sizes((9, 1), 2, Conv, 16),
            sizes((19, 19), 12, Conv, 16),
            sizes((32, 32), 32, Conv, 16),
            sizes((3, 3), 3, Dense, 32),
            sizes((1, 1), 1, Dense, 16),
            sizes((5, 5), 31, Dense, 256),
            Sizes { blocks: 64, ..sizes((4, 4), 5, Conv, 32) },
            Sizes { blocks: 0, policy_channels: 32, value_channels: 32, ..sizes((8, 8), 2, Conv, 256) },
        ]
    }

    /// Random boards, with a quarter of the bits set.
    fn boards(sizes: &Sizes, count: u32, seed: u64) -> Vec<u32> {
        let mut stream = Stream::seeded(seed);
        let mut bits = || (stream.next_u64() >> 32) as u32 >> (32 - sizes.planes);
        (0..count * sizes.cells()).map(|_| bits() & bits()).collect()
    }

    /// The SIMD levels of this machine.
    fn levels() -> Vec<Level> {
        let best = Level::new();
        #[cfg(target_arch = "x86_64")]
        let between = [best.as_sse4_2().map(Level::Sse4_2), best.as_avx2().map(Level::Avx2)];
        #[cfg(not(target_arch = "x86_64"))]
        let between = [None];
        between.into_iter().flatten().chain([Level::baseline(), best]).collect()
    }

    #[test]
    fn lanes_have_the_values_of_the_plain_evaluation() {
        for (seed, sizes) in (0..).zip(all_sizes()) {
            let network = Network::random(sizes.clone(), seed).expect("the sizes are within their ranges");
            let count = if sizes.cells() > 100 { 2 } else { 5 };
            let boards = boards(&sizes, count, seed);
            let one_by_one = boards.chunks(sizes.cells() as usize).flat_map(|board| {
                let values = plain::values(&network, board);
                [&values[values.len() - 4][..], &values[values.len() - 1]].concat()
            });
            let expected: Vec<i32> = one_by_one.collect();
            let mut outputs = vec![0; expected.len()];
            network.evaluate(&boards, &mut outputs);
            assert_eq!(outputs, expected, "{sizes:?}");
            for level in levels() {
                outputs.fill(0);
                Layers::new(&network).evaluate(level, &sizes, &boards, &mut outputs);
                assert_eq!(outputs, expected, "{level:?} {sizes:?}");
            }
        }
    }

    /// More boards than are evaluated together.
    #[test]
    fn outputs_of_a_board_do_not_depend_on_other_boards() {
        for trunk in Trunk::ALL {
            let sizes = sizes((3, 4), 3, trunk, 16);
            let network = Network::random(sizes.clone(), 3).expect("the sizes are within their ranges");
            let boards = boards(&sizes, 600, 5);
            let logits = sizes.actions as usize + 3;
            let mut together = vec![0; 600 * logits];
            network.evaluate(&boards, &mut together);
            for (board, outputs) in boards.chunks(12).zip(together.chunks(logits)) {
                let mut alone = vec![0; logits];
                network.evaluate(board, &mut alone);
                assert_eq!(alone, outputs);
            }
        }
    }

    #[test]
    fn few_activations_of_random_networks_are_zero_or_saturated() {
        for (seed, sizes) in (0..).zip(all_sizes()) {
            let network = Network::random(sizes.clone(), seed).expect("the sizes are within their ranges");
            let boards = boards(&sizes, 20_u32.div_ceil(sizes.cells()), seed);
            let boards = boards.chunks(sizes.cells() as usize);
            let values: Vec<_> = boards.map(|board| plain::values(&network, board)).collect();
            for (layer, (spec, _)) in network.layers().enumerate() {
                let of_layer: Vec<i32> = values.iter().flat_map(|values| values[layer].clone()).collect();
                let share = |is: fn(i32) -> bool| {
                    of_layer.iter().filter(|&&value| is(value)).count() as f64 / of_layer.len() as f64
                };
                let (zero, most) = (share(|value| value == 0), share(|value| value.abs() >= 127));
                let is_logit = spec.name.ends_with("dense");
                assert!(zero < 0.8, "{zero:.2} of {} are zeros: {sizes:?}", spec.name);
                assert!(is_logit || most < 0.2, "{most:.2} of {} are 127: {sizes:?}", spec.name);
                assert!(!is_logit || of_layer.iter().all(|logit| logit.abs() < 8192), "{of_layer:?}");
            }
        }
    }
}
