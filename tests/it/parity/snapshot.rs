//! A chunk of trees with all buffers of the kernels, in host memory, and the CPU twins that work on it.

use super::*;
use mcts_wgpu::internals::{
    forest::layout::{Best, ROOT_HEADER},
    reference::{
        self, TreeView, count_jobs::count_jobs, fingerprint::fingerprint,
        reduce_over_actions::reduce_over_actions, reduce_over_trees::reduce_over_trees, seed::seed, twin,
    },
};

/// Content of words that nothing has written: not 0, so that "wrote 0" differs from "never wrote", and not `u32::MAX`,
/// which stands for "no action".
pub const UNWRITTEN: u32 = 0xa5a5_a5a5;

/// All buffers of a chunk but the constant ones.
#[derive(Debug, Clone)]
pub struct Snapshot<G: Game> {
    pub game: G,
    pub forest: Forest,
    pub dispatches: [u32; 6],
    pub root_sums: Vec<RootSum>,
    pub best: Vec<Best>,
    /// Sums over the slices of each tree.
    pub digests: Vec<u64>,
    widths: Widths,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    pub buffer: &'static str,
    pub index: usize,
}

/// The names of buffers with their words.
macro_rules! named_words {
    ($cast:ident, $snapshot:expr) => {
        named_words!(
            $cast,
            $snapshot,
            roots trees paths stats links states streams tallies firsts leaf_planes outputs jobs,
            dispatches root_sums best
        )
    };
    ($cast:ident, $snapshot:expr, $($of_forest:ident)*, $($own:ident)*) => {{
        let Snapshot { forest, $($own,)* .. } = $snapshot;
        let Forest { $($of_forest,)* .. } = forest;
        vec![
            $((stringify!($of_forest), bytemuck::$cast($of_forest)),)*
            $((stringify!($own), bytemuck::$cast($own)),)*
        ]
    }};
}

impl<G: Game> Snapshot<G> {
    /// Root records of the positions; nothing else is written yet.
    pub fn new(game: &G, shape: Shape, widths: Widths, positions: &[Position<G>]) -> Self {
        let trees = shape.n_trees as usize;
        assert_eq!(trees, positions.len() * shape.trees_per_position as usize);
        let sums = positions.len() * (shape.max_actions as usize + 1);
        let mut snapshot = Self {
            game: game.clone(),
            forest: Forest::new(shape).expect("the host has room"),
            dispatches: [UNWRITTEN; 6],
            root_sums: vec![RootSum::default(); sums],
            best: vec![Best::default(); positions.len()],
            digests: vec![unwritten_digest(); trees],
            widths,
        };
        snapshot.forget();
        snapshot.place(positions);
        snapshot
    }

    /// [`new`](Self::new), ready for the first step.
    pub fn begun(game: &G, shape: Shape, widths: Widths, positions: &[Position<G>]) -> Self {
        let mut snapshot = Self::new(game, shape, widths, positions);
        snapshot.begin();
        snapshot
    }

    pub fn begin(&mut self) {
        self.twin("seed");
        self.twin("reset");
    }

    fn forget(&mut self) {
        macro_rules! forget {
            ($($buffer:ident)*) => { $(unwrite(&mut self.forest.$buffer);)* };
        }
        forget!(trees paths stats links states streams tallies firsts leaf_planes outputs jobs);
        unwrite(&mut self.root_sums);
        unwrite(&mut self.best);
    }

    /// Writes the root records.
    pub fn place(&mut self, positions: &[Position<G>]) {
        let shape = &self.forest.shape;
        let words = shape.root_words();
        let repeat = shape.trees_per_position as usize;
        let roots = positions.iter().flat_map(|position| std::iter::repeat_n(position, repeat));
        for (record, position) in self.forest.roots.chunks_mut(words).zip(roots) {
            record[0] = position.turn() as u32;
            record[1] = Outcome::code(position.outcome());
            self.game.pack(position.state(), &mut record[ROOT_HEADER as usize..]);
        }
    }

    pub fn step(&mut self, steps: u32) {
        let game = self.game.clone();
        self.each_tree(|shape, tree| (0..steps).for_each(|_| reference::step(&game, shape, tree)));
    }

    pub fn twin(&mut self, kernel: &str) {
        let game = self.game.clone();
        match kernel {
            "seed" => seed(&mut self.forest),
            "count_jobs" => self.count_jobs(),
            "reduce_over_trees" => self.root_sums = reduce_over_trees(&self.forest),
            "reduce_over_actions" => self.best = self.best_actions(),
            "fingerprint" => self.digests = fingerprint(&self.forest),
            _ => {
                let work = twin(kernel).unwrap_or_else(|| panic!("no kernel {kernel}"));
                self.each_tree(|shape, tree| work(&game, shape, tree));
            }
        }
    }

    fn each_tree(&mut self, work: impl Fn(&Shape, &mut TreeView<'_>) + Sync + Send) {
        let shape = self.forest.shape.clone();
        self.forest.for_each_tree(|mut tree| work(&shape, &mut tree));
    }

    /// The twin counts the jobs; the workgroups that these take depend on the device's widths.
    fn count_jobs(&mut self) {
        count_jobs(&mut self.forest);
        let jobs = *self.forest.jobs.last().expect("there is a total");
        let rows = |invocations: u32, lanes: u32| {
            let groups = invocations.div_ceil(lanes);
            [groups.min(GROUP_ROW), groups.div_ceil(GROUP_ROW), 1]
        };
        let playouts = rows(jobs * self.forest.shape.config.playouts, self.widths.games);
        self.dispatches = [rows(jobs, self.widths.tree), playouts].concat().try_into().expect("six words");
    }

    fn best_actions(&self) -> Vec<Best> {
        let shape = &self.forest.shape;
        let row = shape.max_actions as usize + 1;
        let first_trees = self.forest.headers().iter().step_by(shape.trees_per_position as usize);
        let best = |(sums, tree): (&[RootSum], &mcts_wgpu::internals::forest::layout::Tree)| {
            let turn = if tree.root_turn() == 0 { Player::First } else { Player::Second };
            reduce_over_actions((&shape.config, shape.win_points()), turn, sums)
        };
        self.root_sums.chunks(row).zip(first_trees).map(best).collect()
    }

    pub fn buffers(&self) -> Vec<(&'static str, &[u32])> {
        let mut buffers = named_words!(cast_slice, self);
        buffers.push(("digests", bytemuck::cast_slice(&self.digests)));
        buffers
    }

    /// The same except `digests`, mutable.
    pub fn buffers_mut(&mut self) -> Vec<(&'static str, &mut [u32])> {
        named_words!(cast_slice_mut, self)
    }

    pub fn differences(&self, other: &Self) -> Vec<Word> {
        let pairs = self.buffers().into_iter().zip(other.buffers());
        pairs
            .flat_map(|((buffer, ours), (_, theirs))| {
                assert_eq!(ours.len(), theirs.len(), "{buffer}");
                let differ = (0..ours.len()).filter(|&index| ours[index] != theirs[index]);
                differ.map(|index| Word { buffer, index }).collect::<Vec<_>>()
            })
            .collect()
    }
}

pub fn unwrite<T: bytemuck::Pod>(values: &mut [T]) {
    bytemuck::cast_slice_mut::<T, u32>(values).fill(UNWRITTEN);
}

pub fn unwritten_digest() -> u64 {
    let sum = UNWRITTEN.wrapping_mul(DIGEST_SLICES);
    u64::from(sum) | u64::from(sum) << 32
}
