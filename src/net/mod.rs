//! Networks of integers: policy and value of a position, the same bits on every machine.
//!
//! A network is residual: an input layer, blocks of two layers, and two heads, one for the policy, one for the value.
//! Weights and activations have 8 bits, sums 32. The arithmetic and the format of the file:
//! [specification](crate::documentation::specification), "Networks".
//!
//! Other evaluations of leaves, such as by a network of another crate, are [`Evaluator`]s.

mod data;
mod evaluate;
mod evaluator;
mod file;
mod kernel;
mod lanes;
mod layer;
mod placement;
#[cfg(test)]
mod plain;
mod random;
mod shipped;
mod sizes;

pub use evaluator::{Evaluator, Leaves};
#[doc(hidden)]
pub use evaluator::{HostJudge, Judge};
pub(crate) use file::read_tensors;
pub use kernel::NetKernel;
pub use layer::Layer;
pub(crate) use placement::Placement;
pub use sizes::{Sizes, Trunk};

use crate::error::{Error, Result};
use evaluate::Layers;
use sizes::LayerSpec;
use std::sync::OnceLock;

/// A network, read from a file of safetensors.
#[derive(Debug, Clone)]
pub struct Network {
    pub(crate) sizes: Sizes,
    pub(crate) name: String,
    pub(crate) digest: u64,
    pub(crate) input: Layer,
    pub(crate) blocks: Vec<[Layer; 2]>,
    pub(crate) policy: [Layer; 2],
    pub(crate) value: [Layer; 3],
    /// The same in the layout of SIMD lanes, from the first evaluation on.
    lanes: OnceLock<Layers>,
}

/// Equal if all numbers and sizes are.
impl PartialEq for Network {
    fn eq(&self, other: &Self) -> bool {
        (self.digest, &self.sizes) == (other.digest, &other.sizes)
    }
}

impl Network {
    /// A network of these sizes, whose layers `layer` makes from their specs.
    fn build(name: String, sizes: Sizes, mut layer: impl FnMut(&LayerSpec) -> Result<Layer>) -> Result<Self> {
        sizes.check()?;
        let mut checked = |spec: LayerSpec| {
            let layer = layer(&spec)?;
            layer.check(&spec).map(|()| layer)
        };
        let input = checked(sizes.input())?;
        let mut blocks = Vec::new();
        for block in 0..sizes.blocks {
            let [first, second] = sizes.block(block);
            blocks.push([checked(first)?, checked(second)?]);
        }
        let [conv, dense] = sizes.policy();
        let policy = [checked(conv)?, checked(dense)?];
        let [conv, hidden, dense] = sizes.value();
        let value = [checked(conv)?, checked(hidden)?, checked(dense)?];
        let mut network =
            Self { sizes, name, digest: 0, input, blocks, policy, value, lanes: OnceLock::new() };
        network.digest = network.digested();
        Ok(network)
    }

    /// Its sizes.
    pub fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    /// Its name: that of its file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A hash of all numbers and sizes: equal for equal networks, and different for others except by chance, for one
    /// pair in 2^64.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// Checks that the network fits a game.
    ///
    /// # Errors
    /// Bad input if it is for another game, or for other sizes.
    pub fn check(&self, game: &str, rows: u32, columns: u32, planes: u32, actions: u32) -> Result<()> {
        let told = |game: &str, [rows, columns, planes, actions]: [u32; 4]| {
            format!("{game} on {rows} x {columns} cells with {planes} planes and {actions} actions")
        };
        let own = &self.sizes;
        let (needed, given) =
            ([rows, columns, planes, actions], [own.rows, own.columns, own.planes, own.actions]);
        if (game, needed) == (own.game.as_str(), given) {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "the network {} is for {}: give one for {}",
            self.name,
            told(&own.game, given),
            told(game, needed)
        )))
    }

    /// All layers, in the order of [`build`](Self::build), each with its spec.
    fn layers(&self) -> impl Iterator<Item = (LayerSpec, &Layer)> {
        let blocks = (0..self.sizes.blocks).flat_map(|block| self.sizes.block(block));
        let specs = [self.sizes.input()].into_iter().chain(blocks);
        let specs = specs.chain(self.sizes.policy()).chain(self.sizes.value());
        let layers = [&self.input].into_iter().chain(self.blocks.iter().flatten());
        specs.zip(layers.chain(&self.policy).chain(&self.value))
    }
}
