//! Device against CPU reference: every kernel from the same snapshot, whole searches node by node; and both against the
//! original program. Integers throughout, so that equal means equal in every word.

mod ahead;
mod counters;
mod deep;
mod faults;
mod full_trees;
pub mod golden;
mod half_proofs;
mod kernels;
mod leaves;
mod networks;
mod packed;
mod planted;
mod proofs;
mod rave;
mod relay;
mod reuse;
mod reuse_edges;
mod rig;
mod rows;
mod slices;
mod snapshot;
mod trees;

use crate::support::{
    adapters::compiled,
    positions::{RandomGames, of_all_stages},
    prelude::*,
    transfer::{download, upload},
};
use glam::UVec2;
use mcts_wgpu::internals::{
    device::{Machine, kernels::Kernels, loads::Half},
    forest::layout::{
        ACTION_BITS, BEST_SHIFT, DIGEST_SLICES, Link, NO_CHILDREN, RootSum, Stats, TREE_PROVEN, split,
    },
    gpu::{program::Program, reuse::Portions, shaders::GROUP_ROW},
    reference::take_back,
};
use planted::{Mistake, NO_MISTAKE, Planted, Steps, WholeSteps, check_mistakes, seeded_trees};
use rig::{Kind, OnDevice, Rig, Setting};
use snapshot::{Snapshot, UNWRITTEN, unwrite};
use trees::{compare, differing_words};
