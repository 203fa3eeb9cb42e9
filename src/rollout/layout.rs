//! Structures that `shaders/rollout/thread.wgsl` shares with Rust.

use crate::{forest::layout::join, reference::rollout::Tally};
use bytemuck::{Pod, Zeroable};
use glam::UVec2;

/// The games of one dispatch. Uniform `rollout_params`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub(super) struct RolloutParams {
    /// Number of the first game, 64 bits.
    pub first_game: UVec2,
    /// Both words of the seed's stream 0.
    pub stream_zero: UVec2,
    /// Games.
    pub games: u32,
    /// Games that a lane claims at a time.
    pub batch: u32,
    /// The number of times that a lane may claim them.
    pub lane_batches: u32,
    /// Plies after which a game is cut off.
    pub max_moves: u32,
    /// Plies after which lanes start new games together.
    pub round: u32,
    /// The player to move: 0 or 1.
    pub turn: u32,
    /// Makes the size a multiple of 16.
    pub padding: UVec2,
}

/// 64-bit sums of every rollout in storage `rollout_totals`; those of points follow.
pub(super) const COUNTS: usize = 6;

/// Pairs of words in `rollout_totals`: the sums, and a last one with the faults in its first word.
pub(super) fn totals(owned_points: u32) -> usize {
    COUNTS + owned_points as usize + 1
}

/// The tally of the sums and faults in `rollout_totals`.
pub(super) fn tally(sums: &[UVec2]) -> Tally {
    let sum = |index: usize| sums.get(index).map_or(0, |&words| join(words));
    let last = sums.len().saturating_sub(1);
    Tally {
        first_wins: sum(0),
        second_wins: sum(1),
        draws: sum(2),
        unfinished: sum(3),
        plies: sum(4),
        half_points: sum(5).cast_signed(),
        owners: (COUNTS..last).map(|point| sum(point).cast_signed()).collect(),
        faults: sums.last().map_or(0, |words| words.x),
    }
}
