//! Trees on the CPU reference.

use super::{
    Config, Kept, TreeStreams,
    memory::{self, Chunk},
    report::{Costs, Outcomes},
    shape_of,
};
use crate::{
    error::Result,
    game::{Game, Player},
    reference::{
        self, Forest, Shape, fingerprint::fingerprint, reduce_over_actions::reduce_over_actions,
        reduce_over_trees::reduce_over_trees, reset::reset, reuse::reuse, seed::seed,
    },
};
use rayon::prelude::*;
use std::time::Instant;

/// All trees of a search in one forest.
#[derive(Debug)]
pub(super) struct Trees<G: Game> {
    game: G,
    forest: Forest,
}

impl<G: Game> Trees<G> {
    /// No trees yet.
    pub fn new(game: &G, config: &Config) -> Result<Self> {
        let shape = Shape { n_trees: 0, ..shape_of(game, config) };
        Ok(Self { game: game.clone(), forest: Forest::new(shape)? })
    }

    /// How the memory is shared out over so many positions: nodes of a tree, and chunks.
    pub fn plan(&self, config: &Config, positions: u32) -> Result<(u32, Vec<Chunk>)> {
        let room = memory::Room { memory: config.memory, binding: u64::MAX };
        memory::share_out(&self.forest.shape, positions, config.trees, config.node_limit, &[room])
    }

    /// Takes the memory, once that of the last plan has been given back, and seeds the streams.
    pub fn allocate(&mut self, (capacity, chunks): (u32, Vec<Chunk>), trees_per_position: u32) -> Result<()> {
        let n_trees = chunks.iter().map(|chunk| chunk.n_trees).sum();
        let shape = Shape { capacity, n_trees, trees_per_position, ..self.forest.shape.clone() };
        self.forest = Forest::new(Shape { n_trees: 0, ..shape.clone() })?;
        self.forest = Forest::new(shape)?;
        seed(&mut self.forest);
        Ok(())
    }

    pub fn shape(&self) -> &Shape {
        &self.forest.shape
    }

    pub fn reset(&mut self, records: &[Vec<u32>]) {
        self.place(records);
        self.forest.par_trees().for_each(|mut tree| reset(&mut tree));
    }

    /// Every tree becomes its subtree below `moves`; says what was kept of them.
    pub fn reuse(&mut self, record: &[u32], moves: &[u32]) -> Kept {
        if !moves.is_empty() {
            self.place(&[record.to_vec()]);
            self.forest.par_trees().for_each(|mut tree| reuse(&mut tree, moves));
        }
        let root = reduce_over_trees(&self.forest).pop().unwrap_or_default();
        Kept::of(&self.forest.trees, root)
    }

    /// Writes the root records of all trees, from one a position.
    fn place(&mut self, records: &[Vec<u32>]) {
        let trees = self.forest.shape.trees_per_position as usize;
        let roots = records.iter().flat_map(|record| std::iter::repeat_n(record, trees));
        self.forest.roots = roots.flatten().copied().collect();
    }

    /// Makes steps. Trees do not wait for one another: no stage looks at another tree.
    pub fn step(&mut self, steps: u32) {
        let (game, shape) = (&self.game, self.forest.shape.clone());
        self.forest.par_trees().for_each(|mut tree| {
            for _ in 0..steps {
                reference::step(game, &shape, &mut tree);
            }
        });
    }

    pub fn outcomes(&self, config: &Config, costs: &mut Costs) -> Vec<Outcomes> {
        let began = Instant::now();
        let sums = reduce_over_trees(&self.forest);
        costs.reduce_over_trees = began.elapsed();
        let began = Instant::now();
        let row = self.forest.shape.max_actions as usize + 1;
        let trees = config.trees as usize;
        let best: Vec<_> = sums
            .chunks(row)
            .zip(self.forest.trees.chunks(trees))
            .map(|(sums, trees)| {
                let turn = if trees[0].root_turn() == 0 { Player::First } else { Player::Second };
                reduce_over_actions(config.variant, turn, &sums[..row - 1])
            })
            .collect();
        costs.reduce_over_actions = began.elapsed();
        let digests = fingerprint(&self.forest);
        let rows = sums.chunks(row).zip(&best);
        let headers = self.forest.trees.chunks(trees).zip(digests.chunks(trees));
        rows.zip(headers)
            .map(|((sums, best), (headers, digests))| Outcomes {
                sums: sums.to_vec(),
                best: best.ordinal,
                trees: headers.to_vec(),
                digests: digests.to_vec(),
            })
            .collect()
    }

    pub fn streams(&self) -> Vec<TreeStreams> {
        let playouts = self.forest.streams.chunks(self.forest.shape.streams_per_tree());
        let trees = self.forest.trees.iter().zip(playouts);
        trees.map(|(tree, streams)| [&[tree.expansion_stream], streams].concat()).collect()
    }

    pub fn set_streams(&mut self, streams: &[TreeStreams]) {
        let playouts = self.forest.streams.chunks_mut(self.forest.shape.streams_per_tree());
        for ((tree, to), from) in self.forest.trees.iter_mut().zip(playouts).zip(streams) {
            tree.expansion_stream = from[0];
            to.copy_from_slice(&from[1..]);
        }
    }
}
