//! Searches on several ranks: the trees are divided among the devices of all ranks, and their outcomes are combined.

use super::{
    TreeStreams,
    memory::{self, Chunk, Division, Part, Room},
    report::Outcomes,
};
use crate::{
    error::Result,
    forest::{
        layout::{Link, RootSum, Stats, Tree},
        nodes::Node,
        shape::Shape,
    },
    ranks::Ranks,
    reference::reduce_over_actions::reduce_over_actions,
    rules::{Game, Position},
};
use glam::UVec4;

/// Divides the trees of some positions among the devices of all ranks, as [`memory::share_out`] does, and returns the
/// parts of this rank's devices.
pub(super) fn share_out(
    ranks: &Ranks,
    shape: &Shape,
    positions: u32,
    nodes: u32,
    own: &[Room],
) -> Result<Division> {
    let rooms = ranks.exchange(Ok(own.to_vec()))?;
    let first = rooms[..ranks.rank()].iter().map(Vec::len).sum();
    let division = memory::share_out(shape, positions, nodes, &rooms.concat())?;
    let own =
        division.parts.into_iter().filter(|part| (first..first + own.len()).contains(&part.trees.device));
    let counted = |trees: Chunk| Chunk { device: trees.device - first, ..trees };
    let parts = own.map(|part| Part { trees: counted(part.trees), ..part }).collect();
    Ok(Division { parts, ..division })
}

/// The streams of all trees, in their order.
pub(super) fn streams(
    ranks: &Ranks,
    shape: &Shape,
    own: Result<Vec<TreeStreams>>,
) -> Result<Vec<TreeStreams>> {
    if ranks.is_alone() {
        return own;
    }
    let all: Vec<UVec4> = ranks.join(own.map(|own| own.concat()))?;
    Ok(all.chunks(shape.config.leaf_batch as usize + shape.streams_per_tree()).map(<[_]>::to_vec).collect())
}

/// The outcomes by position. The trees of a single position may be on all ranks; of several positions, each has all its
/// trees on one rank.
pub(super) fn outcomes<G: Game>(
    ranks: &Ranks,
    shape: &Shape,
    positions: &[Position<G>],
    own: Result<Vec<Outcomes>>,
) -> Result<Vec<Outcomes>> {
    if ranks.is_alone() {
        return own;
    }
    let own = ranks.settle(own)?;
    let trees: Vec<Tree> = ranks.join(Ok(own.iter().flat_map(|found| found.trees.clone()).collect()))?;
    let digests: Vec<u64> = ranks.join(Ok(own.iter().flat_map(|found| found.digests.clone()).collect()))?;
    let row = positions[0].game().max_actions() as usize + 1;
    let (sums, best) = match positions {
        [position] => {
            let sums = sums(ranks, row, &own)?;
            let best = reduce_over_actions((&shape.config, shape.win_points()), position.turn(), &sums);
            (sums, vec![best.ordinal])
        }
        _ => {
            let sums = ranks.join(Ok(own.iter().flat_map(|found| found.sums.clone()).collect()))?;
            (sums, ranks.join(Ok(own.iter().map(|found| found.best).collect()))?)
        }
    };
    Ok(Outcomes::by_position((&sums, row), best, (&trees, &digests), shape.config.trees))
}

/// The sums of a position whose trees are on several ranks. The children are those of its first tree, on the first rank
/// that has any.
fn sums(ranks: &Ranks, row: usize, own: &[Outcomes]) -> Result<Vec<RootSum>> {
    let own = own.first().map(|found| found.sums.clone());
    let all: Vec<RootSum> = ranks.join(Ok(own.unwrap_or_default()))?;
    let mut rows = all.chunks(row);
    let mut sums = rows.next().map_or_else(|| vec![RootSum::default(); row], <[_]>::to_vec);
    for part in rows {
        sums.iter_mut().zip(part).for_each(|(sum, part)| sum.add_trees(part));
    }
    Ok(sums)
}

/// Nodes of trees on several ranks: each rank has read the runs of its own trees.
pub(super) fn rows(ranks: &Ranks, own: Result<Vec<Vec<Node>>>) -> Result<Vec<Vec<Node>>> {
    if ranks.is_alone() {
        return own;
    }
    let own = ranks.settle(own)?;
    let lengths: Vec<u32> = ranks.join(Ok(own.iter().map(|row| row.len() as u32).collect()))?;
    let (links, stats): (Vec<Link>, Vec<Stats>) = own.into_iter().flatten().unzip();
    let (links, stats) = (ranks.join(Ok(links))?, ranks.join(Ok(stats))?);
    let mut nodes = links.into_iter().zip(stats);
    Ok(lengths.into_iter().map(|length| nodes.by_ref().take(length as usize).collect()).collect())
}
