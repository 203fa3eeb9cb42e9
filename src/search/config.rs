//! What a search is to do: sizes, variant, seed, memory, schedule.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// Which children of an expanded node are played out, and how the work is launched
/// (seed document's Table 1). Serialized by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "&'static str", try_from = "String")]
pub struct Variant {
    /// All children (ACP) or one drawn child (OCP).
    pub all_children: bool,
    /// Launch exactly the legal children, or all B with early exits ("prodigal").
    pub thrifty: bool,
}

impl Variant {
    /// One child, exactly the legal children launched.
    pub const OCP_THRIFTY: Self = Self { all_children: false, thrifty: true };
    /// One child, B launched.
    pub const OCP_PRODIGAL: Self = Self { all_children: false, thrifty: false };
    /// All children, exactly the legal children launched.
    pub const ACP_THRIFTY: Self = Self { all_children: true, thrifty: true };
    /// All children, B launched.
    pub const ACP_PRODIGAL: Self = Self { all_children: true, thrifty: false };
    /// The four, in the order of the paper's Table 1.
    pub const ALL: [Self; 4] = [Self::OCP_THRIFTY, Self::ACP_THRIFTY, Self::OCP_PRODIGAL, Self::ACP_PRODIGAL];

    /// `ocp-thrifty` and so on.
    pub fn name(self) -> &'static str {
        match (self.all_children, self.thrifty) {
            (false, true) => "ocp-thrifty",
            (false, false) => "ocp-prodigal",
            (true, true) => "acp-thrifty",
            (true, false) => "acp-prodigal",
        }
    }
}

impl From<Variant> for &'static str {
    fn from(variant: Variant) -> Self {
        variant.name()
    }
}

impl TryFrom<String> for Variant {
    type Error = Error;

    fn try_from(name: String) -> Result<Self> {
        name.parse()
    }
}

impl FromStr for Variant {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|v| v.name() == name).ok_or_else(|| {
            let known = Self::ALL.map(Self::name).join(", ");
            Error::bad_input(format!("unknown variant '{name}': choose one of {known}"))
        })
    }
}

/// How the steps are put onto the device. Both schedules give the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Schedule {
    /// Picks by the width of a step.
    #[default]
    Auto,
    /// One kernel a stage, hundreds of steps recorded into a submission.
    Staged,
    /// One workgroup a tree makes whole steps in a loop inside one dispatch.
    Fused,
}

impl Schedule {
    /// `auto`, `staged`, `fused`.
    pub fn name(self) -> &'static str {
        match self {
            Schedule::Auto => "auto",
            Schedule::Staged => "staged",
            Schedule::Fused => "fused",
        }
    }
}

impl FromStr for Schedule {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        [Schedule::Auto, Schedule::Staged, Schedule::Fused].into_iter().find(|s| s.name() == name).ok_or_else(
            || Error::bad_input(format!("unknown schedule '{name}': choose one of auto, staged, fused")),
        )
    }
}

/// Everything that shapes a search. The defaults are those of the original program.
///
/// ```
/// use mcts_wgpu::{Config, Variant};
/// let config = Config { variant: Variant::OCP_THRIFTY, trees: 4, seed: 7, ..Config::default() };
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Which children are played out, and how the work is launched.
    pub variant: Variant,
    /// T, independent trees per position: 1 to 65,536.
    pub trees: u32,
    /// m, playouts per played-out node: a power of two, 1 to 512.
    pub playouts: u32,
    /// C, the UCB constant: 0, or 2^-20 to 2^20.
    pub ucb_c: f32,
    /// Seed of both families of random streams.
    pub seed: u64,
    /// Bytes the search may take on each of its devices. Trees that one binding of the device does not hold (2 GiB on most: 3 GiB
    /// of trees) are searched in chunks, one after another, which takes as many times as long.
    pub memory: u64,
    /// Nodes a tree may have, where memory alone should not decide.
    pub node_limit: Option<u32>,
    /// How the steps are put onto the device.
    pub schedule: Schedule,
    /// Go on with the trees of the run before where its position leads to the new one by moves (see
    /// [`Position::moves`](crate::Position::moves)): the subtree below them becomes the tree. Batches never do. Off, as in
    /// the original, a run's result depends on its own position alone, and on where the random streams stand.
    pub reuse: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            variant: Variant::ACP_PRODIGAL,
            trees: 8,
            playouts: 128,
            ucb_c: 2.0,
            seed: 0,
            memory: 2 << 30,
            node_limit: None,
            schedule: Schedule::Auto,
            reuse: false,
        }
    }
}

/// Greatest number of trees of one position.
pub const MAX_TREES: u32 = 1 << 16;
/// Greatest number of playouts per played-out node.
pub const MAX_PLAYOUTS: u32 = 512;

impl Config {
    /// Checks every field.
    ///
    /// # Errors
    /// Bad input, naming the field and its range.
    pub fn validate(&self) -> Result<()> {
        let bad = |message: String| Err(Error::bad_input(message));
        if !(1..=MAX_TREES).contains(&self.trees) {
            return bad(format!("{} trees: give a number from 1 to {MAX_TREES}", self.trees));
        }
        if !self.playouts.is_power_of_two() || self.playouts > MAX_PLAYOUTS {
            return bad(format!("{} playouts: give a power of two from 1 to {MAX_PLAYOUTS}", self.playouts));
        }
        let c = self.ucb_c;
        let range = 2f32.powi(-20)..=2f32.powi(20);
        if c != 0.0 && !range.contains(&c) {
            return bad(format!("UCB constant {c}: give 0 or a number from 0.000001 to 1000000"));
        }
        if self.memory == 0 {
            return bad("no memory: give the search some, such as 2 GiB".into());
        }
        Ok(())
    }
}
