//! The sizes of a network, which determine its layers.

use crate::{
    error::{Error, Result},
    names::named,
};
use serde::Serialize;

named! {
    /// The kind of the layers between the planes and the heads.
    pub enum Trunk: "trunk" {
        /// Convolutions of 3 x 3 cells.
        Conv = "conv",
        /// Fully connected layers, for games without a board: the whole board is the input of one cell.
        Dense = "dense",
    }
}

/// The sizes of a network, and its game.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Sizes {
    /// The name of the game, 1 to 64 bytes.
    pub game: String,
    /// Rows of the board, 1 to 1,024; rows * columns is at most 1,024.
    pub rows: u32,
    /// Columns of the board, 1 to 1,024.
    pub columns: u32,
    /// Planes of the input, 1 to 32: bits of a cell.
    pub planes: u32,
    /// Actions, 1 to 512, each with a logit of the policy.
    pub actions: u32,
    /// The kind of the trunk's layers.
    pub trunk: Trunk,
    /// Residual blocks of two layers each, 0 to 64.
    pub blocks: u32,
    /// Channels of the trunk, a multiple of 16, 16 to 256.
    pub channels: u32,
    /// Channels of the policy head's first layer, 1 to 32.
    pub policy_channels: u32,
    /// Channels of the value head's first layer, 1 to 32.
    pub value_channels: u32,
    /// Outputs of the value head's second layer, 1 to 256.
    pub value_hidden: u32,
}

/// Greatest length of a game's name, in bytes.
const MOST_NAME: usize = 64;
/// Greatest number of cells of a board.
const MOST_CELLS: u32 = 1024;

impl Sizes {
    /// Cells of the board.
    pub fn cells(&self) -> u32 {
        self.rows * self.columns
    }

    /// Cells of the trunk: those of the board, or 1 in a dense trunk.
    pub fn trunk_cells(&self) -> u32 {
        match self.trunk {
            Trunk::Conv => self.cells(),
            Trunk::Dense => 1,
        }
    }

    /// Checks every size.
    ///
    /// # Errors
    /// Bad input, naming a size out of its range.
    pub(super) fn check(&self) -> Result<()> {
        if self.game.is_empty() || self.game.len() > MOST_NAME {
            return Err(Error::invalid(format!("the game's name: give 1 to {MOST_NAME} bytes")));
        }
        let ranges = [
            ("rows", self.rows, 1..=MOST_CELLS),
            ("columns", self.columns, 1..=MOST_CELLS),
            ("planes", self.planes, 1..=32),
            ("actions", self.actions, 1..=512),
            ("blocks", self.blocks, 0..=64),
            ("channels", self.channels, 16..=256),
            ("policy_channels", self.policy_channels, 1..=32),
            ("value_channels", self.value_channels, 1..=32),
            ("value_hidden", self.value_hidden, 1..=256),
        ];
        if let Some((name, size, range)) = ranges.into_iter().find(|(_, size, range)| !range.contains(size)) {
            let (least, most) = range.into_inner();
            return Err(Error::invalid(format!("{name} = {size}: give {least} to {most}")));
        }
        if self.cells() > MOST_CELLS {
            let (rows, columns) = (self.rows, self.columns);
            let what = format!("a board of {rows} x {columns} cells: give at most {MOST_CELLS} cells");
            return Err(Error::invalid(what));
        }
        if !self.channels.is_multiple_of(16) {
            return Err(Error::invalid(format!("channels = {}: give a multiple of 16", self.channels)));
        }
        Ok(())
    }

    pub(super) fn input(&self) -> LayerSpec {
        let (inputs, taps) = match self.trunk {
            Trunk::Conv => (self.planes, 9),
            Trunk::Dense => (self.planes * self.cells(), 1),
        };
        LayerSpec { name: "input".into(), inputs, outputs: self.channels, taps, most_input: 1 }
    }

    /// The layers of the residual block with this index.
    pub(super) fn block(&self, block: u32) -> [LayerSpec; 2] {
        let taps = self.input().taps;
        ["first", "second"].map(|part| LayerSpec {
            taps,
            ..LayerSpec::dense(format!("block.{block}.{part}"), self.channels, self.channels)
        })
    }

    pub(super) fn policy(&self) -> [LayerSpec; 2] {
        [
            LayerSpec::dense("policy.conv", self.channels, self.policy_channels),
            LayerSpec::dense("policy.dense", self.policy_channels * self.trunk_cells(), self.actions),
        ]
    }

    pub(super) fn value(&self) -> [LayerSpec; 3] {
        [
            LayerSpec::dense("value.conv", self.channels, self.value_channels),
            LayerSpec::dense("value.hidden", self.value_channels * self.trunk_cells(), self.value_hidden),
            LayerSpec::dense("value.dense", self.value_hidden, 3),
        ]
    }
}

/// The sizes of a layer, for its construction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LayerSpec {
    /// The prefix of its tensors' names.
    pub name: String,
    pub inputs: u32,
    pub outputs: u32,
    pub taps: u32,
    /// The greatest value of an input.
    pub most_input: u32,
}

impl LayerSpec {
    /// A layer of one tap after the input layer.
    fn dense(name: impl Into<String>, inputs: u32, outputs: u32) -> Self {
        Self { name: name.into(), inputs, outputs, taps: 1, most_input: 127 }
    }

    /// The number of weights of one output.
    pub(super) fn fan_in(&self) -> usize {
        (self.inputs * self.taps) as usize
    }
}
