//! Searches on several ranks: the trees are divided among the devices of all ranks, and their outcomes are combined.

use super::{
    TreeStreams,
    memory::{self, Chunk, Division, Part, Room},
    report::Outcomes,
};
use crate::{
    error::Result,
    forest::{
        layout::{AT_LEAST_DRAWN, AT_MOST_DRAWN, Link, RootSum, Stats, Tree, split},
        nodes::Node,
        shape::Shape,
    },
    ranks::{Ranks, Reduction},
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
    let words = own
        .iter()
        .flat_map(|room| [room.memory, room.binding, room.array_bindings.into(), room.in_one.into()]);
    let words: Vec<u64> = words.collect();
    let all = ranks.share(Ok(bytemuck::cast_slice(&words).to_vec()))?;
    let room = |words: &[u64]| Room {
        memory: words[0],
        binding: words[1],
        array_bindings: words[2] as u32,
        in_one: words[3] > 0,
    };
    let of_rank = |bytes: &Vec<u8>| {
        let words: Vec<u64> = bytemuck::pod_collect_to_vec(bytes);
        words.chunks_exact(4).map(room).collect::<Vec<_>>()
    };
    let rooms: Vec<_> = all.iter().map(of_rank).collect();
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
    let mut sums = own.first().map_or_else(|| vec![RootSum::default(); row], |found| found.sums.clone());
    let first = ranks.least(Ok(if own.is_empty() { u64::MAX } else { ranks.rank() as u64 }))?;
    if first != ranks.rank() as u64 {
        sums.iter_mut().for_each(|sum| (sum.info, sum.present) = (0, 0));
    }
    let counts = |sum: &RootSum| <[u64; 2]>::from(sum.stats.counts());
    let mut stats: Vec<u64> = sums.iter().flat_map(counts).collect();
    ranks.reduce(&mut stats, Reduction::Sum)?;
    // `info` and `present` are 0 on all ranks but one; of proofs the greatest word counts, of half proofs each bit.
    let rest = |sum: &RootSum| {
        let half = [AT_LEAST_DRAWN, AT_MOST_DRAWN].map(|bit| sum.half_proofs & bit);
        [sum.info, sum.present, sum.proof, half[0], half[1]].map(u64::from)
    };
    let mut words: Vec<u64> = sums.iter().flat_map(rest).collect();
    ranks.reduce(&mut words, Reduction::Max)?;
    let rows = stats.chunks_exact(2).zip(words.chunks_exact(5));
    Ok(rows
        .map(|(stats, words)| RootSum {
            stats: Stats { n: split(stats[0]), n_wins: split(stats[1]) },
            info: words[0] as u32,
            present: words[1] as u32,
            proof: words[2] as u32,
            half_proofs: (words[3] | words[4]) as u32,
        })
        .collect())
}

/// Nodes of trees on several ranks: each rank has read the runs of its own trees.
pub(super) fn rows(ranks: &Ranks, own: Result<Vec<Vec<Node>>>) -> Result<Vec<Vec<Node>>> {
    if ranks.is_alone() {
        return own;
    }
    let words = |rows: Vec<Vec<Node>>| {
        let mut words = Vec::new();
        for row in rows {
            words.push(row.len() as u32);
            for (Link { first_child, info }, Stats { n, n_wins }) in row {
                words.extend([first_child, info, n.x, n.y, n_wins.x, n_wins.y]);
            }
        }
        words
    };
    let all: Vec<u32> = ranks.join(own.map(words))?;
    let node = |words: &[u32]| {
        let link = Link { first_child: words[0], info: words[1] };
        (link, Stats { n: [words[2], words[3]].into(), n_wins: [words[4], words[5]].into() })
    };
    let (mut rows, mut rest) = (Vec::new(), &all[..]);
    while let [count, after @ ..] = rest {
        let (row, next) = after.split_at(6 * *count as usize);
        rows.push(row.chunks_exact(6).map(node).collect());
        rest = next;
    }
    Ok(rows)
}
