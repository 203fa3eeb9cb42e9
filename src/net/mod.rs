//! Networks of integers, which give the policy and the value of a position: the same bits on every machine.
//!
//! A network is residual: an input layer, blocks of two layers, and two heads, one for the policy, one for the value.
//! Weights and activations have 8 bits, sums 32. The [specification](crate::documentation::specification), "Networks",
//! defines the arithmetic and the format of the file.
//!
//! An [`Evaluator`] evaluates leaves in any other way, such as by a network of another crate.

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
pub use evaluator::{HostEvaluation, LeafEvaluation};
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
    /// The layers in the layout of SIMD lanes, made by the first evaluation.
    lanes: OnceLock<Layers>,
}

/// Networks are equal if their sizes and parameters are; names don't count.
impl PartialEq for Network {
    fn eq(&self, other: &Self) -> bool {
        (self.digest, &self.sizes) == (other.digest, &other.sizes)
    }
}

impl Network {
    /// A network of these sizes; `layer` makes each layer from its spec.
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

    /// Its name: that of an included network, or its file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A 64-bit hash of all sizes and parameters. Equal networks have equal hashes; of different ones, one pair in 2^64
    /// does.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// Checks that the network fits a game.
    ///
    /// # Errors
    /// Bad input if it is for another game, or for a board of another size, or other numbers of planes or actions.
    pub fn check(&self, game: &str, rows: u32, columns: u32, planes: u32, actions: u32) -> Result<()> {
        let described = |game: &str, [rows, columns, planes, actions]: [u32; 4]| {
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
            described(&own.game, given),
            described(game, needed)
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
