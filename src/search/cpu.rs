//! Trees on the CPU reference.

use super::{
    Config, TreeStreams, memory,
    report::{Costs, Outcomes},
    shape_of,
};
use crate::{
    error::Result,
    game::{Game, Player},
    reference::{
        self, Forest, Shape, fingerprint::fingerprint, reduce_over_actions::reduce_over_actions,
        reduce_over_trees::reduce_over_trees, reset::reset, seed::seed,
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
    pub fn new(game: &G, config: &Config, positions: u32) -> Result<Self> {
        let mut shape = shape_of(game, config);
        let room = memory::Room { memory: config.memory, binding: u64::MAX };
        let (capacity, chunks) =
            memory::share_out(&shape, positions, config.trees, config.node_limit, &[room])?;
        shape.capacity = capacity;
        shape.n_trees = chunks.iter().map(|chunk| chunk.n_trees).sum();
        shape.trees_per_position = config.trees;
        let mut forest = Forest::new(shape)?;
        seed(&mut forest);
        Ok(Self { game: game.clone(), forest })
    }

    pub fn shape(&self) -> &Shape {
        &self.forest.shape
    }

    pub fn reset(&mut self, records: &[Vec<u32>], trees: u32) {
        let words = self.forest.shape.root_words();
        for (tree, root) in self.forest.roots.chunks_mut(words).enumerate() {
            root.copy_from_slice(&records[tree / trees as usize]);
        }
        self.forest.par_trees().for_each(|mut tree| reset(&mut tree));
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
